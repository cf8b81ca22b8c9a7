package outline

import (
	"testing"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/ui/style"
)

func benchTree(n int) *Outline {
	o := New(viewtest.Styles(style.Options{Dark: true}))
	o.SetSnapshot(viewtest.Snapshot(viewtest.Large(n, 1)))
	o.UnfoldAll()
	o.View(60, 50)
	o.Move(len(o.rows) / 2)
	o.View(60, 50)
	return o
}

// A key that moves the cursor, with the frame after it.
func BenchmarkKeypress(b *testing.B) {
	press := func(o *Outline) func(int) {
		return func(n int) {
			o.Move(1 - n%2*2)
			o.View(60, 50)
		}
	}
	viewtest.Ratio(b, press(benchTree(100)), press(benchTree(100_000)))
}

// A key that folds or unfolds, with the frame after it.
func BenchmarkFold(b *testing.B) {
	press := func(o *Outline) func(int) {
		for o.Cur > 0 && !o.canFold(o.Cur) {
			o.Move(-1)
		}
		return func(int) {
			toggle(o)
			o.View(60, 50)
		}
	}
	viewtest.Ratio(b, press(benchTree(100)), press(benchTree(100_000)))
}

func BenchmarkUnfoldAll(b *testing.B) {
	o := benchTree(100_000)
	for b.Loop() {
		o.UnfoldAll()
	}
}

// A snapshot in which one status changed: what happens some times a second.
func BenchmarkSnapshotStatus(b *testing.B) {
	o := benchTree(100_000)
	now, next := o.snap, o.snap.With(2, "h", []*model.Task{running(o.snap.At(500))}, nil)
	for b.Loop() {
		now, next = next, now
		o.SetSnapshot(now)
		o.View(60, 50)
	}
}

// A snapshot with a task more: the rows are built again.
func BenchmarkSnapshotStructure(b *testing.B) {
	o := benchTree(100_000)
	extra := viewtest.Seed{Name: "new", Parent: 3}.Task(100_001)
	now, next := o.snap, o.snap.With(2, "h", []*model.Task{extra}, nil)
	for b.Loop() {
		now, next = next, now
		o.SetSnapshot(now)
		o.View(60, 50)
	}
}

func BenchmarkSearchLetter(b *testing.B) {
	o := benchTree(100_000)
	o.SearchType("inv")
	for b.Loop() {
		o.SearchType("invoice of part 77")
		o.SearchType("invo")
	}
}

func running(t *model.Task) *model.Task {
	c := t.Clone()
	c.Status.CurrentRun = "run-2"
	c.Status.CurrentState = model.Working
	c.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1}
	return c
}
