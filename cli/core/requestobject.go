package core

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// RequestObject is a request with what came of it.
type RequestObject struct {
	ID        string          `json:"id"`
	UID       string          `json:"uid,omitempty"`
	Name      string          `json:"name,omitempty"`
	Kind      string          `json:"kind"`
	Title     string          `json:"title"`
	Detail    string          `json:"detail,omitempty"`
	Options   []string        `json:"options,omitempty"`
	Choices   []choiceObject  `json:"choices,omitempty"` // of the options, those that do something by themselves; while it waits
	Args      json.RawMessage `json:"args,omitempty"`
	Allowed   []string        `json:"allowed,omitempty"` // decisions; while it waits
	Risk      string          `json:"risk,omitempty"`
	State     string          `json:"state"`
	CreatedBy string          `json:"created_by"`
	CreatedAt *time.Time      `json:"created_at,omitempty"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty"`
	Key       string          `json:"key,omitempty"`
	Hash      string          `json:"hash"` // of what was asked; --seen of answer takes it
	Answer    *answerObject   `json:"answer,omitempty"`
	Others    []answerObject  `json:"other_answers,omitempty"`
}

// choiceObject is an option that does something, and what that would be now.
type choiceObject struct {
	Option  string `json:"option"`
	Does    string `json:"does"`
	Words   bool   `json:"needs_words,omitempty"`
	Would   string `json:"would,omitempty"`   // what would happen now
	Refused string `json:"refused,omitempty"` // why it cannot happen now
}

func choicesOf(snap *snapshot.Snapshot, q *model.Request) (out []choiceObject) {
	for _, c := range lifecycle.Choices(q) {
		o := choiceObject{Option: c.Option, Does: c.Does, Words: c.Words}
		if ch, err := c.Preview(snap, q, "human:somebody"); err != nil {
			o.Refused = err.Error()
		} else {
			o.Would = ch.Would()
		}
		out = append(out, o)
	}
	return out
}

type answerObject struct {
	Decision  string          `json:"decision"`
	By        string          `json:"by"`
	At        *time.Time      `json:"at,omitempty"`
	Text      string          `json:"text,omitempty"`
	Choice    string          `json:"choice,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	Late      bool            `json:"late,omitempty"`
	FetchedBy string          `json:"fetched_by,omitempty"`
	FetchedAt *time.Time      `json:"fetched_at,omitempty"`
	ActedBy   string          `json:"acted_by,omitempty"`
	ActedAt   *time.Time      `json:"acted_at,omitempty"`
	ActedWith string          `json:"acted_with,omitempty"`
}

func RequestOf(snap *snapshot.Snapshot, q *model.Request, now time.Time) RequestObject {
	o := RequestObject{
		ID: q.ID, UID: string(q.TaskUID), Kind: q.Kind, Title: q.Title, Detail: q.Detail, Options: q.Options, Args: q.Args,
		Risk: q.Risk, State: q.StateAt(now), CreatedBy: string(q.CreatedBy), CreatedAt: desk.TimeOrNil(q.CreatedAt),
		ExpiresAt: desk.TimeOrNil(q.ExpiresAt), Key: q.Key, Hash: q.ContentHash(),
	}
	if t, ok := snap.Task(q.TaskUID); ok {
		o.Name = t.Config.Name
	}
	if q.IsOpen() {
		o.Choices = choicesOf(snap, q)
		for _, d := range q.Allowed() {
			o.Allowed = append(o.Allowed, string(d))
		}
	}
	if q.Answer != nil {
		a := answerOf(q.Answer)
		o.Answer = &a
	}
	for i := range q.Others {
		o.Others = append(o.Others, answerOf(&q.Others[i]))
	}
	return o
}

func answerOf(a *model.Answer) answerObject {
	return answerObject{
		Decision: string(a.Decision), By: string(a.By), At: desk.TimeOrNil(a.At), Text: a.Text, Choice: a.Choice, Args: a.Args, Late: a.Late,
		FetchedBy: string(a.FetchedBy), FetchedAt: desk.TimeOrNil(a.FetchedAt),
		ActedBy: string(a.ActedBy), ActedAt: desk.TimeOrNil(a.ActedAt), ActedWith: string(a.ActedWith),
	}
}

// DecisionWord is what people call a decision on a request, as an argument too.
func DecisionWord(d model.Decision) string {
	if d == model.DecideAccept {
		return "approve"
	}
	return string(d)
}

// decided tells a decision that was made: "approved".
func decided(d model.Decision) string {
	switch d {
	case model.DecideChoose, model.DecideRespond:
		return "answered"
	case model.DecideEdit:
		return "approved with other arguments"
	}
	return strings.ToLower(model.Deed{Verb: DecisionWord(d)}.Done())
}

// RequestState is the state of a request in the words of the screen.
func RequestState(q *model.Request, now time.Time) string {
	state := q.StateAt(now)
	switch {
	case state == model.RequestResponded, state == model.RequestAccepted && q.Answer != nil && q.Answer.Decision == model.DecideChoose:
		return "answered"
	case state == model.RequestAccepted, state == model.RequestEdited:
		return "approved"
	}
	return visible.Line(state)
}

// PrintRequest prints a request whole: nothing that a person decides on is cut or hidden.
func PrintRequest(w io.Writer, snap *snapshot.Snapshot, q *model.Request, now time.Time) {
	row := FieldsTo(w)
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format("2006-01-02 15:04")
	}
	by := func(who model.Actor, at time.Time) string {
		if who == "" {
			return ""
		}
		return strings.TrimSpace(string(who) + "  " + stamp(at))
	}
	fmt.Fprintf(w, "%s  %s\n", visible.Line(q.Title), RequestState(q, now))
	row("request", q.ID)
	if t, ok := snap.Task(q.TaskUID); ok {
		row("task", t.Config.Name+"  "+t.UID.Short())
	} else if q.TaskUID != "" {
		row("task", string(q.TaskUID)+"  (unknown task)")
	}
	row("kind", q.Kind)
	row("risk", q.Risk)
	row("asked by", by(q.CreatedBy, q.CreatedAt))
	row("expires", stamp(q.ExpiresAt))
	row("key", q.Key)
	choices := map[string]choiceObject{}
	if q.IsOpen() {
		for _, c := range choicesOf(snap, q) {
			choices[c.Option] = c
		}
	}
	for i, o := range q.Options {
		does := ""
		if c, ok := choices[o]; ok {
			does = ": " + c.Does
			if c.Words {
				does += " Give the reason with -m."
			}
			if c.Refused != "" {
				does += " Not now: " + c.Refused
			}
		}
		row(fmt.Sprintf("option %d", i+1), o+does)
	}
	if q.IsOpen() {
		var words []string
		for _, d := range q.Allowed() {
			words = append(words, DecisionWord(d))
		}
		row("answers", strings.Join(words, ", "))
	}
	if a := q.Answer; a != nil {
		row("decided", strings.TrimSpace(decided(a.Decision)+" by "+by(a.By, a.At)))
		row("chosen", a.Choice)
		if a.Late {
			row("late", "after it expired")
		}
		row("read by", by(a.FetchedBy, a.FetchedAt))
		if a.ActedBy != "" {
			row("acted on by", by(a.ActedBy, a.ActedAt)+"  "+string(a.ActedWith))
		}
	}
	for _, line := range q.OtherWords() {
		row("elsewhere", line)
	}
	block := func(name, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			fmt.Fprintf(w, "\n── %s ──\n%s\n", name, visible.String(text))
		}
	}
	block("Detail", q.Detail)
	block("Arguments", string(q.Args))
	if a := q.Answer; a != nil {
		block("Answer", a.Text)
		block("Arguments of the answer", string(a.Args))
	}
}
