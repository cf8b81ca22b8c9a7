package store

import (
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// What another of the process has found between a commit and its end stays known, when that one has
// gone on to the entry before its writer did: here that an edit no longer is one, until it is made again.
func TestWhatIsFoundBetweenACommitAndItsEnd(t *testing.T) {
	s := newStore(t)
	uid, other := planned(t, s, "one"), planned(t, s, "other")
	spec := vespe(s, layout.TaskFile(other, layout.SpecFile))
	checkpointed(t, s)
	write(t, spec, `{"description": "by hand"}`)
	load(t, s)
	must(t, os.Remove(spec))
	plain := s.disk.FS
	first := true
	s.setFS(&hookFS{FS: plain, after: func(call, name string) {
		if call != callLink || !strings.HasPrefix(name, layout.LogDir+"/") || !first {
			return
		}
		first = false
		if _, err := s.Freshen(t.Context(), []model.UID{other}); err != nil {
			t.Error(err)
		}
		write(t, spec, `{"description": "by hand"}`)
	}})
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
	s.setFS(plain)
	wantInStep(t, s, "in the end")
	if n := importedBy(t, s)[other]; n != 1 {
		t.Errorf("the log was told %d times of the edit", n)
	}
}

// A task that is back, as it was known, before the log was told that it went has come anew: what the
// log says is that it is away.
func TestATaskThatIsBackWhenTheLogHearsThatItWent(t *testing.T) {
	s := newStore(t)
	uid, other := planned(t, s, "one"), planned(t, s, "other")
	path, aside := vespe(s, layout.TaskDir(other)), vespe(s, "tmp/aside")
	rename := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Error(err)
		}
	}
	checkpointed(t, s)
	rename(path, aside)
	load(t, s)
	plain := s.disk.FS
	first := true
	s.setFS(&hookFS{FS: plain, before: only(callLink, func(name string) {
		if !strings.HasPrefix(name, layout.LogDir+"/") || !first {
			return
		}
		first = false
		rename(aside, path)
		if _, err := s.Freshen(t.Context(), []model.UID{other}); err != nil {
			t.Error(err)
		}
	})})
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
	s.setFS(plain)
	if got := s.Edited(); len(got) != 1 || got[0] != other {
		t.Errorf("edited are %v", got)
	}
	wantInStep(t, s, "in the end")
}
