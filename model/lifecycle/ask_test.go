package lifecycle_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
)

const bob model.Actor = "human:bob"

// asks files a request about a task, as an agent does, and returns its id.
func (d *desk) asks(uid model.UID, n model.NewRequest) string {
	d.Helper()
	if n.Title == "" {
		n.Title = "which port?"
	}
	c := d.do(model.Op{Name: model.Ask, UID: uid, Actor: agent, Args: n})
	if c.Request == "" {
		d.Fatal("the change names no request")
	}
	return c.Request
}

func answer(id string, by model.Answering) model.Op {
	by.Request = id
	return model.Op{Name: model.AnswerRequest, Actor: ann, Args: by}
}

func (d *desk) request(id string) model.Request {
	d.Helper()
	for _, r := range d.w.Requests() {
		if r.ID == id {
			return r
		}
	}
	d.Fatalf("there is no request %q", id)
	return model.Request{}
}

func (d *desk) wantRequest(id, state string) model.Request {
	d.Helper()
	q := d.request(id)
	if q.State != state {
		d.Errorf("%s is %s, want %s", id, q.State, state)
	}
	return q
}

// What a request allows, by its kind or by its own word, and what each decision makes of it.
func TestDecisions(t *testing.T) {
	args := []byte(`{"command":  "make"}`)
	options := []string{"80", "8080"}
	for _, c := range []struct {
		name string
		n    model.NewRequest
		want string // the states that each decision leads to; the guard where it is refused
	}{
		{"question", model.NewRequest{}, "decision decision responded denied decision deferred"},
		{"question with options", model.NewRequest{Options: options}, "decision decision responded denied accepted deferred"},
		{"choice", model.NewRequest{Kind: model.KindChoice, Options: options}, "decision decision responded denied accepted deferred"},
		{"action", model.NewRequest{Kind: model.KindAction}, "accepted decision responded denied decision deferred"},
		{"action with arguments", model.NewRequest{Kind: model.KindAction, Args: args}, "accepted edited responded denied decision deferred"},
		{"escalation", model.NewRequest{Kind: model.KindEscalation}, "accepted decision responded denied decision deferred"},
		{"only accept", model.NewRequest{Allow: []string{"accept"}}, "accepted decision decision decision decision deferred"},
		{"only edit", model.NewRequest{Allow: []string{"edit"}, Args: args}, "decision edited decision decision decision deferred"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, want := range strings.Fields(c.want) {
				d := newDesk(t)
				uid := d.running("subject", "")
				id := d.asks(uid, c.n)
				d.wantPause(uid, "hitl")
				by := model.Answering{Decision: model.Decisions()[i], Text: "because"}
				switch by.Decision {
				case model.DecideChoose:
					by.Choice = "80"
				case model.DecideEdit:
					by.Args = []byte(`{ "command": "make -n" }`)
				}
				if want == "decision" {
					d.refused(answer(id, by), model.GuardDecision, model.CodeRefused)
					d.wantPause(uid, "hitl")
					continue
				}
				c := d.do(answer(id, by))
				q := d.wantRequest(id, want)
				if a := q.Answer; a == nil || a.By != ann || a.Decision != by.Decision || a.Text != "because" || a.Choice != by.Choice || string(a.Args) != string(by.Args) {
					t.Errorf("the answer is %+v", a)
				}
				if c.Request != id || len(c.Events) == 0 || c.Events[0].Name != model.AnswerRequest {
					t.Errorf("the change is %+v", c)
				}
				if want == model.RequestDeferred {
					d.wantPause(uid, "hitl")
				} else {
					d.wantPause(uid, "")
				}
			}
		})
	}
}

func TestAnswersThatSayTooLittle(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	id := d.asks(uid, model.NewRequest{Kind: model.KindAction, Args: []byte("{}")})
	choice := d.asks(uid, model.NewRequest{Kind: model.KindChoice, Options: []string{"80"}})
	for _, op := range []model.Op{
		answer(id, model.Answering{Decision: model.DecideDeny}),
		answer(id, model.Answering{Decision: model.DecideRespond, Text: " \n"}),
		answer(id, model.Answering{Decision: model.DecideEdit}),
		answer(id, model.Answering{Decision: model.DecideEdit, Args: []byte("[1]")}),
		answer(id, model.Answering{Decision: model.DecideEdit, Args: []byte(`{"a":1,"a":2}`)}),
		answer(id, model.Answering{Decision: model.DecideAccept, Args: []byte("{}")}),
		answer(id, model.Answering{Decision: "approve"}),
		answer(choice, model.Answering{Decision: model.DecideChoose, Choice: "81"}),
		answer(choice, model.Answering{Decision: model.DecideDeny, Text: "no", Choice: "80"}),
		{Name: model.AnswerRequest, Args: model.Answering{Request: id}},
	} {
		op.UID = uid
		d.refused(op, model.GuardDecision, model.CodeInvalid)
	}
	d.refused(model.Op{Name: model.AnswerRequest, UID: uid, Actor: agent, Args: model.Answering{Request: id, Decision: model.DecideAccept}}, model.GuardActor, model.CodeDenied)
	d.refused(model.Op{Name: model.AnswerRequest, UID: uid, Actor: vespe, Args: model.Answering{Request: id, Decision: model.DecideAccept}}, model.GuardActor, model.CodeDenied)
	d.refused(model.Op{Name: model.AnswerRequest, UID: uid, Args: model.Answering{Request: "req-none"}}, model.GuardRequest, model.CodeNotFound)
	d.refused(model.Op{Name: model.AnswerRequest, UID: uid, Args: model.Answering{}}, model.GuardRequest, model.CodeAmbiguous)
	d.refused(model.Op{Name: model.AnswerRequest, UID: d.create("other", ""), Args: model.Answering{Request: id}}, model.GuardRequest, model.CodeUsage)
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	long := strings.Repeat("x", 300)
	for _, n := range []model.Args{
		nil,
		model.NewRequest{},
		model.NewRequest{Title: "two\nlines"},
		model.NewRequest{Title: "hidden \u202e"},
		model.NewRequest{Title: long},
		model.NewRequest{Title: "x", Kind: "plan"},
		model.NewRequest{Title: "x", Risk: "none"},
		model.NewRequest{Title: "x", Detail: strings.Repeat("x", 70_000)},
		model.NewRequest{Title: "x", Detail: "\xff"},
		model.NewRequest{Title: "x", Key: long},
		model.NewRequest{Title: "x", Allow: []string{"defer"}},
		model.NewRequest{Title: "x", Kind: model.KindChoice},
		model.NewRequest{Title: "x", Options: []string{"a", "a"}},
		model.NewRequest{Title: "x", Options: []string{" "}},
		model.NewRequest{Title: "x", Options: []string{"\x1b[2J"}},
		model.NewRequest{Title: "x", ExpiresAt: modeltest.Epoch.Add(-time.Hour)},
	} {
		d.refused(model.Op{Name: model.Ask, UID: uid, Actor: agent, Args: n}, model.GuardRequest, model.CodeInvalid)
	}
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for _, args := range []string{"", "1", `{"a":1,"a":2}`, "{} {}", deep, "{\"a\":\"" + strings.Repeat("x", 70_000) + "\"}"} {
		d.refused(model.Op{Name: model.Ask, UID: uid, Actor: agent, Args: model.NewRequest{Title: "x", Args: []byte(args)}}, model.GuardDecision, model.CodeInvalid)
	}
	d.refused(model.Op{Name: model.Ask, UID: "tsk-none", Args: model.NewRequest{Title: "x"}}, model.GuardExists, model.CodeNotFound)
}

// A task waits for everything that was asked, and goes on with the last answer.
func TestSeveralRequestsHoldATask(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	first, second := d.asks(uid, model.NewRequest{Title: "first?"}), d.asks(uid, model.NewRequest{Title: "second?"})
	if got, want := d.task(uid).Status.PauseReason, "hitl: first?; second?"; got != want {
		t.Errorf("it is paused for %q, want %q", got, want)
	}
	d.refused(model.Op{Name: model.WorkCompleted, UID: uid, Actor: agent}, model.GuardNotPaused, model.CodeRefused)
	d.do(answer(first, model.Answering{Decision: model.DecideRespond, Text: "one"}))
	if got, want := d.task(uid).Status.PauseReason, "hitl: second?"; got != want {
		t.Errorf("it is paused for %q, want %q", got, want)
	}
	d.wantSummary(d.do(answer(second, model.Answering{Decision: model.DecideDeny, Text: "two"})), "second?", `"subject" resumes without that`)
	d.wantPause(uid, "")
	d.complete(uid, "done")
}

// What paused the task before, and what pauses it besides, stays.
func TestRequestsAndOtherPauses(t *testing.T) {
	ok := model.Answering{Decision: model.DecideRespond, Text: "80"}
	t.Run("a pause of its own", func(t *testing.T) {
		d := newDesk(t)
		uid := d.running("subject", "")
		d.do(model.Op{Name: model.Pause, UID: uid, Reason: "lunch"})
		id := d.asks(uid, model.NewRequest{})
		d.do(answer(id, ok))
		if got := d.task(uid).Status.PauseReason; got != "lunch" {
			t.Errorf("it is paused for %q", got)
		}
		id = d.asks(uid, model.NewRequest{})
		d.do(model.Op{Name: model.Resume, UID: uid})
		d.wantPause(uid, "hitl")
		d.do(answer(id, ok))
		d.wantPause(uid, "")
	})
	t.Run("a question without a request", func(t *testing.T) {
		d := newDesk(t)
		uid := d.running("subject", "")
		d.do(model.Op{Name: model.Pause, UID: uid, Reason: "hitl: since when?"})
		d.do(answer(d.asks(uid, model.NewRequest{}), ok))
		if got := d.task(uid).Status.PauseReason; got != "hitl: since when?" {
			t.Errorf("it is paused for %q", got)
		}
		d.do(model.Op{Name: model.Resume, UID: uid, Reason: "always"})
		d.wantPause(uid, "")
	})
	t.Run("subtasks", func(t *testing.T) {
		d := newDesk(t)
		uid := d.running("subject", "")
		child := d.running("child", uid)
		d.wantPause(uid, "subtasks")
		id := d.asks(uid, model.NewRequest{})
		d.wantPause(uid, "hitl")
		d.do(answer(id, ok))
		d.wantPause(uid, "subtasks")
		id = d.asks(uid, model.NewRequest{})
		d.complete(child, "")
		d.wantPause(uid, "hitl")
		d.do(answer(id, ok))
		d.wantPause(uid, "")
	})
	t.Run("a failed subtask", func(t *testing.T) {
		d := newDesk(t)
		d.w.SetPolicy(model.Policy{OnSubtaskFailure: model.SubtaskFailureHold})
		uid := d.running("subject", "")
		child := d.running("child", uid)
		id := d.asks(uid, model.NewRequest{})
		d.fail(child, "broken")
		d.do(answer(id, ok))
		if got := d.task(uid).Status.PauseReason; got != "hitl: subtask child failed" {
			t.Errorf("it is paused for %q", got)
		}
		esc := d.w.Requests()[1]
		c := d.do(answer(esc.ID, model.Answering{Decision: model.DecideChoose, Choice: lifecycle.ChoiceGoOn}))
		d.wantSummary(c, `"subject" resumes`)
		d.wantPause(uid, "")
		d.wantRequest(esc.ID, model.RequestAccepted)
		d.do(model.Op{Name: model.UndoVerdict, UID: uid})
		d.wantPause(uid, "hitl")
		d.wantPending("subtask-failed:" + string(child))
	})
}

// Two people decide at once: the second is told by whom, what and when.
func TestAnsweredOnce(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	id := d.asks(uid, model.NewRequest{})
	d.do(answer(id, model.Answering{Decision: model.DecideRespond, Text: "eighty"}))
	late := answer(id, model.Answering{Decision: model.DecideDeny, Text: "no"})
	late.Actor, late.UID = bob, uid
	r := d.refused(late, model.GuardUnanswered, model.CodeConflict)
	for _, part := range []string{"human:ann", "responded", "eighty", model.FormatTime(d.request(id).Answer.At)} {
		if !strings.Contains(r.Why, part) {
			t.Errorf("%q lacks %q", r.Why, part)
		}
	}
	d.wantRequest(id, model.RequestResponded)
}

func TestAKeyIsAskedOnce(t *testing.T) {
	d := newDesk(t)
	uid, other := d.running("subject", ""), d.running("other", "")
	n := model.NewRequest{Key: "port", Detail: "of the server", Args: []byte(`{"a": 1}`), ExpiresAt: modeltest.Epoch.Add(time.Hour)}
	id := d.asks(uid, n)
	before := len(d.w.Requests())
	n.Args, n.ExpiresAt = []byte(`{"a":1}`), modeltest.Epoch.Add(2*time.Hour) // the same question
	if again := d.asks(uid, n); again != id || len(d.w.Requests()) != before {
		t.Errorf("asked again it is %s, of %d requests", again, len(d.w.Requests()))
	}
	if d.asks(other, n) == id {
		t.Error("another task has the same request")
	}
	n2 := n
	n2.Title, n2.Detail = "which host?", "it"
	r := d.refused(model.Op{Name: model.Ask, UID: uid, Actor: agent, Args: n2}, model.GuardUnanswered, model.CodeConflict)
	if !strings.Contains(r.Why, "title, detail") || !strings.Contains(r.Why, id) {
		t.Errorf("the refusal does not say what differs: %s", r.Why)
	}
	// Whoever asked was killed before it saw the answer, and asks again.
	d.do(answer(id, model.Answering{Decision: model.DecideRespond, Text: "80"}))
	if again := d.asks(uid, n); again != id {
		t.Errorf("the answer is not found: %s", again)
	}
	d.wantPause(uid, "")
	d.complete(uid, "done")
	if again := d.asks(uid, n); again == id {
		t.Error("an answer that was acted on answers a new question")
	}
}

// An answer can be taken back until somebody acts on it; that it was read does not matter.
func TestUndoOfAnAnswer(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	first, second := d.asks(uid, model.NewRequest{Title: "first?"}), d.asks(uid, model.NewRequest{Title: "second?"})
	paused := d.task(uid).Status
	ok := model.Answering{Decision: model.DecideRespond, Text: "80"}
	d.do(answer(first, ok))
	d.do(answer(second, ok))
	d.do(model.Op{Name: model.FetchAnswer, Args: model.RequestRef{Request: first}, Actor: agent})
	if a := d.request(first).Answer; a.FetchedBy != agent || a.FetchedAt.IsZero() {
		t.Errorf("the answer is %+v", a)
	}
	if c := d.do(model.Op{Name: model.FetchAnswer, Args: model.RequestRef{Request: first}, Actor: "agent:other"}); len(c.Requests) > 0 {
		t.Error("it is fetched twice")
	}
	c := d.do(model.Op{Name: model.UndoVerdict, Args: model.RequestRef{Request: first}})
	d.wantSummary(c, "first?", "agent:claude has already read it")
	if q := d.wantRequest(first, model.RequestPending); q.Answer != nil {
		t.Errorf("it keeps the answer %+v", q.Answer)
	}
	d.wantPause(uid, "hitl")
	d.do(model.Op{Name: model.UndoVerdict, UID: uid}) // the other one
	d.wantRequest(second, model.RequestPending)
	now := d.task(uid).Status
	if now.PauseReason != paused.PauseReason || len(now.Answered) > 0 {
		t.Errorf("it is %+v", now)
	}
	d.refused(model.Op{Name: model.UndoVerdict, UID: uid}, model.GuardUndo, model.CodeRefused)
	d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: first}}, model.GuardUndo, model.CodeRefused)
	d.refused(model.Op{Name: model.UndoVerdict, Args: model.RequestRef{Request: "req-none"}}, model.GuardRequest, model.CodeNotFound)

	d.do(answer(first, ok))
	d.do(answer(second, ok))
	d.complete(uid, "done")
	a := d.request(first).Answer
	if a.ActedBy != agent || a.ActedWith != model.WorkCompleted || a.ActedAt.IsZero() {
		t.Errorf("who acted on it is not known: %+v", a)
	}
	r := d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: first}}, model.GuardUndo, model.CodeRefused)
	if !strings.Contains(r.Why, "agent:claude has acted on it: work_completed") {
		t.Errorf("the refusal is %q", r.Why)
	}
}

// A verdict and the answers around it are taken back in turn.
func TestUndoOfAVerdictAmongAnswers(t *testing.T) {
	d := newDesk(t)
	uid := d.planned("subject", "")
	ok := model.Answering{Decision: model.DecideRespond, Text: "80"}
	before := d.asks(uid, model.NewRequest{Title: "before?"})
	d.do(answer(before, ok))
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	if a := d.request(before).Answer; a.ActedWith != model.AcceptPlan {
		t.Errorf("the answer is %+v", a)
	}
	after := d.asks(uid, model.NewRequest{Title: "after?"})
	d.do(answer(after, ok))
	waits := d.asks(uid, model.NewRequest{Title: "waits?"})
	d.do(model.Op{Name: model.UndoVerdict, UID: uid}) // the answer
	d.wantRequest(after, model.RequestPending)
	d.do(model.Op{Name: model.UndoVerdict, UID: uid}) // the acceptance
	d.wantState(uid, model.PlanDefined)
	if got := d.task(uid).Status.PauseReason; got != "hitl: after?; waits?" {
		t.Errorf("it is paused for %q", got)
	}
	if a := d.request(before).Answer; a.ActedBy != "" {
		t.Errorf("what acted on it was taken back: %+v", a)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	d.wantRequest(before, model.RequestPending)
	d.wantRequest(waits, model.RequestPending)
}
