package model

import "slices"

// VocabularyID names one of the systems whose words for a task's progress map to ours.
type VocabularyID string

// The vocabularies of docs/design.md (Other vocabularies).
const (
	VocabularyFiles        VocabularyID = "files"        // the older vocabulary of the task files
	VocabularyTasksSpec    VocabularyID = "tasks-spec"   // the tasks specification
	VocabularyOrchestrator VocabularyID = "orchestrator" // the orchestrator's task lifecycle
	VocabularyGitInternal  VocabularyID = "git-internal" // git-internal's task object
)

// Vocabulary is one column of the mapping table in docs/design.md (Other vocabularies).
type Vocabulary struct {
	ID    VocabularyID
	Title string
	// Words is the word of each status, by Status. StatusProblem has none: a task that
	// cannot be read cannot be exported.
	Words [NumStatuses]string
	// Notes is what the word leaves unsaid and that system says elsewhere; mostly "".
	Notes [NumStatuses]string
}

// mapping is the table itself: a status, then its word in each column.
var mapping = [...]struct {
	status Status
	words  [4]string
}{
	{StatusCreated, [4]string{"created", "NEW", "pending", "draft"}},
	{StatusPlanning, [4]string{"planning", "NEW", "pending", "draft"}},
	{StatusReviewPlan, [4]string{"planning", "NEW", "pending", "draft"}},
	{StatusReady, [4]string{"ready", "READY", "pending", "draft"}},
	{StatusBlocked, [4]string{"blocked", "NEW", "blocked", "draft"}},
	{StatusRunning, [4]string{"started", "IN_PROGRESS", "in_progress", "running"}},
	{StatusSubtasks, [4]string{"started", "IN_PROGRESS", "in_progress", "running"}},
	{StatusWaiting, [4]string{"paused", "WAITING_HITL", "blocked", "running"}},
	{StatusPaused, [4]string{"paused", "WAITING_HITL", "in_progress", "running"}},
	{StatusChanged, [4]string{"changed", "NEW", "pending", "draft"}},
	{StatusReplan, [4]string{"changed", "NEW", "pending", "draft"}},
	{StatusError, [4]string{"failed", "IN_PROGRESS", "failed", "running"}},
	{StatusReviewWork, [4]string{"done", "DONE", "completed", "done"}},
	{StatusDone, [4]string{"done", "DONE", "completed", "done"}},
	{StatusFailed, [4]string{"failed", "CANCELLED", "failed", "failed"}},
	{StatusAborted, [4]string{"aborted", "CANCELLED", "failed", "cancelled"}},
}

// Vocabularies is that mapping table, one Vocabulary a column, as fresh
// values.
func Vocabularies() []Vocabulary {
	out := []Vocabulary{
		{ID: VocabularyFiles, Title: "task files"},
		{ID: VocabularyTasksSpec, Title: "tasks specification"},
		{ID: VocabularyOrchestrator, Title: "orchestrator"},
		{ID: VocabularyGitInternal, Title: "git-internal"},
	}
	for _, row := range mapping {
		for i := range out {
			out[i].Words[row.status] = row.words[i]
		}
	}
	orchestrator := &out[2].Notes
	orchestrator[StatusReady] = "available"
	orchestrator[StatusWaiting] = "clarification"
	orchestrator[StatusError] = "retry left"
	return out
}

// MapStatus is the word for s in another vocabulary; "" when there is none, for
// StatusProblem and for an unknown vocabulary.
func MapStatus(s Status, v VocabularyID) string {
	all := Vocabularies()
	i := slices.IndexFunc(all, func(o Vocabulary) bool { return o.ID == v })
	if i < 0 || int(s) >= NumStatuses {
		return ""
	}
	return all[i].Words[s]
}

// UnmapStatus finds the status that a word of another vocabulary stands for. ok is false
// when the word is unknown and when it stands for several: many words say less than ours,
// and which one is meant must then come from elsewhere.
func UnmapStatus(word string, v VocabularyID) (s Status, ok bool) {
	for _, candidate := range Statuses() {
		if w := MapStatus(candidate, v); w == "" || w != word {
			continue
		}
		if ok {
			return 0, false
		}
		s, ok = candidate, true
	}
	return s, ok
}
