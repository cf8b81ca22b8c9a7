//go:build clients

package clients

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// The loop's own templates start the clients, understand them, and resume them with what a person said.
func TestLoopWithEachClient(t *testing.T) {
	for client, c := range map[string]struct {
		model func(*world, ...Turn) *Script
		run   func(line string) []Step
		write func(r *Request) []Step
		cost  float64 // of a session that was resumed: four messages
	}{
		"claude": {(*world).claudeModel, bash, func(r *Request) []Step {
			return Call("Write", map[string]any{"file_path": below(r, "greeting.txt"), "content": "hello\n"})
		}, 4 * 0.00014},
		"codex": {(*world).codexModel, sh, func(*Request) []Step { return sh("echo hello > greeting.txt") }, 0},
	} {
		t.Run(client, func(t *testing.T) {
			w := newWorld(t)
			w.config("[worker]\nuse = \"" + client + "\"\n")
			w.ready("Greeting")
			ask := filepath.Join(install.bin, "vespe") + " ask " + w.uid("Greeting") + ` --title "Which greeting?" --options hello,hi`
			model := c.model(
				w,
				func(r *Request) []Step {
					if !r.Heard("Greet whoever comes.") || !r.Heard("1. Do it.") {
						t.Errorf("the model was told %q", r.Said)
					}
					return c.run(ask)
				},
				func(r *Request) []Step {
					if got := r.Last(); got.Error || !strings.Contains(got.Text, "req-") {
						t.Errorf("the question came to %+v", got)
					}
					return Say("I have asked, and stop.")
				},
				func(r *Request) []Step {
					if !r.HearsNow("Which greeting?") || !r.HearsNow("hello") || len(r.Results) != 1 {
						t.Errorf("it goes on with %q after %+v", r.Now, r.Results)
					}
					return c.write(r)
				},
				func(r *Request) []Step {
					if got := r.Last(); got.Error {
						t.Errorf("writing came to %+v", got)
					}
					return Say("It greets.")
				},
			)
			askedAndAnswered(t, w, model)
			if run := w.runs()[0]; math.Abs(run.Cost-c.cost) > 1e-9 && c.cost > 0 {
				t.Errorf("it is said to have cost %v", run.Cost)
			}
		})
	}
}

type runRow struct {
	Run, Outcome, Worker, Why string
	Attempt                   int
	Verified                  bool
	Cost                      float64 `json:"cost_usd"`
	In                        int     `json:"input_tokens"`
	Out                       int     `json:"output_tokens"`
}

// runs are the runs of all tasks, newest first.
func (w *world) runs() []runRow {
	w.t.Helper()
	return object[struct{ Runs []runRow }](w, "runs").Runs
}

// askedAndAnswered runs the loop on a worker that asks which greeting, is answered, and writes it.
func askedAndAnswered(t *testing.T, w *world, model *Script) {
	t.Helper()
	out := w.code(5, "run", "--until-idle")
	if !strings.Contains(out, "waits: Which greeting?") {
		t.Errorf("the loop says %s", out)
	}
	w.person("answer", "Greeting", "choose", "--choice", "hello")
	w.vespe("run", "--until-idle")
	model.Done()
	runs := w.runs()
	if len(runs) != 1 || runs[0].Outcome != "completed" || !runs[0].Verified || runs[0].In != 40 || runs[0].Out != 20 {
		t.Errorf("the runs are %+v", runs)
	}
	w.person("review-accepted", "Greeting")
	w.person("integrate")
	if got := w.read("greeting.txt"); got != "hello\n" {
		t.Errorf("the target has %q", got)
	}
}

// A limit of the person's ends the session, and the attempt has failed for that reason.
func TestLoopEndsAtTheTurnsAllowed(t *testing.T) {
	w := newWorld(t)
	w.config("[worker]\nuse = \"claude\"\nmax_turns = 1\n")
	w.ready("Greeting")
	model := w.claudeModel(func(r *Request) []Step {
		return Call("Write", map[string]any{"file_path": below(r, "greeting.txt"), "content": "hello\n"})
	})
	w.code(1, "run", "Greeting", "--max", "1")
	model.Done()
	if runs := w.runs(); len(runs) != 1 || runs[0].Outcome != "error" || !strings.Contains(runs[0].Why, "error_max_turns") {
		t.Errorf("the runs are %+v", runs)
	}
}

// When the loop is killed its worker ends as well, and the next loop tries again in a session of its own. No attempt is
// used up by that.
func TestLoopKilledWhileClaudeWorks(t *testing.T) {
	w := newWorld(t)
	w.config("[worker]\nuse = \"claude\"\n")
	w.ready("Greeting")
	there, gone := make(chan struct{}), make(chan struct{})
	model := w.claudeModel(
		func(r *Request) []Step {
			close(there)
			<-r.Gone
			close(gone)
			return nil
		},
		func(r *Request) []Step {
			if len(r.Results) != 0 || r.Heard("attempt 2 of 3") {
				t.Errorf("it goes on with %+v and was told %q", r.Results, r.Said)
			}
			return Call("Write", map[string]any{"file_path": below(r, "greeting.txt"), "content": "hello\n"})
		},
		func(*Request) []Step { return Say("It greets.") },
	)
	loop := w.start(w.cmd("vespe", "run", "--until-idle"))
	w.until(there, "the worker asks its model")
	loop.kill()
	w.until(gone, "the worker of a loop that was killed ends")
	out := w.code(0, "run", "--until-idle")
	model.Done()
	if runs := w.runs(); len(runs) != 2 || runs[0].Outcome != "completed" {
		t.Errorf("the runs are %+v\n%s", runs, out)
	}
}

// A gated call of a worker is put off: the run waits without a worker, under one request, and continues with the same
// call once a person has decided. The worker has vespe's hooks of the loop, whether its client is set up or not.
func TestLoopGatedCallOfClaude(t *testing.T) {
	t.Run("not set up", func(t *testing.T) { gatedInTheLoop(t, gatedWorld(t)) })
	t.Run("set up, too", func(t *testing.T) {
		w := gatedWorld(t)
		w.install("claude-code")
		gatedInTheLoop(t, w)
	})
}

func gatedInTheLoop(t *testing.T, w *world) {
	t.Helper()
	w.run("git", "commit", "-aqm", "deploy")
	w.config("[worker]\nuse = \"claude\"\n\n[gate]\ncommands = [\"make deploy\"]\n")
	w.ready("Deploy")
	model := w.claudeModel(
		func(*Request) []Step { return bash(deploy) },
		func(r *Request) []Step {
			if got := r.Last(); !got.Error || !strings.Contains(got.Text, "tests first") {
				t.Errorf("the denial came to %+v", got)
			}
			return bash("make test && make deploy")
		},
		func(r *Request) []Step {
			if got := r.Last(); got.Error || !strings.Contains(got.Text, "it is deployed") || len(r.Results) != 2 {
				t.Errorf("the permission came to %+v", r.Results)
			}
			return Say("Deployed.")
		},
	)
	w.code(5, "run", "--until-idle")
	first := w.open()
	if first.Kind != "action" || !strings.Contains(string(first.Args), deploy) || first.CreatedBy != "agent:claude" || first.UID != w.uid("Deploy") {
		t.Errorf("the person is asked %+v", first)
	}
	w.person("answer", first.ID, "deny", "-m", "tests first")
	w.code(5, "run", "--until-idle")
	w.person("answer", w.open().ID, "accept")
	w.vespe("run", "--until-idle")
	model.Done()
	if runs := w.runs(); len(runs) != 1 || runs[0].Outcome != "completed" || len(w.requests()) != 2 {
		t.Errorf("the runs are %+v after %+v", runs, w.requests())
	}
}
