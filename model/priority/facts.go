package priority

import (
	"strings"

	"vespe/model"
)

// maxText is how much of an objective rules look at, in bytes.
const maxText = 64 << 10

// Facts are what a rule sees of a task, by the names that expressions use.
type Facts struct {
	Name          string            `expr:"name" json:"name,omitzero"`
	Objective     string            `expr:"objective" json:"objective,omitzero"`
	Description   string            `expr:"description" json:"description,omitzero"`
	UserStory     string            `expr:"user_story" json:"user_story,omitzero"`
	GoalType      string            `expr:"goal_type" json:"goal_type,omitzero"`
	Labels        []string          `expr:"labels" json:"labels,omitzero"`
	Risk          string            `expr:"risk" json:"risk,omitzero"`
	RequiresHITL  bool              `expr:"requires_hitl" json:"requires_hitl,omitzero"`
	Source        string            `expr:"source" json:"source,omitzero"`
	Sender        string            `expr:"sender" json:"sender,omitzero"` // context.sender
	SenderDomain  string            `expr:"sender_domain" json:"sender_domain,omitzero"`
	Requester     string            `expr:"requester" json:"requester,omitzero"`
	CreatedBy     string            `expr:"created_by" json:"created_by,omitzero"`
	Context       map[string]string `expr:"context" json:"context,omitzero"`
	Constraints   []string          `expr:"constraints" json:"constraints,omitzero"`
	Criteria      []string          `expr:"acceptance_criteria" json:"acceptance_criteria,omitzero"`
	FilesToCreate []string          `expr:"files_to_create" json:"files_to_create,omitzero"`
	FilesToModify []string          `expr:"files_to_modify" json:"files_to_modify,omitzero"`
	TestFiles     []string          `expr:"test_files" json:"test_files,omitzero"`
	Milestone     string            `expr:"milestone" json:"milestone,omitzero"` // its id
	Complexity    float64           `expr:"complexity" json:"complexity,omitzero"`
	DependsOn     int               `expr:"depends_on" json:"depends_on,omitzero"` // how many
	IsSubtask     bool              `expr:"is_subtask" json:"is_subtask,omitzero"`
}

// Of are the facts about a task with an objective, in a milestone or "".
func Of(t *model.Task, objective, milestone string) Facts {
	if len(objective) > maxText {
		objective = strings.ToValidUTF8(objective[:maxText], "")
	}
	f := Facts{
		Name: t.Config.Name, Objective: objective, Milestone: milestone, CreatedBy: string(t.Config.CreatedBy),
		DependsOn: len(t.DependsOn), IsSubtask: t.Config.ParentUID != "", Context: map[string]string{},
	}
	sp := t.Spec
	if sp == nil {
		return f
	}
	f.Description, f.UserStory, f.GoalType, f.Labels, f.Risk = sp.Description, sp.UserStory, sp.GoalType, sp.Labels, sp.Risk
	f.RequiresHITL, f.Source, f.Requester, f.Constraints = sp.RequiresHITL, sp.Source, sp.Requester, sp.Constraints
	f.FilesToCreate, f.FilesToModify, f.TestFiles, f.Complexity = sp.FilesToCreate, sp.FilesToModify, sp.TestFiles, sp.EstimatedComplexity
	for _, c := range sp.AcceptanceCriteria {
		f.Criteria = append(f.Criteria, c.Text)
	}
	for _, x := range sp.Context {
		f.Context[x.Key] = x.Text()
	}
	f.Sender = f.Context["sender"]
	f.SenderDomain = domainOf(f.Sender)
	return f
}

// domainOf is what stands behind the last @ of an address, in lower case.
func domainOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(address[at+1:]), ">."))
}
