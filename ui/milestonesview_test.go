package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// milestoned is the small store with two milestones.
func milestoned(t *testing.T) *uitest.Small {
	t.Helper()
	s := uitest.NewSmall()
	beta, later := "Public beta", "Later"
	for _, op := range []model.Op{
		{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "beta", Name: &beta}},
		{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "later", Name: &later}},
		{Name: model.AssignMilestone, UID: s.Root, Args: model.MilestoneEdit{ID: "beta"}},
	} {
		op.Actor = uitest.Ann
		if _, err := s.Do(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestMilestonesShowProgress(t *testing.T) {
	s := milestoned(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewMilestones, keymap.MoveTop).See("Public beta", "0/4", "Later", "0/0", "In no milestone", "Still open", "lexer tokens")
		d.Press(keymap.Open).See("fuzz targets").Press(keymap.MoveDown).See("Build the parser")
		d.Press(keymap.Left, keymap.Left).Press(keymap.MoveDown).See("later")
		if strings.Contains(d.Screen(), "fuzz targets") {
			t.Error("its tasks are shown")
		}
		d.Press(keymap.UnfoldAll).See("error messages").Press(keymap.FoldAll).Hidden("error messages")
		d.Resize(120, 25).Press(keymap.MoveTop).See("fuzz targets").Resize(120, 21).See("and 3 more").Hidden("fuzz targets")
		d.Resize(80, 24).See("Public beta").Resize(40, 12).See("Public beta")
	})
}

// Of an id that only a task names, which may be anything, nobody is told to type a command.
func TestAnUndefinedMilestoneIsNotEdited(t *testing.T) {
	s := uitest.NewSmall()
	const id = "$(touch pwned)"
	s.Must(model.Op{Name: model.SetFields, UID: s.Root, Actor: uitest.Robot, Args: model.FieldEdit{Set: []model.Assignment{{Key: "milestone_id", Value: id}}}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewMilestones, keymap.MoveTop).See(id).Hidden("vespe milestone edit")
		d.Press(keymap.EditShown).See("Edit: only tasks name it, and milestones.json doesn't").Hidden("vespe milestone edit")
		d.Press(keymap.MoveBottom, keymap.FoldAll, keymap.MoveBottom, keymap.EditShown).See("Edit: no milestone under the cursor")
	})
}

// Milestones are made with the command line, and the view says how.
func TestTheViewSaysHowAMilestoneIsMade(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "release")
		d.Press(keymap.MilestoneAssign).See("No milestone yet; `vespe milestone create NAME` creates one", "No milestones yet")
		name := "Second"
		if _, err := s.Do(t.Context(), model.Op{Name: model.CreateMilestone, Actor: uitest.Ann, Args: model.MilestoneEdit{Name: &name}}); err != nil {
			t.Fatal(err)
		}
		d.Sleep(2 * time.Second).Hidden("No milestones yet").Press(keymap.MoveTop).See("Edit        vespe milestone edit second")
		d.Hidden("e edit  enter open").Press(keymap.EditShown).See("Edit: use `vespe milestone edit second`")
	})
}

func TestTasksArePutIntoAMilestoneFromAnywhere(t *testing.T) {
	s := milestoned(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "release")
		d.Press(keymap.MilestoneAssign).See("Public beta", "Later").Type("later").Press(keymap.PickerChoose)
		d.See(`Assigned "release" to milestone later`, "Milestone", "Later")
		goTo(d, "idea for later")
		d.Press(keymap.Select, keymap.MoveUp, keymap.Select, keymap.MilestoneAssign).See("Put 2 tasks into").Type("beta").Press(keymap.PickerChoose)
		snap := s.Snapshot()
		for uid, want := range map[model.UID]string{s.Blocked: "beta", s.Empty: "beta", s.Run: "beta"} {
			if i, _ := snap.Index(uid); snap.MilestoneID(i) != want {
				t.Errorf("%s is in %q, want %q", snap.Name(i), snap.MilestoneID(i), want)
			}
		}
		goTo(d, "release")
		d.Press(keymap.MilestoneAssign).Type("no mile").Press(keymap.PickerChoose).See("from milestone beta")
		d.Press(keymap.FilterStart).Type("milestone:beta -is:done").Press(keymap.PromptSubmit).See("idea for later").Hidden("blocked")
	})
}

// In the view of milestones tasks are worked on as anywhere, and a change on disk moves nothing.
func TestTheMilestonesStayWhereTheyAre(t *testing.T) {
	s := milestoned(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewMilestones, keymap.MoveTop, keymap.Right, keymap.Right, keymap.MoveDown).See("a accept")
		_, before := d.Find("lexer tokens")
		first := "Before all"
		if _, err := s.Do(t.Context(), model.Op{Name: model.CreateMilestone, Actor: uitest.Ann, Args: model.MilestoneEdit{Name: &first, Before: new("beta")}}); err != nil {
			t.Fatal(err)
		}
		d.Sleep(2*time.Second).See("Before all", "lexer tokens")
		if _, now := d.Find("lexer tokens"); now != before && now != before+1 {
			t.Errorf("it was in line %d and is in %d", before, now)
		}
		d.Press(keymap.Reject).See("Reject plan", "lexer tokens").Press(keymap.ComposeLeave)
		d.Press(keymap.SearchStart).Type("later").Press(keymap.SearchKeep).See("Later")
	})
}
