//go:build clients

package clients

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The keys of Claude Code's dialogs.
const (
	keyEnter = "\r"
	keyDown  = "\x1b[B"
	keyEsc   = "\x1b"
)

// shows waits until the client's screen has shown this since it was asked last. What it draws it draws in pieces, so a
// short word says more than a long one.
func (s *started) shows(word string) {
	s.w.t.Helper()
	s.w.eventually("the screen shows "+word, func() bool { return strings.Contains(s.out.String(), word) })
}

func press(t *testing.T, keys io.Writer, key string) {
	t.Helper()
	if _, err := io.WriteString(keys, key); err != nil {
		t.Fatal(err)
	}
}

// pressUntil presses a key of a dialog until something is so: a dialog that has just come up takes no keys for a while,
// lest it take those that were meant for what was there before.
func (w *world) pressUntil(keys io.Writer, key, what string, is func() bool) {
	w.t.Helper()
	again := time.Time{}
	w.eventually(what, func() bool {
		if is() {
			return true
		}
		if time.Now().After(again) {
			press(w.t, keys, key)
			again = time.Now().Add(3 * time.Second)
		}
		return false
	})
}

// hooks are the processes of vespe that wait for a person in this world.
func (w *world) hooks() int {
	w.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		line, err := os.ReadFile(f)
		if err != nil || !strings.Contains(string(line), "PermissionRequest") {
			continue
		}
		cwd, err := os.Readlink(filepath.Join(filepath.Dir(f), "cwd"))
		if err == nil && strings.HasPrefix(cwd, w.home) {
			n++
		}
	}
	return n
}

// decided is who decided on a task's plan, and how.
type decided struct {
	Verdict, By, Reason string
	Fetched             *struct{ By string }
}

// What a person answers at Claude Code's own dialog is their decision in vespe: no plan waits on, and no hook.
func TestAPlanIsDecidedAtClaudesDialog(t *testing.T) {
	for _, c := range []struct {
		name, verdict, reason string
		keys                  func(t *testing.T, s *started, keys io.Writer)
	}{
		{"yes", "accepted", "", func(_ *testing.T, s *started, keys io.Writer) {
			s.w.pressUntil(keys, keyEnter, "it is decided", func() bool { return s.w.tasks()[0].Status != "review plan" })
		}},
		{"no", "rejected", "keep the old tables", func(t *testing.T, s *started, keys io.Writer) {
			s.w.pressUntil(keys, keyEsc, "the hook has ended", func() bool { return s.w.hooks() == 0 })
			press(t, keys, "keep the old tables")
			press(t, keys, keyEnter)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			done := make(chan struct{})
			model := w.claudeModel(handsIn(t, func(r *Request) []Step {
				if got := r.Last(); got.Error != (c.verdict == "rejected") || strings.Contains(strings.Join(r.Now, ""), "vespe: people") {
					t.Errorf("the dialog came to %+v, with %q", got, r.Now)
				}
				return last(r, done)
			})...)
			w.attended()
			w.install("claude-code")
			s, keys := w.typedAt("--permission-mode", "plan", "Plan it.")
			w.eventually("a plan waits for review", func() bool { l := w.tasks(); return len(l) == 1 && l[0].Status == "review plan" })
			uid := w.tasks()[0].UID
			s.shows("ready")
			c.keys(t, s, keys)
			w.until(done, "the model is told")
			w.eventually("it is decided in vespe", func() bool { return w.tasks()[0].Status != "review plan" })
			got := object[decided](w, "review", uid)
			if got.Verdict != c.verdict || got.By != "human:ann" || got.Reason != c.reason || got.Fetched == nil {
				t.Errorf("it is decided as %+v", got)
			}
			w.eventually("the hook has ended", func() bool { return w.hooks() == 0 })
			model.Done()
			if out := w.vespe("history", uid); !strings.Contains(out, "dialog") {
				t.Errorf("nobody sees where it was decided:\n%s", out)
			}
		})
	}
}

// The same of a question and of a call that the gate is about.
func TestARequestIsDecidedAtClaudesDialog(t *testing.T) {
	which := Call("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
		"question": "Which greeting?", "header": "Greeting", "multiSelect": false,
		"options": []any{map[string]any{"label": "hello", "description": "the usual"}, map[string]any{"label": "servus", "description": "in Vienna"}},
	}}})
	for _, c := range []struct {
		name, mode, state, shows, keys string
		call                           []Step
		goesOn                         bool
	}{
		{"an option", "default", "accepted", "servus", keyDown, which, true},
		{"a call in auto mode, yes", "auto", "accepted", "proceed", keyEnter, bash(deploy), true},
		{"a call, yes", "default", "accepted", "proceed", keyEnter, bash(deploy), true},
		{"a call, no", "default", "denied", "proceed", keyEsc, bash(deploy), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := gatedWorld(t)
			done := make(chan struct{})
			w.claudeModel(func(*Request) []Step { return c.call }, func(r *Request) []Step {
				if got := r.Last(); got.Error {
					t.Errorf("the dialog came to %+v", got)
				}
				return last(r, done)
			})
			w.attended()
			w.install("claude-code")
			s, keys := w.typedAt("--permission-mode", c.mode, "Do it.")
			w.eventually("a person is asked", func() bool { return len(w.requests()) == 1 && w.hooks() > 0 })
			s.shows(c.shows)
			if c.keys == keyDown {
				drawn := strings.Count(s.out.String(), c.shows)
				w.pressUntil(keys, keyDown, "the second is drawn as marked", func() bool { return strings.Count(s.out.String(), c.shows) > drawn })
				c.keys = keyEnter
			}
			w.pressUntil(keys, c.keys, "it is decided in vespe", func() bool { return w.requests()[0].State != "pending" })
			if c.goesOn {
				w.until(done, "the model is told")
			}
			if q := w.requests()[0]; q.State != c.state {
				t.Errorf("it is decided as %+v", q)
			}
			w.eventually("the hook has ended", func() bool { return w.hooks() == 0 })
		})
	}
}
