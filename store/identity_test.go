package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/pending"
)

// A store whose store.json was taken away stays the store that its approvals were given in.
func TestAStoreKeepsItsIdentity(t *testing.T) {
	for name, spoil := range map[string]func(*testing.T, *Store){
		"a checkpoint knows it": func(*testing.T, *Store) {},
		"the log knows it":      withoutCheckpoint,
		"an approval knows it": func(t *testing.T, s *Store) {
			t.Helper()
			for _, dir := range []string{layout.LogDir, layout.CacheDir} {
				must(t, os.RemoveAll(vespe(s, dir)))
			}
		},
	} {
		for _, fix := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				s, uid := decided(t)
				id := s.ID()
				must(t, s.Close())
				spoil(t, s)
				must(t, os.Remove(vespe(s, layout.StoreFile)))
				s = open(t, s.Root(), Options{Now: s.opt.Now, Rand: entropy(77)})
				if fix {
					did, err := s.Fsck().Repair(t.Context(), false)
					if err != nil || len(did) > 1 || len(did) == 1 && did[0].Path != layout.Shown(layout.StoreFile) {
						t.Fatalf("did %+v, %v", did, err)
					}
				}
				do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
				if s.ID() != id {
					t.Errorf("it was %s and is %s", id, s.ID())
				}
				v := mustGet(open(t, s.Root(), testOptions()).Fsck().Verify(t.Context(), ""))(t)
				if p, found := findProblem(v.Problems, "approval-differs", ".json"); found {
					t.Errorf("%+v", p)
				}
			})
		}
	}
}

// A file where pending projections are noted keeps nobody from reading; who writes is told what to do.
func TestAFileInThePlaceOfPendingMarks(t *testing.T) {
	for _, checkpoint := range []bool{true, false} {
		s := newStore(t)
		uid := planned(t, s, "one")
		must(t, s.Close())
		if !checkpoint {
			withoutCheckpoint(t, s)
		}
		must(t, os.RemoveAll(vespe(s, pending.Dir)))
		write(t, vespe(s, pending.Dir), "in the way\n")
		rename := model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}}
		s = open(t, s.Root(), testOptions())
		snap := load(t, s)
		task(t, snap, uid)
		wantProblem(t, snap.Problems(), "not-regular", pending.Dir)
		if _, err := s.Do(t.Context(), rename); err == nil || !strings.Contains(err.Error(), "`vespe store doctor --fix`") {
			t.Errorf("writing: %v", err)
		}
		ps := doctor(t, s)
		wantProblem(t, ps, "not-regular", pending.Dir)
		did, err := s.Fsck().Repair(t.Context(), false)
		if err != nil || len(did) != 1 || read(t, filepath.Join(s.Root(), did[0].Kept)) != "in the way\n" {
			t.Fatalf("did %+v, %v", did, err)
		}
		do(t, s, rename)
		wantClean(t, s)
		healthy(t, s)
	}
}
