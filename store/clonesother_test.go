package store

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// TestClonesMergeMilestonesAndRuns: two clones edit one milestone, put one task into another one each, end one run in
// two ways, and each ask about one task, which waits for both questions then.
func TestClonesMergeMilestonesAndRuns(t *testing.T) {
	tm := newTeam(t, 25, 2, 3)
	uid, worked, asked := tm.tasks[0], tm.tasks[1], tm.tasks[2]
	milestone := func(name model.Name, e model.MilestoneEdit) model.Op {
		return model.Op{Name: name, Actor: ann, Args: e}
	}
	assign := func(id string) model.Op {
		op := milestone(model.AssignMilestone, model.MilestoneEdit{ID: id})
		op.UID = uid
		return op
	}
	text := func(s string) *string { return &s }
	run := ""
	tm.in(tm.clones[0], func(s *Store) {
		do(t, s, milestone(model.CreateMilestone, model.MilestoneEdit{ID: "alpha", Name: text("Alpha")}), assign("alpha"),
			model.Op{Name: model.AcceptPlan, UID: worked, Actor: ann}, model.Op{Name: model.Start, UID: worked, Actor: robot})
		run = task(t, load(t, s), worked).Status.CurrentRun
	})
	tm.commit(tm.clones[0], "alpha")
	tm.bring(tm.clones[1], tm.clones[0], "merge")
	for i, ops := range [][]model.Op{
		{
			milestone(model.EditMilestone, model.MilestoneEdit{ID: "alpha", Name: text("Alpha one")}),
			milestone(model.CreateMilestone, model.MilestoneEdit{ID: "beta", Name: text("Beta")}), assign("beta"),
			{Name: model.RaiseError, UID: worked, Actor: robot, Args: model.ErrorReport{Details: "no space left", Report: &model.RunReport{Attempt: 1}}},
		},
		{
			milestone(model.EditMilestone, model.MilestoneEdit{ID: "alpha", Description: text("first")}),
			milestone(model.CreateMilestone, model.MilestoneEdit{ID: "gamma", Name: text("Gamma")}), assign("gamma"),
			{Name: model.WorkCompleted, UID: worked, Actor: robot, Args: model.Completion{Summary: "done", Report: &model.RunReport{Attempt: 1}}},
		},
	} {
		question := model.NewRequest{Title: []string{"which?", "when?"}[i]}
		tm.in(tm.clones[i], func(s *Store) {
			do(t, s, ops...)
			do(t, s, model.Op{Name: model.Ask, UID: asked, Actor: robot, Args: question})
		})
		tm.commit(tm.clones[i], "ops")
	}
	tm.everyone()
	tm.check()
	tm.in(tm.clones[0], func(s *Store) {
		snap := load(t, s)
		ms := snap.MilestoneFile()
		ids := make([]string, len(ms.List))
		for i, m := range ms.List {
			ids[i] = m.ID
		}
		slices.Sort(ids)
		if strings.Join(ids, " ") != "alpha beta gamma" {
			t.Fatalf("the milestones are %q", ids)
		}
		if a := ms.List[ms.Index("alpha")]; a.Name != "Alpha one" || a.Description != "first" || len(a.TaskIDs) > 0 {
			t.Errorf("alpha is %+v", a)
		}
		if n := len(ms.List[ms.Index("beta")].TaskIDs) + len(ms.List[ms.Index("gamma")].TaskIDs); n != 1 {
			t.Errorf("the task is in %d milestones", n)
		}
		b := read(t, vespe(s, layout.TaskFile(worked, "persistent/runs/"+run+"/run.json")))
		if !strings.Contains(b, `"outcome": "error"`) {
			t.Errorf("the first end of the run does not stand: %s", b)
		}
	})
	for k, c := range tm.clones {
		tm.in(c, func(s *Store) {
			snap := load(t, s)
			if st := task(t, snap, asked).Status; st.PauseReason != "hitl: which?; when?" {
				t.Errorf("clone %d waits for %q", k, st.PauseReason)
			}
			for _, r := range snap.Requests() {
				if r.TaskUID == asked {
					do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: r.ID, Decision: model.DecideRespond, Text: "x"}})
				}
			}
			if st := task(t, load(t, s), asked).Status; st.IsPaused {
				t.Errorf("clone %d: all is answered, and it waits for %q", k, st.PauseReason)
			}
		})
	}
}
