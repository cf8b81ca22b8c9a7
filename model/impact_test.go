package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// impactText is an impact as lines.
func impactText(im *Impact) string {
	var b strings.Builder
	if im.Refused != nil {
		return "refused: " + im.Refused.(*Refusal).Why + "\n" //nolint:errorlint // it is one
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
	fmt.Fprintf(&b, "%d behind, %v, %s to %s, stuck %d to %d\n", im.Behind, im.Agents, Lasting(im.Before.Total), Lasting(im.After.Total), im.Before.Stuck, im.After.Stuck)
	return b.String()
}

// recorded is what a task was accepted with of others.
func recorded(of ...UID) func(*Task) {
	return func(t *Task) {
		for _, uid := range of {
			t.Status.ParentContentHashes = append(t.Status.ParentContentHashes, ContentHash{string(uid) + "_plan", HashBytes([]byte(uid))})
		}
		slices.SortFunc(t.Status.ParentContentHashes, func(a, b ContentHash) int { return strings.Compare(a.Key, b.Key) })
	}
}

func TestForesee(t *testing.T) {
	blocked := func(more ...func(*Task)) func(*Task) { return inState(PlanDefined, append(more, accepted)...) }
	s := NewSnapshot(Input{Policy: Policy{DependencyPolicy: "completed"}, Tasks: []*Task{
		node("run", inState(Working, accepted, running, takes(300), func(t *Task) { t.Status.AssignedAgentUID = "agent:claude" })),
		node("b", blocked(recorded("run")), "run"),
		node("c", blocked(recorded("b")), "b"),
		node("d", blocked(), "c"),
		node("plan", inState(PlanDefined)),
		node("e", blocked(), "plan"),
		node("over", inState(Completed, accepted)),
		node("f", blocked(recorded("over")), "over"),
		node("g", blocked(recorded("f")), "f"),
		node("dead", inState(Failed)), node("h", blocked(), "dead"),
		node("top", inState(Working, accepted)), under("part", "top", blocked()),
	}})
	for _, x := range []struct {
		uid   UID
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
		im, err := s.Foresee(Foresee{UID: x.uid, Event: x.event, Actor: "agent:codex"})
		if err != nil {
			t.Errorf("%s %s: %v", x.uid, x.event, err)
			continue
		}
		if got := "\n" + impactText(im); got != x.want {
			t.Errorf("%s %s:%swant%s", x.uid, x.event, got, x.want)
		}
	}
	if _, err := s.Foresee(Foresee{UID: "run", Event: "explode"}); err == nil || !strings.Contains(err.Error(), "explode") {
		t.Errorf("an event that is none: %v", err)
	}
	if _, err := s.Foresee(Foresee{UID: "nobody", Event: "failed"}); err == nil {
		t.Error("a task that is not there")
	}
}

// Whatever is foreseen is what happens, and nothing else: the tasks that it names are those whose
// status differs afterwards, and every event of every task can be asked about.
func TestForeseenIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := NewSnapshot(genInput(rt))
		for i := range s.Len() {
			for _, event := range append(s.Events(i), ForeseenEvents()...) {
				f := Foresee{UID: s.UID(i), Event: event, Actor: "human:ann"}
				im, err := s.Foresee(f)
				if err != nil {
					rt.Fatal(err)
				}
				if im.Refused != nil || im.Assumed || event == EventChanged {
					continue
				}
				op, _ := f.op(im.Event)
				ch, err := Apply(s, op)
				if err != nil {
					rt.Fatalf("%s: foreseen, and refused: %v", event, err)
				}
				n := s.With(2, "", ch.Tasks, ch.Requests)
				named := map[UID]Affected{}
				for _, a := range im.Tasks {
					named[a.UID] = a
				}
				for k := range s.Len() {
					a, ok := named[s.UID(k)]
					if differs := s.Status(k) != n.Status(k); differs && (!ok || a.To != n.Status(k)) || ok && !differs && !a.Voided {
						rt.Fatalf("%s of %s: %s was %s and is %s; foreseen was %v", event, f.UID, s.UID(k), s.Status(k), n.Status(k), a)
					}
				}
				if im.After.Stuck != n.Schedule().Stuck || im.After.Total != n.Schedule().Total {
					rt.Fatalf("%s of %s: %+v, and then %+v", event, f.UID, im.After, n.outlook())
				}
			}
		}
	})
}

func TestEveryForeseenEventHasItsWords(t *testing.T) {
	for _, n := range foreseen {
		if lifecycle().row(n) == nil || conditions[n] == "" {
			t.Errorf("%s: no row, or no condition", n)
		}
	}
}

func TestImpactLines(t *testing.T) {
	blocked := inState(PlanDefined, accepted)
	s := NewSnapshot(Input{Tasks: []*Task{
		node("a", inState(Working, accepted, running, takes(300), func(t *Task) { t.Status.AssignedAgentUID = "agent:claude" })),
		node("b", blocked, "a"), node("c", blocked, "b"), node("d", blocked, "b"),
		node("other", inState(PlanDefined, accepted, takes(290))),
	}})
	for event, want := range map[string]string{
		"completed": `
it becomes review work, its run ends
"B" becomes ready
all open work then takes 5m (now 7m); the critical path then has 1 task, all of them others than now`,
		"failed": `
it becomes failed, its run ends
"B", "C" and 1 more: could then never be completed
a person is asked: "A" failed; 1 task waits for it
3 open tasks could then never be completed (now none)
all open work then takes 5m (now 7m); the critical path then has 1 task, all of them others than now`,
	} {
		im, err := s.Foresee(Foresee{UID: "a", Event: event})
		if err != nil {
			t.Fatal(err)
		}
		if got := "\n" + strings.Join(im.Lines("a", 2), "\n"); got != want {
			t.Errorf("%s:%s\nwant%s", event, got, want)
		}
	}
	im, _ := s.Foresee(Foresee{UID: "a", Event: "pause"})
	if got := strings.Join(im.Around(), "\n"); got != "3 unfinished tasks wait for it, directly or through others\nat work on it or on what waits for it: claude" {
		t.Errorf("around it: %s", got)
	}
	im, _ = s.Foresee(Foresee{UID: "other", Event: "pause"})
	if got := strings.Join(im.Lines("other", 5), "\n"); got != "it becomes paused" {
		t.Errorf("a pause: %s", got)
	}
}
