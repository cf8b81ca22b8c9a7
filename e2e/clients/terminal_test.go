//go:build clients

package clients

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// attended lets Claude Code begin at once in a terminal: its person has been through its first screens.
func (w *world) attended() {
	w.t.Helper()
	at := filepath.Join(w.home, ".claude", ".claude.json")
	b, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{"sk-ant-none"}, "rejected": []string{}},
		"projects":              map[string]any{w.repo: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.writeAt(at, string(b))
}

// atTerminal starts Claude Code in a terminal that somebody sits at.
func (w *world) atTerminal(args ...string) *started {
	w.t.Helper()
	s, _ := w.typedAt(args...)
	return s
}

// typedAt is atTerminal with what types there.
func (w *world) typedAt(args ...string) (s *started, keys io.Writer) {
	w.t.Helper()
	c := w.cmd("claude", args...)
	c.SysProcAttr = nil // the terminal makes a session of its own
	term, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		w.t.Fatal(err)
	}
	s = &started{Cmd: c, w: w, out: new(syncBuffer), errs: new(syncBuffer), done: make(chan struct{})}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(s.out, term)
	}()
	go func() {
		defer close(s.done)
		_ = c.Wait()
		term.Close()
		<-read
	}()
	w.t.Cleanup(func() {
		s.killAll()
		<-s.done
		if w.t.Failed() && os.Getenv("VESPE_SCREENS") != "" {
			w.t.Logf("the screen: %q", s.out)
		}
	})
	return s, term
}

// last is a turn that a test ends with: the model thinks on until its client is gone.
func last(r *Request, done chan<- struct{}) []Step {
	close(done)
	<-r.Gone
	return nil
}

// tasks are those of the store.
func (w *world) tasks() []taskRow {
	w.t.Helper()
	return object[struct{ Tasks []taskRow }](w, "ls").Tasks
}

type taskRow struct{ UID, Name, Status string }

// A plan that is handed in at a terminal waits for the person who reviews it in vespe, as long as nobody
// answers at the terminal.
func TestClaudeAtATerminalWaitsForTheReview(t *testing.T) {
	w := newWorld(t)
	done := make(chan struct{})
	model := w.claudeModel(
		plans(t, firstPlan),
		leavesPlanMode(t),
		revises(t),
		leavesPlanMode(t),
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("the acceptance came to %+v", got)
			}
			return last(r, done)
		},
	)
	w.attended()
	w.install("claude-code")
	w.atTerminal("--permission-mode", "plan", "Plan a greeting.")
	w.eventually("a plan waits for review", func() bool { l := w.tasks(); return len(l) == 1 && l[0].Status == "review plan" })
	uid := w.tasks()[0].UID
	w.person("comment", uid, "--line", "4", "--kind", "change", "keep it for a year")
	w.person("reject-plan", uid, "-m", "no way back")
	w.eventually("the next plan waits for review", func() bool { return w.tasks()[0].Status == "review plan" && model.Asked() == 4 })
	w.person("accept-plan", uid)
	w.until(done, "the model is told of the acceptance")
	model.Done()
}

// When the client is killed while a plan waits, the plan waits on. A person accepts it, and the client that is
// started again hears of it at once: one plan, one review.
func TestClaudeKilledWhileAPlanWaits(t *testing.T) {
	w := newWorld(t)
	const id = "6d2f8a52-4c6e-4f4e-9a55-0a6bd4a1e001"
	done := make(chan struct{})
	model := w.claudeModel(
		plans(t, firstPlan),
		leavesPlanMode(t),
		func(*Request) []Step {
			return Call("ExitPlanMode", map[string]any{})
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error {
				t.Errorf("the acceptance came to %+v", got)
			}
			return last(r, done)
		},
	)
	w.attended()
	w.install("claude-code")
	first := w.atTerminal("--session-id", id, "--permission-mode", "plan", "Plan a greeting.")
	w.eventually("a plan waits for review", func() bool { l := w.tasks(); return len(l) == 1 && l[0].Status == "review plan" })
	first.kill()
	task := w.tasks()[0]
	w.person("accept-plan", task.UID)
	w.atTerminal("--resume", id, "--permission-mode", "plan", "Go on.")
	w.until(done, "the model is told of the acceptance")
	model.Done()
	if l := w.tasks(); len(l) != 1 || l[0].UID != task.UID {
		t.Errorf("there are the tasks %+v", l)
	}
	if got := object[struct {
		Task struct {
			PlanRevision int `json:"plan_revision"`
		}
	}](w, "show", task.UID).Task.PlanRevision; got != 1 {
		t.Errorf("the plan has revision %d", got)
	}
}

// A gated call at a terminal asks there and in vespe. When the client is killed meanwhile the question stands, and
// is the same one when the session continues: what was answered counts.
func TestClaudeKilledWhileARequestWaits(t *testing.T) {
	w := gatedWorld(t)
	const id = "6d2f8a52-4c6e-4f4e-9a55-0a6bd4a1e002"
	done := make(chan struct{})
	model := w.claudeModel(
		func(*Request) []Step { return bash(deploy) },
		func(*Request) []Step { return bash(deploy) },
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "it is deployed") {
				t.Errorf("the permission came to %+v", got)
			}
			return last(r, done)
		},
	)
	w.attended()
	w.install("claude-code")
	first := w.atTerminal("--session-id", id, "Deploy it.")
	w.eventually("a person is asked", func() bool { return len(w.requests()) == 1 })
	asked := w.open()
	first.kill()
	w.person("answer", asked.ID, "accept")
	w.atTerminal("--resume", id, "Go on.")
	w.until(done, "the call is made")
	model.Done()
	if q := w.requests(); len(q) != 1 || w.read("deployed.txt") != "deployed\n" {
		t.Errorf("it was done as %q after %+v", w.read("deployed.txt"), q)
	}
}
