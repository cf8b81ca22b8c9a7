package detail

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

// Work whose files have gone is judged by its report.
func TestAReportWithoutFiles(t *testing.T) {
	done := newTask(uidParse, "", "parse", model.Completed)
	snap := snapshot.New(snapshot.Input{Tasks: []*model.Task{done}})
	for name, st := range profiles(t) {
		d := New(st)
		d.SetTask(snap, uidParse)
		d.Show(Result)
		d.SetHistory(uidParse, []model.Event{{Name: model.WorkCompleted, UID: uidParse, At: at(day), Actor: "agent:robot", To: model.Completed, Reason: "did a, but NOT b\u202e"}}, nil, nil)
		d.SetResults(uidParse, nil, nil)
		screen := strings.Join(d.View(60, 12), "\n")
		for _, want := range []string{"Report", "robot (agent)", "did a, but NOT b", "No result files."} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: %q is not on the screen:\n%s", name, want, screen)
			}
		}
		if strings.Contains(screen, "\u202e") {
			t.Errorf("%s: a character that turns the text around is drawn", name)
		}
		d.Move(3)
		d.Move(-3)
	}
}
