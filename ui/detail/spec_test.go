package detail

import (
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
)

// The overview has every field of a spec, in each size and style.
func TestTheOverviewHasEveryFieldOfASpec(t *testing.T) {
	task := newTask(uidParse, "", "parse", model.Created)
	task.Spec = modeltest.FullSpec()
	task.Spec.UserStory += "\u202e\x1b[31m"
	snap := model.NewSnapshot(model.Input{Tasks: []*model.Task{task}})
	for name, st := range profiles(t) {
		for _, w := range []int{38, 60, 130} {
			d := New(st)
			d.SetTask(snap, uidParse)
			screen := strings.Join(d.View(w, 200), "\n")
			for key, marks := range modeltest.SpecMarks() {
				for _, mark := range marks {
					if !strings.Contains(screen, mark) {
						t.Errorf("%s, %d cells: %q of %q is not on the screen:\n%s", name, w, mark, key, screen)
					}
				}
			}
			if strings.ContainsAny(screen, "\u202e") || strings.Contains(screen, "\x1b[31m") && strings.Contains(screen, "mark-story\x1b") {
				t.Errorf("%s: what a terminal obeys is drawn", name)
			}
		}
	}
}
