package store

import (
	"errors"
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/sections"
)

// A newer vespe may leave a hint and a checkpoint in forms that this one reads, beside an entry of a
// form that it does not: nothing is written after that.
func TestNothingFollowsANewerEntryThatIsHinted(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	must(t, s.Close())
	path := vespe(s, layout.EntryFile(2))
	in, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b := strings.Replace(read(t, path), `"format": 1`, `"format": 9`, 1)
	write(t, path, b)
	must(t, os.Chtimes(path, in.ModTime(), in.ModTime()))
	r := open(t, s.Root(), testOptions())
	before := tree(t, s.Root())
	for name, do := range map[string]func() error{
		"do": func() error {
			_, err := r.Do(t.Context(), model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
			return err
		},
		"fix": func() error { _, err := r.Fsck().Repair(t.Context(), false); return err },
	} {
		var newer *sections.NewerError
		if err := do(); !errors.As(err, &newer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	load(t, r)
	if tree(t, s.Root()) != before {
		t.Error("something was written")
	}
}
