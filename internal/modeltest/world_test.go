package modeltest_test

import (
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
)

func TestWorldLivesALife(t *testing.T) {
	w := modeltest.New()
	parent, child := w.NewUID(), w.NewUID()
	for _, op := range []model.Op{
		{Name: model.CreateTask, Args: model.NewTask{UID: parent, Name: "Release", Objective: "ship it\n"}},
		{Name: model.DefinePlan, UID: parent, Args: model.NewPlan{Text: "1. ship\n"}},
		{Name: model.AcceptPlan, UID: parent},
		{Name: model.Start, UID: parent, Actor: "agent:claude"},
		{Name: model.CreateTask, Args: model.NewTask{UID: child, Name: "Notes", Parent: parent, Objective: "write notes\n"}},
		{Name: model.DefinePlan, UID: child, Args: model.NewPlan{Text: "write\n"}},
		{Name: model.AcceptPlan, UID: child},
		{Name: model.Start, UID: child},
		{Name: model.WorkCompleted, UID: child, Args: model.Completion{Summary: "written"}},
		{Name: model.WorkCompleted, UID: parent},
		{Name: model.ReviewAccepted, UID: parent},
	} {
		c, err := w.Do(op)
		if err != nil {
			t.Fatalf("%s: %v", op.Name, err)
		}
		t.Log(c.Summary)
	}
	s := w.Snapshot()
	i, _ := s.Index(parent)
	if got := s.Status(i); got != model.StatusDone {
		t.Errorf("the parent is %v, want done", got)
	}
	for _, f := range w.Files() {
		t.Log(f)
		if b, _ := w.File(f); strings.Contains(f, "/approvals/") {
			t.Logf("%s", b)
		}
	}
}
