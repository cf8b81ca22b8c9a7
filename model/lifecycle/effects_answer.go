package lifecycle

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vespe/model"
)

// doAnswer writes a person's decision into the request. The task goes on when nothing that
// holds it is left.
func doAnswer(s *step) *model.Refusal {
	q, _ := s.target()
	s.decide(q, s.answering())
	return s.act(q, s.answering())
}

// answering is the operation's answer; what it says may be its reason.
func (s *step) answering() model.Answering {
	by := model.ArgsOf[model.Answering](&s.op)
	if strings.TrimSpace(by.Text) == "" {
		by.Text = s.op.Reason
	}
	return by
}

// decide is what deciding on a request does, whichever operation it comes by.
func (s *step) decide(q model.Request, by model.Answering) {
	q = q.Clone()
	a := &model.Answer{
		Decision: by.Decision, By: s.op.Actor, At: s.op.At, Text: strings.TrimSpace(by.Text), Choice: by.Choice,
		Args: bytes.Clone(by.Args), Late: q.HasExpired(s.op.At),
	}
	q.Answer = a
	q.State = map[model.Decision]string{
		model.DecideAccept: model.RequestAccepted, model.DecideChoose: model.RequestAccepted, model.DecideEdit: model.RequestEdited,
		model.DecideRespond: model.RequestResponded, model.DecideDeny: model.RequestDenied, model.DecideDefer: model.RequestDeferred,
	}[by.Decision]
	s.tx.request = q.ID
	s.head = by.Decision.Verb() + " " + model.Quote(q.Title)
	if s.task != nil {
		s.head += " about " + model.Quoted(s.task)
	}
	if a.Choice != "" {
		s.say("chose " + model.Quote(a.Choice))
	}
	if a.Late {
		s.say("it had expired on " + model.FormatTime(q.ExpiresAt))
	}
	s.detail(model.TextField("request", q.ID))
	s.detail(model.TextField("title", q.Title))
	s.detail(model.TextField("decision", string(a.Decision)))
	for _, f := range []model.ExtraField{model.TextField("text", a.Text), model.TextField("choice", a.Choice)} {
		if string(f.Value) != `""` {
			s.detail(f)
		}
	}
	if a.Args != nil {
		s.detail(model.ExtraField{Key: "args", Value: bytes.Clone(a.Args)})
	}
	if q.Holds() {
		s.putHeld(q)
	} else {
		s.put(q)
		s.releaseHeld(q)
	}
	if t := s.noted(q.TaskUID); t != nil {
		t.Status.Answered = slices.DeleteFunc(t.Status.Answered, func(id string) bool { return id == q.ID })
		if !q.IsOpen() {
			t.Status.Answered = append(t.Status.Answered, q.ID)
		}
	}
	if by.Decision == model.DecideDefer {
		s.say("it keeps waiting")
		return
	}
	sayHeld(s)
}

// noted is the after-image of a task of which books are kept; nil when there is none that can
// be written.
func (x *tx) noted(uid model.UID) *model.Task {
	if t, ok := x.w.Task(uid); !ok || t.Unreadable() {
		return nil
	}
	return x.note(uid)
}

// releaseHeld lets a parent go on that was held for a failed subtask, when a person has
// decided on that.
func (x *tx) releaseHeld(q model.Request) {
	t, ok := x.w.Task(q.TaskUID)
	if !ok || !isSubtaskFailed(&q) || q.IsOpen() || t.Unreadable() || t.IsFinal() || t.Status.PauseKind() != "hitl" {
		return
	}
	for _, r := range x.w.Requests() {
		if r.TaskUID == t.UID && isSubtaskFailed(&r) && r.IsOpen() {
			return
		}
	}
	st := &x.note(t.UID).Status
	if open := model.HeldTitles(x.openOn(t.UID)); open != "" {
		st.PauseReason = "hitl: " + open
		return
	}
	x.release(st)
}

// doResumeAnswering is resume by a person of a task that waits for one request: the reason is
// the answer.
func (s *step) resumeAnswering() bool {
	q, by, ok := s.resumeAnswer()
	if !ok {
		return false
	}
	s.decide(q, by)
	return true
}

// waitsForRequests are the open requests that a task is paused for.
func (s *step) waitsForRequests() []model.Request {
	if s.task == nil || s.task.Status.PauseKind() != "hitl" {
		return nil
	}
	open := s.openOn(s.task.UID)
	_, asked, _ := strings.Cut(s.task.Status.PauseReason, ":")
	if len(open) == 0 || !strings.HasPrefix(strings.TrimSpace(asked), model.HeldTitles(open)) {
		return nil // it is paused for something else
	}
	return open
}

// resumeAnswer is the answer that resuming with a reason is.
func (s *step) resumeAnswer() (model.Request, model.Answering, bool) {
	open := s.waitsForRequests()
	text := strings.TrimSpace(s.op.Reason)
	if len(open) != 1 || text == "" && !s.trial {
		return model.Request{}, model.Answering{}, false
	}
	allowed := open[0].Allowed()
	switch {
	case slices.Contains(allowed, model.DecideChoose) && slices.Contains(open[0].Options, text):
		return open[0], model.Answering{Decision: model.DecideChoose, Choice: text}, true
	case slices.Contains(allowed, model.DecideRespond):
		return open[0], model.Answering{Decision: model.DecideRespond, Text: text}, true
	}
	return model.Request{}, model.Answering{}, false
}

// needResumeAnswer refuses to pass over what was asked.
var needResumeAnswer = check{GuardInfo{model.GuardRequest, "if requests hold it: only one, which the reason answers"}, func(s *step) *model.Refusal {
	open := s.waitsForRequests()
	if len(open) == 0 {
		return nil
	}
	if _, _, ok := s.resumeAnswer(); ok {
		return nil
	}
	q := open[0]
	why := fmt.Sprintf("it waits for an answer to %s (%s)", model.Quote(q.Title), q.ID)
	if len(open) > 1 {
		why = fmt.Sprintf("it waits for answers to %s (%s) and %s", model.Quote(q.Title), q.ID, model.Plural(len(open)-1, "other request", "other requests"))
	}
	return s.refuse(model.CodeRefused, model.GuardRequest, why, answerHint(&q))
}}

// answerHint is how a request can be answered.
func answerHint(q *model.Request) string {
	var words []string
	for _, d := range q.Allowed() {
		words = append(words, string(d))
	}
	return fmt.Sprintf("`vespe request answer %s` takes %s", q.ID, strings.Join(words, ", "))
}

// doFetch writes down that an agent has read an answer. Nothing is consumed by that.
func doFetch(s *step) *model.Refusal {
	q, _ := s.requestOf(s.op.Request())
	s.tx.request = q.ID
	if q.Answer == nil || q.Answer.FetchedBy != "" {
		s.quiet = true
		s.head = "nothing to fetch: " + model.Quote(q.Title)
		return nil
	}
	q = q.Clone()
	q.Answer.FetchedBy, q.Answer.FetchedAt = s.op.Actor, s.op.At
	s.put(q)
	s.noted(q.TaskUID)
	s.head = fmt.Sprintf("%s has read the answer to %s", s.op.Actor, model.Quote(q.Title))
	s.detail(model.TextField("request", q.ID))
	return nil
}

// undoAnswer is the request whose answer an undo takes back: the one that it names, else the last
// one of its task that nothing came of. ok is false for an undo of a verdict.
func (s *step) undoAnswer() (q model.Request, ok bool) {
	if undoesChoice(s) {
		return q, false
	}
	if s.op.Request() != "" {
		return s.requestOf(s.op.Request())
	}
	if s.task == nil || s.op.Name != model.UndoVerdict {
		return q, false
	}
	for _, id := range slices.Backward(s.task.Status.Answered) {
		r, found := s.requestOf(id)
		if !found || r.Answer == nil {
			continue
		}
		return r, true // a verdict takes the right to undo the answers before it
	}
	return q, false
}

// undoableAnswer refuses when there is no answer, or when something has come of it.
func (s *step) undoableAnswer(q model.Request) *model.Refusal {
	bad := func(why, hint string) *model.Refusal { return s.refuse(model.CodeRefused, model.GuardUndo, why, hint) }
	const hint = "replan or abort the task, or tell its worker"
	switch {
	case q.Answer == nil && q.IsOpen():
		return bad("no one has answered it", "answer it")
	case q.Answer == nil || q.State == model.RequestSuperseded:
		return bad("it is "+decidedBy(&q), "there is nothing to do")
	case q.Answer.ActedBy != "":
		return bad(fmt.Sprintf("%s has acted on it: %s, %s", q.Answer.ActedBy, q.Answer.ActedWith, model.FormatTime(q.Answer.ActedAt)), hint)
	}
	for _, r := range s.w.Requests() {
		if r.ID != q.ID && r.TaskUID == q.TaskUID && r.Key != "" && r.Key == q.Key && r.Holds() && q.Holds() && r.IsOpen() {
			return bad("it was asked again, as "+r.ID, "answer that one")
		}
	}
	t, there := s.w.Task(q.TaskUID)
	switch {
	case !there:
		return nil // nobody can act on it
	case t.Unreadable():
		return refuseUnreadable(s, t)
	case !q.IsOpen() && !slices.Contains(t.Status.Answered, q.ID):
		return bad(consumed(t), hint)
	}
	return nil
}

// takeBackAnswer makes a request wait again, and its task with it.
func (s *step) takeBackAnswer(q model.Request) {
	a := q.Answer
	q = q.Clone()
	q.State, q.Answer = model.RequestPending, nil
	s.tx.request = q.ID
	s.head = "undo the answer to " + model.Quote(q.Title)
	if s.task != nil {
		s.head += " of " + model.Quoted(s.task)
	}
	sayWhoDecided(s, a.By)
	if a.FetchedBy != "" {
		s.say(fmt.Sprintf("%s has already read it (%s)", a.FetchedBy, model.FormatTime(a.FetchedAt)))
		s.detail(model.TextField("fetched_by", string(a.FetchedBy)))
	}
	s.detail(model.TextField("request", q.ID))
	s.detail(model.TextField("decision", string(a.Decision)))
	s.detail(model.TextField("decided_at", model.FormatTime(a.At)))
	if t := s.noted(q.TaskUID); t != nil {
		t.Status.Answered = slices.DeleteFunc(t.Status.Answered, func(id string) bool { return id == q.ID })
	}
	if q.Holds() {
		s.putHeld(q)
	} else {
		s.put(q)
		s.holdAgain(q)
		if q.Key == model.DepFailedKey(q.TaskUID) {
			s.settleFailed(q.TaskUID) // nobody may wait any more
		}
	}
	sayHeld(s)
}

// failedSubtask is what the subtask was called when it failed, from the title of the request about it; ""
// where that does not have the whole name.
func failedSubtask(title string) string {
	parent, err := strconv.QuotedPrefix(title)
	if err != nil {
		return ""
	}
	rest, ok := strings.CutPrefix(title[len(parent):], subtaskHeld)
	if !ok {
		return ""
	}
	quotedName, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return ""
	}
	name, err := strconv.Unquote(quotedName)
	if err != nil || utf8.RuneCountInString(name) >= model.MaxQuoted {
		return ""
	}
	return name
}

// holdAgain holds a parent for a failed subtask once more.
func (x *tx) holdAgain(q model.Request) {
	t, ok := x.w.Task(q.TaskUID)
	if !ok || !isSubtaskFailed(&q) || t.Unreadable() || t.IsFinal() {
		return
	}
	word := failedSubtask(q.Title)
	if word == "" {
		name := model.UID(strings.TrimPrefix(q.Key, model.SubtaskFailed))
		word = string(name)
		if child, ok := x.w.Task(name); ok {
			word = child.Config.Name
		}
	}
	holdFor(x.note(t.UID), fmt.Sprintf("subtask %s failed", word))
}

// decidedBy says what came of a request: "accepted by human:ann, 2026-01-02 15:04: text".
func decidedBy(q *model.Request) string {
	a := q.Answer
	if a == nil || q.State == model.RequestSuperseded {
		return q.State
	}
	out := fmt.Sprintf("%s by %s", q.State, model.OrSomebody(a.By))
	if !a.At.IsZero() {
		out += ", " + model.FormatTime(a.At)
	}
	if a.Choice != "" {
		out += ": " + model.Quote(a.Choice)
	}
	if text := strings.TrimSpace(a.Text); text != "" {
		out += ": " + model.Quote(text)
	}
	return out
}
