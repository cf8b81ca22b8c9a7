package e2e

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// stuck is how long a test waits before it reports that something never came. It says nothing about speed.
const stuck = 3 * time.Minute

// terminal is the built program in a pseudo-terminal, with an emulator that holds what a
// person would see.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	news chan struct{} // something was drawn, or the program closed its terminal

	mu   sync.Mutex
	em   *vt.Emulator
	raw  strings.Builder
	eof  bool
	cols int

	bin, dir string
}

// openTerminal starts the program on a fresh demo store.
func openTerminal(t *testing.T, bin string, cols, rows int, env ...string) *terminal {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command(bin, "demo", dir, "--no-open").CombinedOutput(); err != nil {
		t.Fatalf("demo: %v: %s", err, out)
	}
	return openStore(t, bin, dir, cols, rows, env...)
}

// openStore starts the program on the store in dir; env comes on top of a usual terminal's.
func openStore(t *testing.T, bin, dir string, cols, rows int, env ...string) *terminal {
	t.Helper()
	return openProgram(t, exec.Command(bin, "-C", dir), dir, cols, rows, env...)
}

// openProgram starts the program, on the store that dir is to hold, in a terminal.
func openProgram(t *testing.T, cmd *exec.Cmd, dir string, cols, rows int, env ...string) *terminal {
	t.Helper()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=", "XDG_CONFIG_HOME="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: cmd, tty: tty, news: make(chan struct{}, 1), em: vt.NewEmulator(cols, rows), cols: cols, bin: cmd.Path, dir: dir}
	go x.read()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		// The emulator's replies to queries go back to the program.
		_, _ = io.Copy(x.tty, x.em)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
		// Closing the emulator itself races with a Read under way; the end of its input
		// pipe ends the Read.
		if in, ok := x.em.InputPipe().(io.Closer); ok {
			_ = in.Close()
		}
		<-answered
	})
	return x
}

// read feeds the program's output to the emulator until the program closes its end.
func (x *terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := x.tty.Read(buf)
		x.mu.Lock()
		x.raw.Write(buf[:n])
		_, _ = x.em.Write(buf[:n])
		x.eof = x.eof || err != nil
		x.mu.Unlock()
		select {
		case x.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// until waits for the screen to satisfy ok; every change of the screen is looked at.
func (x *terminal) until(what string, ok func(screen string) bool) string {
	x.t.Helper()
	limit := time.After(stuck)
	for {
		x.mu.Lock()
		screen, eof := ansi.Strip(x.em.Render()), x.eof
		x.mu.Unlock()
		if ok(screen) {
			return screen
		}
		if eof {
			x.t.Fatalf("the program ended before %s; the screen was:\n%s", what, screen)
		}
		select {
		case <-x.news:
		case <-limit:
			x.t.Fatalf("no %s; the screen is:\n%s", what, screen)
		}
	}
}

func (x *terminal) see(text string) string {
	x.t.Helper()
	return x.until(text, func(s string) bool { return strings.Contains(s, text) })
}

// tasks goes from the inbox, which is the first view of the demo, to its tasks.
func (x *terminal) tasks() string {
	x.t.Helper()
	x.see("Plans to review")
	x.press("2")
	return x.until("the tasks", func(s string) bool {
		return !strings.Contains(s, "Plans to review") && strings.Contains(s, "Manual page") // that is under the cursor
	})
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// search goes to what a list finds for words, as a person who reads the line before pressing enter.
func (x *terminal) search(words string) {
	x.t.Helper()
	x.press("/")
	x.see("/type to search")
	x.press(words)
	x.until("the words in the search line", func(s string) bool { return strings.Contains(s, "/"+words) })
	x.press("\r")
	x.until("the search line closed", func(s string) bool { return !strings.Contains(s, "/"+words) })
}

func (x *terminal) resize(cols, rows int) {
	x.t.Helper()
	x.mu.Lock()
	x.em.Resize(cols, rows)
	x.cols = cols
	x.mu.Unlock()
	if err := pty.Setsize(x.tty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		x.t.Fatal(err)
	}
}

// end waits for the program to end and returns its exit code and everything it wrote.
func (x *terminal) end() (code int, raw string) {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			x.t.Fatal(err)
		}
	case <-time.After(stuck):
		x.t.Fatal("the program does not end")
	}
	limit := time.After(stuck)
	for {
		x.mu.Lock()
		eof := x.eof
		raw = x.raw.String()
		x.mu.Unlock()
		if eof {
			return x.cmd.ProcessState.ExitCode(), raw
		}
		select {
		case <-x.news:
		case <-limit:
			x.t.Fatal("the terminal is not closed")
		}
	}
}

// restored checks that the program gave the terminal back as it found it: the last word
// on each mode it set is off.
func restored(t *testing.T, raw string) {
	t.Helper()
	for mode, name := range map[string]string{"1049": "alternate screen", "1002": "mouse", "1006": "mouse encoding", "2004": "bracketed paste", "1004": "focus reports"} {
		on, off := strings.LastIndex(raw, "\x1b[?"+mode+"h"), strings.LastIndex(raw, "\x1b[?"+mode+"l")
		if on > off {
			t.Errorf("%s (mode %s) is left on", name, mode)
		}
	}
	if !strings.Contains(raw, "\x1b[?1049h") {
		t.Error("the alternate screen was never used: is this the workbench?")
	}
	if hide, show := strings.LastIndex(raw, "\x1b[?25l"), strings.LastIndex(raw, "\x1b[?25h"); hide > show {
		t.Error("the cursor is left hidden")
	}
}

func TestPtyOpenResizeAcceptQuit(t *testing.T) {
	x := openTerminal(t, binary(t), 120, 40)
	x.tasks()
	x.resize(70, 22)
	x.until("a frame of 70×22", func(s string) bool {
		lines := strings.Split(s, "\n")
		return len(lines) == 22 && strings.Contains(s, "Manual page")
	})
	x.resize(200, 60)
	x.until("a frame of 200×60", func(s string) bool {
		return len(strings.Split(s, "\n")) == 60 && strings.Contains(s, "Manual page")
	})
	x.search("Parse OFX")
	x.see("Waits for a person")
	x.press("a")
	x.until("a sheet that takes an answer", func(s string) bool {
		return strings.Contains(s, "Accept the plan of") && strings.Contains(s, "y Accept") && !strings.Contains(s, "when the keys rest")
	})
	x.press("y")
	x.see("Accepted the plan of")
	if out, err := exec.Command(x.bin, "-C", x.dir, "show", "Parse OFX and QFX", "--json").CombinedOutput(); err != nil || !strings.Contains(string(out), `"plan_accepted": true`) {
		t.Errorf("the files do not say that the plan was accepted: %v %s", err, out)
	}
	x.press("?")
	x.see("type to search")
	x.press("\x1b")
	// An escape with a key right behind it would be alt and that key.
	x.until("the help closed", func(s string) bool { return !strings.Contains(s, "type to search") })
	x.press("q")
	code, raw := x.end()
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	restored(t, raw)
}

func TestPtyInterrupted(t *testing.T) {
	x := openTerminal(t, binary(t), 80, 24)
	x.tasks()
	x.press("\x03")
	code, raw := x.end()
	if code != 0 && code != 130 {
		t.Errorf("exit code %d", code)
	}
	restored(t, raw)
}

// The program runs below a shell with job control, as a person's does: the kernel does not
// stop a process that no shell could continue.
func TestPtySuspendAndResume(t *testing.T) {
	shell := filepath.Join(t.TempDir(), "shell")
	script := "#!/bin/sh\nset -m\n\"" + binary(t) + "\" \"$@\"\ncode=$?\n" +
		"if [ $code -gt 128 ]; then echo back in the shell; read -r line; fg; code=$?; fi\nexit $code\n"
	if err := os.WriteFile(shell, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	x := openTerminal(t, shell, 80, 24)
	x.tasks()
	x.press("\x1a")
	x.see("back in the shell")
	x.press("\n")
	x.see("Manual page")
	x.press("q")
	if code, raw := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	} else {
		restored(t, raw)
	}
}

// Without such a shell ctrl+z says so instead of waiting for ever.
func TestPtySuspendWithoutAShell(t *testing.T) {
	x := openTerminal(t, binary(t), 80, 24)
	x.tasks()
	x.press("\x1a")
	x.see("no shell")
	x.press("q")
	if code, _ := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestPtyPanicRestoresTheTerminal(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "vespe-faulty")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-tags", "panics", "-o", bin, "vespe").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	x := openTerminal(t, bin, 100, 30)
	x.tasks()
	x.press("\x1b[24~") // F12
	code, raw := x.end()
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	restored(t, raw)
	if !strings.Contains(raw, "asked to panic") || !strings.Contains(raw, "No committed change is lost") {
		t.Errorf("the reason is not said: %q", raw[max(0, len(raw)-2000):])
	}
}
