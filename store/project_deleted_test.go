package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/pending"
)

// A task that is taken away while its files are written can be brought back: nothing was made in its
// place, and what was written is seen then, or said to be set back.
func TestATaskTakenAwayWhileItIsWritten(t *testing.T) {
	t.Parallel()
	reached := true
	for n := 1; reached && !t.Failed(); n++ {
		s := initIn(t, fastDir(t), testOptions())
		uid := planned(t, s, "one")
		load(t, s)
		dir, away := vespe(s, layout.TaskDir(uid)), filepath.Join(s.Root(), "away")
		plain := s.disk.FS
		disk, came := atCall(plain, n, func() {
			if err := os.Rename(dir, away); err != nil {
				t.Error(err)
			}
		})
		s.setFS(disk)
		_, _ = s.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
		s.setFS(plain)
		if reached = came(); reached {
			if err := os.Rename(away, dir); err != nil {
				t.Errorf("at call %d: %v", n, err)
			}
		}
		load(t, s)
		if _, err := s.ImportEdits(t.Context(), nil); err != nil {
			t.Errorf("at call %d: %v", n, err)
		}
		task(t, load(t, s), uid)
		_ = s.Close()
	}
}

// What was not written of an entry because the task's directory was aside is written once it is back, by
// anyone who writes next: its history lacks nothing, and what somebody wrote meanwhile stays.
func TestWhatATaskMissedIsWritten(t *testing.T) {
	t.Parallel()
	missed := 0
	for reached, n := true, 1; reached && !t.Failed(); n++ {
		s := initIn(t, fastDir(t), testOptions())
		uid := planned(t, s, "one")
		load(t, s)
		dir, away := vespe(s, layout.TaskDir(uid)), filepath.Join(s.Root(), "away")
		plain := s.disk.FS
		disk, came := atCall(plain, n, func() {
			if err := os.Rename(dir, away); err != nil {
				t.Error(err)
			}
		})
		s.setFS(disk)
		a, err := s.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
		s.setFS(plain)
		if reached = came(); !reached || err != nil || a.Seq == 0 {
			_ = s.Close()
			continue // it came after that, or before: then nothing was committed
		}
		create(t, s, "while it is away", "")
		must(t, os.Rename(away, dir))
		if as, err := s.loader.Pending.All(); err == nil && len(as) > len(pending.Blocking(slices.Clone(as))) {
			missed++
		}
		closed(t, s)
		next := open(t, s.Root(), testOptions())
		// It may warn that the older plan is kept: whether somebody wrote it could not be seen while it was away.
		mustGet(next.Do(t.Context(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "another"}}))(t)
		if as, err := next.loader.Pending.All(); err != nil || len(as) > len(pending.Blocking(slices.Clone(as))) {
			t.Errorf("at call %d: %v is still pending for it, %v", n, as, err)
		}
		_, lines := verified(t, next, "")
		for _, line := range lines {
			if strings.Contains(line, layout.PersistentDir+"/") {
				t.Errorf("at call %d: %s", n, line)
			}
		}
		closed(t, next)
	}
	if missed == 0 {
		t.Error("nothing was ever missed")
	}
}
