package foresee

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// impactText is an impact as lines.
func impactText(im *Impact) string {
	var b strings.Builder
	if im.Refused != nil {
		return "refused: " + im.Refused.(*model.Refusal).Why + "\n" //nolint:errorlint // it is one
	}
	for _, list := range [][]Affected{im.Tasks, im.Later} {
		for _, a := range list {
			fmt.Fprintf(&b, "%d %s %s", a.Steps, a.UID, a.From)
			if a.To != a.From {
				fmt.Fprintf(&b, " to %s", a.To)
			}
			if a.Voided {
				b.WriteString(", void")
			}
			if a.Stops {
				b.WriteString(", stops")
			}
			if a.Why != "" {
				b.WriteString(": " + a.Why)
			}
			b.WriteString("\n")
		}
	}
	for _, q := range im.Requests {
		fmt.Fprintf(&b, "asks %s\n", q)
	}
	if im.Assumed {
		b.WriteString("assumed\n")
	}
	fmt.Fprintf(&b, "%d behind, %v, %s to %s, stuck %d to %d\n", im.Behind, im.Agents, model.Lasting(im.Before.Total), model.Lasting(im.After.Total), im.Before.Stuck, im.After.Stuck)
	return b.String()
}

// recorded is what a task was accepted with of others.
func recorded(of ...model.UID) func(*model.Task) {
	return func(t *model.Task) {
		for _, uid := range of {
			t.Status.ParentContentHashes = append(t.Status.ParentContentHashes, model.ContentHash{Key: string(uid) + "_plan", Hash: model.HashBytes([]byte(uid))})
		}
		slices.SortFunc(t.Status.ParentContentHashes, func(a, b model.ContentHash) int { return strings.Compare(a.Key, b.Key) })
	}
}

func under(uid, parent model.UID, edit func(*model.Task)) *model.Task {
	t := modeltest.Node(uid, edit)
	t.Config.ParentUID = parent
	return t
}

func TestForesee(t *testing.T) {
	blocked := func(more ...func(*model.Task)) func(*model.Task) {
		return modeltest.InState(model.PlanDefined, append(more, modeltest.Accepted)...)
	}
	s := snapshot.New(snapshot.Input{Policy: model.Policy{DependencyPolicy: "completed"}, Tasks: []*model.Task{
		modeltest.Node("run", modeltest.InState(model.Working, modeltest.Accepted, modeltest.Running, modeltest.Takes(300), func(t *model.Task) { t.Status.AssignedAgentUID = "agent:claude" })),
		modeltest.Node("b", blocked(recorded("run")), "run"),
		modeltest.Node("c", blocked(recorded("b")), "b"),
		modeltest.Node("d", blocked(), "c"),
		modeltest.Node("plan", modeltest.InState(model.PlanDefined)),
		modeltest.Node("e", blocked(), "plan"),
		modeltest.Node("over", modeltest.InState(model.Completed, modeltest.Accepted)),
		modeltest.Node("f", blocked(recorded("over")), "over"),
		modeltest.Node("g", blocked(recorded("f")), "f"),
		modeltest.Node("dead", modeltest.InState(model.Failed)), modeltest.Node("h", blocked(), "dead"),
		modeltest.Node("top", modeltest.InState(model.Working, modeltest.Accepted)), under("part", "top", blocked()),
	}})
	for _, x := range []struct {
		uid   model.UID
		event string
		want  string
	}{
		{"run", "completed", `
0 run running to review work, stops
1 b blocked to ready
3 behind, [agent:claude], 8m to 3m, stuck 1 to 1
`},
		{"run", "FAILED", `
0 run running to failed, stops
1 b blocked: could then never be completed
2 c blocked: could then never be completed
3 d blocked: could then never be completed
asks "RUN" failed; 1 task waits for it
3 behind, [agent:claude], 8m to 2m, stuck 1 to 4
`},
		{"run", "changed", `
0 run running to changed
1 b blocked to changed
2 c blocked: becomes changed in turn if "B" is redone
3 behind, [agent:claude], 8m to 8m, stuck 1 to 1
`},
		{"b", "completed", `
0 b blocked to review work
1 c blocked to ready
assumed
2 behind, [], 8m to 5m, stuck 1 to 1
`},
		{"plan", "accept-plan", `
0 plan review plan to ready
1 behind, [], 8m to 8m, stuck 1 to 1
`},
		{"plan", "start", "\nrefused: its plan is not accepted\n"},
		{"c", "changed", `
0 c blocked to changed
1 behind, [], 8m to 8m, stuck 1 to 1
`},
		{"over", "review_rejected", `
0 over review work to replan, void
1 f ready to blocked
0 behind, [], 8m to 8m, stuck 1 to 1
`},
		{"over", "changed", `
1 f ready to changed
2 g blocked: becomes changed in turn if "F" is redone
0 behind, [], 8m to 8m, stuck 1 to 1
`},
		{"top", "completed", "\nrefused: 1 subtask is still open: \"PART\"\n"},
		{"top", "aborted", `
0 top ready to aborted
0 part ready to aborted
0 behind, [], 8m to 8m, stuck 1 to 1
`},
		{"dead", "retry", "\nrefused: it failed, and that is final\n"},
	} {
		im, err := Ask(s, Question{UID: x.uid, Event: x.event, Actor: "agent:codex"})
		if err != nil {
			t.Errorf("%s %s: %v", x.uid, x.event, err)
			continue
		}
		if got := "\n" + impactText(im); got != x.want {
			t.Errorf("%s %s:%swant%s", x.uid, x.event, got, x.want)
		}
	}
	if _, err := Ask(s, Question{UID: "run", Event: "explode"}); err == nil || !strings.Contains(err.Error(), "explode") {
		t.Errorf("an event that is none: %v", err)
	}
	if _, err := Ask(s, Question{UID: "nobody", Event: "failed"}); err == nil {
		t.Error("a task that is not there")
	}
}

// Whatever is foreseen is what happens, and nothing else: the tasks that it names are those whose
// status differs afterwards, and every event of every task can be asked about.
func TestForeseenIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot.New(modeltest.Draw(rt))
		for i := range s.Len() {
			for _, event := range append(Events(s, i), AllEvents()...) {
				f := Question{UID: s.UID(i), Event: event, Actor: "human:ann"}
				im, err := Ask(s, f)
				if err != nil {
					rt.Fatal(err)
				}
				if im.Refused != nil || im.Assumed || event == Changed {
					continue
				}
				op, _ := f.op(im.Event)
				ch, err := lifecycle.Apply(s, op)
				if err != nil {
					rt.Fatalf("%s: foreseen, and refused: %v", event, err)
				}
				n := s.With(2, "", ch.Tasks, ch.Requests)
				named := map[model.UID]Affected{}
				for _, a := range im.Tasks {
					named[a.UID] = a
				}
				for k := range s.Len() {
					a, ok := named[s.UID(k)]
					if differs := s.Status(k) != n.Status(k); differs && (!ok || a.To != n.Status(k)) || ok && !differs && !a.Voided {
						rt.Fatalf("%s of %s: %s was %s and is %s; foreseen was %v", event, f.UID, s.UID(k), s.Status(k), n.Status(k), a)
					}
				}
				if im.After.Stuck != schedule.Of(n).Stuck || im.After.Total != schedule.Of(n).Total {
					rt.Fatalf("%s of %s: %+v, and then %+v", event, f.UID, im.After, outlookOf(n))
				}
			}
		}
	})
}

func isRow(n model.Name) bool {
	_, ok := lifecycle.Lookup(n)
	return ok
}

func TestEveryForeseenEventHasItsWords(t *testing.T) {
	for _, n := range foreseen {
		if !isRow(n) || conditions[n] == "" {
			t.Errorf("%s: no row, or no condition", n)
		}
	}
}

func TestImpactLines(t *testing.T) {
	blocked := modeltest.InState(model.PlanDefined, modeltest.Accepted)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		modeltest.Node("a", modeltest.InState(model.Working, modeltest.Accepted, modeltest.Running, modeltest.Takes(300), func(t *model.Task) { t.Status.AssignedAgentUID = "agent:claude" })),
		modeltest.Node("b", blocked, "a"), modeltest.Node("c", blocked, "b"), modeltest.Node("d", blocked, "b"),
		modeltest.Node("other", modeltest.InState(model.PlanDefined, modeltest.Accepted, modeltest.Takes(290))),
	}})
	for event, want := range map[string]string{
		"completed": `
it becomes review work, its run ends
"B" becomes ready
all open work then takes 5m (now 7m); the critical path then has 1 task, all different from now`,
		"failed": `
it becomes failed, its run ends
"B", "C" and 1 more: could then never be completed
a person is asked: "A" failed; 1 task waits for it
3 open tasks could then never be completed (now none)
all open work then takes 5m (now 7m); the critical path then has 1 task, all different from now`,
	} {
		im, err := Ask(s, Question{UID: "a", Event: event})
		if err != nil {
			t.Fatal(err)
		}
		if got := "\n" + strings.Join(im.Lines("a", 2), "\n"); got != want {
			t.Errorf("%s:%s\nwant%s", event, got, want)
		}
	}
	im, _ := Ask(s, Question{UID: "a", Event: "pause"})
	if got := strings.Join(im.Around(), "\n"); got != "unfinished tasks that wait for it: 3, 1 of them directly\nworking on it or on tasks that wait for it: claude" {
		t.Errorf("around it: %s", got)
	}
	im, _ = Ask(s, Question{UID: "other", Event: "pause"})
	if got := strings.Join(im.Lines("other", 5), "\n"); got != "it becomes paused" {
		t.Errorf("a pause: %s", got)
	}
}
