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
	fmt.Fprintf(&b, "%s to %s, stuck %d to %d\n", model.Lasting(im.Before.Total), model.Lasting(im.After.Total), im.Before.Stuck, im.After.Stuck)
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

// failed and changed stand in a test for operations: an error that ends the task, and an approval that no longer matches.
const (
	failed  = "failed"
	changed = "changed"
)

// impactOf is what an operation at a task would do; false where it is refused.
func impactOf(s *snapshot.Snapshot, uid model.UID, name model.Name) (*Impact, *model.Change, bool) {
	op := model.Op{ID: "op", UID: uid, Actor: "human:ann", Name: name, Reason: "…"}
	switch name {
	case model.WorkCompleted:
		op.Actor = model.SystemActor
	case failed:
		op.Name, op.Args = model.RaiseError, model.ErrorReport{Failure: true}
	case changed:
		i, _ := s.Index(uid)
		t := s.At(i).Clone()
		t.Status.ChangedBecause = []model.ChangeReason{{File: "plan.md", New: "…"}}
		ch := &model.Change{Tasks: []*model.Task{t}}
		return ImpactOf(s, uid, ch.Tasks, nil), ch, true
	}
	lifecycle.FillText(&op, "…")
	ch, err := lifecycle.Apply(s, op)
	if err != nil {
		return nil, nil, false
	}
	return ImpactOf(s, uid, ch.Tasks, ch.Requests), ch, true
}

func TestImpact(t *testing.T) {
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
		event model.Name
		want  string
	}{
		{"run", model.WorkCompleted, `
0 run running to review work, stops
1 b blocked to ready
8m to 3m, stuck 1 to 1
`},
		{"run", failed, `
0 run running to failed, stops
1 b blocked: could then never be completed
2 c blocked: could then never be completed
3 d blocked: could then never be completed
asks "RUN" failed; 1 task waits for it
8m to 2m, stuck 1 to 4
`},
		{"run", changed, `
0 run running to changed
1 b blocked: would become Changed if "RUN" is redone
2 c blocked: would become Changed if "B" is redone
8m to 8m, stuck 1 to 1
`},
		{"plan", model.AcceptPlan, `
0 plan review plan to ready
8m to 8m, stuck 1 to 1
`},
		{"c", changed, `
0 c blocked to changed
8m to 8m, stuck 1 to 1
`},
		{"over", model.ReviewRejected, `
0 over review work to replan, void
1 f ready to blocked
8m to 8m, stuck 1 to 1
`},
		{"top", model.Abort, `
0 top ready to aborted
0 part ready to aborted
8m to 8m, stuck 1 to 1
`},
	} {
		im, _, ok := impactOf(s, x.uid, x.event)
		if !ok {
			t.Errorf("%s %s: refused", x.uid, x.event)
			continue
		}
		if got := "\n" + impactText(im); got != x.want {
			t.Errorf("%s %s:%swant%s", x.uid, x.event, got, x.want)
		}
	}
}

// Whatever is foreseen is what happens, and nothing else: the tasks that it names are those whose status differs afterwards.
func TestForeseenIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot.New(modeltest.Draw(rt))
		for i := range s.Len() {
			uid := s.UID(i)
			names := []model.Name{failed}
			for _, row := range lifecycle.Table() {
				names = append(names, row.Name)
			}
			for _, name := range names {
				im, ch, ok := impactOf(s, uid, name)
				if !ok {
					continue
				}
				n := s.With(2, "", ch.Tasks, ch.Requests)
				named := map[model.UID]Affected{}
				for _, a := range im.Tasks {
					named[a.UID] = a
				}
				for k := range s.Len() {
					a, ok := named[s.UID(k)]
					if differs := s.Status(k) != n.Status(k); differs && (!ok || a.To != n.Status(k)) || ok && !differs && !a.Voided {
						rt.Fatalf("%s of %s: %s was %s and is %s; foreseen was %v", name, uid, s.UID(k), s.Status(k), n.Status(k), a)
					}
				}
				if im.After.Stuck != schedule.Of(n).Stuck || im.After.Total != schedule.Of(n).Total {
					rt.Fatalf("%s of %s: %+v, and then %+v", name, uid, im.After, outlookOf(n))
				}
			}
		}
	})
}

func TestImpactLines(t *testing.T) {
	blocked := modeltest.InState(model.PlanDefined, modeltest.Accepted)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		modeltest.Node("a", modeltest.InState(model.Working, modeltest.Accepted, modeltest.Running, modeltest.Takes(300), func(t *model.Task) { t.Status.AssignedAgentUID = "agent:claude" })),
		modeltest.Node("b", blocked, "a"), modeltest.Node("c", blocked, "b"), modeltest.Node("d", blocked, "b"),
		modeltest.Node("other", modeltest.InState(model.PlanDefined, modeltest.Accepted, modeltest.Takes(290))),
	}})
	for event, want := range map[model.Name]string{
		model.WorkCompleted: `
it becomes Work review, its run ends
"B" becomes Ready
all open work then takes 5m (now 7m); the critical path then has 1 task, none of the current ones`,
		failed: `
it becomes Failed, its run ends
"B", "C" and 1 more: could then never be completed
a person is asked: "A" failed; 1 task waits for it
3 open tasks could then never be completed (now none)
all open work then takes 5m (now 7m); the critical path then has 1 task, none of the current ones`,
	} {
		im, _, _ := impactOf(s, "a", event)
		if got := "\n" + strings.Join(im.Lines("a", 2), "\n"); got != want {
			t.Errorf("%s:%s\nwant%s", event, got, want)
		}
	}
	im, _, _ := impactOf(s, "other", model.Pause)
	if got := strings.Join(im.Lines("other", 5), "\n"); got != "it becomes Paused" {
		t.Errorf("a pause: %s", got)
	}
}

// High risk, and what a person has not asked for and not seen, stands first: a question shows only the first few.
func TestTheGravestDoubtStandsFirst(t *testing.T) {
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{modeltest.Node("a", func(t *model.Task) {
		t.Spec = &model.Spec{Risk: model.RiskHigh, FilesToCreate: []string{"a.go"}}
	})}})
	said := &model.ReviewFile{Comments: []model.Comment{{ID: "c1", State: model.CommentOpen}}}
	want := []string{"High risk", "2 changes that no comment asked for", "You have seen only 3%", "1 open comment", "It names no tests and no checks"}
	if got := PlanDoubts(s, 0, said, 2, "", []string{"you have seen only 3%"}); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
