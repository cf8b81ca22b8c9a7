// Package vocab translates the statuses of tasks into the words of other systems.
package vocab

import (
	"slices"

	"vespe/model"
)

// ID names one of the systems whose words for a task's progress map to ours.
type ID string

// The vocabularies of docs/design.md (Other vocabularies).
const (
	Files        ID = "files"        // the older vocabulary of the task files
	TasksSpec    ID = "tasks-spec"   // the tasks specification
	Orchestrator ID = "orchestrator" // the orchestrator's task lifecycle
	GitInternal  ID = "git-internal" // git-internal's task object
)

// Vocabulary is one column of the mapping table in docs/design.md (Other vocabularies).
type Vocabulary struct {
	ID    ID
	Title string
	// Words is the word of each status, by Status. StatusProblem has none: a task that
	// cannot be read cannot be exported.
	Words [model.NumStatuses]string
	// Notes is what the word leaves unsaid and that system says elsewhere; mostly "".
	Notes [model.NumStatuses]string
}

// mapping is the table itself: a status, then its word in each column.
var mapping = [...]struct {
	status model.Status
	words  [4]string
}{
	{model.StatusCreated, [4]string{"created", "NEW", "pending", "draft"}},
	{model.StatusPlanning, [4]string{"planning", "NEW", "pending", "draft"}},
	{model.StatusReviewPlan, [4]string{"planning", "NEW", "pending", "draft"}},
	{model.StatusReady, [4]string{"ready", "READY", "pending", "draft"}},
	{model.StatusBlocked, [4]string{"blocked", "NEW", "blocked", "draft"}},
	{model.StatusRunning, [4]string{"started", "IN_PROGRESS", "in_progress", "running"}},
	{model.StatusSubtasks, [4]string{"started", "IN_PROGRESS", "in_progress", "running"}},
	{model.StatusWaiting, [4]string{"paused", "WAITING_HITL", "blocked", "running"}},
	{model.StatusPaused, [4]string{"paused", "WAITING_HITL", "in_progress", "running"}},
	{model.StatusChanged, [4]string{"changed", "NEW", "pending", "draft"}},
	{model.StatusReplan, [4]string{"changed", "NEW", "pending", "draft"}},
	{model.StatusError, [4]string{"failed", "IN_PROGRESS", "failed", "running"}},
	{model.StatusReviewWork, [4]string{"done", "DONE", "completed", "done"}},
	{model.StatusDone, [4]string{"done", "DONE", "completed", "done"}},
	{model.StatusFailed, [4]string{"failed", "CANCELLED", "failed", "failed"}},
	{model.StatusAborted, [4]string{"aborted", "CANCELLED", "failed", "cancelled"}},
}

// All is the mapping table, one Vocabulary a column, as fresh values.
func All() []Vocabulary {
	out := []Vocabulary{
		{ID: Files, Title: "task files"},
		{ID: TasksSpec, Title: "tasks specification"},
		{ID: Orchestrator, Title: "orchestrator"},
		{ID: GitInternal, Title: "git-internal"},
	}
	for _, row := range mapping {
		for i := range out {
			out[i].Words[row.status] = row.words[i]
		}
	}
	orchestrator := &out[2].Notes
	orchestrator[model.StatusReady] = "available"
	orchestrator[model.StatusWaiting] = "clarification"
	orchestrator[model.StatusError] = "retry left"
	return out
}

// Word is the word for s in another vocabulary; "" when there is none, for
// StatusProblem and for an unknown vocabulary.
func Word(s model.Status, v ID) string {
	all := All()
	i := slices.IndexFunc(all, func(o Vocabulary) bool { return o.ID == v })
	if i < 0 || int(s) >= model.NumStatuses {
		return ""
	}
	return all[i].Words[s]
}
