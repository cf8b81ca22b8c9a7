package model

import "testing"

func TestProblemsInTheInboxSayWhere(t *testing.T) {
	uid := UID("tsk-1")
	task := &Task{UID: uid, Config: Config{UID: uid, Name: "one"}}
	dir := ".vespe/tasks/tsk-1"
	conflict := "a merge left both sides here: HEAD and side"
	for _, file := range []string{"objective.md", "plan.md", "status.json"} {
		task.Problems = append(task.Problems, Problem{Path: dir + "/" + file, Line: 3, Severity: Error, Code: CodeConflictMarks, Reason: conflict})
	}
	task.Problems = append(task.Problems,
		Problem{Path: dir + "/spec.json", Line: 2, Severity: Error, Code: "bad-json", Reason: "the file is incomplete"},
		Problem{Path: dir, Severity: Error, Code: "odd", Reason: "is odd"},
		Problem{Path: dir + "/plan.md", Severity: Warning, Code: "x", Reason: "only a warning"})
	s := NewSnapshot(Input{Tasks: []*Task{task}, Problems: []Problem{
		{Path: ".vespe/config.json", Line: 2, Severity: Error, Code: "bad-json", Reason: "the file is incomplete"},
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
