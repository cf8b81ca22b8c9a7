package e2e

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// watched is the workbench in a pseudo-terminal that keeps the time of everything it draws.
type watched struct {
	b     *testing.B
	cmd   *exec.Cmd
	tty   *os.File
	start time.Time
	drawn chan drawing
	raw   bytes.Buffer // what has been taken from drawn
	fed   int          // of raw to the emulator
	em    *vt.Emulator
}

type drawing struct {
	at   time.Time
	text []byte
}

const benchCols, benchRows = 160, 48

// watchOpen starts the workbench on the store in dir.
func watchOpen(b *testing.B, dir string, env ...string) *watched {
	b.Helper()
	cmd := exec.Command(binary(b), "-C", dir)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=", "XDG_CONFIG_HOME="+b.TempDir())
	cmd.Env = append(cmd.Env, env...)
	x := &watched{b: b, cmd: cmd, drawn: make(chan drawing, 4096), start: time.Now(), em: vt.NewEmulator(benchCols, benchRows)}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: benchCols, Rows: benchRows})
	if err != nil {
		b.Fatal(err)
	}
	x.tty = tty
	go func() {
		defer close(x.drawn)
		for {
			buf := make([]byte, 1<<14)
			n, err := tty.Read(buf)
			if n > 0 {
				x.drawn <- drawing{time.Now(), buf[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	// Nobody reads the emulator's answers to the program's questions but this.
	go func() { _, _ = io.Copy(io.Discard, x.em) }()
	return x
}

// close ends the program.
func (x *watched) close() {
	x.b.Helper()
	_, _ = x.tty.WriteString("\x03")
	for range x.drawn { // until it has closed its terminal
	}
	_ = x.cmd.Wait()
	_ = x.tty.Close()
	if in, ok := x.em.InputPipe().(io.Closer); ok {
		_ = in.Close()
	}
}

// take waits for the next thing drawn, for d at the longest.
func (x *watched) take(d time.Duration) (drawing, bool) {
	x.b.Helper()
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case one, ok := <-x.drawn:
		if !ok {
			x.b.Fatalf("the program ended: %q", x.raw.Bytes()[max(0, x.raw.Len()-2000):])
		}
		x.raw.Write(one.text)
		return one, true
	case <-limit.C:
		return drawing{}, false
	}
}

// rest takes everything that is drawn during d, and was before.
func (x *watched) rest(d time.Duration) {
	for end := time.Now().Add(d); ; {
		if _, more := x.take(max(0, time.Until(end))); !more && !time.Now().Before(end) {
			return
		}
	}
}

const longest = 30 * time.Second // that a benchmark waits for anything

// first is how long after its start the program has drawn all of some texts.
func (x *watched) first(texts ...string) time.Duration {
	x.b.Helper()
	for {
		one, ok := x.take(longest)
		if !ok {
			x.b.Fatalf("no frame with %q; the screen is:\n%s", texts, x.screen())
		}
		all := true
		for _, t := range texts {
			all = all && bytes.Contains(x.raw.Bytes(), []byte(t))
		}
		if all {
			return one.at.Sub(x.start)
		}
	}
}

// key presses a key that changes the screen, and is how long it waits for its frame: a
// second at the longest, after which the frame that it was to be in has come already.
func (x *watched) key(key string) time.Duration {
	x.b.Helper()
	start := time.Now()
	if _, err := x.tty.WriteString(key); err != nil {
		x.b.Fatal(err)
	}
	if one, ok := x.take(time.Second); ok {
		return one.at.Sub(start)
	}
	return time.Second
}

// until waits for the screen to satisfy ok, and returns when that was drawn.
func (x *watched) until(what string, ok func(screen string) bool) time.Time {
	x.b.Helper()
	at, end := time.Now(), time.Now().Add(longest)
	for !ok(x.screen()) {
		one, there := x.take(time.Until(end))
		if !there {
			x.b.Fatalf("no %s; the screen is:\n%s", what, x.screen())
		}
		at = one.at
	}
	return at
}

// screen is what a person sees.
func (x *watched) screen() string {
	_, _ = x.em.Write(x.raw.Bytes()[x.fed:])
	x.fed = x.raw.Len()
	return ansi.Strip(x.em.Render())
}

// number is the number on the screen that stands right behind a text, thousands and all.
func (x *watched) number(behind string) int {
	_, tail, _ := strings.Cut(x.screen(), behind)
	digits := strings.FieldsFunc(tail, func(r rune) bool { return r < '0' || r > '9' })
	end := strings.IndexFunc(tail, func(r rune) bool { return !strings.ContainsRune("0123456789,.\u00a0\u202f", r) })
	if end > 0 {
		digits = []string{strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, tail[:end])}
	}
	if len(digits) == 0 {
		return -1
	}
	n, err := strconv.Atoi(digits[0])
	if err != nil {
		return -1
	}
	return n
}

// cpu is the processor time that the program has used.
func (x *watched) cpu() time.Duration {
	x.b.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", x.cmd.Process.Pid))
	if err != nil {
		x.b.Fatal(err)
	}
	_, tail, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(tail)
	ticks := 0
	for _, f := range fields[11:13] { // user and system, in hundredths of a second
		n, err := strconv.Atoi(f)
		if err != nil {
			x.b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory is a figure of /proc/PID/status in bytes.
func (x *watched) memory(name string) int {
	x.b.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", x.cmd.Process.Pid))
	if err != nil {
		x.b.Fatal(err)
	}
	_, tail, _ := strings.Cut(string(b), name+":")
	kb, err := strconv.Atoi(strings.Fields(tail)[0])
	if err != nil {
		x.b.Fatal(err)
	}
	return kb << 10
}
