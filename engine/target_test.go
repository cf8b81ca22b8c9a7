package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
)

// Only what a person has accepted comes to the target branch, in the order in which it was integrated.
func TestTheTargetFollowsWhatIsAccepted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("first", "do write a.txt good", nil)
	b := d.task("second", "do write b.txt good", nil, a)
	d.run()
	begin := d.git("rev-parse", "main")
	d.do(model.Op{Name: model.ReviewAccepted, UID: b, Actor: ann})
	d.run()
	if d.git("rev-parse", "main") != begin {
		t.Error("main has what nobody has accepted")
	}
	d.do(model.Op{Name: model.ReviewAccepted, UID: a, Actor: ann})
	d.run()
	if d.git("rev-parse", "main") != d.git("rev-parse", "vespe/integration") {
		t.Errorf("main did not follow%s", d.lines())
	}
	if b, err := os.ReadFile(filepath.Join(d.dir, "b.txt")); err != nil || string(b) != "good\n" {
		t.Errorf("the checkout has no b.txt: %v", err)
	}
}

// What a person is at is never touched: they are asked, and the loop continues once the way is free.
func TestATargetThatIsInTheWay(t *testing.T) {
	for name, c := range map[string]struct{ block, free func(*desk) }{
		"a file of the person's":    {func(d *desk) { d.file("a.txt", "mine\n") }, func(d *desk) { _ = os.Remove(filepath.Join(d.dir, "a.txt")) }},
		"something is staged":       {func(d *desk) { d.file("other.md", "mine\n"); d.git("add", "other.md") }, func(d *desk) { d.git("reset", "-q") }},
		"a change in the same file": {func(d *desk) { d.file("Makefile", makefile+"# mine\n") }, func(d *desk) { d.git("checkout", "-q", "Makefile") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			uid := d.task("first", "do write a.txt good\ndo append Makefile # theirs", nil)
			d.run()
			c.block(d)
			before, status := d.git("rev-parse", "main"), d.git("status", "--porcelain")
			d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
			d.run()
			if d.git("rev-parse", "main") != before || d.git("status", "--porcelain") != status {
				t.Fatalf("something of the person's was touched: %s", d.git("status", "--porcelain"))
			}
			if n := d.open(targetKey); n != 1 {
				t.Errorf("%d requests say what is in the way%s", n, d.lines())
			}
			c.free(d)
			d.run()
			if d.git("rev-parse", "main") == before {
				t.Errorf("main did not follow%s", d.lines())
			}
			if n := d.open(targetKey); n != 0 {
				t.Errorf("%d requests still say what is in the way", n)
			}
		})
	}
}

// open counts the open requests whose key begins so.
func (d *desk) open(key string) (n int) {
	for _, q := range d.snap().Requests() {
		if strings.HasPrefix(q.Key, key) && q.IsOpen() {
			n++
		}
	}
	return n
}

// What a person commits meanwhile is brought in, and what workers do begins on it.
func TestATargetThatMovesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("first", "do write a.txt good", nil)
	d.run()
	d.file("mine.txt", "good and mine\n")
	d.git("add", "mine.txt")
	d.git("commit", "-qm", "mine")
	b := d.task("second", "do append mine.txt good and theirs", nil)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if got := d.onBranch("mine.txt"); got != "good and mine\ngood and theirs" {
		t.Errorf("mine.txt is %q", got)
	}
	for _, uid := range []model.UID{a, b} {
		d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	}
	d.run()
	if d.git("rev-parse", "main") != d.git("rev-parse", "vespe/integration") {
		t.Errorf("main did not follow%s", d.lines())
	}
}

// A target that went another way than the work: nothing is begun, and a person is asked once.
func TestATargetThatConflicts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.task("first", "do write a.txt good by a worker", nil)
	d.run()
	d.file("a.txt", "good by ann\n")
	d.git("add", "a.txt")
	d.git("commit", "-qm", "mine")
	uid := d.task("second", "do write b.txt good", nil)
	d.run()
	d.run()
	if d.status(uid) != model.StatusReady || d.open(apartKey) != 1 {
		t.Fatalf("it is %s, and %d are asked%s", d.status(uid), d.open(apartKey), d.lines())
	}
	d.git("reset", "-q", "--hard", "HEAD~1")
	if sum := d.run(); sum.Completed != 1 || d.open(apartKey) != 0 {
		t.Errorf("%+v, and %d are asked%s", sum, d.open(apartKey), d.lines())
	}
	d.clean()
}

// Work that was sent back and done again comes with what replaced it, or not at all.
func TestRejectedWorkDoesNotComeAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.task("first", "do write a.txt good", nil)
	d.run()
	b := d.task("second", "do write b.txt good", nil)
	d.run()
	d.do(model.Op{Name: model.ReviewRejected, UID: a, Actor: ann, Reason: "say more"})
	d.do(model.Op{Name: model.DefinePlan, UID: a, Actor: robot, Args: model.NewPlan{Text: "# first\n\ndo write a.txt good and more\n"}}, model.Op{Name: model.AcceptPlan, UID: a, Actor: ann})
	d.run()
	d.do(model.Op{Name: model.ReviewAccepted, UID: a, Actor: ann})
	begin := d.git("rev-parse", "main")
	d.run()
	if d.git("rev-parse", "main") != begin {
		t.Errorf("main has the work that was sent back: %s%s", d.git("show", "main:a.txt"), d.lines())
	}
	d.do(model.Op{Name: model.ReviewAccepted, UID: b, Actor: ann})
	d.run()
	if got := d.git("show", "main:a.txt"); got != "good and more" {
		t.Errorf("main has %q%s", got, d.lines())
	}
}
