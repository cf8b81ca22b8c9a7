//go:build unix

package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scoresOrTests is the scorer that a test asks for, or the tests: no other program has to be there.
func scoresOrTests(m *testing.M) {
	switch os.Getenv("ENGINE_SCORES") {
	case "":
		code := m.Run()
		if dir, err := template(); err == nil {
			_ = os.RemoveAll(dir)
		}
		os.Exit(code)
	case "echo": // what it was told, as the score
		b := make([]byte, 64)
		n, _ := os.Stdin.Read(b)
		os.Stdout.Write(b[:n])
	case "fail":
		os.Stderr.WriteString("no\x1b[31m model\n")
		os.Exit(3)
	case "flood":
		for range 1000 {
			os.Stdout.WriteString(strings.Repeat("0.5 ", 1000))
		}
	case "dir":
		dir, _ := os.Getwd()
		os.Stdout.WriteString("0.25 " + dir)
	case "child": // leaves one behind that holds its output open
		os.Setenv("ENGINE_SCORES", "hang")
		alive, err := os.OpenFile(os.Getenv("ENGINE_ALIVE"), os.O_WRONLY, 0)
		if err == nil {
			_, err = os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{Files: []*os.File{nil, os.Stdout, nil, alive}, Env: os.Environ()})
		}
		if err == nil {
			_, _ = alive.WriteString("started")
		}
		hang()
	case "hang":
		hang()
	}
	os.Exit(0)
}

// hang is what a program does that never answers. Should nobody end it, it ends.
func hang() { <-time.After(time.Hour) }

func scorer(t *testing.T, how string) *Scorer {
	t.Helper()
	t.Setenv("ENGINE_SCORES", how)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else each of them ends a second later
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return NewScorer([]string{self}, t.TempDir())
}

func TestScore(t *testing.T) {
	s := scorer(t, "echo")
	for in, want := range map[string]string{
		"0.75": "0.75", " 1\n": "1", "0 is nothing": "0", "1e-1\nmore": "0.1",
		"": "", "1.5": "", "-0.1": "", "NaN": "", "high": "", "\x1b[2J": "",
	} {
		got, err := s.Score(t.Context(), []byte(in))
		if want == "" {
			if err == nil || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q: %v %v", in, got, err)
			}
		} else if x, _ := strconv.ParseFloat(want, 64); err != nil || got != x {
			t.Errorf("%q: %v %v", in, got, err)
		}
	}
	if x, err := scorer(t, "flood").Score(t.Context(), nil); err != nil || x != .5 {
		t.Errorf("a flood: %v %v", x, err)
	}
	if _, err := scorer(t, "fail").Score(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "exit status 3") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a failure: %v", err)
	}
	if _, err := NewScorer([]string{"./no-such-program"}, t.TempDir()).Score(t.Context(), nil); err == nil {
		t.Error("a program that is not there scores")
	}
	if a, b := NewScorer([]string{"a b"}, ""), NewScorer([]string{"a", "b"}, ""); a.Key() == b.Key() {
		t.Error("two commands have one key")
	}
}

// Nothing is a shell's: what would be a second command is an argument.
func TestNoShellIsAsked(t *testing.T) {
	s := scorer(t, "dir")
	s.argv = append(s.argv, "; touch x", "$(touch x)")
	if x, err := s.Score(t.Context(), nil); err != nil || x != .25 {
		t.Errorf("%v %v", x, err)
	}
	if es, err := os.ReadDir(s.dir); err != nil || len(es) > 0 {
		t.Errorf("%v %v", es, err)
	}
}

// A program that takes too long is ended with what it started, though that holds its output open.
func TestAProgramThatHangsIsEnded(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "alive") // both hold its other end open as long as they live
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	t.Setenv("ENGINE_ALIVE", fifo)
	s := scorer(t, "child")
	var said []byte
	for s.limit = time.Second; len(said) == 0 && s.limit < stuck; s.limit *= 2 { // until it has the time to start its own
		if _, err := s.Score(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "took longer than") {
			t.Fatalf("%v", err)
		}
		if err := alive.SetReadDeadline(time.Now().Add(stuck)); err != nil {
			t.Fatal(err)
		}
		if said, err = io.ReadAll(alive); err != nil {
			t.Fatalf("the program it started still runs: %v", err)
		}
	}
	if string(said) != "started" {
		t.Fatalf("it started nothing: %q", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Score(ctx, nil); err == nil {
		t.Error("it is asked though nobody waits")
	}
}
