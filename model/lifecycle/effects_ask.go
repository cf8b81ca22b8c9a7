package lifecycle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

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
func asked(s *machine.Step) (model.Request, bool) {
	n := model.ArgsOf[model.NewRequest](&s.Op)
	if n.Key == "" {
		return model.Request{}, false
	}
	var found model.Request
	var ok bool
	for _, r := range s.World.Requests() {
		if r.TaskUID != s.Op.UID || r.Key != n.Key || !r.Holds() || r.State == model.RequestSuperseded {
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
func doAsk(s *machine.Step) *model.Refusal {
	n := model.ArgsOf[model.NewRequest](&s.Op)
	if r, ok := asked(s); ok {
		askedAlready(s, &r)
		return nil
	}
	q := fileAsked(s, "ask", NewRequestID(s.Op.UID, n.Key, s.Tx.Op.ID), requestKind(&n), true)
	if q.Detail != "" {
		s.Detail(model.TextField("detail", q.Detail))
	}
	if len(q.Options) > 0 {
		s.Detail(model.ListField("options", q.Options))
	}
	if q.Args != nil {
		s.Detail(model.ExtraField{Key: "args", Value: bytes.Clone(q.Args)})
	}
	if !q.ExpiresAt.IsZero() {
		s.Detail(model.TimeField("expires_at", q.ExpiresAt))
	}
	return nil
}

// askedAlready says that what is asked is a request that is there.
func askedAlready(s *machine.Step, r *model.Request) {
	s.Quiet = true
	s.Tx.Request = r.ID
	s.Deed.Object = "already asked: " + model.Quote(r.Title)
	s.Say(machine.DecidedAs, decidedBy(r))
}

// fileAsked files what the operation asks as a request of a kind with an id, for which its task waits or not.
func fileAsked(s *machine.Step, verb, id, kind string, holds bool) *model.Request {
	n := model.ArgsOf[model.NewRequest](&s.Op)
	q := model.Request{
		ID: id, TaskUID: s.Op.UID, Kind: kind, Title: strings.TrimSpace(n.Title),
		Detail: n.Detail, Options: slices.Clone(n.Options), Args: bytes.Clone(n.Args), Allow: slices.Clone(n.Allow),
		Risk: n.Risk, State: model.RequestPending, CreatedAt: s.Op.At, CreatedBy: s.Op.Actor, ExpiresAt: n.ExpiresAt.UTC(), Key: n.Key,
	}
	s.Tx.Request = q.ID
	s.Deed = model.Deed{Verb: verb, Object: model.Quote(q.Title)}
	if s.Task != nil {
		s.Deed.Object += " about " + model.Quoted(s.Task)
	}
	if holds {
		putHeld(s.Tx, q)
	} else {
		put(s.Tx, q)
	}
	noted(s.Tx, q.TaskUID) // also where its pause stays what it is: there is an event
	sayHeld(s)
	s.Detail(model.TextField("request", q.ID))
	s.Detail(model.TextField("kind", q.Kind))
	s.Detail(model.TextField("title", q.Title))
	return &q
}

// sayHeld says what the operation did to the pause.
func sayHeld(s *machine.Step) {
	h, ok := s.Touched[s.Op.UID]
	if !ok || h.Orig == nil {
		return
	}
	t := h.Task
	was, is := h.Orig.Status, h.Task.Status
	switch {
	case is.PauseKind() == "hitl" && was.PauseKind() != "hitl":
		s.Say(machine.WaitsForPerson, t)
	case was.PauseKind() == "hitl" && is.PauseKind() == "hitl" && was.PauseReason != is.PauseReason:
		s.Say(machine.StillWaitsForPerson, t)
	case was.PauseKind() == "hitl" && is.PauseKind() == "subtasks":
		s.Say(machine.StillWaitsFor, t, is.SubtaskUIDs)
	case was.PauseKind() == "hitl" && !is.IsPaused:
		if model.ArgsOf[model.Answering](&s.Op).Decision == model.DecideDeny {
			s.Say(machine.ResumesWithout, t) // it must not read like a yes
			return
		}
		s.Say(machine.Resumes, t)
	case is.PauseKind() == "other":
		s.Say(machine.StaysPaused, t)
	}
}

// The pause of a task that waits for requests is made of their titles: "hitl: " and each title,
// and after them what else it waits for a person for. So what a request adds to it, and takes
// from it, can be told without being kept anywhere.

// putHeld files a request or changes it, and brings the pause of its task in line.
func putHeld(x *machine.Tx, q model.Request) {
	uid := q.TaskUID
	before := model.HeldTitles(x.OpenOn(uid))
	put(x, q)
	after := model.HeldTitles(x.OpenOn(uid))
	t, ok := x.World.Task(uid)
	if !ok || t.Unreadable() || t.IsFinal() || before == after {
		return
	}
	pause, changed := HeldPause(&t.Status, before, after)
	if !changed {
		return
	}
	st := &x.Note(uid).Status
	if pause != "" {
		st.IsPaused, st.PauseReason = true, pause
		return
	}
	release(x, st)
}

// release takes a pause for a person back: with subtasks still open, the task waits for these.
func release(x *machine.Tx, st *model.StatusFile) {
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool { return !x.IsOpen(c) })
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
func close(x *machine.Tx, r model.Request) {
	x.Closed = append(x.Closed, model.UndoRequest{ID: r.ID, State: r.State})
	r = r.Clone()
	r.State = model.RequestSuperseded
	if r.Holds() {
		putHeld(x, r)
		return
	}
	put(x, r)
}

// settleAsked closes what was asked about a task that has ended for good, and consents to a
// start by a plan that is not the accepted one any more.
func settleAsked(x *machine.Tx, uid model.UID) {
	t, ok := x.World.Task(uid)
	if !ok || x.Op.Name == model.CreateTask {
		return
	}
	for _, r := range x.OpenOn(uid) {
		if t.IsFinal() || strings.HasPrefix(r.Key, startConsent) && r.Key != ConsentKey(t) {
			close(x, r)
			x.Also(machine.Supersedes, model.Quote(r.Title))
		}
	}
}

// settleAnswers writes down who acted first on the answers that a task had. Taking back what
// they did takes that back, too.
func settleAnswers(x *machine.Tx) {
	for _, uid := range slices.Clone(x.Order) {
		h := x.Touched[uid]
		if h.Orig == nil {
			continue
		}
		for _, id := range h.Orig.Status.Answered {
			if r, ok := x.RequestOf(id); ok && r.Answer != nil && r.Answer.ActedBy == "" && !slices.Contains(h.Task.Status.Answered, id) {
				r = r.Clone()
				r.Answer.ActedBy, r.Answer.ActedAt, r.Answer.ActedWith = x.Op.Actor, x.Op.At, x.Op.Name
				put(x, r)
			}
		}
		for _, id := range h.Task.Status.Answered {
			if r, ok := x.RequestOf(id); ok && r.Answer != nil && r.Answer.ActedBy != "" {
				r = r.Clone()
				r.Answer.ActedBy, r.Answer.ActedAt, r.Answer.ActedWith = "", time.Time{}, ""
				put(x, r)
			}
		}
	}
}

// AsksSame reports that the request asks just what n does. When it expires is no part of that.
func AsksSame(q *model.Request, n *model.NewRequest) bool { return len(askedOtherwise(q, n)) == 0 }
