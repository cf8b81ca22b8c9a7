package snapshot

import (
	"testing"

	"vespe/model"
)

func TestProblemsInTheInboxSayWhere(t *testing.T) {
	uid := model.UID("tsk-1")
	task := &model.Task{UID: uid, Config: model.Config{UID: uid, Name: "one"}}
	dir := ".vespe/tasks/tsk-1"
	conflict := "a merge left both sides here: HEAD and side"
	for _, file := range []string{"objective.md", "plan.md", "status.json"} {
		task.Problems = append(task.Problems, model.Problem{Path: dir + "/" + file, Line: 3, Severity: model.Error, Code: model.CodeConflictMarks, Reason: conflict})
	}
	task.Problems = append(task.Problems,
		model.Problem{Path: dir + "/spec.json", Line: 2, Severity: model.Error, Code: "bad-json", Reason: "the file is incomplete"},
		model.Problem{Path: dir, Severity: model.Error, Code: "odd", Reason: "is odd"},
		model.Problem{Path: dir + "/plan.md", Severity: model.Warning, Code: "x", Reason: "only a warning"})
	s := New(Input{Tasks: []*model.Task{task}, Problems: []model.Problem{
		{Path: ".vespe/config.json", Line: 2, Severity: model.Error, Code: "bad-json", Reason: "the file is incomplete"},
	}})
	want := map[string]bool{
		".vespe/config.json:2: the file is incomplete":    true,
		"objective.md, plan.md, status.json: " + conflict: true,
		"spec.json:2: the file is incomplete":             true,
		"is odd":                                          true,
	}
	for _, item := range s.Inbox() {
		if item.Kind == InboxProblem && !want[item.Title] {
			t.Errorf("an item says %q", item.Title)
		}
		delete(want, item.Title)
	}
	for title := range want {
		t.Errorf("no item says %q", title)
	}
	sameInboxLen(t, s)
}
