package lifecycle

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// doAnswer writes a person's decision into the request. The task goes on when nothing that
// holds it is left.
func doAnswer(s *machine.Step) *model.Refusal {
	q, _ := target(s)
	decide(s, q, answering(s))
	return act(s, q, answering(s))
}

// answering is the operation's answer; what it says may be its reason.
func answering(s *machine.Step) model.Answering {
	by := model.ArgsOf[model.Answering](&s.Op)
	if strings.TrimSpace(by.Text) == "" {
		by.Text = s.Op.Reason
	}
	return by
}

// decide is what deciding on a request does, whichever operation it comes by.
func decide(s *machine.Step, q model.Request, by model.Answering) {
	q = q.Clone()
	a := &model.Answer{
		Decision: by.Decision, By: s.Op.Actor, At: s.Op.At, Text: strings.TrimSpace(by.Text), Choice: by.Choice,
		Args: bytes.Clone(by.Args), Late: q.HasExpired(s.Op.At),
	}
	q.Answer = a
	q.State = map[model.Decision]string{
		model.DecideAccept: model.RequestAccepted, model.DecideChoose: model.RequestAccepted, model.DecideEdit: model.RequestEdited,
		model.DecideRespond: model.RequestResponded, model.DecideDeny: model.RequestDenied, model.DecideDefer: model.RequestDeferred,
	}[by.Decision]
	s.Tx.Request = q.ID
	s.Deed = by.Decision.Deed(model.Quote(q.Title))
	if a.Choice != "" {
		s.Deed = model.Deed{Verb: "choose", Object: model.Quote(a.Choice) + " for " + model.Quote(q.Title)}
	}
	if s.Task != nil {
		s.Deed.Object += " about " + model.Quoted(s.Task)
	}
	if a.Late {
		s.Say(machine.HadExpired, model.FormatTime(q.ExpiresAt))
	}
	s.Detail(model.TextField("request", q.ID))
	s.Detail(model.TextField("title", q.Title))
	s.Detail(model.TextField("decision", string(a.Decision)))
	for _, f := range []model.ExtraField{model.TextField("text", a.Text), model.TextField("choice", a.Choice)} {
		if string(f.Value) != `""` {
			s.Detail(f)
		}
	}
	if a.Args != nil {
		s.Detail(model.ExtraField{Key: "args", Value: bytes.Clone(a.Args)})
	}
	if q.Holds() {
		putHeld(s.Tx, q)
	} else {
		put(s.Tx, q)
		releaseHeld(s.Tx, q)
	}
	if t := noted(s.Tx, q.TaskUID); t != nil {
		t.Status.Answered = slices.DeleteFunc(t.Status.Answered, func(id string) bool { return id == q.ID })
		if !q.IsOpen() {
			t.Status.Answered = append(t.Status.Answered, q.ID)
		}
	}
	if by.Decision == model.DecideDefer {
		s.Say(machine.KeepsWaiting)
		return
	}
	sayHeld(s)
}

// noted is the after-image of a task of which books are kept; nil when there is none that can
// be written.
func noted(x *machine.Tx, uid model.UID) *model.Task {
	if t, ok := x.World.Task(uid); !ok || t.Unreadable() {
		return nil
	}
	return x.Note(uid)
}

// releaseHeld lets a parent go on that was held for a failed subtask, when a person has
// decided on that.
func releaseHeld(x *machine.Tx, q model.Request) {
	t, ok := x.World.Task(q.TaskUID)
	if !ok || !isSubtaskFailed(&q) || q.IsOpen() || t.Unreadable() || t.IsFinal() || t.Status.PauseKind() != "hitl" {
		return
	}
	for _, r := range x.World.Requests() {
		if r.TaskUID == t.UID && isSubtaskFailed(&r) && r.IsOpen() {
			return
		}
	}
	st := &x.Note(t.UID).Status
	if open := model.HeldTitles(x.OpenOn(t.UID)); open != "" {
		st.PauseReason = "hitl: " + open
		return
	}
	release(x, st)
}

// doResumeAnswering is resume by a person of a task that waits for one request: the reason is
// the answer.
func resumeAnswering(s *machine.Step) bool {
	q, by, ok := resumeAnswer(s)
	if !ok {
		return false
	}
	decide(s, q, by)
	return true
}

// waitsForRequests are the open requests that a task is paused for.
func waitsForRequests(s *machine.Step) []model.Request {
	if s.Task == nil || s.Task.Status.PauseKind() != "hitl" {
		return nil
	}
	open := s.OpenOn(s.Task.UID)
	_, asked, _ := strings.Cut(s.Task.Status.PauseReason, ":")
	if len(open) == 0 || !strings.HasPrefix(strings.TrimSpace(asked), model.HeldTitles(open)) {
		return nil // it is paused for something else
	}
	return open
}

// resumeAnswer is the answer that resuming with a reason is.
func resumeAnswer(s *machine.Step) (model.Request, model.Answering, bool) {
	open := waitsForRequests(s)
	text := strings.TrimSpace(s.Op.Reason)
	if len(open) != 1 || text == "" && !s.Trial {
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
var needResumeAnswer = machine.Need(model.GuardRequest, "if requests hold it: only one, which the reason answers", func(s *machine.Step) *model.Refusal {
	open := waitsForRequests(s)
	if len(open) == 0 {
		return nil
	}
	if _, _, ok := resumeAnswer(s); ok {
		return nil
	}
	q := open[0]
	why := fmt.Sprintf("it waits for an answer to %s (%s)", model.Quote(q.Title), q.ID)
	if len(open) > 1 {
		why = fmt.Sprintf("it waits for answers to %s (%s) and %s", model.Quote(q.Title), q.ID, model.Plural(len(open)-1, "other request", "other requests"))
	}
	return s.Refuse(model.CodeRefused, model.GuardRequest, why, answerHint(&q))
})

// answerHint is how a request can be answered.
func answerHint(q *model.Request) string {
	var words []string
	for _, d := range q.Allowed() {
		words = append(words, string(d))
	}
	return fmt.Sprintf("`vespe request answer %s` takes %s", q.ID, strings.Join(words, ", "))
}

// doFetch writes down that an agent has read an answer. Nothing is consumed by that.
func doFetch(s *machine.Step) *model.Refusal {
	q, _ := s.RequestOf(s.Op.Request())
	s.Tx.Request = q.ID
	if q.Answer == nil || q.Answer.FetchedBy != "" {
		s.Quiet = true
		s.Deed.Object = "nothing to fetch: " + model.Quote(q.Title)
		return nil
	}
	q = q.Clone()
	q.Answer.FetchedBy, q.Answer.FetchedAt = s.Op.Actor, s.Op.At
	put(s.Tx, q)
	noted(s.Tx, q.TaskUID)
	s.Deed.Object = fmt.Sprintf("%s has read the answer to %s", s.Op.Actor, model.Quote(q.Title))
	s.Detail(model.TextField("request", q.ID))
	return nil
}

// undoAnswer is the request whose answer an undo takes back: the one that it names, else the last
// one of its task that nothing came of. ok is false for an undo of a verdict.
func undoAnswer(s *machine.Step) (q model.Request, ok bool) {
	if undoesChoice(s) {
		return q, false
	}
	if s.Op.Request() != "" {
		return s.RequestOf(s.Op.Request())
	}
	if s.Task == nil || s.Op.Name != model.UndoVerdict {
		return q, false
	}
	for _, id := range slices.Backward(s.Task.Status.Answered) {
		r, found := s.RequestOf(id)
		if !found || r.Answer == nil {
			continue
		}
		return r, true // a verdict takes the right to undo the answers before it
	}
	return q, false
}

// undoableAnswer refuses when there is no answer, or when something has come of it.
func undoableAnswer(s *machine.Step, q model.Request) *model.Refusal {
	bad := func(why, hint string) *model.Refusal { return s.Refuse(model.CodeRefused, model.GuardUndo, why, hint) }
	const hint = "replan or abort the task, or tell its worker"
	switch {
	case q.Answer == nil && q.IsOpen():
		return bad("no one has answered it", "answer it")
	case q.Answer == nil || q.State == model.RequestSuperseded:
		return bad("it is "+decidedBy(&q), "there is nothing to do")
	case q.Answer.ActedBy != "":
		return bad(fmt.Sprintf("%s has acted on it: %s, %s", q.Answer.ActedBy, q.Answer.ActedWith, model.FormatTime(q.Answer.ActedAt)), hint)
	}
	for _, r := range s.World.Requests() {
		if r.ID != q.ID && r.TaskUID == q.TaskUID && r.Key != "" && r.Key == q.Key && r.Holds() && q.Holds() && r.IsOpen() {
			return bad("it was asked again, as "+r.ID, "answer that one")
		}
	}
	t, there := s.World.Task(q.TaskUID)
	switch {
	case !there:
		return nil // nobody can act on it
	case t.Unreadable():
		return machine.RefuseUnreadable(s, t)
	case !q.IsOpen() && !slices.Contains(t.Status.Answered, q.ID):
		return bad(consumed(t), hint)
	}
	return nil
}

// takeBackAnswer makes a request wait again, and its task with it.
func takeBackAnswer(s *machine.Step, q model.Request) {
	a := q.Answer
	q = q.Clone()
	q.State, q.Answer = model.RequestPending, nil
	s.Tx.Request = q.ID
	s.Deed = model.Deed{Verb: "undo", Object: "the answer to " + model.Quote(q.Title)}
	if s.Task != nil {
		s.Deed.Object += " about " + model.Quoted(s.Task)
	}
	sayWhoDecided(s, a.By)
	if a.FetchedBy != "" {
		s.Say(machine.WasRead, a.FetchedBy)
		s.Detail(model.TextField("fetched_at", model.FormatTime(a.FetchedAt)))
		s.Detail(model.TextField("fetched_by", string(a.FetchedBy)))
	}
	s.Detail(model.TextField("request", q.ID))
	s.Detail(model.TextField("decision", string(a.Decision)))
	s.Detail(model.TextField("decided_at", model.FormatTime(a.At)))
	if t := noted(s.Tx, q.TaskUID); t != nil {
		t.Status.Answered = slices.DeleteFunc(t.Status.Answered, func(id string) bool { return id == q.ID })
	}
	if q.Holds() {
		putHeld(s.Tx, q)
	} else {
		put(s.Tx, q)
		holdAgain(s.Tx, q)
		if q.Key == model.DepFailedKey(q.TaskUID) {
			settleFailed(s.Tx, q.TaskUID) // nobody may wait any more
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
func holdAgain(x *machine.Tx, q model.Request) {
	t, ok := x.World.Task(q.TaskUID)
	if !ok || !isSubtaskFailed(&q) || t.Unreadable() || t.IsFinal() {
		return
	}
	word := failedSubtask(q.Title)
	if word == "" {
		name := model.UID(strings.TrimPrefix(q.Key, model.SubtaskFailed))
		word = string(name)
		if child, ok := x.World.Task(name); ok {
			word = child.Config.Name
		}
	}
	holdFor(x.Note(t.UID), fmt.Sprintf("subtask %s failed", word))
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
