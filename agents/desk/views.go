package desk

import (
	"cmp"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/specfields"
)

// TaskStatus is what every answer in JSON says of the status of a task.
type TaskStatus struct {
	Status       string `json:"status" jsonschema:"created, planning, replan, review plan, ready, running, blocked, waiting, paused, subtasks, changed, review work, done, error, failed, aborted or problem"`
	StatusReason string `json:"status_reason,omitempty" jsonschema:"why an accepted plan waits for a person again: its acceptance does not count here"`
}

// StatusOf is the status of task i.
func StatusOf(snap *snapshot.Snapshot, i int) TaskStatus {
	return TaskStatus{snap.Status(i).String(), snap.StatusReason(i)}
}

// Row is a task in a list.
type Row struct {
	ID   string `json:"id" jsonschema:"uid"`
	Name string `json:"name"`
	TaskStatus
	ParentID string     `json:"parent_id,omitempty"`
	Priority string     `json:"priority,omitempty"`
	Risk     string     `json:"risk,omitempty"`
	Assigned string     `json:"assigned,omitempty" jsonschema:"who works on it, or did last"`
	Run      string     `json:"run,omitempty" jsonschema:"the run that is under way"`
	Version  int        `json:"version,omitempty" jsonschema:"revision of its plan; 0 for none"`
	Rev      int        `json:"rev" jsonschema:"revision of the task; task_update and task_report take it"`
	Updated  *time.Time `json:"updated_at,omitempty"`
}

// Criterion is an acceptance criterion of a task.
type Criterion struct {
	ID       int    `json:"id" jsonschema:"its place, from 1"`
	Text     string `json:"text"`
	State    string `json:"state,omitempty" jsonschema:"passed, failed or not_run, by a check of vespe's own"`
	Evidence string `json:"evidence,omitempty"`
}

// Document is a text of a task.
type Document struct {
	Version  int    `json:"version" jsonschema:"revision; 0 where the file was edited and is no revision yet"`
	Text     string `json:"text"`
	Cut      int    `json:"cut_bytes,omitempty" jsonschema:"bytes that are left out at the end"`
	Accepted bool   `json:"accepted,omitempty" jsonschema:"a person accepted just this; work by nothing else"`
}

// Details is what a task is to be, beside its texts: what its spec says, under the keys of spec.json, but for the criteria,
// which a task has beside them.
type Details struct {
	Description string   `json:"description,omitempty"`
	UserStory   string   `json:"user_story,omitempty"`
	GoalType    string   `json:"goal_type,omitempty"`
	Constraints []string `json:"constraints,omitempty"`
	SpecFiles
	Verify       [][]string `json:"verify,omitempty" jsonschema:"commands that check the work, as argv lists"`
	Labels       []string   `json:"labels,omitempty"`
	Milestone    string     `json:"milestone,omitempty"`
	Intent       string     `json:"intent,omitempty"`
	Requester    string     `json:"requester,omitempty"`
	Steps        []StepDone `json:"steps,omitempty"`
	Source       string     `json:"source,omitempty"`
	PriorityBy   string     `json:"priority_by,omitempty" jsonschema:"the rule that set the priority"`
	RequiresHITL bool       `json:"requires_hitl,omitempty"`
	Complexity   float64    `json:"estimated_complexity,omitempty"`
	MaxAttempts  int        `json:"max_attempts,omitempty"`
	Context      []string   `json:"context,omitempty" jsonschema:"name: value"`
	External     []string   `json:"external,omitempty" jsonschema:"name: value; ids in other systems"`
	Other        []string   `json:"other,omitempty" jsonschema:"name: value; what vespe does not know"`
}

// SpecFiles are the files that a task is about.
type SpecFiles struct {
	FilesToCreate []string `json:"files_to_create,omitempty"`
	FilesToModify []string `json:"files_to_modify,omitempty"`
	TestFiles     []string `json:"test_files,omitempty"`
}

// StepDone is a step of a task.
type StepDone struct {
	Step string `json:"step"`
	Done bool   `json:"done"`
}

// Rejection is a verdict of a person against a plan, or against work.
type Rejection struct {
	Of      string     `json:"of" jsonschema:"plan or work"`
	Version int        `json:"version"`
	By      string     `json:"by"`
	At      *time.Time `json:"at,omitempty"`
	Reason  string     `json:"reason,omitempty"`
}

// Feedback is what people said about a task's plan and work.
type Feedback struct {
	Review   *Review     `json:"review,omitempty" jsonschema:"the plan or the work that waits for a decision, or was decided on last"`
	Comments []Comment   `json:"comments,omitempty" jsonschema:"those on the last version; each open one wants a response"`
	Rejected []Rejection `json:"rejected,omitempty" jsonschema:"every earlier rejection, the oldest first: do not repeat what was rejected"`
}

// RunView is one attempt at a task.
type RunView struct {
	ID       string     `json:"id"`
	Worker   string     `json:"worker,omitempty"`
	Started  *time.Time `json:"started_at,omitempty"`
	Ended    *time.Time `json:"ended_at,omitempty"`
	Outcome  string     `json:"outcome,omitempty" jsonschema:"completed, error, failed, cancelled, replanned or aborted; nothing while it is under way"`
	Why      string     `json:"why,omitempty" jsonschema:"it ended so"`
	Attempt  int        `json:"attempt,omitempty"`
	Verified bool       `json:"verified,omitempty"`
}

// Related is another task that this one has to do with.
type Related struct {
	Row
	Met    bool        `json:"met,omitempty" jsonschema:"of a dependency: nothing has to be waited for any more"`
	Report *WorkReport `json:"report,omitempty" jsonschema:"of a dependency or a subtask: what was reported"`
}

// ResultFile is a file that a task left for others.
type ResultFile struct {
	TaskID string `json:"task_id"`
	Task   string `json:"task,omitempty"`
	Path   string `json:"path" jsonschema:"from the root of the project"`
	Size   int64  `json:"size"`
	Text   string `json:"text,omitempty" jsonschema:"its beginning, where it is a text"`
}

// TaskView is a task with what was asked for of it.
type TaskView struct {
	Row
	Report       *WorkReport  `json:"report,omitempty" jsonschema:"of finished work: what was reported"`
	Why          []string     `json:"why,omitempty" jsonschema:"what it waits for, and why it is as it is"`
	Error        string       `json:"error,omitempty" jsonschema:"what went wrong in the last attempt"`
	Attempts     int          `json:"attempts,omitempty" jsonschema:"attempts that failed"`
	Details      *Details     `json:"details,omitempty"`
	Objective    *Document    `json:"objective,omitempty"`
	Plan         *Document    `json:"plan,omitempty"`
	Criteria     []Criterion  `json:"criteria,omitempty"`
	Feedback     *Feedback    `json:"feedback,omitempty"`
	Requests     []Review     `json:"requests,omitempty" jsonschema:"what was asked about it and waits, and what was answered last"`
	Runs         []RunView    `json:"runs,omitempty"`
	Dependencies []Related    `json:"dependencies,omitempty"`
	Dependents   []Related    `json:"dependents,omitempty" jsonschema:"tasks that wait for it"`
	Subtasks     []Related    `json:"subtasks,omitempty"`
	Results      []ResultFile `json:"results,omitempty" jsonschema:"what it left, and what its dependencies left"`
	Excluded     []string     `json:"excluded,omitempty" jsonschema:"parts of the plan that were not accepted with it: do not do them"`
	NextAction   string       `json:"next_action" jsonschema:"what to do now; follow it"`
}

func rowOf(snap *snapshot.Snapshot, i int) Row {
	t := snap.At(i)
	r := Row{
		ID: string(t.UID), Name: t.Config.Name, TaskStatus: StatusOf(snap, i), ParentID: string(t.Config.ParentUID),
		Assigned: string(t.Status.AssignedAgentUID), Run: t.Status.CurrentRun, Version: t.Status.PlanRevision, Rev: t.Status.Revision,
		Updated: TimeOrNil(t.Status.LastUpdatedAt),
	}
	if t.Spec != nil {
		r.Priority, r.Risk = string(t.Spec.Priority), t.Spec.Risk
	}
	return r
}

func detailsOf(snap *snapshot.Snapshot, i int) *Details {
	sp := snap.At(i).Spec
	if sp == nil {
		sp = &model.Spec{}
	}
	d := &Details{
		Description: sp.Description, UserStory: sp.UserStory, GoalType: sp.GoalType, Constraints: sp.Constraints,
		SpecFiles: SpecFiles{sp.FilesToCreate, sp.FilesToModify, sp.TestFiles}, Verify: sp.Verify, Labels: sp.Labels,
		Milestone: cmp.Or(snap.MilestoneID(i), sp.MilestoneID), Intent: sp.Intent, Requester: sp.Requester,
		Source: sp.Source, PriorityBy: sp.RuledPriority(), RequiresHITL: sp.RequiresHITL, Complexity: sp.EstimatedComplexity, MaxAttempts: sp.MaxAttempts,
	}
	for _, f := range specfields.All() {
		switch f.Key {
		case "context":
			d.Context = f.Lines(sp)
		case "external":
			d.External = f.Lines(sp)
		case "":
			d.Other = f.Lines(sp)
		}
	}
	for _, s := range sp.Steps {
		d.Steps = append(d.Steps, StepDone{s.Step, s.Done})
	}
	return d
}

func criteriaOf(t *model.Task) []Criterion {
	if t.Spec == nil {
		return nil
	}
	var out []Criterion
	for k, c := range t.Spec.AcceptanceCriteria {
		out = append(out, Criterion{ID: k + 1, Text: c.Text, State: c.State, Evidence: c.Evidence})
	}
	return out
}
