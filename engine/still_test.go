package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
)

// going runs a loop that continues when nothing is left to do, with a clock that can be put forward.
func (d *desk) going() (forward func(time.Duration), end func() Summary) {
	var ahead atomic.Int64
	was := d.opt
	d.opt.Idle, d.opt.Now = false, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	done, stop := d.beside()
	d.opt = was
	return func(by time.Duration) { ahead.Add(int64(by)) }, func() Summary { stop(); return <-done }
}

// A loop sees that what was in the way of the target has gone, though nothing in the store says so.
func TestTheWayIsClearedAndNothingElse(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("first", "do write a.txt good", nil)
	d.run()
	d.file("a.txt", "mine\n")
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	forward, end := d.going()
	d.until(func() bool { return d.open(targetKey) == 1 })
	before := d.git("rev-parse", "main")
	if err := os.Remove(filepath.Join(d.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	forward(lookAgain)
	d.until(func() bool { return d.open(targetKey) == 0 })
	end()
	if d.git("rev-parse", "main") == before { // asked only now: git fails beside a loop that removes worktrees
		t.Error("the work is not on the target")
	}
}

// Work that a person brought over is in nobody's way anymore.
func TestWorkThatAPersonBroughtOver(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	uid := d.task("first", "do write a.txt good", nil)
	d.run()
	d.file("a.txt", "mine\n")
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	d.run()
	if n := d.open(targetKey); n != 1 {
		t.Fatalf("%d requests say what is in the way%s", n, d.lines())
	}
	if err := os.Remove(filepath.Join(d.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	d.git("merge", "-q", "--ff-only", "vespe/integration")
	d.run()
	if n := d.open(targetKey); n != 0 {
		t.Errorf("%d requests still say what is in the way", n)
	}
}

// A deadlock is one question, whatever else comes to wait for a person meanwhile. One that may have gone and has not is
// asked about again.
func TestADeadlockIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("fails", "do exit 1", nil)
	b := d.task("waits", "do write b.txt good", nil, a)
	d.spoil(a)
	d.run()
	c := d.do(model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "other", Objective: "something else"}}).Change.Tasks[0].UID
	d.do(model.Op{Name: model.DefinePlan, UID: c, Actor: robot, Args: model.NewPlan{Text: "a plan that waits\n"}})
	d.run()
	n := 0
	for _, q := range d.snap().Requests() {
		if strings.HasPrefix(q.Key, lifecycle.DeadlockKey) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("it was asked %d times%s", n, d.lines())
	}
	forward, end := d.going()
	d.until(func() bool { in, runs := d.info(); return runs && in.Says != "" })
	d.do(model.Op{Name: model.Abort, UID: b, Actor: ann, Reason: "not needed"}) // takes the question back
	forward(seekAgain)
	d.until(func() bool { return d.open(lifecycle.DeadlockKey) == 1 }) // the first task still can't be read
	end()
}

// A question that couldn't be withdrawn is withdrawn at the next look.
func TestADeadlockIsWithdrawnLater(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.do(model.Op{Name: model.Escalate, Actor: Actor, Args: model.NewRequest{Key: lifecycle.DeadlockKey + "1", Title: "all work is stuck"}})
	l := d.loop()
	l.dead.fresh = true
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		open int
	}{{canceled, 1}, {context.Background(), 0}} {
		if err := l.deadlock(c.ctx, d.snap()); err != nil {
			t.Fatal(err)
		}
		if n := d.open(lifecycle.DeadlockKey); n != c.open || l.dead.owed != (n > 0) {
			t.Errorf("%d requests wait, another look is owed: %t", n, l.dead.owed)
		}
	}
}

// info is what a loop in another goroutine or process says of itself.
func (d *desk) info() (Info, bool) {
	d.t.Helper()
	desk, err := NewDesk(d.getenv, d.s.StoreID())
	if err != nil {
		d.t.Fatal(err)
	}
	return desk.Loop()
}

// A withdrawal that fails while something runs is tried again when it is time, not at every tick.
func TestAWithdrawalThatFailsWaitsForTheNextLook(t *testing.T) {
	d := newDesk(t)
	d.do(model.Op{Name: model.Escalate, Actor: Actor, Args: model.NewRequest{Key: lifecycle.DeadlockKey + "1", Title: "all work is stuck"}})
	l := d.loop()
	l.dead.fresh = true
	l.runs.live["run-1"] = &run{}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := l.deadlock(canceled, d.snap()); err != nil {
		t.Fatal(err)
	}
	delete(l.runs.live, "run-1")
	if !l.dead.owed || l.due() {
		t.Error("another look is due at once, or never")
	}
}

// A question that couldn't be asked is asked at the next look.
func TestADeadlockThatCouldNotBeAskedAboutIsAskedLater(t *testing.T) {
	d := newDesk(t)
	a := d.task("fails", "do exit 1", nil)
	d.task("waits", "do write b.txt good", nil, a)
	d.spoil(a)
	l := d.loop()
	if _, err := d.s.Load(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	l.opt.Idle, l.opt.Max = false, 0
	l.dead.fresh = true
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := l.deadlock(canceled, l.snap()); err == nil || !l.dead.owed || l.due() {
		t.Errorf("%v: another look is owed: %v, now: %v", err, l.dead.owed, l.due())
	}
	l.dead.sought = l.now().Add(-seekAgain)
	if err := l.deadlock(context.Background(), l.snap()); err != nil || d.open(lifecycle.DeadlockKey) != 1 || l.dead.owed {
		t.Errorf("%v: %d questions, another look is owed: %v", err, d.open(lifecycle.DeadlockKey), l.dead.owed)
	}
}
