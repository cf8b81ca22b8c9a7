package lifecycle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/snapshot"
)

// A timeout is no answer: the task waits on, and a late answer counts and says that it is late.
func TestExpiry(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	soon := modeltest.Epoch.Add(time.Hour)
	id := d.asks(uid, model.NewRequest{ExpiresAt: soon})
	q := d.request(id)
	if q.StateAt(soon.Add(-1)) != model.RequestPending || q.StateAt(soon) != model.RequestExpired || !q.IsOpen() {
		t.Errorf("it is %s, then %s", q.StateAt(soon.Add(-1)), q.StateAt(soon))
	}
	kinds := func(now time.Time) (out []snapshot.InboxKind) {
		for _, item := range d.w.Snapshot().InboxAt(now) {
			out = append(out, item.Kind)
		}
		return out
	}
	if got := kinds(soon.Add(-1)); !slices.Equal(got, []snapshot.InboxKind{snapshot.InboxWaiting}) {
		t.Errorf("the inbox has %v", got)
	}
	if got := kinds(soon); !slices.Equal(got, []snapshot.InboxKind{snapshot.InboxExpired}) {
		t.Errorf("the inbox has %v", got)
	}
	d.wantPause(uid, "hitl")
	op := answer(id, model.Answering{Decision: model.DecideRespond, Text: "80"})
	op.At = soon.Add(time.Minute)
	d.wantSummary(d.do(op), "It had expired")
	if a := d.request(id).Answer; !a.Late {
		t.Errorf("the answer is %+v", a)
	}
	d.wantPause(uid, "")
}

// What is asked about a task that has ended waits for nobody.
func TestTheEndOfATaskSupersedesRequests(t *testing.T) {
	for name, end := range map[string]func(*desk, model.UID){
		"abort": func(d *desk, uid model.UID) { d.abort(uid) },
		"fail":  func(d *desk, uid model.UID) { d.fail(uid, "broken") },
	} {
		d := newDesk(t)
		uid := d.running("subject", "")
		id, byHand := d.asks(uid, model.NewRequest{}), "req-by-hand"
		d.w.PutRequest(model.Request{ID: byHand, TaskUID: uid, Kind: model.KindQuestion, Title: "and this?", State: model.RequestPending})
		end(d, uid)
		d.wantRequest(byHand, model.RequestSuperseded)
		d.wantRequest(id, model.RequestSuperseded)
		if d.task(uid).Status.IsPaused {
			t.Errorf("%s: it is paused", name)
		}
		d.refused(model.Op{Name: model.AnswerRequest, UID: uid, Args: model.Answering{Request: id, Decision: model.DecideRespond, Text: "x"}}, model.GuardUnanswered, model.CodeConflict)
		d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Args: model.RequestRef{Request: id}}, model.GuardUndo, model.CodeRefused)
	}
}

// A request about no task, or about one that is gone, can be answered, and that taken back.
func TestRequestsWithoutATask(t *testing.T) {
	d := newDesk(t)
	none := d.do(model.Op{Name: model.Ask, Actor: agent, Args: model.NewRequest{Title: "anybody?"}}).Request
	d.w.PutRequest(model.Request{ID: "req-gone", TaskUID: "tsk-gone", Kind: model.KindQuestion, Title: "gone?", State: model.RequestPending})
	for _, id := range []string{none, "req-gone"} {
		c := d.do(answer(id, model.Answering{Decision: model.DecideRespond, Text: "yes"}))
		if len(c.Tasks) > 0 || len(c.Events) > 0 || len(c.Requests) != 1 {
			t.Errorf("%s: the change is %+v", id, c)
		}
		d.wantRequest(id, model.RequestResponded)
		d.do(model.Op{Name: model.UndoVerdict, Args: model.RequestRef{Request: id}})
		d.wantRequest(id, model.RequestPending)
	}
	if got := len(d.w.Snapshot().Inbox()); got != 2 {
		t.Errorf("the inbox has %d items", got)
	}
}

// Resuming a task by hand does not pass over what was asked.
func TestResumeAnswers(t *testing.T) {
	d := newDesk(t)
	uid := d.running("subject", "")
	id := d.asks(uid, model.NewRequest{})
	d.refused(model.Op{Name: model.Resume, UID: uid}, model.GuardRequest, model.CodeRefused)
	d.do(model.Op{Name: model.Resume, UID: uid, Reason: "80"})
	if q := d.wantRequest(id, model.RequestResponded); q.Answer.Text != "80" || q.Answer.By != ann {
		t.Errorf("the answer is %+v", q.Answer)
	}
	d.wantPause(uid, "")
	choice := d.asks(uid, model.NewRequest{Title: "one?", Kind: model.KindChoice, Options: []string{"a", "b"}})
	d.do(model.Op{Name: model.Resume, UID: uid, Reason: "b"})
	if q := d.wantRequest(choice, model.RequestAccepted); q.Answer.Choice != "b" {
		t.Errorf("the answer is %+v", q.Answer)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	d.wantRequest(choice, model.RequestPending)
	d.asks(uid, model.NewRequest{Title: "two?"})
	r := d.refused(model.Op{Name: model.Resume, UID: uid, Reason: "b"}, model.GuardRequest, model.CodeRefused)
	if !strings.Contains(r.Why, choice) || !strings.Contains(r.Hint, "vespe request answer "+choice) {
		t.Errorf("the refusal is %q, %q", r.Why, r.Hint)
	}
}

// What was on screen is what is answered.
func TestAnswerToWhatWasSeen(t *testing.T) {
	d := newDesk(t)
	byHand := model.Request{ID: "req-by-hand", Kind: model.KindAction, Title: "clean", Args: []byte(`{"command":"rm -r build"}`), State: model.RequestPending}
	d.w.PutRequest(byHand)
	seen := byHand.ContentHash()
	byHand.Args = []byte(`{"command":"rm -r /"}`)
	d.w.PutRequest(byHand)
	d.refused(answer(byHand.ID, model.Answering{Decision: model.DecideAccept, Seen: seen}), model.GuardSeen, model.CodeConflict)
	d.do(answer(byHand.ID, model.Answering{Decision: model.DecideAccept, Seen: byHand.ContentHash()}))
}

// An agent's start of what a person has to allow asks; the consent is for that plan alone.
func TestConsentToStart(t *testing.T) {
	risky := func(d *desk, key, value string) model.UID {
		uid := d.accepted("subject", "")
		d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: value}}}})
		if key != "labels" { // they bind nothing; what it was accepted with is another by the others
			d.do(model.Op{Name: model.Revalidate, UID: uid, Actor: ann})
		}
		return uid
	}
	policy := func(start string) model.Policy {
		p, _ := model.DecodePolicy("", []byte(`{"hitl":{"start":`+start+`}}`))
		return p
	}
	for _, c := range []struct {
		policy, key, value string
		asks               bool
	}{
		{`null`, "requires_hitl", "true", true},
		{`"never"`, "risk", "high", false},
		{`"high"`, "risk", "high", true},
		{`"high"`, "risk", "medium", false},
		{`"medium"`, "risk", "high", true},
		{`"low"`, "risk", "low", true},
		{`7`, "risk", "low", true},
		{`"low"`, "labels", "x", true}, // nobody named a risk: it counts as medium
		{`"medium"`, "labels", "x", true},
		{`"high"`, "labels", "x", false},
	} {
		d := newDesk(t)
		d.w.SetPolicy(policy(c.policy))
		uid := risky(d, c.key, c.value)
		start := model.Op{Name: model.Start, UID: uid, Actor: agent}
		got := d.do(start)
		if got.Waits != c.asks {
			t.Errorf("hitl.start %s, %s %s: asks %v", c.policy, c.key, c.value, got.Waits)
			continue
		}
		if !c.asks {
			continue
		}
		if d.task(uid).Status.CurrentRun != "" || got.Request == "" {
			t.Fatalf("it has started: %+v", got)
		}
		d.wantPause(uid, "hitl")
		d.refused(start, model.GuardConsent, model.CodePending)
		d.do(answer(got.Request, model.Answering{Decision: model.DecideAccept}))
		d.do(start)
		if d.task(uid).Status.CurrentRun == "" {
			t.Error("it has not started")
		}
	}
	d := newDesk(t)
	uid := risky(d, "requires_hitl", "true")
	start := model.Op{Name: model.Start, UID: uid, Actor: agent}
	id := d.do(start).Request
	d.do(answer(id, model.Answering{Decision: model.DecideDeny, Text: "not on a Friday"}))
	if r := d.refused(start, model.GuardConsent, model.CodeDenied); !strings.Contains(r.Why, "not on a Friday") {
		t.Errorf("the refusal is %q", r.Why)
	}
	d.do(model.Op{Name: model.UndoVerdict, Args: model.RequestRef{Request: id}})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: ann}) // a person's own start is the consent
	if q := d.wantRequest(id, model.RequestAccepted); q.Answer.By != ann {
		t.Errorf("the answer is %+v", q.Answer)
	}
	d.do(model.Op{Name: model.RaiseError, UID: uid, Actor: agent, Args: model.ErrorReport{Details: "oops"}})
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "better"})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "another plan\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	again := d.do(start)
	if !again.Waits || again.Request == id {
		t.Errorf("the consent to another plan counts: %+v", again)
	}
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "better still"})
	d.wantRequest(again.Request, model.RequestSuperseded)
	d.wantPause(uid, "")
}

// A task without a spec.json has an unspecified risk, and one whose risk cannot be read is taken for high.
func TestRiskThatCounts(t *testing.T) {
	for spec, want := range map[string]string{
		"": "medium", `{}`: "medium", `{"risk":null}`: "medium", `{"risk":"low"}`: "low", `{"risk":"HIGH"}`: "high",
		`{"risk":"critical"}`: "high", `{"risk":7}`: "high",
	} {
		one := &model.Task{UID: "tsk-1"}
		if spec != "" {
			one.Spec, _ = model.DecodeSpec("", []byte(spec))
		}
		if got := model.RiskOf(one); got != want {
			t.Errorf("of %s the risk is %q, want %q", spec, got, want)
		}
	}
	if got := model.RiskOf(&model.Task{Spec: &model.Spec{Risk: "severe"}}); got != model.RiskHigh {
		t.Errorf("a word that is none is %q", got)
	}
	d := newDesk(t)
	p, _ := model.DecodePolicy("", []byte(`{"hitl":{"start":"low"}}`))
	d.w.SetPolicy(p)
	uid := d.accepted("subject", "")
	if d.task(uid).Spec != nil {
		t.Fatal("it has a spec.json")
	}
	if !d.do(model.Op{Name: model.Start, UID: uid, Actor: agent}).Waits {
		t.Error("an agent starts it without a word")
	}
}

// The answer to a question of somebody's own allows no start, whatever its key says.
func TestConsentIsToWhatVespeAsked(t *testing.T) {
	for name, ask := range map[string]func(d *desk, uid model.UID, n model.NewRequest) string{
		"by a file": func(d *desk, uid model.UID, n model.NewRequest) string {
			d.w.PutRequest(model.Request{
				ID: "req-by-hand", TaskUID: uid, Kind: n.Kind, Title: n.Title, Detail: n.Detail, Allow: n.Allow, Key: n.Key,
				CreatedBy: agent, State: model.RequestPending,
			})
			return "req-by-hand"
		},
		"by an operation": func(d *desk, uid model.UID, n model.NewRequest) string {
			r := d.refused(model.Op{Name: model.Ask, UID: uid, Actor: agent, Args: n}, model.GuardRequest, model.CodeInvalid)
			if !strings.Contains(r.Why, "start:") {
				t.Errorf("the refusal is %q", r.Why)
			}
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			uid := d.accepted("subject", "")
			d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "requires_hitl", Value: "true"}}}})
			d.do(model.Op{Name: model.Revalidate, UID: uid, Actor: ann})
			id := ask(d, uid, model.NewRequest{
				Kind: model.KindAction, Title: "mend a typo", Key: "start:" + d.task(uid).Status.AcceptedPlan.PlanHash,
				Allow: []string{string(model.DecideAccept), string(model.DecideDeny)},
			})
			if id != "" {
				d.do(answer(id, model.Answering{Decision: model.DecideAccept}))
			}
			got := d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
			if !got.Waits || d.task(uid).Status.CurrentRun != "" {
				t.Fatalf("it has started: %+v", got)
			}
			// What vespe itself asks counts, also under another name of the task.
			d.do(model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
			d.refused(model.Op{Name: model.Start, UID: uid, Actor: agent}, model.GuardConsent, model.CodePending)
			d.do(answer(got.Request, model.Answering{Decision: model.DecideAccept}))
			d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
			if d.task(uid).Status.CurrentRun == "" {
				t.Error("it has not started")
			}
		})
	}
}
