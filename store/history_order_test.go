package store

import (
	"slices"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
)

// A clock that goes back does not change what came first; nor does another clone's log, whose
// numbers are others.
func TestHistoryIsInOrder(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	ticking := func() time.Time { now = now.Add(time.Second); return now }
	s := initIn(t, fastDir(t), Options{Now: ticking, Rand: entropy(1)})
	uid := create(t, s, "one", "")
	wantSeqs := func(s *Store, want ...uint64) {
		t.Helper()
		events := eventsOf(t, s, uid)
		var seqs []uint64
		for _, e := range events {
			seqs = append(seqs, e.Seq)
		}
		if !slices.Equal(seqs, want) {
			t.Errorf("in order are %v, want %v", seqs, want)
		}
	}
	rename := func(s *Store, name string) {
		t.Helper()
		do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: name}})
	}
	rename(s, "two")
	now = now.AddDate(-10, 0, 0)
	rename(s, "three")
	rename(s, "four")
	write(t, vespe(s, layout.TaskFile(uid, layout.PersistentDir+"/20200101000000_000_noted.json")), `{"event": "noted", "at": "2020-01-01T00:00:00Z"}`)
	wantSeqs(s, 0, 1, 2, 3, 4)

	now = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	clone := cloned(t, s, &clock{t: now}, 2)
	rename(clone, "five")
	rename(clone, "six")
	wantSeqs(clone, 3, 4, 0, 1, 2, 1, 2)
}
