package lifecycle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
)

// isOnRequest says whether an operation is about a request rather than a task, which may be
// gone.
func isOnRequest(op *model.Op) bool {
	return op.Name == model.Ask || op.Name == model.AnswerRequest || op.Name == model.FetchAnswer || op.Name == model.Escalate || op.Name == model.Settle || op.Name == model.UndoVerdict && op.Request() != ""
}

// requestOf is the request with an id.
func (x *tx) requestOf(id string) (model.Request, bool) {
	for _, r := range x.w.Requests() {
		if r.ID == id {
			return r, true
		}
	}
	return model.Request{}, false
}

// openOn are the requests about a task that hold it while they are open, oldest first.
func (x *tx) openOn(uid model.UID) []model.Request {
	return model.OpenAmong(x.w.Requests(), uid)
}

// isSubtaskFailed says whether the request is the escalation of a parent that is held for a failed
// subtask.
func isSubtaskFailed(q *model.Request) bool {
	return !q.Holds() && strings.HasPrefix(q.Key, model.SubtaskFailed)
}

// NewRequestID is the id that ask gives to what an operation with an id asks about a task.
func NewRequestID(uid model.UID, key, opID string) string {
	sum := sha256.Sum256([]byte(string(uid) + "\x00" + key + "\x00" + opID))
	return "req-" + hex.EncodeToString(sum[:6])
}

// asked is the request that an ask means, where it is there already: it waits, or it was answered
// and nothing has come of that yet.
func (s *step) asked() (model.Request, bool) {
	n := model.ArgsOf[model.NewRequest](&s.op)
	if n.Key == "" {
		return model.Request{}, false
	}
	var found model.Request
	var ok bool
	for _, r := range s.w.Requests() {
		if r.TaskUID != s.op.UID || r.Key != n.Key || !r.Holds() || r.State == model.RequestSuperseded {
			continue
		}
		if r.IsOpen() {
			return r, true
		}
		if a := r.Answer; a != nil && a.ActedBy == "" && len(askedOtherwise(&r, &n)) == 0 {
			found, ok = r, true
		}
	}
	return found, ok
}

// askedOtherwise is what a request and another asking with its key differ in. When they expire
// is no part of the question: it is mostly said as so long from now.
func askedOtherwise(r *model.Request, n *model.NewRequest) (fields []string) {
	add := func(name string, same bool) {
		if !same {
			fields = append(fields, name)
		}
	}
	add("kind", r.Kind == requestKind(n))
	add("title", r.Title == strings.TrimSpace(n.Title))
	add("detail", r.Detail == n.Detail)
	add("options", slices.Equal(r.Options, n.Options))
	add("args", bytes.Equal(model.CompactJSON(r.Args), model.CompactJSON(n.Args)))
	add("allow", slices.Equal(r.Allow, n.Allow))
	add("risk", r.Risk == n.Risk)
	return fields
}

func requestKind(n *model.NewRequest) string {
	if n.Kind == "" {
		return model.KindQuestion
	}
	return n.Kind
}

// doAsk files a request. The task waits for it, unless somebody paused it for another reason.
func doAsk(s *step) *model.Refusal {
	n := model.ArgsOf[model.NewRequest](&s.op)
	if r, ok := s.asked(); ok {
		s.quiet = true
		s.tx.request = r.ID
		s.head = fmt.Sprintf("ask %s: already asked", model.Quote(r.Title))
		s.say(decidedBy(&r))
		return nil
	}
	q := model.Request{
		ID: NewRequestID(s.op.UID, n.Key, s.tx.op.ID), TaskUID: s.op.UID, Kind: requestKind(&n), Title: strings.TrimSpace(n.Title),
		Detail: n.Detail, Options: slices.Clone(n.Options), Args: bytes.Clone(n.Args), Allow: slices.Clone(n.Allow),
		Risk: n.Risk, State: model.RequestPending, CreatedAt: s.op.At, CreatedBy: s.op.Actor, ExpiresAt: n.ExpiresAt.UTC(), Key: n.Key,
	}
	s.tx.request = q.ID
	s.head = "ask " + model.Quote(q.Title)
	if s.task != nil {
		s.head += " about " + model.Quoted(s.task)
	}
	s.putHeld(q)
	s.noted(q.TaskUID) // also where its pause stays what it is: there is an event
	sayHeld(s)
	s.detail(model.TextField("request", q.ID))
	s.detail(model.TextField("kind", q.Kind))
	s.detail(model.TextField("title", q.Title))
	if q.Detail != "" {
		s.detail(model.TextField("detail", q.Detail))
	}
	if len(q.Options) > 0 {
		s.detail(model.ListField("options", q.Options))
	}
	if q.Args != nil {
		s.detail(model.ExtraField{Key: "args", Value: bytes.Clone(q.Args)})
	}
	if !q.ExpiresAt.IsZero() {
		s.detail(model.TimeField("expires_at", q.ExpiresAt))
	}
	return nil
}

// sayHeld says what the operation did to the pause.
func sayHeld(s *step) {
	h, ok := s.touched[s.op.UID]
	if !ok || h.orig == nil {
		return
	}
	was, is := h.orig.Status, h.task.Status
	switch {
	case is.PauseKind() == "hitl" && was.PauseKind() != "hitl":
		s.say("it waits for a person")
	case was.PauseKind() == "hitl" && is.PauseKind() == "hitl" && was.PauseReason != is.PauseReason:
		s.say("it still waits for a person")
	case was.PauseKind() == "hitl" && is.PauseKind() == "subtasks":
		s.say("it still waits for " + s.listed(is.SubtaskUIDs))
	case was.PauseKind() == "hitl" && !is.IsPaused:
		if model.ArgsOf[model.Answering](&s.op).Decision == model.DecideDeny {
			s.say("it resumes without that") // it must not read like a yes
			return
		}
		s.say("it resumes")
	case is.PauseKind() == "other":
		s.say("it stays paused")
	}
}

// The pause of a task that waits for requests is made of their titles: "hitl: " and each title,
// and after them what else it waits for a person for. So what a request adds to it, and takes
// from it, can be told without being kept anywhere.

// putHeld files a request or changes it, and brings the pause of its task in line.
func (x *tx) putHeld(q model.Request) {
	uid := q.TaskUID
	before := model.HeldTitles(x.openOn(uid))
	x.put(q)
	after := model.HeldTitles(x.openOn(uid))
	t, ok := x.w.Task(uid)
	if !ok || t.Unreadable() || t.IsFinal() || before == after {
		return
	}
	pause, changed := HeldPause(&t.Status, before, after)
	if !changed {
		return
	}
	st := &x.note(uid).Status
	if pause != "" {
		st.IsPaused, st.PauseReason = true, pause
		return
	}
	x.release(st)
}

// release takes a pause for a person back: with subtasks still open, the task waits for these.
func (x *tx) release(st *model.StatusFile) {
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool { return !x.isOpen(c) })
	if len(st.SubtaskUIDs) > 0 {
		st.IsPaused, st.PauseReason = true, "subtasks"
		return
	}
	st.IsPaused, st.PauseReason = false, ""
	if st.CurrentState != model.Errored {
		st.PreviousState = ""
	}
}

// HeldPause is the pause of a task whose open requests had the titles before and have those
// after; "" for none.
func HeldPause(st *model.StatusFile, before, after string) (pause string, changed bool) {
	rest := ""
	switch st.PauseKind() {
	case "other":
		return "", false // who paused it goes first
	case "hitl":
		_, rest, _ = strings.Cut(st.PauseReason, ":")
		rest = strings.TrimSpace(rest)
		if before != "" {
			left, ok := strings.CutPrefix(rest, before)
			switch {
			case ok && left == "":
				rest = ""
			case ok && strings.HasPrefix(left, "; "):
				rest = left[2:]
			case after == "":
				return "", false // it is somebody's own words, and stays
			default:
				return "", false
			}
		} else if rest == "" && after != "" {
			rest = "a person was asked" // by a pause without words
		}
	default:
		if before != "" { // it was resumed, and what is left does not hold it again
			return "", false
		}
	}
	switch {
	case after == "" && rest == "":
		return "", st.PauseKind() == "hitl"
	case after == "":
		return "hitl: " + rest, true
	case rest == "":
		return "hitl: " + after, true
	}
	return "hitl: " + after + "; " + rest, true
}

// close makes a request superseded: nobody needs to decide on it any more.
func (x *tx) close(r model.Request) {
	x.closed = append(x.closed, model.UndoRequest{ID: r.ID, State: r.State})
	r = r.Clone()
	r.State = model.RequestSuperseded
	if r.Holds() {
		x.putHeld(r)
		return
	}
	x.put(r)
}

// settleAsked closes what was asked about a task that has ended for good, and consents to a
// start by a plan that is not the accepted one any more.
func (x *tx) settleAsked(uid model.UID) {
	t, ok := x.w.Task(uid)
	if !ok || x.op.Name == model.CreateTask {
		return
	}
	for _, r := range x.openOn(uid) {
		if t.IsFinal() || strings.HasPrefix(r.Key, startConsent) && r.Key != ConsentKey(t) {
			x.close(r)
			x.also("its request is superseded: " + model.Quote(r.Title))
		}
	}
}

// settleAnswers writes down who acted first on the answers that a task had. Taking back what
// they did takes that back, too.
func (x *tx) settleAnswers() {
	for _, uid := range slices.Clone(x.order) {
		h := x.touched[uid]
		if h.orig == nil {
			continue
		}
		for _, id := range h.orig.Status.Answered {
			if r, ok := x.requestOf(id); ok && r.Answer != nil && r.Answer.ActedBy == "" && !slices.Contains(h.task.Status.Answered, id) {
				r = r.Clone()
				r.Answer.ActedBy, r.Answer.ActedAt, r.Answer.ActedWith = x.op.Actor, x.op.At, x.op.Name
				x.put(r)
			}
		}
		for _, id := range h.task.Status.Answered {
			if r, ok := x.requestOf(id); ok && r.Answer != nil && r.Answer.ActedBy != "" {
				r = r.Clone()
				r.Answer.ActedBy, r.Answer.ActedAt, r.Answer.ActedWith = "", time.Time{}, ""
				x.put(r)
			}
		}
	}
}

// AsksSame reports that the request asks just what n does. When it expires is no part of that.
func AsksSame(q *model.Request, n *model.NewRequest) bool { return len(askedOtherwise(q, n)) == 0 }
