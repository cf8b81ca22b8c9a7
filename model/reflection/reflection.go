// Package reflection has the lines of reflections/: what came of each run, and of each verdict of a person. Package
// distill makes guidelines and rules of them.
package reflection

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vespe/model"
	"vespe/model/lifecycle"
)

// Line is a line of a file in reflections/YYYY-MM-DD: what came of one run, or of one verdict of a person.
type Line struct {
	At   time.Time `json:"at"`
	Seq  uint64    `json:"seq"` // of the entry of this machine's log
	Op   string    `json:"op"`  // the operation's id
	Kind string    `json:"kind"`
	Task model.UID `json:"task"`
	Name string    `json:"name,omitzero"`
	// Actor is who decided, or the worker of the run.
	Actor model.Actor `json:"actor"`

	Judgment
	RunResult
}

// Judgment is what a line says of a verdict.
type Judgment struct {
	Verdict  model.Name     `json:"verdict,omitzero"`  // the transition: accept_plan, review_rejected, answer, undo, …
	Undone   model.Name     `json:"undone,omitzero"`   // undo: what was taken back
	Decision model.Decision `json:"decision,omitzero"` // answer
	Choice   string         `json:"choice,omitzero"`   // answer: the option
	Request  string         `json:"request,omitzero"`  // answer, and undo of one: the request
	Title    string         `json:"title,omitzero"`    // answer: what was asked
	Reason   string         `json:"reason,omitzero"`   // cut to 4 KB
	Revision int            `json:"revision,omitzero"` // of the plan that was judged
	Comments Comments       `json:"comments,omitzero"` // that came with it
}

// RunResult is what a line says of a run.
type RunResult struct {
	Run      string  `json:"run,omitzero"`
	Outcome  string  `json:"outcome,omitzero"`  // one of the Run constants
	Attempt  int     `json:"attempt,omitzero"`  // from 1
	Template string  `json:"template,omitzero"` //
	Phase    string  `json:"phase,omitzero"`    // the last one
	Why      string  `json:"why,omitzero"`      // cut to 4 KB
	Cost     float64 `json:"cost_usd,omitzero"` //
	Seconds  int     `json:"seconds,omitzero"`  // that it took
	Tested   bool    `json:"tested,omitzero"`   //
	Verified bool    `json:"verified,omitzero"` //
	Criteria int     `json:"unpassed,omitzero"` // criteria that did not pass
}

// Comments counts the comments that came with a verdict.
type Comments struct {
	Count     int `json:"count,omitzero"`
	Blocking  int `json:"blocking,omitzero"`
	Changes   int `json:"changes,omitzero"`
	Questions int `json:"questions,omitzero"`
}

// The kinds of reflection.
const (
	OfRun     = "run"
	OfVerdict = "verdict"
)

// maxWords bounds the words of a line, in bytes.
const maxWords = 4 << 10

// Words is text as a line has it.
func Words(text string) string { return model.CutText(text, maxWords) }

// Same says whether two lines tell of the same, whatever they say of it.
func (r *Line) Same(o *Line) bool {
	return r.Op == o.Op && r.Seq == o.Seq && r.Kind == o.Kind && r.Task == o.Task && r.Run == o.Run && r.Verdict == o.Verdict
}

// Append adds the line to buf, with its end.
func (r Line) Append(buf []byte) []byte {
	r.At = r.At.UTC().Truncate(time.Millisecond)
	if math.IsNaN(r.Cost) || math.IsInf(r.Cost, 0) {
		r.Cost = 0
	}
	b, err := json.Marshal(r, json.Deterministic(true))
	if err != nil { // a string that is no UTF-8
		b = fmt.Appendf(nil, `{"at":%q,"seq":%d,"op":%q,"kind":%q,"task":%q}`, model.FormatTime(r.At), r.Seq, strings.ToValidUTF8(r.Op, "?"), r.Kind, r.Task)
	}
	return append(append(buf, b...), '\n')
}

// Parse reads a line.
func Parse(line []byte) (Line, error) {
	var r Line
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("not a reflection: %w", err)
	}
	if r.Kind == "" || r.At.IsZero() || !r.Task.Valid() && r.Task != "" {
		return r, fmt.Errorf("not a reflection: it has no kind, time or task")
	}
	return r, nil
}

// On is the line about an event; false where it is no verdict of a person. talk are the comments
// on the task's plan, nil where they are not known.
func On(e *model.Event, talk *model.ReviewFile) (Line, bool) {
	row, ok := lifecycle.Lookup(e.Name)
	if !ok || e.Actor.Kind() != model.Human || e.Cause != "" || !row.Verdict && e.Name != model.UndoVerdict {
		return Line{}, false
	}
	r := Line{
		At: e.At, Seq: e.Seq, Op: e.OpID, Kind: OfVerdict, Task: e.UID, Actor: e.Actor,
		Judgment: Judgment{Verdict: e.Name, Reason: Words(e.Reason), Revision: e.Number("revision")},
	}
	switch e.Name {
	case model.UndoVerdict:
		r.Undone, r.Request = model.Name(e.Text("transition")), e.Text("request")
		if r.Undone == "" {
			r.Undone = model.AnswerRequest
		}
	case model.AnswerRequest:
		r.Decision, r.Choice, r.Request = model.Decision(e.Text("decision")), Words(e.Text("choice")), e.Text("request")
		r.Title, r.Reason = Words(e.Text("title")), Words(cmp.Or(e.Text("text"), e.Reason))
	}
	if talk == nil {
		return r, true
	}
	for _, c := range talk.Comments {
		if !c.At.Equal(e.At) || c.By != e.Actor {
			continue
		}
		r.Comments.Count++
		if c.Blocking {
			r.Comments.Blocking++
		}
		switch c.Kind {
		case model.Demand:
			r.Comments.Changes++
		case model.Question:
			r.Comments.Questions++
		}
	}
	return r, true
}

// OnRun is the line about a run that is over; false while it is not. seq and op are of the
// operation that ended it.
func OnRun(run *model.Run, seq uint64, op string) (Line, bool) {
	if run.Live() {
		return Line{}, false
	}
	r := Line{
		At: run.Ended, Seq: seq, Op: op, Kind: OfRun, Task: run.Task, Actor: run.Worker,
		RunResult: RunResult{Run: run.ID, Outcome: run.Outcome, Seconds: int((run.Took() + time.Second - 1) / time.Second)},
	}
	if p := run.Report; p != nil {
		r.Attempt, r.Template, r.Phase, r.Why = p.Attempt, p.Template, p.Phase, Words(p.Why)
		r.Cost, r.Tested, r.Verified = p.Cost, p.Tested, p.Verified
		for _, c := range p.Criteria {
			if c.State != "" && c.State != "passed" {
				r.Criteria++
			}
		}
	}
	return r, true
}
