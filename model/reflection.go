package model

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Reflection is a line of a file in reflections/YYYY-MM-DD: what came of one run, or of one verdict of a
// person. Guidelines and rules are distilled from them.
type Reflection struct {
	At   time.Time `json:"at"`
	Seq  uint64    `json:"seq"` // of the entry of this machine's log
	Op   string    `json:"op"`  // the operation's id
	Kind string    `json:"kind"`
	Task UID       `json:"task"`
	Name string    `json:"name,omitzero"`
	// Actor is who decided, or the worker of the run.
	Actor Actor `json:"actor"`

	// Of a verdict.
	Verdict  Name                `json:"verdict,omitzero"`  // the transition: accept_plan, review_rejected, answer, undo, …
	Undone   Name                `json:"undone,omitzero"`   // undo: what was taken back
	Decision Decision            `json:"decision,omitzero"` // answer
	Choice   string              `json:"choice,omitzero"`   // answer: the option
	Request  string              `json:"request,omitzero"`  // answer, and undo of one: the request
	Title    string              `json:"title,omitzero"`    // answer: what was asked
	Reason   string              `json:"reason,omitzero"`   // cut to 4 KB
	Revision int                 `json:"revision,omitzero"` // of the plan that was judged
	Comments ReflectedCommenting `json:"comments,omitzero"` // that came with it
	Run      string              `json:"run,omitzero"`      // from here on of a run
	Outcome  string              `json:"outcome,omitzero"`  // one of the Run constants
	Attempt  int                 `json:"attempt,omitzero"`  // from 1
	Template string              `json:"template,omitzero"` //
	Phase    string              `json:"phase,omitzero"`    // the last one
	Why      string              `json:"why,omitzero"`      // cut to 4 KB
	Cost     float64             `json:"cost_usd,omitzero"` //
	Seconds  int                 `json:"seconds,omitzero"`  // that it took
	Tested   bool                `json:"tested,omitzero"`   //
	Verified bool                `json:"verified,omitzero"` //
	Criteria int                 `json:"unpassed,omitzero"` // criteria that did not pass
}

// ReflectedCommenting counts the comments that came with a verdict.
type ReflectedCommenting struct {
	Count     int `json:"count,omitzero"`
	Blocking  int `json:"blocking,omitzero"`
	Changes   int `json:"changes,omitzero"`
	Questions int `json:"questions,omitzero"`
}

// The kinds of reflection.
const (
	ReflectRun     = "run"
	ReflectVerdict = "verdict"
)

// maxReflected bounds the words of a line, in bytes.
const maxReflected = 4 << 10

// ReflectedWords is text as a line has it.
func ReflectedWords(text string) string { return cutText(text, maxReflected) }

// Same says whether two lines tell of the same, whatever they say of it.
func (r *Reflection) Same(o *Reflection) bool {
	return r.Op == o.Op && r.Seq == o.Seq && r.Kind == o.Kind && r.Task == o.Task && r.Run == o.Run && r.Verdict == o.Verdict
}

// Append adds the line to buf, with its end.
func (r Reflection) Append(buf []byte) []byte {
	r.At = r.At.UTC().Truncate(time.Millisecond)
	if math.IsNaN(r.Cost) || math.IsInf(r.Cost, 0) {
		r.Cost = 0
	}
	b, err := json.Marshal(r, json.Deterministic(true))
	if err != nil { // a string that is no UTF-8
		b = fmt.Appendf(nil, `{"at":%q,"seq":%d,"op":%q,"kind":%q,"task":%q}`, FormatTime(r.At), r.Seq, strings.ToValidUTF8(r.Op, "?"), r.Kind, r.Task)
	}
	return append(append(buf, b...), '\n')
}

// ParseReflection reads a line.
func ParseReflection(line []byte) (Reflection, error) {
	var r Reflection
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("this is no reflection: %w", err)
	}
	if r.Kind == "" || r.At.IsZero() || !r.Task.Valid() && r.Task != "" {
		return r, fmt.Errorf("this is no reflection: it has no kind, time or task")
	}
	return r, nil
}

// ReflectOn is the line about an event; false where it is no verdict of a person. talk are the comments
// on the task's plan, nil where they are not known.
func ReflectOn(e *Event, talk *ReviewFile) (Reflection, bool) {
	row, ok := Lookup(e.Name)
	if !ok || e.Actor.Kind() != Human || e.Cause != "" || !row.Verdict && e.Name != UndoVerdict {
		return Reflection{}, false
	}
	r := Reflection{
		At: e.At, Seq: e.Seq, Op: e.OpID, Kind: ReflectVerdict, Task: e.UID, Actor: e.Actor,
		Verdict: e.Name, Reason: ReflectedWords(e.Reason), Revision: e.Number("revision"),
	}
	switch e.Name {
	case UndoVerdict:
		r.Undone, r.Request = Name(e.Text("transition")), e.Text("request")
		if r.Undone == "" {
			r.Undone = AnswerRequest
		}
	case AnswerRequest:
		r.Decision, r.Choice, r.Request = Decision(e.Text("decision")), ReflectedWords(e.Text("choice")), e.Text("request")
		r.Title, r.Reason = ReflectedWords(e.Text("title")), ReflectedWords(orWord(e.Text("text"), e.Reason))
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
		case Demand:
			r.Comments.Changes++
		case Question:
			r.Comments.Questions++
		}
	}
	return r, true
}

// ReflectOnRun is the line about a run that is over; false while it is not. seq and op are of the
// operation that ended it.
func ReflectOnRun(run *Run, seq uint64, op string) (Reflection, bool) {
	if run.Live() {
		return Reflection{}, false
	}
	r := Reflection{
		At: run.Ended, Seq: seq, Op: op, Kind: ReflectRun, Task: run.Task, Actor: run.Worker, Run: run.ID, Outcome: run.Outcome,
		Seconds: int((run.Took() + time.Second - 1) / time.Second),
	}
	if p := run.Report; p != nil {
		r.Attempt, r.Template, r.Phase, r.Why = p.Attempt, p.Template, p.Phase, ReflectedWords(p.Why)
		r.Cost, r.Tested, r.Verified = p.Cost, p.Tested, p.Verified
		for _, c := range p.Criteria {
			if c.State != "" && c.State != "passed" {
				r.Criteria++
			}
		}
	}
	return r, true
}
