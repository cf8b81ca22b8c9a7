package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store"
)

// Who acts is what the flag, the environment, git and the account say, in this order; in an agent's environment it is
// the agent, and git is not asked.
func TestActor(t *testing.T) {
	const none = "not asked"
	for _, tt := range []struct {
		name    string
		as      string
		env     map[string]string
		git     string
		account string
		want    model.Actor
		bad     bool
	}{
		{name: "nobody", want: "human:someone"},
		{name: "the account", env: map[string]string{"HOME": "/home/x"}, account: "ann", want: "human:ann"},
		{name: "the person", env: map[string]string{"USER": "ann"}, account: "bob", want: "human:ann"},
		{name: "logname", env: map[string]string{"LOGNAME": "raj"}, want: "human:raj"},
		{name: "a name that cannot be one", env: map[string]string{"USER": "a\x1bb", "LOGNAME": "raj"}, want: "human:raj"},
		{name: "git's name", env: map[string]string{"USER": "bob"}, git: "Ann Lee", want: "human:Ann Lee"},
		{name: "git's name that cannot be one", env: map[string]string{"USER": "bob"}, git: "a\u202eb", want: "human:bob"},
		{name: "git's name that is too long", env: map[string]string{"USER": "bob"}, git: strings.Repeat("x", 200), want: "human:bob"},
		{name: "an agent's environment", env: map[string]string{"USER": "ann", "CLAUDECODE": "1"}, git: none, account: "ann", want: "agent:claude-code"},
		{name: "any agent", env: map[string]string{"USER": "ann", "VESPE_AGENT": "mine"}, git: none, want: "agent:mine"},
		{name: "the variable before the environment", env: map[string]string{"CLAUDECODE": "1", "VESPE_ACTOR": "agent:x"}, git: none, account: "ann", want: "agent:x"},
		{name: "a person's variable in an agent's environment", env: map[string]string{"CLAUDECODE": "1", "VESPE_ACTOR": "human:ann"}, git: none, want: "agent:claude-code"},
		{name: "a person's variable", env: map[string]string{"USER": "raj", "VESPE_ACTOR": "human:ann"}, git: none, want: "human:ann"},
		{name: "the flag before all", as: "system:ci", env: map[string]string{"CLAUDECODE": "1", "VESPE_ACTOR": "agent:x"}, git: none, want: "system:ci"},
		{name: "no kind", as: "ann", bad: true},
		{name: "no such kind", as: "robot:ann", bad: true},
		{name: "no name", as: "human:", bad: true},
		{name: "bad variable", env: map[string]string{"VESPE_ACTOR": "ann"}, bad: true},
		{name: "bad agent", env: map[string]string{"VESPE_AGENT": "a\u202eb"}, bad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			a := core.NewApp(core.Deps{
				Getenv: func(k string) string { return tt.env[k] }, Account: func() string { return tt.account },
				GitName: func() string { asked++; return tt.git },
			})
			a.As = tt.as
			for range 2 {
				got, err := a.Actor()
				if tt.bad {
					if core.CodeOf(err) != model.CodeUsage {
						t.Errorf("%q, %v; want a usage error", got, err)
					}
				} else if err != nil || got != tt.want {
					t.Errorf("%q, %v; want %q", got, err, tt.want)
				}
			}
			if !tt.bad && (asked == 0) != (tt.git == none) || asked > 1 {
				t.Errorf("git is asked %d times", asked)
			}
		})
	}
}

// From inside an agent's environment, what a person decides is denied no matter who --as says
// acts; everything else goes on to the model.
func TestGuardHuman(t *testing.T) {
	task := func(reason string) *snapshot.Snapshot {
		x := &model.Task{UID: "tsk-a", HasStatus: true, Config: model.Config{UID: "tsk-a", Name: "T"}}
		x.Status.CurrentState, x.Status.IsPaused, x.Status.PauseReason = model.Working, reason != "", reason
		return snapshot.New(snapshot.Input{Tasks: []*model.Task{x}})
	}
	people := []model.Name{
		model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.ResolveComment, model.ReopenComment,
		model.ReviewAccepted, model.ReviewRejected,
		model.Revalidate, model.UndoVerdict, model.Abort, model.AnswerRequest, model.Reopen, model.Skip, model.StopRun,
	}
	var seen []model.Name
	for _, row := range lifecycle.Table() {
		for _, tt := range []struct {
			snap *snapshot.Snapshot
			hitl bool
		}{{task(""), false}, {task("after the release"), false}, {task("hitl: which one?"), true}} {
			want := slices.Contains(people, row.Name) || row.Name == model.Resume && tt.hitl
			for _, variable := range []string{"", "CLAUDECODE", "CODEX_SANDBOX", "OPENCODE", "GEMINI_CLI", "CURSOR_AGENT", "AMP_THREAD_ID", "CODEX_THREAD_ID", "VESPE_AGENT"} {
				a := core.NewApp(core.Deps{VerdictsFromScripts: true, Getenv: func(k string) string {
					if k != "" && k == variable {
						return "1"
					}
					return ""
				}})
				a.As = "human:ann"
				err := a.GuardHuman(row, tt.snap, "tsk-a", false)
				var r *model.Refusal
				denied := errors.As(err, &r) && r.Code == model.CodeDenied
				if denied != (want && variable != "") {
					t.Errorf("%s with %q set, %+v: denied is %v", row.Name, variable, tt.hitl, denied)
				}
				if denied {
					seen = append(seen, row.Name)
				}
			}
		}
	}
	for _, name := range append(people, model.Resume) {
		if !slices.Contains(seen, name) {
			t.Errorf("%s is never denied", name)
		}
	}
}

// The workbench lets a person decide with a key, so in an agent's environment it acts for
// that agent, no matter who --as says.
func TestWorkbenchInAnAgentsEnvironment(t *testing.T) {
	for _, tt := range []struct {
		as   string
		env  map[string]string
		want model.Actor
	}{
		{want: "agent:claude-code"},
		{as: "human:ann", want: "agent:claude-code"},
		{as: "system:vespe", want: "agent:claude-code"},
		{as: "agent:mine", want: "agent:mine"},
		{as: "mcp_client:cursor", want: "mcp_client:cursor"},
		{env: map[string]string{"VESPE_ACTOR": "human:ann"}, want: "agent:claude-code"},
	} {
		c := fresh(t)
		c.terminal = true
		c.env["CLAUDECODE"] = "1"
		maps.Copy(c.env, tt.env)
		var got model.Actor
		c.bench = func(_ context.Context, _ *store.Store, o core.WorkbenchOptions) error { got = o.Actor; return nil }
		var args []string
		if tt.as != "" {
			args = []string{"--as", tt.as}
		}
		c.must(args...)
		if got != tt.want {
			t.Errorf("--as %q, %v: the workbench acts for %q, want %q", tt.as, tt.env, got, tt.want)
		}
	}
}
