package modeltest

import "vespe/model"

// FullSpec is a spec with something in every field. SpecMarks says what to look for where it is shown.
func FullSpec() *model.Spec {
	return &model.Spec{
		Description: "mark-description", UserStory: "mark-story", GoalType: "mark-goal", Constraints: []string{"mark-constraint"},
		AcceptanceCriteria: []model.Criterion{{Text: "mark-criterion", State: "mark-state", Evidence: "mark-evidence"}},
		Steps:              []model.Step{{Step: "mark-step-open"}, {Step: "mark-step-done", Done: true}},
		Priority:           model.High, PriorityBy: &model.PriorityBy{Priority: model.High, Rule: "mark-rule"},
		Source: "mark-source", Context: []model.ExtraField{{Key: "sender", Value: []byte(`{"name":"mark-context","n":[1,2]}`)}},
		Requester: "mark-requester", Risk: "medium", RequiresHITL: true,
		FilesToCreate: []string{"mark-create.go"}, FilesToModify: []string{"mark-modify.go"}, TestFiles: []string{"mark_test.go"},
		Verify: [][]string{{"mark-verify", "-v"}}, MilestoneID: "mark-milestone", EstimatedComplexity: 7.25, MaxAttempts: 17,
		Labels: []string{"mark-label"}, External: []model.ExtraField{{Key: "linear", Value: []byte(`"mark-external"`)}}, Intent: "mark-intent",
		Extra: model.Extra{{Key: "unknown", Value: []byte(`"mark-extra"`)}},
	}
}

// SpecMarks are what is to be found of FullSpec wherever a task is shown whole, by key of specfields.All.
func SpecMarks() map[string][]string {
	return map[string][]string{
		"description": {"mark-description"}, "user_story": {"mark-story"}, "goal_type": {"mark-goal"}, "constraints": {"mark-constraint"},
		"acceptance_criteria": {"mark-criterion", "mark-state", "mark-evidence"}, "steps": {"mark-step-open", "mark-step-done"},
		"priority": {"high"}, "priority_by": {"mark-rule"}, "source": {"mark-source"}, "context": {"sender", "mark-context"},
		"requester": {"mark-requester"}, "risk": {"medium"}, "requires_hitl": {"erson"}, "files_to_create": {"mark-create.go"},
		"files_to_modify": {"mark-modify.go"}, "test_files": {"mark_test.go"}, "verify": {"mark-verify"}, "milestone_id": {"mark-milestone"},
		"estimated_complexity": {"7.25"}, "max_attempts": {"17"}, "labels": {"mark-label"}, "external": {"inear", "mark-external"},
		"intent": {"mark-intent"}, "": {"unknown", "mark-extra"},
	}
}
