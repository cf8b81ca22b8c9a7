package lifecycle_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"vespe/model"
)

// file is the only file whose path below .vespe matches a pattern.
func (d *desk) file(pattern string) (name string, body []byte) {
	d.Helper()
	for _, f := range d.w.Files() {
		if ok, err := path.Match(pattern, f); err != nil || !ok {
			continue
		} else if name != "" {
			d.Fatalf("%s and %s match %s", name, f, pattern)
		}
		name = f
	}
	if name == "" {
		d.Fatalf("no file matches %s: %q", pattern, d.w.Files())
	}
	body, _ = d.w.File(name)
	return name, body
}

// What two people do to one task at the same moment in two clones comes to files of different names,
// but for those that hold the same.
func TestNoNameIsCountedByAClone(t *testing.T) {
	clone := func(who model.Actor, id string) *desk {
		d := newDesk(t)
		d.do(model.Op{Name: model.CreateTask, ID: "op-1", Args: model.NewTask{UID: "tsk-a", Name: "a", Objective: "o\n"}})
		d.do(model.Op{Name: model.DefinePlan, ID: "op-2", UID: "tsk-a", Args: model.NewPlan{Text: "one\n"}})
		at := d.task("tsk-a").Status.LastUpdatedAt.Add(time.Second)
		d.do(model.Op{Name: model.DefinePlan, ID: id + "-plan", UID: "tsk-a", Actor: who, At: at, Args: model.NewPlan{Text: "two, by " + id + "\n"}})
		d.do(model.Op{Name: model.AcceptPlan, ID: id + "-accept", UID: "tsk-a", Actor: who, At: at.Add(time.Second)})
		d.do(model.Op{Name: model.Start, ID: id + "-start", UID: "tsk-a", Actor: agent, At: at.Add(2 * time.Second)})
		d.do(model.Op{Name: model.WorkCompleted, ID: id + "-done", UID: "tsk-a", Actor: agent, Args: model.Completion{Summary: "done"}, At: at.Add(3 * time.Second)})
		d.do(model.Op{Name: model.ReviewRejected, ID: id + "-no", UID: "tsk-a", Actor: who, Reason: "no", At: at.Add(4 * time.Second)})
		return d
	}
	a, b := clone(ann, "x"), clone(bob, "y")
	mutable := map[string]bool{"plan.md": true, "run.json": true}
	shared := 0
	for _, name := range a.w.Files() {
		mine, _ := a.w.File(name)
		theirs, both := b.w.File(name)
		if both && string(mine) == string(theirs) {
			shared++
		}
		if both && string(mine) != string(theirs) && !mutable[path.Base(name)] {
			t.Errorf("both clones wrote another %s:\n%s\n%s", name, mine, theirs)
		}
	}
	if shared == 0 {
		t.Error("the first revision has two names")
	}
}

func TestNamesOfRevisionsAndReviews(t *testing.T) {
	hash := model.HashBytes([]byte("x"))
	digits := strings.TrimPrefix(hash, "sha256-")[:16]
	for _, c := range []struct {
		name   string
		doc    model.Doc
		n      int
		digits string
		ok     bool
	}{
		{model.RevisionName(model.Plan, 3, hash), model.Plan, 3, digits, true},
		{model.RevisionName(model.Objective, 12345, hash), model.Objective, 12345, digits, true},
		{model.RevisionName(model.Plan, 3, ""), model.Plan, 3, "", true},
		{"plan-0003.md", model.Plan, 3, "", true},
		{"plan-00003.md", "", 0, "", false},
		{"plan-3.md", "", 0, "", false},
		{"work-0003.md", "", 0, "", false},
		{"plan-0003.json", "", 0, "", false},
		{"plan-0003-" + digits + "0.md", "", 0, "", false},
		{"plan-0003-" + strings.ToUpper(digits) + "!.md", "", 0, "", false},
		{"plan-0003-../../../x.md", "", 0, "", false},
	} {
		doc, n, got, ok := model.ParseRevisionName(c.name)
		if ok != c.ok || ok && (doc != c.doc || n != c.n || got != c.digits) {
			t.Errorf("%s is %s, %d, %s, %v", c.name, doc, n, got, ok)
		}
	}
	if got := model.ReviewName(3, hash); got != "plan-0003-"+digits+".json" {
		t.Errorf("a review is called %s", got)
	}
	for file, want := range map[string]string{
		"": "plan-0002.json", "plan-0002-" + digits + ".json": "plan-0002-" + digits + ".json",
		"plan-0003-" + digits + ".json": "plan-0002.json", "../plan-0002.json": "plan-0002.json", "work-0002.json": "plan-0002.json",
	} {
		if got := (&model.CommentBook{Revision: 2, File: file}).Name(); got != want {
			t.Errorf("%q is the file %s, want %s", file, got, want)
		}
	}
}
