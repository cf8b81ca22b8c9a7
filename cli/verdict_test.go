package cli

import (
	"errors"
	"testing"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// A verdict is for somebody who sits at a terminal, and outside of an agent's environment, unless
// the person's own configuration says otherwise. To end a task needs no terminal, and to see what
// would happen needs none.
func TestWhoMayGiveAVerdict(t *testing.T) {
	x := &model.Task{UID: "tsk-a", HasStatus: true, Status: model.StatusFile{CurrentState: model.PlanDefined}}
	x.Config.UID, x.Config.Name = "tsk-a", "a"
	snap := snapshot.New(snapshot.Input{Tasks: []*model.Task{x}})
	for _, tt := range []struct {
		name           string
		op             model.Name
		stdin, stderr  bool
		scripts, agent bool
		agents, dry    bool
		denied         bool
	}{
		{name: "at a terminal", op: model.AcceptPlan, stdin: true, stderr: true},
		{name: "from a pipe", op: model.AcceptPlan, stderr: true, denied: true},
		{name: "with messages into a file", op: model.RejectPlan, stdin: true, denied: true},
		{name: "in a script", op: model.ReviewAccepted, denied: true},
		{name: "in a script that may", op: model.ReviewAccepted, scripts: true},
		{name: "only looking", op: model.AcceptPlan, dry: true},
		{name: "abort in a script", op: model.Abort},
		{name: "an agent at a terminal", op: model.AcceptPlan, stdin: true, stderr: true, agent: true, denied: true},
		{name: "an agent where scripts may", op: model.AcceptPlan, scripts: true, agent: true, denied: true},
		{name: "an agent that may, at a terminal", op: model.AcceptPlan, stdin: true, stderr: true, agent: true, agents: true},
		{name: "an agent that may, without one", op: model.AcceptPlan, agent: true, agents: true, denied: true},
		{name: "an agent that may in scripts", op: model.AcceptPlan, scripts: true, agent: true, agents: true},
		{name: "what anybody may", op: model.Start},
	} {
		a := core.NewApp(core.Deps{
			Terminal: core.Terminal{StdinTerminal: tt.stdin, StderrTerminal: tt.stderr}, VerdictsFromScripts: tt.scripts, VerdictsInsideAgents: tt.agents,
			Getenv: func(k string) string {
				if tt.agent && k == "CLAUDECODE" {
					return "1"
				}
				return ""
			},
		})
		row, _ := lifecycle.Lookup(tt.op)
		err := a.GuardHuman(row, snap, "tsk-a", tt.dry)
		var r *model.Refusal
		if denied := errors.As(err, &r); denied != tt.denied || denied && (r.Code != model.CodeDenied || r.Hint == "") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
