package detail

import (
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/snapshot"
)

// The overview has every field of a spec, in each size and style.
func TestTheOverviewHasEveryFieldOfASpec(t *testing.T) {
	task := newTask(uidParse, "", "parse", model.Created)
	task.Spec = modeltest.FullSpec()
	task.Spec.UserStory += "\u202e\x1b[31m"
	snap := snapshot.New(snapshot.Input{Tasks: []*model.Task{task}})
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

// A plan that was accepted where no vespe saw it has no revision and nobody who accepted it.
func TestTheOverviewSaysWhatWasAcceptedElsewhere(t *testing.T) {
	ready := newTask(uidParse, "", "parse", model.PlanDefined)
	ready.Status.AcceptedPlan = &model.AcceptedPlan{}
	unsigned := newTask(uidLog, "", "log", model.PlanDefined)
	unsigned.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1, PlanHash: "sha256-aa", By: "human:bea", At: at(day), Approval: "accept-1.json"}
	unsigned = unsigned.SetElsewhere(true, false)
	snap := snapshot.New(snapshot.Input{Tasks: []*model.Task{ready, unsigned}})
	for uid, want := range map[model.UID]string{uidParse: "elsewhere; accept its plan before it starts", uidLog: "by bea elsewhere, unsigned"} {
		d := New(profiles(t)["mono"])
		d.SetTask(snap, uid)
		screen := strings.Join(d.View(80, 60), "\n")
		if !strings.Contains(screen, want) || strings.Contains(screen, "nobody") || strings.Contains(screen, "revision 0") {
			t.Errorf("%q is not what it says:\n%s", want, screen)
		}
	}
}
