package snapshot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
)

// node is a task named like its uid, in upper case, in a state, with dependencies.
func node(uid model.UID, edit func(*model.Task), on ...model.UID) *model.Task {
	t := child(uid, "")
	edit(t)
	t.DependsOn = on
	return t
}

// told is an explanation as indented text.
func told(reasons []Reason) string {
	var b strings.Builder
	for _, r := range reasons {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", r.Depth), r.Text)
	}
	return b.String()
}

func TestWhyGoesDownToTheCause(t *testing.T) {
	blocked := inState(model.PlanDefined, accepted)
	byClaude := func(t *model.Task) { t.Status.AssignedAgentUID = "agent:claude" }
	s := New(Input{Tasks: []*model.Task{
		node("a", blocked, "b", "c", "ghost", "done"),
		node("b", blocked, "run", "ask"),
		node("c", inState(model.PlanDefined), "x"),
		node("run", inState(model.Working, accepted, running, byClaude)),
		node("ask", inState(model.Working, accepted, paused("hitl: which port?"))),
		node("done", inState(model.Completed)),
		node("x", inState(model.Created)),
		node("p", inState(model.Working, accepted, paused("subtasks"), func(t *model.Task) { t.Status.SubtaskUIDs = []model.UID{"ended", "kid", "lost"} })),
		node("kid", blocked, "b"),
		node("ended", inState(model.Completed)),
		node("r1", blocked, "r2"), node("r2", blocked, "r3"), node("r3", blocked, "r1", "x"),
		node("s", blocked, "r2"),
		node("err", inState(model.Errored, func(t *model.Task) { t.Status.ErrorDetails = "no\nnetwork" })),
		node("sick", inState(model.Working, brokenFile)),
		node("t", blocked, "err", "sick"),
	}})
	for uid, want := range map[model.UID]string{
		"a": `
blocked by "B", which is blocked itself
  blocked by "RUN", which is being worked on by agent:claude: nothing to do but wait
  blocked by "ASK", which waits for a person to answer (which port?)
blocked by "C", which waits for a person to review its plan
depends on ghost, which is not in this store
`,
		"p": `
waits for its subtask "KID", which is blocked itself
  blocked by "B", which is blocked itself
    blocked by "RUN", which is being worked on by agent:claude: nothing to do but wait
    blocked by "ASK", which waits for a person to answer (which port?)
waits for the subtask lost, which is not in this store
`,
		"r1": `
is in a cycle: "R1" → "R2" → "R3" → "R1"
`,
		"r3": `
is in a cycle: "R3" → "R1" → "R2" → "R3"
blocked by "X", which waits for an objective to be written
`,
		"s": `
blocked by "R2", which is in a dependency cycle
  is in a cycle: "R2" → "R3" → "R1" → "R2"
`,
		"t": `
blocked by "ERR", which is in error (no network): retry it
blocked by "SICK", which cannot be read: bad
`,
		"c": `
waits for a person to review its plan
blocked by "X", which waits for an objective to be written
`,
		"done": "\nwaits for a person to review its work\n",
		"run":  "\n",
	} {
		i, _ := s.Index(uid)
		if got := "\n" + told(s.Why(i)); got != want {
			t.Errorf("why %s:%swant:%s", uid, got, want)
		}
	}
}

// Every status has words of its own, so that no task is explained by nothing.
func TestEveryStatusSaysWhatItWaitsFor(t *testing.T) {
	seen := map[string]model.Status{}
	for _, c := range statusCases() {
		task := node("a", c.edit)
		if c.want == model.StatusBlocked {
			task.DependsOn = []model.UID{"ghost"}
		}
		s := New(Input{Tasks: []*model.Task{task}})
		text := s.WaitsFor(0)
		key, _, _ := strings.Cut(text, " (")
		key, _, _ = strings.Cut(key, ":")
		if st, ok := seen[key]; ok && st != s.Status(0) {
			t.Errorf("%q is said of %q and of %q", key, st, s.Status(0))
		}
		seen[key] = s.Status(0)
	}
	if len(seen) < model.NumStatuses {
		t.Errorf("%d different words for %d statuses", len(seen), model.NumStatuses)
	}
}

func TestWhyNamesTheTaskWhoseFileChanged(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{
		node("a", inState(model.PlanDefined, accepted, func(t *model.Task) {
			t.Status.ChangedBecause = []model.ChangeReason{{File: "b/plan.md", Old: "sha256-1", New: "sha256-2"}}
		}), "b"),
		node("b", inState(model.Completed)),
	}})
	i, _ := s.Index("a")
	if got := told(s.Why(i)); !strings.Contains(got, `(plan.md of "B")`) {
		t.Errorf("why: %s", got)
	}
	if got := model.FileOf(s, "gone/plan.md"); got != "gone/plan.md" {
		t.Errorf("a file of an unknown task: %q", got)
	}
}

func TestWhyIsBounded(t *testing.T) {
	blocked := inState(model.PlanDefined, accepted)
	var wide, deep []*model.Task
	hub := node("hub", blocked)
	for i := range 500 {
		uid := model.UID(fmt.Sprintf("n%03d", i))
		hub.DependsOn = append(hub.DependsOn, uid)
		wide = append(wide, node(uid, inState(model.Created)))
		deep = append(deep, node(uid, blocked, model.UID(fmt.Sprintf("n%03d", i+1))))
	}
	s := New(Input{Tasks: append(wide, hub)})
	i, _ := s.Index("hub")
	lines := s.Why(i)
	if len(lines) != maxWhyLines+1 || lines[maxWhyLines].Text != "and 440 more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1].Text)
	}
	s = New(Input{Tasks: deep})
	if got := s.Why(0); len(got) != maxWhyDepth || got[len(got)-1].Depth != maxWhyDepth-1 {
		t.Errorf("%d lines for a chain of 500", len(got))
	}
}

// A task that waits is always explained; nothing is told twice; the last line at each end
// is a cause, not another "is blocked itself", unless the explanation was cut short.
func TestWhyHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
		for i := range s.Len() {
			lines := s.Why(i)
			switch s.Status(i) {
			case model.StatusReady, model.StatusRunning, model.StatusDone, model.StatusAborted, model.StatusFailed:
				if lines != nil {
					rt.Fatalf("%s is explained: %v", s.Status(i), lines)
				}
				continue
			}
			if len(lines) == 0 {
				rt.Fatalf("%s %s is not explained", s.At(i).UID, s.Status(i))
			}
			if lines[0].UID == s.UID(i) && lines[0].Status != s.Status(i) {
				rt.Fatalf("%s is %s, but is explained first as %s", s.UID(i), s.Status(i), lines[0].Status)
			}
			var once []string
			for _, r := range lines {
				if strings.HasPrefix(r.Text, "is in a cycle") {
					continue
				}
				who := string(r.UID)
				if r.UID == s.UID(i) {
					who += ": " + r.Text // a task has several reasons of its own
				}
				if slices.Contains(once, who) {
					rt.Fatalf("%s is told twice:\n%s", who, told(lines))
				}
				once = append(once, who)
				if _, ok := s.Index(r.UID); !ok && r.Name != "" {
					rt.Fatalf("%s has a name but is not there", r.UID)
				}
			}
		}
	})
}

func under(uid, parent model.UID, edit func(*model.Task), on ...model.UID) *model.Task {
	t := node(uid, edit, on...)
	t.Config.ParentUID = parent
	return t
}

// takes is what one run of a task took.
func takes(seconds int) func(*model.Task) {
	return func(t *model.Task) { t.Status.Runs, t.Status.RunSeconds = 1, seconds }
}
