package ui_test

import (
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// The overview says where the task lies in the schedule, and follows what others do.
func TestTheOverviewSaysWhereATaskLiesInTheSchedule(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma")
	s.Task("aside", "")
	ready := s.Task("ready one", "")
	s.Must(
		model.Op{Name: model.DefineObjective, UID: ready, Args: model.NewObjective{Text: "do it\n"}, Actor: uitest.Robot},
		model.Op{Name: model.DefinePlan, UID: ready, Args: model.NewPlan{Text: "so\n"}, Actor: uitest.Robot},
	)
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 60}, func(d *uitest.Driver) {
		goTo(d, "beta")
		d.See("Schedule", "on the critical path", "about 1m by its complexity", "in 1m at the earliest", `"alpha" last`, "none: any delay moves", "2 of 3")
		goTo(d, "aside")
		d.See("2m before it delays the finish", "1 of 3").Hidden("ready task", "critical path")
		goTo(d, "ready one")
		d.Press(keymap.TabOverview)
		d.See("Schedule").Hidden("the only task that is ready")
		s.Must(model.Op{Name: model.AcceptPlan, UID: ready, Actor: uitest.Ann})
		d.Sleep(3*time.Second).See("the only task that is ready", "it has no priority, which counts as medium", "nothing waits for it")
		d.Press(keymap.TabPlan).Hidden("Schedule").Press(keymap.TabOverview).See("the only task that is ready")
		s.Must(model.Op{Name: model.Abort, UID: ready, Reason: "no", Actor: uitest.Ann})
		d.Sleep(3 * time.Second).See("Aborted").Hidden("Schedule")
	})
}
