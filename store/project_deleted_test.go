package store

import (
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/store/layout"
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
