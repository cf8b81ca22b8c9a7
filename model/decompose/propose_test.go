package decompose

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

const chained = "## Task 1: A\n- Create: `a/1.go`\n- Create: `b/2.go`\n- [ ] one\n- [ ] two\n- [ ] three\n- [ ] four\n## Task 2: B\nDepends on: T1\n## Task 3: C\nDepends on: T2\n## Task 4: D\n- [x] done\n"

func propose(t *testing.T, plan string, excluded ...string) *Proposal {
	t.Helper()
	task := &model.Task{UID: "tsk-a", Config: model.Config{UID: "tsk-a", Name: "ledger"}}
	task.Status.AcceptedPlan = &model.AcceptedPlan{PlanHash: model.HashBytes([]byte(plan)), Excluded: excluded}
	p, err := Propose(snapshot.New(snapshot.Input{Tasks: []*model.Task{task}}), task, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What an acceptance left out cannot be made; what is done is not, unless somebody says so. The order stays.
func TestLeftOut(t *testing.T) {
	p := propose(t, chained, "Task 2: B")
	if in := p.In(); !slices.Equal(in, []int{0, 2}) {
		t.Fatalf("in %v", in)
	}
	if f := p.Fates[1]; !f.Fixed || p.Toggle(1) || !strings.Contains(f.Why, "left out when the plan was accepted") {
		t.Errorf("%+v", f)
	}
	if items, tasks := p.Waits(2); !slices.Equal(items, []int{0}) || len(tasks) > 0 {
		t.Errorf("C waits for %v %v", items, tasks)
	}
	if !p.Toggle(3) || len(p.In()) != 3 || !p.Toggle(3) || p.Fates[3].Why != "left out" {
		t.Errorf("%+v", p.Fates[3])
	}
	b := p.Decomposition()
	if len(b.Subtasks) != 2 || !slices.Equal(b.Subtasks[1].After, []int{0}) || b.Plan != p.Hash {
		t.Errorf("%+v", b)
	}
	if other := propose(t, chained); len(other.In()) != 3 {
		t.Errorf("in %v", other.In())
	}
}

// A cycle is one of what is to be made.
func TestCyclesOfWhatIsMade(t *testing.T) {
	p := propose(t, "## T1 A\nDepends on: T2\n## T2 B\nDepends on: T1\n")
	if c := p.Cycles(); len(c) != 1 || strings.Join(c[0], " ") != "T1 T2 T1" {
		t.Errorf("%v", c)
	}
	p.Toggle(1)
	if c := p.Cycles(); len(c) != 0 {
		t.Errorf("%v", c)
	}
	if items, _ := p.Waits(0); len(items) != 0 {
		t.Errorf("A waits for %v", items)
	}
}
