package store

import (
	"sync/atomic"
	"testing"

	"vespe/model"
	"vespe/store/checkpoint"
	"vespe/store/txlog"
)

// large is a store of n tasks, opened by another process, with its count of mapped files.
func large(t *testing.T, n int) (s *Store, ops []model.Op, maps *atomic.Int64) {
	t.Helper()
	first := newStore(t)
	ops = make([]model.Op, n)
	for i := range ops {
		ops[i] = importOp(i)
	}
	do(t, first, ops...)
	must(t, first.Close())
	maps = new(atomic.Int64)
	f := &hookFS{before: only(callMap, func(string) { maps.Add(1) })}
	s = open(t, first.Root(), Options{FS: f.system})
	return s, ops, maps
}

// What is mapped stays so: a process that lives on does not map every checkpoint that it
// writes.
func TestCheckpointsAreNotAllMapped(t *testing.T) {
	t.Parallel()
	s, ops, maps := large(t, checkpoint.Least)
	load(t, s)
	s.background.Wait()
	before := maps.Load()
	for range 5 {
		do(t, s, model.Op{Name: model.RenameTask, UID: ops[0].UID, Actor: ann, Args: model.NewName{Name: s.randomHex(4)}})
		must(t, s.checkpoints.Write(t.Context()))
	}
	wantEqual(t, "files were mapped for 5 checkpoints of a few changes", maps.Load()-before, 0)
	snap, _ := s.loader.Current.Get()
	wantEqual(t, "tasks are values in memory", snap.Loose(), 1)
	// However often a good part of all tasks changes, it has mapped no more than the files that it began with.
	for range 6 {
		var many []model.Op
		for i := range 300 {
			many = append(many, model.Op{Name: model.RenameTask, UID: ops[i].UID, Actor: ann, Args: model.NewName{Name: s.randomHex(4)}})
		}
		do(t, s, many...)
		s.checkpoints.PackSoon()
		s.background.Wait()
		if snap, _ = s.loader.Current.Get(); checkpoint.IsLoose(snap) {
			t.Fatalf("%d tasks are values in memory after many changed", snap.Loose())
		}
	}
	must(t, s.checkpoints.Write(t.Context()))
	if n := maps.Load(); n > txlog.MaxMappings {
		t.Errorf("%d files were mapped", n)
	}
}

// A store that changes while it is packed is packed all the same, and shows the change.
func TestPackedWhileItChanges(t *testing.T) {
	t.Parallel()
	s, ops, _ := large(t, checkpoint.Least)
	whole := mustGet(s.loader.LoadFiles(t.Context()))(t)
	s.background.Wait()
	_, at := s.loader.Current.Get()
	s.loader.Current.Put(whole, at) // as it was before it was packed
	p := whole.Compact()
	do(t, s, model.Op{Name: model.RenameTask, UID: ops[3].UID, Actor: ann, Args: model.NewName{Name: "another"}})
	s.checkpoints.Repack(whole, p)
	snap, _ := s.loader.Current.Get()
	if snap.Loose() != 1 || task(t, snap, ops[3].UID).Config.Name != "another" {
		t.Errorf("%d tasks are values in memory, and the name is %q", snap.Loose(), task(t, snap, ops[3].UID).Config.Name)
	}
	want := s.edits.Marks.Of(ops[3].UID)
	s.edits.Marks.Move(snap)
	if got := s.edits.Marks.Of(ops[3].UID); got != want {
		t.Errorf("its mark was %d and is %d", want, got)
	}
}
