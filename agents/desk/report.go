package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// Report is what an agent says of its work.
type Report struct {
	TaskID   string  `json:"id,omitempty" jsonschema:"uid of the task; optional for a loop worker"`
	Rev      int     `json:"rev,omitempty" jsonschema:"rev you last read; optional for a loop worker"`
	Summary  string  `json:"summary" jsonschema:"what you did, what you did not, what to look at; Markdown"`
	Criteria []Claim `json:"criteria,omitempty" jsonschema:"evidence for each acceptance criterion"`
	Failed   bool    `json:"failed,omitempty" jsonschema:"the work can't be done; summary says why, with the last output of what failed"`
	Key      string  `json:"key,omitempty" jsonschema:"idempotency key; by default the same report on the same rev"`
}

// Claim is what an agent says of an acceptance criterion. It is no evidence: a check of vespe's own is.
type Claim struct {
	ID       int    `json:"id" jsonschema:"position of the criterion, from 1"`
	Evidence string `json:"evidence_cmd,omitempty" jsonschema:"the command that shows it"`
	Note     string `json:"note,omitempty" jsonschema:"what it showed, or why the criterion isn't met"`
}

// Report says that the work on a task is done, as far as its agent knows: a person looks at it then. Of a run of the
// loop it is kept with the run, and the loop checks what is there before anybody is told that it is done. What the
// agent says of criteria stays what it says: no report makes one pass.
func (d *Desk) Report(ctx context.Context, r Report) (Review, error) {
	if err := checkKey(r.Key); err != nil {
		return Review{}, err
	}
	if strings.TrimSpace(r.Summary) == "" {
		return Review{}, problem(CodeInvalid, "the summary is missing", "In summary, say what was done and what was not.")
	}
	s, snap, t, err := d.ViewTask(ctx, r.TaskID)
	if err != nil {
		return Review{}, err
	}
	text, err := r.text(t)
	if err != nil {
		return Review{}, err
	}
	st := &t.Status
	if d.o.Run != "" && (r.TaskID == "" || t.UID == model.UID(d.o.Task)) {
		return d.tell(ctx, s, snap, t, text, r.Failed)
	}
	if r.Rev < 1 {
		return Review{}, problem(CodeInvalid, "rev is missing: the report must name the state of the task",
			fmt.Sprintf("Read the task with task_get, id %q, and send the report with the rev that you read.", t.UID))
	}
	op := model.Op{Name: model.WorkCompleted, UID: t.UID, Args: model.Completion{Summary: text}, ExpectRevision: r.Rev}
	if r.Failed {
		op.Name, op.Args = model.RaiseError, model.ErrorReport{Details: text}
	}
	if r.Key != "" {
		op.ID = opID("report", string(d.o.Actor), string(t.UID), r.Key)
	} else {
		op.ID = opID("report", string(d.o.Actor), string(t.UID), fmt.Sprint(r.Rev), string(op.Name), text)
	}
	applied, err := d.do(ctx, s, op)
	if err != nil {
		return Review{}, told(err)
	}
	if r.Key != "" && applied.Replayed {
		if err := sameReport(applied, &op, r.Key); err != nil {
			return Review{}, err
		}
	}
	of := subject{kind: KindWork, uid: t.UID, revision: st.PlanRevision}
	if r.Failed {
		return d.failed(ctx, s, applied, of)
	}
	return d.seen(ctx, s, applied.Snapshot, of, d.polls(WorkReviewID(t.UID, st.PlanRevision)))
}

// sameReport refuses a key that was used for another report.
func sameReport(applied snapshot.Applied, op *model.Op, key string) error {
	want, same := strings.TrimSpace(op.Text()), true
	for i := range applied.Change.Events {
		if e := &applied.Change.Events[i]; e.OpID == op.ID && e.UID == op.UID {
			same = e.Name == op.Name && (op.Name != model.WorkCompleted || e.Text("summary") == want)
			break
		}
	}
	for _, t := range applied.Change.Tasks {
		same = same && (t.UID != op.UID || op.Name != model.RaiseError || t.Status.ErrorDetails == want)
	}
	if same {
		return nil
	}
	return problem(CodeKey, fmt.Sprintf("the key %q was used for another report", visible.Line(key)), "Use another key for another report.")
}

// failed is the review of work that could not be done: there is none.
func (d *Desk) failed(ctx context.Context, s *store.Store, applied snapshot.Applied, of subject) (Review, error) {
	r, err := d.review(ctx, s, applied.Snapshot, of)
	if err != nil {
		return r, told(err)
	}
	r.NextAction = "The failure is recorded. Make no more changes. A person or the loop decides whether to retry. Ask for other work with task_next, or end your turn."
	return r, nil
}

// text is the report as it is kept: the words of the agent, and what it says of criteria, said to be that.
func (r *Report) text(t *model.Task) (string, error) {
	if !utf8.ValidString(r.Summary) {
		return "", problem(CodeInvalid, "the summary is not valid UTF-8", "Send text.")
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(r.Summary) + "\n")
	if len(r.Criteria) > 0 {
		b.WriteString("\nIts report on the acceptance criteria, not checked:\n\n")
	}
	criteria := criteriaOf(t)
	seen := map[int]bool{}
	for _, c := range r.Criteria {
		if c.ID < 1 || c.ID > len(criteria) || seen[c.ID] {
			return "", problem(CodeInvalid, fmt.Sprintf("the task has %d acceptance criteria, but the report names criterion %d, or names one twice", len(criteria), c.ID),
				"Read the criteria with task_get, include criteria, and report each once, by its id.")
		}
		seen[c.ID] = true
		fmt.Fprintf(&b, "- %d. %s", c.ID, strings.Join(strings.Fields(criteria[c.ID-1].Text), " "))
		if note := strings.Join(strings.Fields(c.Note), " "); note != "" {
			b.WriteString(": " + note)
		}
		if cmd := strings.Join(strings.Fields(c.Evidence), " "); cmd != "" {
			b.WriteString(" — " + codeSpan(cmd))
		}
		b.WriteByte('\n')
	}
	return b.String(), tooLarge("the report", b.Len(), MaxText, "Shorten it: put what is long into files below result/, and name them.")
}

// codeSpan is a text as code of Markdown, whatever backquotes are in it.
func codeSpan(s string) string {
	tick := "`"
	for strings.Contains(s, tick) {
		tick += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return tick + s + tick
}

// tell keeps what the worker of a run says of its work with the run. The loop goes by what is there.
func (d *Desk) tell(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task, text string, failed bool) (Review, error) {
	if t.Status.CurrentRun != d.o.Run {
		return Review{}, problem(CodeRefused, fmt.Sprintf("the run %s of %q is over", visible.Line(d.o.Run), visible.Line(t.Config.Name)), "Stop. Make no more changes.")
	}
	if failed {
		text = "The work cannot be done. " + text
	}
	if err := TellReport(ctx, s, t.UID, d.o.Run, d.o.Now(), text); err != nil {
		return Review{}, told(err)
	}
	return d.seen(ctx, s, snap, subject{kind: KindWork, uid: t.UID, revision: max(t.Status.PlanRevision, 1)}, 0)
}

// TellReport keeps what the worker of a run reports of its work: beside the log of the run, where the loop takes it from
// once the work has passed its checks, and in it. A later report stands below one before.
func TellReport(ctx context.Context, s *store.Store, uid model.UID, run string, at time.Time, text string) error {
	text = strings.TrimSpace(text)
	w, err := s.AppendRunFile(ctx, uid, run, runlog.ReportFile)
	if err != nil {
		return err
	}
	_, err = w.Write([]byte(text + "\n\n"))
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	return Tell(ctx, s, uid, run, runlog.Event{At: at, Kind: runlog.KindMessage, Text: text})
}

// Tell adds an event to the log of a run.
func Tell(ctx context.Context, s *store.Store, uid model.UID, run string, e runlog.Event) error {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	w, err := s.AppendRunFile(ctx, uid, run, "output.jsonl")
	if err != nil {
		return err
	}
	_, err = w.Write(e.Line())
	return errors.Join(err, w.Close())
}
