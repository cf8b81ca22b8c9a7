package desk

import (
	"encoding/json"
	"testing"
	"time"

	"vespe/model"
)

func answer(id string, by model.Answering) model.Op {
	by.Request = id
	return model.Op{Name: model.AnswerRequest, Args: by}
}

func TestAQuestionIsARequest(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	r := f.ask(Question{TaskID: string(uid), Title: "Which port?", Options: []string{"80", "8080"}})
	f.is(r, StatePending)
	if r.Kind != KindChoice || r.TaskID != string(uid) || r.Title != "Which port?" {
		t.Errorf("it is %+v", r)
	}
	if st := f.task(uid).Status; st.PauseKind() != "hitl" {
		t.Error("its task does not wait")
	}
	f.as(ann, answer(r.ReviewID, model.Answering{Decision: model.DecideChoose, Choice: "8080", Text: "not as root"}))
	r = f.look(r.ReviewID)
	f.is(r, StateAccepted)
	if r.Choice != "8080" || r.Text != "not as root" || r.By != string(ann) || r.At == nil {
		t.Errorf("it is %+v", r)
	}
	snap, _ := f.s.Refresh(t.Context())
	if q, _ := FindRequest(snap, r.ReviewID); q.Answer.FetchedBy != claude {
		t.Errorf("it was read by %q", q.Answer.FetchedBy)
	}

	for name, c := range map[string]struct {
		by    model.Answering
		state string
	}{
		"yes":   {model.Answering{Decision: model.DecideAccept}, StateAccepted},
		"other": {model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command":"make -n"}`)}, StateEdited},
		"words": {model.Answering{Decision: model.DecideRespond, Text: "ask bob"}, StateAnswered},
		"no":    {model.Answering{Decision: model.DecideDeny, Text: "not on a Friday"}, StateDenied},
		"later": {model.Answering{Decision: model.DecideDefer}, StatePending},
	} {
		r := f.ask(Question{TaskID: string(uid), Title: name, Args: json.RawMessage(`{"command":"make"}`), Key: name})
		if r.Kind != KindAction {
			t.Errorf("%s is a %s", name, r.Kind)
		}
		f.as(ann, answer(r.ReviewID, c.by))
		r = f.look(r.ReviewID)
		f.is(r, c.state)
		if want := map[bool]string{true: `{"command":"make -n"}`, false: `{"command":"make"}`}[c.state == StateEdited]; string(r.Args) != want {
			t.Errorf("%s: args are %s", name, r.Args)
		}
	}
	f.is(f.look("req-000000000000"), StateOrphaned)
	_, err := f.d.Look(t.Context(), "whatever")
	refused(t, err, CodeNotFound, "whatever")
	_, err = f.d.Look(t.Context(), PlanReviewID(uid, 7))
	refused(t, err, CodeNotFound, "no revision 7")
}

func TestAQuestionIsAskedOnce(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	action := func(args string) Question {
		return Question{TaskID: string(uid), Kind: KindAction, Title: "Run it", Args: json.RawMessage(args), Key: "call-1"}
	}
	r := f.ask(action(`{"command":"make"}`))
	if again := f.ask(action(`{ "command": "make" }`)); again.ReviewID != r.ReviewID {
		t.Errorf("asked again it is %s", again.ReviewID)
	}
	_, err := f.d.Ask(t.Context(), action(`{"command":"make clean"}`))
	refused(t, err, CodeKey, "call-1")
	f.as(ann, answer(r.ReviewID, model.Answering{Decision: model.DecideAccept}))
	f.is(f.ask(action(`{"command":"make"}`)), StateAccepted)

	// Also when something has come of the answer, or another process asks.
	f.as(ann, model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "a plan"}})
	other := deskAt(t, f.s, Options{Actor: "agent:codex"})
	if again, err := other.Ask(t.Context(), action(`{"command":"make"}`)); err != nil || again.ReviewID != r.ReviewID || again.State != StateAccepted {
		t.Errorf("asked again it is %+v, %v", again, err)
	}
	// And the answer is never that to another command.
	_, err = f.d.Ask(t.Context(), action(`{"command":"make clean"}`))
	refused(t, err, CodeKey, "call-1")

	// Without a key a question that waits is not asked twice, and an answered one anew.
	plain := Question{TaskID: string(uid), Title: "Which host?"}
	one := f.ask(plain)
	if again := f.ask(plain); again.ReviewID != one.ReviewID {
		t.Error("it is asked twice")
	}
	f.as(ann, answer(one.ReviewID, model.Answering{Decision: model.DecideRespond, Text: "localhost"}))
	if again := f.ask(plain); again.ReviewID == one.ReviewID || again.State != StatePending {
		t.Errorf("the answer of before is given again: %+v", again)
	}
}

func TestQuestionsThatAreRefused(t *testing.T) {
	f := newFixture(t)
	uid := string(f.create("a"))
	for _, c := range []struct {
		code Code
		q    Question
	}{
		{CodeInvalid, Question{TaskID: uid}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", Kind: "whim"}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", Kind: KindChoice}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", Args: json.RawMessage(`[1]`)}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", AllowEdit: pointer(true)}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", Risk: "huge"}},
		{CodeInvalid, Question{TaskID: uid, Title: "x\u202ey"}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", Key: string(make([]byte, maxKey+1))}},
		{CodeInvalid, Question{TaskID: uid, Title: "x", ExpiresAt: pointer(time.Now().Add(-time.Hour))}},
		{CodeTooLarge, Question{TaskID: uid, Title: "x", Detail: string(make([]byte, MaxDetail+1))}},
		{CodeTooLarge, Question{TaskID: uid, Title: "x", Args: make([]byte, MaxDetail+1)}},
		{CodeNotFound, Question{TaskID: "tsk-no", Title: "x"}},
	} {
		_, err := f.d.Ask(t.Context(), c.q)
		refused(t, err, c.code)
	}
	if snap, _ := f.s.Refresh(t.Context()); len(snap.Requests()) != 0 {
		t.Errorf("%d requests were filed", len(snap.Requests()))
	}
}

func TestAnExpiredQuestionWaitsOn(t *testing.T) {
	f := newFixture(t)
	now := time.Now()
	d := deskAt(t, f.s, Options{Actor: claude, Now: func() time.Time { return now }})
	r, err := d.Ask(t.Context(), Question{Title: "Of no task", ExpiresAt: pointer(now.Add(time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	f.is(r, StatePending)
	now = now.Add(2 * time.Hour)
	if r, err = d.Look(t.Context(), r.ReviewID); err != nil {
		t.Fatal(err)
	}
	f.is(r, StateExpired)
	if r.Decided() {
		t.Error("that its time is over is a decision")
	}
	f.as(ann, answer(r.ReviewID, model.Answering{Decision: model.DecideRespond, Text: "late, but yes"}))
	r, _ = d.Look(t.Context(), r.ReviewID)
	f.is(r, StateAnswered)
}

func TestWhatMayBeEdited(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		allow *bool
		want  bool
	}{{nil, true}, {pointer(true), true}, {pointer(false), false}} {
		r := f.ask(Question{Title: "Run it", Args: json.RawMessage(`{"a":1}`), AllowEdit: c.allow, Key: time.Now().String()})
		snap, _ := f.s.Refresh(t.Context())
		q, err := FindRequest(snap, r.ReviewID)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, d := range q.Allowed() {
			got = got || d == model.DecideEdit
		}
		if got != c.want {
			t.Errorf("allow_edit %v lets it be edited: %v", c.allow, got)
		}
	}
}
