package hook

import (
	"errors"
	"testing"
	"testing/fstest"

	"vespe/model"
)

// What an agent's own program reports of the client's dialog is no decision: the event has to come from the client, and
// nothing is recorded where that can't be read.
func TestOnlyTheClientReportsItsDialog(t *testing.T) {
	sender := func(pid int) func(*Deps) {
		return func(d *Deps) { d.Sender = func() (int, error) { return pid, nil } }
	}
	proc := func(change func(fstest.MapFS)) func(*Deps) {
		return func(d *Deps) { change(d.Proc.(fstest.MapFS)) }
	}
	for name, forge := range map[string]func(*Deps){
		"a file or a pipe":     func(d *Deps) { d.Sender = func() (int, error) { return 0, errors.New("not a socket") } },
		"nobody says":          func(d *Deps) { d.Sender = nil },
		"no processes":         func(d *Deps) { d.Proc = nil },
		"another program":      sender(77),
		"its own shell":        sender(41),
		"init":                 sender(1),
		"the client has ended": proc(func(p fstest.MapFS) { delete(p, "40/stat") }),
		"a script of the agent": func(d *Deps) {
			proc(func(p fstest.MapFS) { addProcess(p, 41, 40, "python3\x00forge.py", "CLAUDECODE=1") })(d)
			sender(41)(d)
		},
		"a script called claude": func(d *Deps) {
			proc(func(p fstest.MapFS) { addProcess(p, 41, 40, "/tmp/claude", "CLAUDECODE=1") })(d)
			sender(41)(d)
		},
		"below a tool call": func(d *Deps) {
			proc(func(p fstest.MapFS) {
				addProcess(p, 43, 40, "bash\x00-c\x00x", "CLAUDECODE=1")
				addProcess(p, 44, 43, "claude", "")
				addProcess(p, 41, 44, "sh", "")
			})(d)
			sender(44)(d)
		},
		"a client that can't be read": proc(func(p fstest.MapFS) { delete(p, "40/environ") }),
		"a parent without end":        proc(func(p fstest.MapFS) { addProcess(p, 1, 1, "init", "") }),
	} {
		d := Deps{Sender: func() (int, error) { return 40, nil }, PID: 42, Proc: clientProcesses()}
		if p, err := d.sender(); err != nil || p.PID != 40 {
			t.Fatalf("the client is %+v: %v", p, err)
		}
		forge(&d)
		if p, err := d.sender(); !errors.Is(err, errNoClient) {
			t.Errorf("%s is taken for the client: %+v, %v", name, p, err)
		}
	}
}

// Nothing that the agent's own program reports of a dialog is recorded: no yes, and no rejection with the next prompt.
func TestAForgedDialogDecidesNothing(t *testing.T) {
	f := attended(t)
	f.deps = func(d *Deps) { d.Sender = func() (int, error) { return 41, nil } }
	f.beside(exitPlanMode, map[string]string{"plan": movePlan}, func(stop func(error)) {
		f.says(f.made("toolu_1", movePlan), "NOT IN VESPE", "the client itself")
		stop(ErrStopped)
	})
	f.prompt("no, not that")
	if st := f.task().Status; st.AcceptedPlan != nil || st.Review != nil || st.CurrentState != model.PlanDefined {
		t.Errorf("it is decided: %+v", st)
	}
	if by, channel := f.channel(f.task().UID); channel != "" {
		t.Errorf("%s decided it in %q", by, channel)
	}
}

// A note of a dialog whose hook was killed is no dialog.
func TestADialogEndsWithItsHook(t *testing.T) {
	push := map[string]string{"command": "git push"}
	for name, forge := range map[string]func(*fixture, *Deps){
		"killed":         func(f *fixture, _ *Deps) { delete(f.procs, "42/stat") },
		"another client": func(_ *fixture, d *Deps) { d.Sender = func() (int, error) { return 50, nil } },
	} {
		f := attended(t)
		f.rules.Commands = []string{"git push"}
		f.beside("Bash", push, func(stop func(error)) { stop(ErrGone) })
		addProcess(f.procs, 50, 1, "claude", "")
		addProcess(f.procs, 52, map[string]int{"killed": 40}[name]+map[string]int{"another client": 50}[name], "vespe", "")
		f.deps = func(d *Deps) { d.PID = 52; forge(f, d) }
		f.is(f.raw(ClaudeCode, PostToolUse, f.event(PostToolUse, map[string]any{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": push, "tool_response": map[string]any{}})), "nothing")
		if q := f.one(); q.Answer != nil {
			t.Errorf("%s: it is answered: %+v", name, q.Answer)
		}
	}
}
