package hook

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vespe/model"
)

const movePlan = "# Move the data\n\n## Copy\n\nCopy every row.\n\n## Drop tables\n\nRun DROP TABLE on the old ones.\n\n## Check\n\nCount.\n"

// verdict is what a person decides on movePlan, and what an agent has to read of it, word for word.
type verdict struct {
	op    model.Op
	yes   bool
	says  []string
	never string // in the plan that the client hands to the model
}

func verdicts() map[string]verdict {
	const fridays, count = "only on Fridays", "count them before and after"
	notes := []model.NewComment{{Text: count, Place: model.Place{From: 5, To: 5}}}
	return map[string]verdict{
		"accept":              {op: model.Op{Name: model.AcceptPlan}, yes: true},
		"accept with words":   {op: model.Op{Name: model.AcceptPlan, Reason: fridays}, yes: true, says: []string{"ACCEPTED THIS PLAN ONLY WITH", fridays}},
		"accept with a note":  {op: model.Op{Name: model.AcceptPlan, Args: model.Acceptance{Comments: notes}}, yes: true, says: []string{count, "notes on the work"}},
		"accept without part": {op: model.Op{Name: model.AcceptPlan, Reason: fridays, Args: model.Acceptance{Excluded: []string{"Drop tables"}}}, yes: true, says: []string{fridays, "NOT accepted", `the section "Drop tables"`}, never: "DROP TABLE"},
		"reject":              {op: model.Op{Name: model.RejectPlan, Reason: "there is no way back", Args: model.Feedback{Comments: notes}}, says: []string{"NOT ACCEPTED", "there is no way back", count}},
		"ask":                 {op: model.Op{Name: model.QuestionPlan, Reason: "who needs the old tables?"}, says: []string{"NOT ACCEPTED", "who needs the old tables?"}},
	}
}

// made is PostToolUse of a plan that the client let through, as it was handed to the model.
func (f *fixture) made(id, plan string) said {
	f.Helper()
	return f.raw(ClaudeCode, PostToolUse, f.event(PostToolUse, map[string]any{
		"tool_name": exitPlanMode, "tool_use_id": id, "tool_input": map[string]any{}, "tool_response": map[string]any{"plan": plan, "filePath": "/x"},
	}))
}

// read says who has read the verdict on the plan.
func (f *fixture) read() model.Actor {
	f.Helper()
	if v := f.task().Status.Review; v != nil {
		return v.FetchedBy
	}
	return ""
}

// Whatever a person decides on a plan reaches the agent whole, by whichever hook its client asks, and counts as read
// once it has.
func TestVerdictsReachTheAgentWhole(t *testing.T) {
	ways := map[string]func(f *fixture, decide func()) (said, string){
		"waits": func(f *fixture, decide func()) (said, string) {
			f.env["CLAUDE_CODE_ENTRYPOINT"] = "cli"
			wait := f.later(func() {
				f.as(ann, model.Op{Name: model.DeferPlan, UID: f.task().UID, Reason: "later"})
				decide()
			})
			got := f.plan(PermissionRequest, "", movePlan)
			wait()
			return got, planIn(got.Specific.Decision.Input)
		},
		"put off": func(f *fixture, decide func()) (said, string) {
			f.is(f.plan(PreToolUse, "toolu_1", movePlan), "defer")
			f.as(ann, model.Op{Name: model.DeferPlan, UID: f.task().UID, Reason: "later"})
			f.is(f.plan(PreToolUse, "toolu_1", movePlan), "defer")
			if f.read() != "" {
				f.Errorf("%s has read what nobody has decided", f.read())
			}
			decide()
			return f.plan(PreToolUse, "toolu_1", movePlan), movePlan // its input is the client's own
		},
		"permission_prompt": func(f *fixture, decide func()) (said, string) {
			wait := f.later(decide)
			d := f.prompted(PromptedCall{Tool: exitPlanMode, ToolUseID: "toolu_1", Input: []byte(`{"plan":` + quoted(movePlan) + `}`)})
			wait()
			got := said{}
			got.Specific.Decision.Behavior, got.Specific.Decision.Message = d.Behavior, d.Message
			return got, planIn(d.UpdatedInput)
		},
	}
	for name, v := range verdicts() {
		for way, asks := range ways {
			t.Run(name+", "+way, func(t *testing.T) {
				f := newFixture(t)
				got, plan := asks(f, func() {
					v.op.UID = f.task().UID
					f.as(ann, v.op)
				})
				want := "deny"
				if v.yes {
					want = "allow"
				}
				f.is(got, want)
				heard := got.text() + plan
				if v.yes && len(v.says) > 0 {
					if f.read() != "" {
						t.Errorf("%s has read it before the client handed it on", f.read())
					}
					after := f.made("toolu_1", plan)
					if plan != movePlan && after.text() != "" {
						t.Errorf("it is told twice: %s", after.raw)
					}
					if old := after.text(); plan == movePlan && !strings.Contains(old, v.says[0]) {
						t.Errorf("after the call it is told %q", old)
					}
				}
				for _, part := range v.says {
					if !strings.Contains(heard, part) {
						t.Errorf("the agent does not read %q in %q", part, heard)
					}
				}
				if v.never != "" && plan != movePlan && strings.Contains(plan, v.never) {
					t.Errorf("the plan that is handed on is %q", plan)
				}
				if f.read() != claude {
					t.Errorf("it was read by %q", f.read())
				}
				if task := f.task(); v.yes && task.Status.CurrentState != model.Working {
					t.Errorf("the task is %+v", task.Status)
				}
				// The same plan, or what the client made of it, is no other plan.
				if v.yes {
					f.env["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
					f.is(f.plan(PreToolUse, "toolu_2", plan), "allow")
					f.task()
				}
			})
		}
	}
}

func planIn(input []byte) string {
	var in struct{ Plan string }
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	return in.Plan
}

// A client that takes no other plan from a hook is told after the call, and one that lost the answer with the next
// prompt.
func TestWhatAClientDidNotHandOnIsToldLater(t *testing.T) {
	for name, later := range map[string]func(f *fixture) said{
		"after the call":  func(f *fixture) said { return f.made("toolu_1", movePlan) },
		"the next prompt": func(f *fixture) said { return f.prompt("go on") },
	} {
		t.Run(name, func(t *testing.T) {
			f := attended(t)
			wait := f.later(func() {
				f.as(ann, model.Op{Name: model.AcceptPlan, UID: f.task().UID, Reason: "only on Fridays", Args: model.Acceptance{Excluded: []string{"Drop tables"}}})
			})
			f.is(f.plan(PermissionRequest, "", movePlan), "allow")
			wait()
			got := later(f)
			f.is(got, "context")
			f.says(got, "only on Fridays", "NOT accepted", "Drop tables")
			if f.read() != claude {
				t.Errorf("it was read by %q", f.read())
			}
			f.is(f.prompt("go on"), "nothing")
		})
	}
}

// What a person says with a yes to a call, or to a question, reaches the agent, too.
func TestWordsWithAPermission(t *testing.T) {
	push := map[string]string{"command": "git push"}
	after := func(f *fixture, event, id string, input any) said {
		return f.raw(ClaudeCode, event, f.event(event, map[string]any{"tool_name": "Bash", "tool_use_id": id, "tool_input": input, "tool_response": map[string]any{}}))
	}
	fetched := func(f *fixture) (by model.Actor) {
		for _, q := range f.snap().Requests() {
			if q.Answer != nil {
				by = q.Answer.FetchedBy
			}
		}
		return by
	}
	words := model.Answering{Decision: model.DecideAccept, Text: "and tell the others"}
	for _, event := range []string{PostToolUse, PostToolUseFailure} {
		f := newFixture(t)
		f.rules.Commands = []string{"git push"}
		f.is(f.bash("toolu_1", "git push"), "defer")
		f.decide(f.one().ID, words)
		got := f.bash("toolu_1", "git push")
		f.is(got, "allow")
		f.says(got, "and tell the others")
		if by := fetched(f); by != "" {
			t.Errorf("%s has read it before the call", by)
		}
		f.says(after(f, event, "toolu_1", map[string]string{"command": "git push", "description": "d"}), "and tell the others")
		if fetched(f) != claude {
			t.Error("nobody has read it")
		}
	}
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	wait := f.later(func() { f.decide(f.one().ID, words) })
	f.is(f.call(PermissionRequest, "Bash", "", push), "allow")
	wait()
	f.says(after(f, PostToolUse, "toolu_9", push), "and tell the others")
	wait = f.later(func() {
		f.decide(f.one().ID, model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command":"git push -n"}`), Text: "dry first"})
	})
	f.is(f.call(PermissionRequest, "Bash", "", push), "allow")
	wait()
	f.says(after(f, PostToolUse, "toolu_10", map[string]string{"command": "git push -n"}), "dry first", "CHANGED YOUR INPUT")
	if fetched(f) != claude {
		t.Error("nobody has read it")
	}
	f.is(after(f, PostToolUse, "toolu_11", push), "nothing")

	f = newFixture(t)
	f.is(f.call(PreToolUse, askUserQuestion, "toolu_1", whichGreeting), "defer")
	f.decide(f.one().ID, model.Answering{Decision: model.DecideChoose, Choice: "hi", Text: "but in German"})
	got := f.call(PreToolUse, askUserQuestion, "toolu_1", whichGreeting)
	f.is(got, "allow")
	if in := string(got.Specific.Input); !strings.Contains(in, "hi (they add: but in German)") {
		t.Errorf("the answers are %s", in)
	}
}

var whichGreeting = map[string]any{"questions": []any{map[string]any{
	"question": "Which greeting?", "header": "Greeting", "multiSelect": false,
	"options": []any{map[string]any{"label": "hello", "description": ""}, map[string]any{"label": "hi", "description": ""}},
}}}

// beside runs a PermissionRequest hook, does something at the client's dialog once it waits, and is what the hook
// answers when it has ended.
func (f *fixture) beside(tool string, input any, do func(stop func(error))) said {
	f.Helper()
	within, end := context.WithTimeout(f.Context(), 25*time.Second) // nobody answers what was not to be asked
	defer end()
	ctx, cancel := context.WithCancelCause(within)
	defer cancel(nil)
	h := f.session(PermissionRequest, "")
	wait := f.later(func() {
		if _, err := h.settledNotes(); err != nil { // the hook has written down what it waits for
			f.Error(err)
		}
		do(cancel)
	})
	got := f.rawCtx(ctx, ClaudeCode, PermissionRequest, f.event(PermissionRequest, map[string]any{"tool_name": tool, "tool_input": input}))
	wait()
	return got
}

// silent checks, beside the test, that a hook says nothing.
func (f *fixture) silent(got said) {
	f.Helper()
	if got.short() != "nothing" {
		f.Errorf("it says %s", got.raw)
	}
}

// channel is who decided at a dialog, and by which channel.
func (f *fixture) channel(uid model.UID) (actor model.Actor, channel string) {
	f.Helper()
	events, _, err := f.s.History(f.Context(), uid)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range events {
		if e.Channel == dialogChannel {
			actor, channel = e.Actor, e.Channel
		}
	}
	return actor, channel
}

// A plan that is accepted at the client's dialog is accepted by the account's person, at the level of a claim; the hook
// beside it ends.
func TestAYesToAPlanAtTheClientsDialog(t *testing.T) {
	for name, shown := range map[string]string{"as it was": movePlan, "changed there": movePlan + "\nAnd say so.\n"} {
		t.Run(name, func(t *testing.T) {
			f := attended(t)
			f.beside(exitPlanMode, map[string]string{"plan": movePlan}, func(func(error)) { f.silent(f.made("toolu_1", shown)) })
			st := f.task().Status
			if st.CurrentState != model.Working || st.AcceptedPlan == nil || st.AcceptedPlan.By != ann || st.CurrentRun == "" || f.read() != claude || f.content(model.Plan) != shown {
				t.Errorf("the task is %+v", st)
			}
			if words := st.Review.Reason; words != "" {
				t.Errorf("the person is told to have said %q", words)
			}
			if by, channel := f.channel(f.task().UID); by != ann || channel != "dialog" {
				t.Errorf("it was decided by %s in %q", by, channel)
			}
			f.is(f.prompt("go on"), "nothing")
		})
	}
}

// Without a dialog, or a plan that the client shows, nothing is accepted: the events are no more than what a client
// says.
func TestNoDialogNoYes(t *testing.T) {
	f := newFixture(t)
	f.is(f.plan(PreToolUse, "toolu_1", movePlan), "defer")
	f.is(f.made("toolu_1", movePlan), "nothing")
	if st := f.task().Status; st.AcceptedPlan != nil {
		t.Errorf("it is %+v", st)
	}
	f = attended(t)
	f.deps = func(d *Deps) { d.Person = "" }
	f.beside(exitPlanMode, map[string]string{"plan": movePlan}, func(stop func(error)) {
		f.made("toolu_1", movePlan)
		stop(ErrGone)
	})
	if st := f.task().Status; st.AcceptedPlan != nil {
		t.Errorf("it is %+v", st)
	}
}

// What vespe refuses is not accepted by a yes at the dialog either: the agent is told so, and the plan waits on.
func TestAYesThatVespeRefuses(t *testing.T) {
	f := attended(t)
	got := f.beside(exitPlanMode, map[string]string{"plan": movePlan}, func(func(error)) {
		f.as(ann, model.Op{Name: model.AddComment, UID: f.task().UID, Args: model.Remarks{Comments: []model.NewComment{{Kind: model.Demand, Blocking: true, Text: "with what?"}}}})
		after := f.made("toolu_1", movePlan)
		f.says(after, "NOT IN VESPE", "end your turn")
	})
	f.is(got, "nothing")
	if st := f.task().Status; st.AcceptedPlan != nil || st.CurrentState != model.PlanDefined {
		t.Errorf("it is %+v", st)
	}
}

// A plan whose dialog was closed without a yes is rejected with what the person types next.
func TestANoToAPlanAtTheClientsDialog(t *testing.T) {
	f := attended(t)
	f.beside(exitPlanMode, map[string]string{"plan": movePlan}, func(stop func(error)) { stop(ErrStopped) })
	if st := f.task().Status; st.CurrentState != model.PlanDefined || st.Review != nil {
		t.Errorf("without a word it is %+v", st)
	}
	f.is(f.prompt("Keep the old tables."), "nothing")
	if v := f.task().Status.Review; v == nil || v.Verdict != model.VerdictRejected || v.By != ann || v.Reason != "Keep the old tables." || v.FetchedBy != claude {
		t.Errorf("the verdict is %+v", v)
	}
}

// So are calls and questions.
func TestCallsAndQuestionsAtTheClientsDialog(t *testing.T) {
	after := func(f *fixture, tool string, input, response any) said {
		return f.raw(ClaudeCode, PostToolUse, f.event(PostToolUse, map[string]any{"tool_name": tool, "tool_use_id": "toolu_1", "tool_input": input, "tool_response": response}))
	}
	answer := func(f *fixture) model.Request {
		all := f.snap().Requests()
		q := all[len(all)-1]
		if q.Answer == nil || q.Answer.By != ann || q.Answer.FetchedBy != claude {
			t.Errorf("the answer is %+v of %+v", q.Answer, q)
		}
		return q
	}
	push := map[string]string{"command": "git push"}
	f := attended(t)
	f.rules.Commands = []string{"git push"}
	f.beside("Bash", push, func(func(error)) { f.silent(after(f, "Bash", push, map[string]any{})) })
	if q := answer(f); q.State != model.RequestAccepted {
		t.Errorf("it is %+v", q)
	}
	// Each is for one call: the next is asked about anew.
	f.beside("Bash", push, func(stop func(error)) { stop(ErrStopped) })
	if q := answer(f); q.State != model.RequestDenied || !strings.Contains(q.Answer.Text, "without an approval") {
		t.Errorf("it is %+v", q)
	}
	f.beside("Bash", push, func(func(error)) { after(f, "Bash", push, map[string]any{}) })
	if q := answer(f); q.State != model.RequestAccepted || len(f.snap().Requests()) != 3 {
		t.Errorf("it is %+v", q)
	}
	for given, want := range map[string]model.Answering{"hi": {Choice: "hi"}, "neither, thanks": {Text: "neither, thanks"}} {
		f = attended(t)
		answers := map[string]any{"questions": whichGreeting["questions"], "answers": map[string]string{"Which greeting?": given}, "annotations": map[string]any{}}
		f.beside(askUserQuestion, whichGreeting, func(func(error)) { f.silent(after(f, askUserQuestion, answers, answers)) })
		if q := answer(f); q.Answer.Choice != want.Choice || q.Answer.Text != want.Text {
			t.Errorf("%q is %+v", given, q.Answer)
		}
	}
}
