package snapshot

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
)

// child is a task without anything but its place in the tree.
func child(uid, parent model.UID) *model.Task {
	return &model.Task{UID: uid, Config: model.Config{UID: uid, Name: strings.ToUpper(string(uid)), ParentUID: parent}}
}

func TestBrokenTreesBecomeRoots(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{
		child("a", "nobody"), child("b", "b"),
		child("c", "e"), child("d", "c"), child("e", "d"), // c → e → d → c
		child("f", "c"), child("g", "f"), // below the cycle, and staying there
	}})
	if got := s.uids(s.Roots()); !slices.Equal(got, []model.UID{"a", "b", "c", "d", "e"}) {
		t.Errorf("roots are %v", got)
	}
	if got := s.ChildUIDs("c"); !slices.Equal(got, []model.UID{"f"}) {
		t.Errorf("children of c are %v, want f", got)
	}
	if got := s.Depth(6); got != 2 {
		t.Errorf("depth of g is %d, want 2", got)
	}
	var codes []string
	for _, p := range s.Problems() {
		codes = append(codes, string(p.UID)+" "+p.Code)
		if p.Severity != model.Warning || p.Reason == "" || p.Hint == "" || !strings.HasSuffix(p.Path, "/config.json") {
			t.Errorf("problem %+v says too little", p)
		}
		if p.Code == "parent-cycle" && !strings.Contains(p.Reason, `"C" → "E" → "D" → "C"`) {
			t.Errorf("the cycle is not spelled out: %s", p.Reason)
		}
	}
	if want := []string{"a orphan", "b self-parent", "c parent-cycle"}; !slices.Equal(codes, want) {
		t.Errorf("problems are %v, want %v", codes, want)
	}
	for i, want := range []int{1, 1, 1, 1, 1, 0, 0} {
		if got := len(s.ProblemsOf(i)); got != want {
			t.Errorf("%s has %d problems, want %d", s.At(i).UID, got, want)
		}
	}
}

func TestProgressAndWorst(t *testing.T) {
	done, failed, aborted := child("b1", "b"), child("b2", "b"), child("b3", "b")
	inState(model.Completed, workVerdict("accepted"))(done)
	inState(model.Failed)(failed)
	inState(model.Aborted)(aborted)
	open := child("c", "a")
	s := New(Input{Tasks: []*model.Task{child("a", ""), child("b", "a"), done, failed, aborted, open}})
	for uid, want := range map[model.UID][2]int{"a": {1, 3}, "b": {1, 2}, "b1": {1, 1}, "b2": {0, 1}, "b3": {0, 0}, "c": {0, 1}} {
		i, _ := s.Index(uid)
		if d, n := s.Progress(i); d != want[0] || n != want[1] {
			t.Errorf("progress of %s is %d/%d, want %d/%d", uid, d, n, want[0], want[1])
		}
	}
	for uid, want := range map[model.UID]model.Status{"a": model.StatusFailed, "b1": model.StatusDone, "b3": model.StatusAborted, "c": model.StatusCreated} {
		i, _ := s.Index(uid)
		if counts := s.Counts(i); counts.Worst() != want {
			t.Errorf("worst in %s is %q, want %q", uid, counts.Worst(), want)
		}
	}
}

// A walk that comes upon a cycle from outside tells it like any other.
func TestParentCycleStartsAtItsLowestMember(t *testing.T) {
	tr := newTree([]int32{3, 2, 3, 1})
	if len(tr.cycles) != 1 || !slices.Equal(tr.cycles[0], []int32{1, 2, 3}) || tr.parent[0] != 3 {
		t.Errorf("cycles %v, parents %v", tr.cycles, tr.parent)
	}
}

// The tree against what the words mean, walked step by step.
func TestTreeHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(rt, "tasks")
		raw := make([]int32, n)
		for i := range raw {
			raw[i] = int32(rapid.IntRange(-2, n-1).Draw(rt, "parent"))
		}
		tr := newTree(slices.Clone(raw))
		for i := range int32(n) {
			want := raw[i]
			if raw[i] < 0 || onParentCycle(raw, i) {
				want = noParent
			}
			if tr.parent[i] != want {
				rt.Fatalf("parent of %d is %d, want %d (%v)", i, tr.parent[i], want, raw)
			}
			if want == noParent != slices.Contains(tr.roots, i) {
				rt.Fatalf("%d with parent %d among roots %v", i, want, tr.roots)
			}
			up := ancestors(tr, i)
			if int(tr.depth[i]) != len(up)-1 {
				rt.Fatalf("depth of %d is %d, ancestors %v", i, tr.depth[i], up)
			}
			below := int32(0)
			for a := range int32(n) {
				if tr.within(i, a) != slices.Contains(up, a) {
					rt.Fatalf("within(%d, %d) is %v, ancestors %v", i, a, tr.within(i, a), up)
				}
				if slices.Contains(tr.kids.Of(i), a) != (tr.parent[a] == i) {
					rt.Fatalf("children of %d are %v, parents %v", i, tr.kids.Of(i), tr.parent)
				}
				if slices.Contains(ancestors(tr, a), i) {
					below++
				}
			}
			if tr.spans().size[i] != below || !slices.IsSorted(tr.kids.Of(i)) {
				rt.Fatalf("size of %d is %d, want %d", i, tr.spans().size[i], below)
			}
		}
		for _, c := range tr.cycles {
			for k, v := range c {
				if raw[v] != c[(k+1)%len(c)] || v < c[0] {
					rt.Fatalf("%v is no cycle of %v from its lowest member on", c, raw)
				}
			}
		}
	})
}

func onParentCycle(raw []int32, i int32) bool {
	v := raw[i]
	for range raw {
		if v == i {
			return true
		}
		if v < 0 {
			return false
		}
		v = raw[v]
	}
	return false
}

// ancestors is i and everything above it.
func ancestors(tr *tree, i int32) []int32 {
	var up []int32
	for v := i; v != noParent; v = tr.parent[v] {
		up = append(up, v)
	}
	return up
}

// Counts of a subtree are the statuses of the tasks that are within it.
func TestCountsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
		var total Counts
		for i := range s.Len() {
			var want Counts
			done, leaves := 0, 0
			for k := range s.Len() {
				if !s.tree.within(int32(k), int32(i)) {
					continue
				}
				want[s.Status(k)]++
				if len(s.Children(k)) == 0 && s.Status(k) != model.StatusAborted {
					leaves++
					if s.Status(k) == model.StatusDone {
						done++
					}
				}
			}
			if s.Counts(i) != want {
				rt.Fatalf("counts of %d are %v, want %v", i, s.Counts(i), want)
			}
			if d, n := s.Progress(i); d != done || n != leaves {
				rt.Fatalf("progress of %d is %d/%d, want %d/%d", i, d, n, done, leaves)
			}
			total[s.Status(i)]++
		}
		if s.Total() != total {
			rt.Fatalf("total is %v, want %v", s.Total(), total)
		}
	})
}

func TestDeepTree(t *testing.T) {
	const n = 200_000
	parent := make([]int32, n)
	for i := range parent {
		parent[i] = int32(i) - 1
	}
	tr := newTree(parent)
	if tr.depth[n-1] != n-1 || !tr.within(n-1, 0) || tr.spans().size[0] != n {
		t.Errorf("a chain of %d: depth %d, size %d", n, tr.depth[n-1], tr.spans().size[0])
	}
}
