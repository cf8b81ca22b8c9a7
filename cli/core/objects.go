package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// The JSON objects. Their keys are stable: a new one may come, none goes or changes its
// meaning. Times are RFC 3339 UTC.

type ErrorObject struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Guard   string          `json:"guard,omitempty"`
	Hint    string          `json:"hint,omitempty"`
	UID     string          `json:"uid,omitempty"`
	Cycle   []string        `json:"cycle,omitempty"`
	Changed []changedObject `json:"changed,omitempty"`
}

type changedObject struct {
	Doc  string `json:"doc"`
	Seen string `json:"seen"`
	Now  string `json:"now"`
}

type ChangeObject struct {
	Seq       uint64      `json:"seq,omitempty"`
	OpID      string      `json:"op_id,omitempty"`
	Replayed  bool        `json:"replayed,omitempty"`
	DryRun    bool        `json:"dry_run,omitempty"`
	Summary   string      `json:"summary"`
	Task      *TaskObject `json:"task,omitempty"`
	Request   string      `json:"request,omitempty"`
	Milestone string      `json:"milestone,omitempty"`
	Changed   []string    `json:"changed"`
	Warnings  []string    `json:"warnings,omitempty"`

	Doubts   []effectObject  `json:"doubts,omitempty"`  // of a dry run: what should make a person hesitate, as in warnings
	Effects  []effectObject  `json:"effects,omitempty"` // what comes of it; the summary says it in words
	Approval *ApprovalObject `json:"approval,omitempty"`
}

type effectObject struct {
	Code  string      `json:"code"`
	Tasks []model.UID `json:"tasks,omitempty"` // that its sentence names
	Text  string      `json:"text"`
}

func effectsOf(effects []model.Effect) (out []effectObject) {
	for _, e := range effects {
		out = append(out, effectObject(e))
	}
	return out
}

type TaskObject struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	desk.TaskStatus
	State        string     `json:"state"`
	ParentUID    string     `json:"parent_uid,omitempty"`
	DependsOn    []string   `json:"depends_on"`
	Priority     string     `json:"priority,omitempty"`
	PriorityRule string     `json:"priority_rule,omitempty"` // that set it; absent: somebody gave it
	Labels       []string   `json:"labels,omitempty"`
	Milestone    string     `json:"milestone,omitempty"` // its id
	Progress     string     `json:"progress,omitempty"`  // what who works on it said last; with subtasks, how many are done
	CreatedBy    string     `json:"created_by"`
	CreatedAt    *time.Time `json:"created_at,omitempty"`
	UpdatedAt    *time.Time `json:"updated_at,omitempty"`
	WorkObject
	AcceptanceObject
	Revision int             `json:"revision"`
	Leaves   ProgressObject  `json:"leaves"`
	Problems []ProblemObject `json:"problems,omitempty"`
}

// WorkObject is what is going on with the work on a task.
type WorkObject struct {
	Paused      bool   `json:"paused,omitempty"`
	PauseReason string `json:"pause_reason,omitempty"`
	Error       string `json:"error,omitempty"`
	Retries     int    `json:"retries,omitempty"`
	Agent       string `json:"agent,omitempty"`
	Run         string `json:"run,omitempty"`
}

// AcceptanceObject is what was accepted of a task.
type AcceptanceObject struct {
	ObjectiveRevision int      `json:"objective_revision"`
	PlanRevision      int      `json:"plan_revision"`
	PlanAccepted      bool     `json:"plan_accepted"`
	Elsewhere         string   `json:"accepted_elsewhere,omitempty"` // who accepted the plan, or the work, in another clone without a signature: it does not count here
	Excluded          []string `json:"excluded,omitempty"`           // of the accepted plan: headings
}

type ProgressObject struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

type ProblemObject struct {
	UID      string `json:"uid,omitempty"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Reason   string `json:"reason"`
	Hint     string `json:"hint,omitempty"`
}

// treeObject is one row of the tree; the rows come parents first.
type treeObject struct {
	TaskObject
	Depth    int      `json:"depth"`
	Children []string `json:"children"`
}

type InboxObject struct {
	Kind    string           `json:"kind"`
	UID     string           `json:"uid,omitempty"`
	Name    string           `json:"name,omitempty"`
	Request string           `json:"request,omitempty"`
	Title   string           `json:"title"`
	Reason  string           `json:"reason,omitempty"`
	Lacks   string           `json:"status_reason,omitempty"` // why an accepted plan waits for a person again
	Risk    string           `json:"risk,omitempty"`          // of the request or the task
	Report  *desk.WorkReport `json:"report,omitempty"`        // on finished work; the beginning of a long one
	Since   *time.Time       `json:"since,omitempty"`
	Expires *time.Time       `json:"expires,omitempty"`
	Behind  int              `json:"behind"`
	Agents  int              `json:"agents,omitempty"` // that wait for it
}

type EventObject struct {
	Event   string          `json:"event"`
	At      time.Time       `json:"at,omitzero"`
	Actor   string          `json:"actor"`
	Channel string          `json:"channel,omitempty"`
	From    string          `json:"from,omitempty"`
	To      string          `json:"to,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Summary string          `json:"summary,omitempty"`
	OpID    string          `json:"op_id,omitempty"`
	Seq     uint64          `json:"seq,omitempty"`
	Cause   string          `json:"cause,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	File    string          `json:"file,omitempty"`
}

type ReasonObject struct {
	UID    string `json:"uid,omitempty"`
	Name   string `json:"name,omitempty"`
	Status string `json:"status,omitempty"`
	Text   string `json:"text"`
	Depth  int    `json:"depth"`
}

type DocumentObject struct {
	Revision int    `json:"revision"`
	Hash     string `json:"hash"`
	Text     string `json:"text"`
}

func TaskOf(s *snapshot.Snapshot, i int) TaskObject {
	t := s.At(i)
	st := t.Status
	done, total := s.Progress(i)
	o := TaskObject{
		UID: string(t.UID), Name: t.Config.Name, TaskStatus: desk.StatusOf(s, i), State: string(st.CurrentState),
		ParentUID: string(t.Config.ParentUID), DependsOn: UIDStrings(t.DependsOn),
		CreatedBy: string(t.Config.CreatedBy), CreatedAt: desk.TimeOrNil(t.Config.CreatedAt), UpdatedAt: desk.TimeOrNil(st.LastUpdatedAt),
		WorkObject: WorkObject{
			Paused: st.IsPaused, PauseReason: st.PauseReason, Error: st.ErrorDetails, Retries: st.RetryCount,
			Agent: string(st.AssignedAgentUID), Run: st.CurrentRun,
		},
		AcceptanceObject: AcceptanceObject{
			ObjectiveRevision: st.ObjectiveRevision, PlanRevision: st.PlanRevision, PlanAccepted: st.AcceptedPlan != nil, Elsewhere: string(t.AcceptedElsewhere()),
		},
		Revision: st.Revision, Milestone: s.MilestoneID(i), Progress: st.Progress,
		Leaves: ProgressObject{done, total}, Problems: ProblemObjects(s.ProblemsOf(i)),
	}
	if st.AcceptedPlan != nil {
		o.Excluded = st.AcceptedPlan.Excluded
	}
	if t.Spec != nil {
		o.Priority, o.PriorityRule, o.Labels = string(t.Spec.Priority), t.Spec.RuledPriority(), t.Spec.Labels
	}
	return o
}

func ProblemObjects(ps []model.Problem) []ProblemObject {
	var out []ProblemObject
	for _, p := range ps {
		severity := "warning"
		if p.Severity == model.Error {
			severity = "error"
		}
		out = append(out, ProblemObject{string(p.UID), p.Path, p.Line, severity, p.Code, p.Reason, p.Hint})
	}
	return out
}

func EventOf(e model.Event) EventObject {
	o := EventObject{
		Event: string(e.Name), At: e.At.UTC(), Actor: string(e.Actor), Channel: e.Channel, From: string(e.From), To: string(e.To),
		Reason: e.Reason, Summary: e.Summary, OpID: e.OpID, Seq: e.Seq, Cause: string(e.Cause), File: e.File,
	}
	if len(e.Details) > 0 {
		var b bytes.Buffer
		b.WriteByte('{')
		for i, f := range e.Details {
			if i > 0 {
				b.WriteByte(',')
			}
			key, err := json.Marshal(f.Key)
			if err != nil {
				continue
			}
			b.Write(key)
			b.WriteByte(':')
			b.Write(f.Value)
		}
		b.WriteByte('}')
		if json.Valid(b.Bytes()) {
			o.Details = b.Bytes()
		}
	}
	return o
}

func UIDStrings(uids []model.UID) []string {
	out := make([]string, 0, len(uids))
	for _, u := range uids {
		out = append(out, string(u))
	}
	return out
}

// WriteJSON prints one object. Characters that a terminal would obey or hide are
// written as \u escapes: the value is the same, the screen is safe.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	_, err := io.WriteString(w, visible.JSON(b.String()))
	return err
}

// PrintMember prints an object with one member.
func (a *App) PrintMember(name string, value any) error {
	return WriteJSON(a.Stdout, map[string]any{name: value})
}

// DiffObject is one file and how it differs.
type DiffObject struct {
	File string `json:"file"`
	Was  string `json:"was,omitempty"`
	Now  string `json:"now,omitempty"`
	Diff string `json:"diff,omitempty"`
	Note string `json:"note,omitempty"`
}

// MilestoneLine is the milestone that task i is in, in words; "" for none.
func MilestoneLine(snap *snapshot.Snapshot, i int) string {
	id := snap.MilestoneID(i)
	ms := snap.MilestoneFile()
	k := ms.Index(id)
	switch {
	case id == "":
		return ""
	case k < 0:
		return id + "  (not in milestones.json)"
	case ms.List[k].Name == "" || ms.List[k].Name == id:
		return id
	}
	return id + "  " + ms.List[k].Name
}
