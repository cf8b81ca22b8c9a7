package lifecycle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// files sets what a task creates and modifies.
func (d *desk) files(uid model.UID, create, modify string) model.UID {
	d.Helper()
	d.do(model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{
		{Key: "files_to_create", Value: create}, {Key: "files_to_modify", Value: modify},
	}}})
	return uid
}

// saidNeeds is needs as "task>on files", with "!" where it would close a cycle.
func saidNeeds(s *snapshot.Snapshot, needs []snapshot.FileNeed) string {
	var out []string
	for _, n := range needs {
		line := fmt.Sprintf("%s>%s %s", s.Name(int(n.Task)), s.Name(int(n.On)), strings.Join(n.Files, ","))
		if n.Cycle != nil {
			line += "!"
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

func saidClashes(s *snapshot.Snapshot, clashes []snapshot.FileClash) string {
	var out []string
	for _, c := range clashes {
		var names []string
		for _, i := range c.Tasks {
			names = append(names, s.Name(int(i)))
		}
		out = append(out, string(c.Kind)+" "+c.File+" "+strings.Join(names, ","))
	}
	return strings.Join(out, "; ")
}

func wantOverlaps(t *testing.T, s *snapshot.Snapshot, needs, clashes string) {
	t.Helper()
	n, c := s.FileOverlaps()
	if got := saidNeeds(s, n); got != needs {
		t.Errorf("needs %q, want %q", got, needs)
	}
	if got := saidClashes(s, c); got != clashes {
		t.Errorf("clashes %q, want %q", got, clashes)
	}
	// One task's are those of all that are about it, from a pack as well.
	packed, err := snapshot.Unpack(s.Pack())
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Len() {
		about := func(all []int32) bool { return slices.Contains(all, int32(i)) }
		wantN := slices.DeleteFunc(slices.Clone(n), func(f snapshot.FileNeed) bool { return !about([]int32{f.Task, f.On}) })
		wantC := slices.DeleteFunc(slices.Clone(c), func(f snapshot.FileClash) bool { return !about(f.Tasks) })
		for _, from := range []*snapshot.Snapshot{s, packed} {
			gotN, gotC := from.FileOverlapsOf(i)
			if a, b := saidNeeds(s, gotN)+"|"+saidClashes(s, gotC), saidNeeds(s, wantN)+"|"+saidClashes(s, wantC); a != b {
				t.Errorf("of %s: %s, want %s", s.Name(i), a, b)
			}
		}
	}
}

// Who modifies a file that another creates is to wait for it: once, unless it does, also through others.
func TestFileNeeds(t *testing.T) {
	d := newDesk(t)
	made := d.files(d.create("made", ""), "lib/a.go,lib/b.go", "")
	d.files(d.create("uses", ""), "", "./lib//a.go,lib/b.go,other.go")
	between := d.create("between", "", made)
	d.files(d.create("waits", "", between), "", "lib/a.go,x.go")
	d.files(d.create("unlike", ""), "", "lib/A.go,a.go")
	over := d.files(d.create("over", ""), "x.go", "lib/a.go")
	wantOverlaps(t, d.w.Snapshot(), "uses>made lib/a.go,lib/b.go waits>over x.go over>made lib/a.go", "writers lib/a.go uses,waits,over")
	d.abort(over)
	wantOverlaps(t, d.w.Snapshot(), "uses>made lib/a.go,lib/b.go", "writers lib/a.go uses,waits")
}

// Two creators are always a clash, two writers where neither waits for the other.
func TestFileClashes(t *testing.T) {
	d := newDesk(t)
	one := d.files(d.create("one", ""), "new.go", "old.go,two.go")
	two := d.files(d.create("two", "", one), "new.go", "old.go,two.go")
	three := d.files(d.create("three", "", two), "", "old.go")
	d.files(d.create("four", ""), "", "two.go")
	s := d.w.Snapshot()
	wantOverlaps(t, s, "", "creators new.go one,two; writers two.go one,two,four")
	_, clashes := s.FileOverlapsOf(0)
	if got, want := clashes[0].Said(s, 0), `new.go: "two" also creates it`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := clashes[1].Said(s, 0), `two.go: "two" and "four" also edit it, and neither waits for the other`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Who waits for whom does not go by the order of making.
	d.do(model.Op{Name: model.RemoveDependency, UID: three, Args: model.DependencyEdit{DependsOn: []model.UID{two}}})
	d.do(model.Op{Name: model.AddDependency, UID: one, Args: model.DependencyEdit{DependsOn: []model.UID{three}}})
	wantOverlaps(t, d.w.Snapshot(), "", "creators new.go one,two; writers two.go one,two,four")
}

// The parts of a split do the work of the task above them.
func TestFileOverlapsPassOverTasksAbove(t *testing.T) {
	d := newDesk(t)
	whole := d.big(d.create("whole", ""))
	d.files(d.create("uses", ""), "", "models/account.go,services/post.go")
	d.split(whole)
	s := d.w.Snapshot()
	needs, clashes := s.FileOverlaps()
	if got := saidNeeds(s, needs); got != "uses>whole (a: data layer) models/account.go" {
		t.Errorf("needs %q", got)
	}
	if got := saidClashes(s, clashes); got != "writers services/post.go uses,whole (b: business layer)" {
		t.Errorf("clashes %q", got)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: whole, Actor: ann})
	wantOverlaps(t, d.w.Snapshot(), "uses>whole models/account.go", "writers services/post.go whole,uses")
}

// What would close a cycle is shown and cannot be accepted, nor what would after others were.
func TestFileNeedsAccepted(t *testing.T) {
	d := newDesk(t)
	one := d.files(d.create("one", ""), "1.go", "2.go,3.go")
	two := d.files(d.create("two", ""), "2.go", "1.go")
	three := d.files(d.create("three", "", one), "3.go", "2.go")
	s := d.w.Snapshot()
	needs, _ := s.FileOverlaps()
	if got, want := saidNeeds(s, needs), "one>two 2.go one>three 3.go! two>one 1.go three>two 2.go"; got != want {
		t.Fatalf("needs %q, want %q", got, want)
	}
	if want := []model.UID{one, three, one}; !slices.Equal(needs[1].Cycle, want) {
		t.Errorf("cycle %v, want %v", needs[1].Cycle, want)
	}
	ops, left := lifecycle.NeedOps(s, needs, ann)
	if len(ops) != 2 || len(left) != 2 || ops[0].UID != one || ops[1].UID != three {
		t.Fatalf("operations %+v, left %+v", ops, left)
	}
	if _, err := d.w.DoAll(ops); err != nil {
		t.Fatal(err)
	}
	d.wantDeps(one, two)
	d.wantDeps(three, one, two)
	wantOverlaps(t, d.w.Snapshot(), "one>three 3.go! two>one 1.go!", "")
}
