package snapshot

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

func TestGraphProblems(t *testing.T) {
	dep := func(uid model.UID, on ...model.UID) *model.Task {
		t := child(uid, "")
		t.DependsOn = on
		return t
	}
	s := New(Input{Tasks: []*model.Task{
		dep("a", "ghost", "ghost", "b", "b"), dep("b", "b"),
		dep("c", "d"), dep("d", "e"), dep("e", "c"), dep("f", "e", "d"),
	}})
	if got := s.uids(s.DependsOn(0)); !slices.Equal(got, []model.UID{"b"}) {
		t.Errorf("a depends on %v, want b once", got)
	}
	if got := s.DependentUIDs("ghost"); !slices.Equal(got, []model.UID{"a"}) {
		t.Errorf("dependents of the missing task are %v, want a", got)
	}
	if got := s.DependentUIDs("e"); !slices.Equal(got, []model.UID{"d", "f"}) {
		t.Errorf("dependents of e are %v, want d and f", got)
	}
	var got []string
	for _, p := range s.Problems() {
		got = append(got, string(p.UID)+" "+p.Code)
		if p.Severity != model.Warning || !strings.HasSuffix(p.Path, "/dependencies.json") || p.Hint == "" {
			t.Errorf("problem %+v says too little", p)
		}
		if p.Code == "cycle" && !strings.Contains(p.Reason, `"C" → "D" → "E" → "C"`) {
			t.Errorf("the cycle is not spelled out: %s", p.Reason)
		}
	}
	if want := []string{"a dangling-dependency", "b self-dependency", "c cycle"}; !slices.Equal(got, want) {
		t.Errorf("problems are %v, want %v", got, want)
	}
	for i, want := range []int{1, 1, 1, 1, 1, 0} {
		if n := len(s.ProblemsOf(i)); n != want {
			t.Errorf("%s has %d problems, want %d", s.At(i).UID, n, want)
		}
	}
	for i, want := range []model.Status{model.StatusCreated, model.StatusBlocked, model.StatusBlocked, model.StatusBlocked, model.StatusBlocked, model.StatusCreated} {
		if s.Status(i) != want {
			t.Errorf("%s is %q, want %q", s.At(i).UID, s.Status(i), want)
		}
	}
}
