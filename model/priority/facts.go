package priority

import (
	"strings"

	"vespe/model"
)

// maxText is how much is known of a text, and of the texts of a list together, in bytes. Each text of a list
// counts as one more. A regular expression takes as many steps as it is large for each byte, and rules are
// asked while others wait for the transaction.
const maxText = 8 << 10

// Facts are what a rule sees of a task, by the names that expressions use.
type Facts struct {
	Name         string   `expr:"name" json:"name,omitzero"`
	Objective    string   `expr:"objective" json:"objective,omitzero"`
	Description  string   `expr:"description" json:"description,omitzero"`
	UserStory    string   `expr:"user_story" json:"user_story,omitzero"`
	GoalType     string   `expr:"goal_type" json:"goal_type,omitzero"`
	Labels       []string `expr:"labels" json:"labels,omitzero"`
	Risk         string   `expr:"risk" json:"risk,omitzero"`
	RequiresHITL bool     `expr:"requires_hitl" json:"requires_hitl,omitzero"`
	Source       string   `expr:"source" json:"source,omitzero"`
	People
	Context     map[string]string `expr:"context" json:"context,omitzero"`
	Constraints []string          `expr:"constraints" json:"constraints,omitzero"`
	Criteria    []string          `expr:"acceptance_criteria" json:"acceptance_criteria,omitzero"`
	Files
	Milestone  string  `expr:"milestone" json:"milestone,omitzero"` // its id
	Complexity float64 `expr:"complexity" json:"complexity,omitzero"`
	DependsOn  int     `expr:"depends_on" json:"depends_on,omitzero"` // how many
	IsSubtask  bool    `expr:"is_subtask" json:"is_subtask,omitzero"`
}

// People are who a task comes from.
type People struct {
	Sender       string `expr:"sender" json:"sender,omitzero"` // context.sender
	SenderDomain string `expr:"sender_domain" json:"sender_domain,omitzero"`
	Requester    string `expr:"requester" json:"requester,omitzero"`
	CreatedBy    string `expr:"created_by" json:"created_by,omitzero"`
}

// Files are the files that a task is to change.
type Files struct {
	FilesToCreate []string `expr:"files_to_create" json:"files_to_create,omitzero"`
	FilesToModify []string `expr:"files_to_modify" json:"files_to_modify,omitzero"`
	TestFiles     []string `expr:"test_files" json:"test_files,omitzero"`
}

// Of are the facts about a task with an objective, in a milestone or "".
func Of(t *model.Task, objective, milestone string) Facts {
	f := Facts{
		Name: cut(t.Config.Name), Objective: cut(objective), Milestone: milestone, People: People{CreatedBy: cut(string(t.Config.CreatedBy))},
		DependsOn: len(t.DependsOn), IsSubtask: t.Config.ParentUID != "", Context: map[string]string{},
	}
	sp := t.Spec
	if sp == nil {
		return f
	}
	for _, x := range []struct {
		to   *string
		from string
	}{
		{&f.Description, sp.Description},
		{&f.UserStory, sp.UserStory},
		{&f.GoalType, sp.GoalType},
		{&f.Risk, sp.Risk},
		{&f.Source, sp.Source},
		{&f.Requester, sp.Requester},
	} {
		*x.to = cut(x.from)
	}
	for _, x := range []struct {
		to   *[]string
		from []string
	}{
		{&f.Labels, sp.Labels},
		{&f.Constraints, sp.Constraints},
		{&f.FilesToCreate, sp.FilesToCreate},
		{&f.FilesToModify, sp.FilesToModify},
		{&f.TestFiles, sp.TestFiles},
		{&f.Criteria, criteria(sp)},
	} {
		*x.to = cutList(x.from)
	}
	f.RequiresHITL, f.Complexity = sp.RequiresHITL, sp.EstimatedComplexity
	room := maxText
	for _, x := range sp.Context {
		text := cut(x.Text())
		if room -= len(x.Key) + len(text) + 1; room < 0 {
			break
		}
		f.Context[x.Key] = text
	}
	f.Sender = f.Context["sender"]
	f.SenderDomain = domainOf(f.Sender)
	return f
}

func criteria(sp *model.Spec) []string {
	var out []string
	for _, c := range sp.AcceptanceCriteria {
		out = append(out, c.Text)
	}
	return out
}

// cut is the beginning of a text that is known.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "")
}

// cutList is the beginning of a list that is known.
func cutList(list []string) []string {
	room := maxText
	for i, text := range list {
		if room -= len(text) + 1; room < 0 {
			return list[:i:i]
		}
	}
	return list
}

// domainOf is what stands behind the last @ of an address, in lower case.
func domainOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(address[at+1:]), ">."))
}
