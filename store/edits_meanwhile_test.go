package store

import (
	"fmt"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// What is written while an edit is taken over, and seen by somebody else in the process before that is
// done, is an edit too: of a task that was there as of one that came.
func TestEditedWhileAnEditIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, came := range []bool{false, true} {
		for _, name := range []string{layout.SpecFile, "plan.md"} {
			t.Run(fmt.Sprint(name, " came ", came), func(t *testing.T) {
				for n := 1; !t.Failed(); n++ {
					if !editedMeanwhile(t, name, came, n) {
						return
					}
				}
			})
		}
	}
}

func editedMeanwhile(t *testing.T, name string, came bool, n int) bool {
	t.Helper()
	s := initIn(t, fastDir(t), testOptions())
	defer s.Close()
	uid := planned(t, s, "one")
	checkpointed(t, s)
	if came {
		uid = "tsk-brought"
		brought(t, s, uid, `{"current_state": "plan_defined"}`)
	}
	path := vespe(s, layout.TaskFile(uid, name))
	body := func(word string) string {
		if name == layout.SpecFile {
			return `{"description": "` + word + `"}`
		}
		return word
	}
	write(t, path, body("first"))
	load(t, s)
	plain := s.disk.FS
	disk, reached := atCall(plain, n, func() {
		write(t, path, body("second, and longer"))
		if !s.loader.Looking.TryLock() {
			return // nobody could look right now
		}
		s.loader.Looking.Unlock()
		if err := s.loader.Sweep(t.Context(), []model.UID{uid}, nil); err != nil {
			t.Error(err)
		}
	})
	s.setFS(disk)
	takeOver(t, s)
	s.setFS(plain)
	load(t, s)
	takeOver(t, s)
	other := open(t, s.Root(), testOptions())
	load(t, other)
	if e := other.Edited(); len(e) > 0 {
		t.Errorf("at call %d: a new process finds edits in %v", n, e)
	}
	if _, lines := verified(t, s, ""); len(lines) > 0 {
		t.Errorf("at call %d: %q", n, lines)
	}
	return reached()
}
