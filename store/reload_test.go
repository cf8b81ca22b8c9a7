package store

import (
	"os"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// What was found to be an edit stays one when everything is read anew: the log does not know it.
func TestAnEditOutlivesAFullReading(t *testing.T) {
	for name, more := range map[string]func(*testing.T, *Store, model.UID){
		"at the same entry": func(*testing.T, *Store, model.UID) {},
		"at a later one": func(t *testing.T, s *Store, other model.UID) { // that another process has written
			p := open(t, s.Root(), Options{})
			do(t, p, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}})
			closed(t, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid, other := planned(t, s, "one"), planned(t, s, "other")
			load(t, s)
			write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), "{\"description\": \"by hand\"}\n")
			mustGet(s.Freshen(t.Context(), []model.UID{uid}))(t)
			more(t, s, other)
			for _, c := range globs(t, s, "log/*.ck") {
				must(t, os.Remove(c))
			}
			mustGet(s.loader.LoadFiles(t.Context()))(t)
			if got := s.Edited(); len(got) != 1 || got[0] != uid {
				t.Errorf("edited are %v", got)
			}
			takeOver(t, s)
			if importedBy(t, s)[uid] != 1 {
				t.Error("the edit was never told to the log")
			}
		})
	}
}

// A task that was away when everything was read is one that the log still knows.
func TestATaskThatIsAwayFromAFullReading(t *testing.T) {
	for name, noticed := range map[string]bool{"noticed before": true, "noticed by nobody": false} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			load(t, s)
			path, aside := vespe(s, layout.TaskDir(uid)), vespe(s, "tmp/aside")
			must(t, os.Rename(path, aside))
			if noticed {
				mustGet(s.Freshen(t.Context(), []model.UID{uid}))(t)
			}
			mustGet(s.loader.LoadFiles(t.Context()))(t)
			if got := s.Edited(); len(got) != 1 || got[0] != uid {
				t.Errorf("edited are %v", got)
			}
			must(t, os.Rename(aside, path))
			wantInStep(t, s, "back")
			if n := importedBy(t, s)[uid]; n != 0 {
				t.Errorf("the log was told %d times of a task that is as it was", n)
			}
		})
	}
}
