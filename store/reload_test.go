package store

import (
	"os"
	"testing"

	"vespe/model"
)

// What was found to be an edit stays one when everything is read anew: the log does not know it.
func TestAnEditOutlivesAFullReading(t *testing.T) {
	for name, more := range map[string]func(*testing.T, *Store, model.UID){
		"at the same entry": func(*testing.T, *Store, model.UID) {},
		"at a later one": func(t *testing.T, s *Store, other model.UID) { // that another process has written
			p := open(t, s.Root(), Options{})
			do(t, p, model.Op{Name: model.RenameTask, UID: other, Actor: ann, NewName: "renamed"})
			closed(t, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid, other := planned(t, s, "one"), planned(t, s, "other")
			load(t, s)
			write(t, vespe(s, taskFile(uid, specFile)), "{\"description\": \"by hand\"}\n")
			if _, err := s.Freshen(t.Context(), []model.UID{uid}); err != nil {
				t.Fatal(err)
			}
			more(t, s, other)
			for _, c := range globs(t, s, "log/*.ck") {
				if err := os.Remove(c); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.load(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if got := s.Edited(); len(got) != 1 || got[0] != uid {
				t.Errorf("edited are %v", got)
			}
			if _, err := s.ImportEdits(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if importedBy(t, s)[uid] != 1 {
				t.Error("the edit was never told to the log")
			}
		})
	}
}
