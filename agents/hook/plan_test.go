package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/agents/desk"
	"vespe/model"
)

const (
	firstPlan  = "# Plan: Faster parser\n\n1. profile it\n2. fix it\n"
	secondPlan = "# Faster parser\n\n1. measure\n2. fix it\n"
)

func (f *fixture) plan(event, id, text string) said {
	f.Helper()
	return f.call(event, exitPlanMode, id, map[string]string{"plan": text, "planFilePath": "/home/ann/.claude/plans/p.md"})
}

func (f *fixture) prompt(text string) said {
	f.Helper()
	return f.raw(ClaudeCode, UserPromptSubmit, f.event(UserPromptSubmit, map[string]any{"prompt": text}))
}

func (f *fixture) content(doc model.Doc) string {
	f.Helper()
	c, err := f.s.Content(f.Context(), f.task().UID, doc)
	if err != nil {
		f.Fatal(err)
	}
	return string(c.Body)
}

// The plan of a session that nobody sits at is handed in, sent back, handed in again and accepted, with the session
// ended in between.
func TestAPlanIsReviewed(t *testing.T) {
	f := newFixture(t)
	f.is(f.prompt("Make the parser faster.\n"), "nothing")
	f.is(f.prompt(goOn), "nothing")
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer")
	task := f.task()
	if task.Config.Name != "Faster parser" || task.Config.CreatedBy != claude || task.Status.PlanRevision != 1 || f.content(model.Objective) != "Make the parser faster.\n" || f.content(model.Plan) != firstPlan {
		t.Errorf("the task is %+v, for %q by %q", task.Config, f.content(model.Objective), f.content(model.Plan))
	}
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer") // resumed too early
	f.as(ann, model.Op{Name: model.RejectPlan, UID: task.UID, Reason: "say how it is measured", Args: model.Feedback{Comments: []model.NewComment{
		{Kind: model.Demand, Blocking: true, Text: "with what?", Place: model.Place{From: 3, To: 3}}, {Text: "fine"},
	}}})
	got := f.plan(PreToolUse, "toolu_1", firstPlan)
	f.is(got, "deny")
	r, err := f.desk().Look(t.Context(), desk.PlanReviewID(task.UID, 1))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Feedback[0].Blocking {
		r.Feedback[0], r.Feedback[1] = r.Feedback[1], r.Feedback[0]
	}
	f.says(got, "YOUR PLAN WAS NOT ACCEPTED by human:ann", "say how it is measured", "- "+r.Feedback[0].ID+" (change, blocking, plan line 3): with what?", "on: 1. profile it", r.Feedback[1].ID, "Answers", "call ExitPlanMode")

	// Without answers it is not taken, and with them it is.
	got = f.plan(PreToolUse, "toolu_2", secondPlan)
	f.is(got, "deny")
	f.says(got, "NOT TAKEN", r.Feedback[0].ID, "Answers")
	answered := secondPlan + "\n## Answers\n\n- " + r.Feedback[0].ID + ": addressed: with hyperfine\n- **" + r.Feedback[1].ID + "** — answered — thanks\n"
	f.is(f.plan(PreToolUse, "toolu_3", answered), "defer")
	if task = f.task(); task.Status.PlanRevision != 2 || task.Status.Comments.Blocking != 0 || task.Status.Comments.Open != 0 {
		t.Errorf("it is %+v, %+v", task.Status, task.Status.Comments)
	}
	f.accept()
	f.is(f.plan(PreToolUse, "toolu_3", answered), "allow")
	// Claude Code asks PermissionRequest as well, and wants to be told the input.
	got = f.plan(PermissionRequest, "", answered)
	f.is(got, "allow")
	var echo struct{ Plan, PlanFilePath string }
	if err := json.Unmarshal(got.Specific.Decision.Input, &echo); err != nil || echo.Plan != answered || echo.PlanFilePath == "" {
		t.Errorf("the input is %s", got.Specific.Decision.Input)
	}
	if st := f.task().Status; st.CurrentState != model.Working || st.AssignedAgentUID != claude || st.CurrentRun == "" {
		t.Errorf("nobody has claimed it: %+v", st)
	}
	// The task continued, so the next plan is of another.
	f.is(f.plan(PreToolUse, "toolu_4", "Something else\nentirely"), "defer")
	if snap := f.snap(); snap.Len() != 2 {
		t.Errorf("there are %d tasks", snap.Len())
	}
}

func (f *fixture) desk() *desk.Desk {
	f.Helper()
	d, err := desk.New(f.s, desk.Options{Actor: claude, Channel: "hook"})
	if err != nil {
		f.Fatal(err)
	}
	return d
}

func TestAPersonAtTheSessionReviewsItsPlanInVespe(t *testing.T) {
	f := attended(t)
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "nothing")
	wait := f.later(func() { f.as(ann, model.Op{Name: model.RejectPlan, UID: f.task().UID, Reason: "no"}) })
	got := f.plan(PermissionRequest, "", firstPlan)
	wait()
	f.is(got, "deny")
	wait = f.later(f.accept)
	got = f.plan(PermissionRequest, "", secondPlan)
	wait()
	f.is(got, "allow")
	if st := f.task().Status; st.CurrentState != model.Working || st.CurrentRun == "" || st.PlanRevision != 2 {
		t.Errorf("it is %+v", st)
	}
}

// Killed at any time, the same plan finds what there is.
func TestAPlanThatComesTwiceIsOne(t *testing.T) {
	f := newFixture(t)
	h := f.session(PreToolUse, "toolu_1")
	if _, err := h.newTask(t.Context(), firstPlan, "", nil); err != nil { // and killed
		t.Fatal(err)
	}
	for range 3 {
		f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer")
	}
	if task := f.task(); task.Status.PlanRevision != 1 || f.content(model.Objective) != "Faster parser\n" {
		t.Errorf("it is %+v, for %q", task.Status, f.content(model.Objective))
	}
}

// session is one event of a session, for what is tested by itself.
func (f *fixture) session(event, id string) *session {
	f.Helper()
	d := f.hookDeps("")
	p, err := ParsePayload([]byte(f.event(event, map[string]any{"tool_use_id": id})))
	if err != nil {
		f.Fatal(err)
	}
	h, ok, err := d.begin(ClaudeCode, event, p)
	if err != nil || !ok {
		f.Fatal(ok, err)
	}
	f.Cleanup(func() { _ = h.s.Close() })
	return h
}

func TestAPlanThatAPersonChanged(t *testing.T) {
	f := newFixture(t)
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer")
	uid := f.task().UID
	f.as(ann, model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: secondPlan}})
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer") // the person's version waits
	if f.content(model.Plan) != secondPlan {
		t.Error("the person's version is overwritten")
	}
	f.accept()
	got := f.plan(PreToolUse, "toolu_1", firstPlan)
	f.is(got, "deny")
	f.says(got, "A PERSON CHANGED YOUR PLAN", secondPlan)
	f.is(f.plan(PreToolUse, "toolu_2", secondPlan), "allow")
	// The permission_prompt tool can hand it over.
	d := f.prompted(PromptedCall{Tool: exitPlanMode, ToolUseID: "toolu_1", Input: []byte(`{"plan":` + quoted(firstPlan) + `,"planFilePath":"/x"}`)})
	var in struct{ Plan, PlanFilePath string }
	if err := json.Unmarshal(d.UpdatedInput, &in); err != nil || d.Behavior != "allow" || in.Plan != secondPlan || in.PlanFilePath != "/x" {
		t.Errorf("it decides %+v", d)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestThereIsNoPlan(t *testing.T) {
	f := newFixture(t)
	for _, in := range []any{map[string]string{}, map[string]any{"plan": " \n"}, map[string]any{"plan": 5}} {
		got := f.call(PreToolUse, exitPlanMode, "toolu_1", in)
		f.is(got, "deny")
		f.says(got, "NO PLAN")
	}
	if f.snap().Len() > 0 {
		t.Error("a task was made")
	}
	got := f.plan(PreToolUse, "toolu_1", strings.Repeat("x", 600<<10))
	f.is(got, "deny")
	f.says(got, "bytes")
}

// A worker's own plan, within the accepted one, is a question about its task: and one, no matter who asks.
func TestAPlanOfARun(t *testing.T) {
	f := newFixture(t)
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "x", Objective: "o"}}).Change.Tasks[0].UID
	f.env["VESPE_RUN_ID"], f.env["VESPE_TASK"], f.env["VESPE_ACTOR"], f.env["VESPE_STORE"] = "run-1", string(uid), "agent:claude", f.root
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "defer")
	q := f.one()
	if q.TaskUID != uid || q.Key != model.DeferredKey("run-1", "toolu_1") || !strings.Contains(q.Detail, firstPlan) || f.task().Status.PlanRevision != 0 {
		t.Errorf("it is %+v", q)
	}
	f.is(f.plan(PermissionRequest, "", firstPlan), "nothing")
	f.decide(q.ID, model.Answering{Decision: model.DecideAccept})
	f.is(f.plan(PreToolUse, "toolu_1", firstPlan), "allow")
	f.is(f.plan(PermissionRequest, "", firstPlan), "allow")
	if d := f.prompted(PromptedCall{Tool: exitPlanMode, ToolUseID: "toolu_7", Input: []byte(`{"plan":` + quoted(firstPlan) + `}`)}); d.Behavior != "allow" {
		t.Errorf("it decides %+v", d)
	}
	f.is(f.plan(PreToolUse, "toolu_8", secondPlan), "defer")
}

func TestPlanTitles(t *testing.T) {
	for text, want := range map[string]string{
		"# Plan\n\n## Parser\nx": "Parser", "# Plan: Parser": "Parser", "Do it\n# Later": "Later", "Do it": "Do it", "": "A plan", "---\n***\n": "A plan", "# **Bold** title": "Bold** title",
		"# " + strings.Repeat("ü", 300): strings.Repeat("ü", 79) + "…", "# a\u202eb": "a⟨U+202E⟩b",
	} {
		if got := planTitle(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}

func TestAMemberIsPutInAndNothingElseChanges(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: `{"a":1}`, `{"b": 1.50,  "c":"é"}`: `{"b": 1.50,  "c":"é","a":1}`, ` {"x":{}} `: `{"x":{},"a":1}`, `{"a":2,"b":3}`: `{"a":1,"b":3}`,
	} {
		if got := string(withMember([]byte(in), "a", []byte("1"))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

func TestQuestionsBecomeRequests(t *testing.T) {
	questions := map[string]any{"questions": []any{
		map[string]any{"question": "Which port?", "header": "Port", "multiSelect": false, "options": []any{map[string]string{"label": "80", "description": "as root"}, map[string]string{"label": "8080", "description": "else"}}},
		map[string]any{"question": "Which checks?\nAll that matter.", "header": "Checks", "multiSelect": true, "options": []any{map[string]string{"label": "Lint", "description": ""}, map[string]string{"label": "Unit tests", "description": ""}}},
	}}
	for name, live := range map[string]bool{"put off": false, "waited for": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			answer := func() {
				for _, q := range f.requests() {
					by := model.Answering{Decision: model.DecideRespond, Text: "lint,unit tests"}
					if len(q.Options) > 0 {
						by = model.Answering{Decision: model.DecideChoose, Choice: "8080"}
					}
					f.decide(q.ID, by)
				}
			}
			var got said
			if live {
				f.env["CLAUDE_CODE_ENTRYPOINT"] = "cli"
				f.is(f.call(PreToolUse, askUserQuestion, "toolu_1", questions), "nothing")
				wait := f.later(func() {
					for len(f.requests()) < 2 {
						_, _ = f.s.Await(t.Context(), f.snap().Seq(), 1e9)
					}
					answer()
				})
				got = f.call(PermissionRequest, askUserQuestion, "", questions)
				wait()
				f.is(got, "allow")
				got.Specific.Input = got.Specific.Decision.Input
			} else {
				f.is(f.call(PreToolUse, askUserQuestion, "toolu_1", questions), "defer")
				all := f.requests()
				if len(all) != 2 || all[0].Kind != model.KindChoice || strings.Join(all[0].Options, ",") != "80,8080" || !strings.Contains(all[0].Detail, "- 80: as root") || all[1].Kind != model.KindQuestion || all[1].Title != "Which checks? All that matter." || !strings.Contains(all[1].Detail, "Several") {
					t.Errorf("they are %+v", all)
				}
				got = f.bash("toolu_2", "rm -rf .vespe")
				f.is(got, "deny")
				f.decide(all[0].ID, model.Answering{Decision: model.DecideChoose, Choice: "8080"})
				f.is(f.call(PreToolUse, askUserQuestion, "toolu_1", questions), "defer") // one is not answered
				f.decide(all[1].ID, model.Answering{Decision: model.DecideRespond, Text: "lint, unit tests"})
				got = f.call(PreToolUse, askUserQuestion, "toolu_1", questions)
				f.is(got, "allow")
			}
			var in struct {
				Questions []any
				Answers   map[string]string
			}
			if err := json.Unmarshal(got.Specific.Input, &in); err != nil || len(in.Questions) != 2 || in.Answers["Which port?"] != "8080" || in.Answers["Which checks?\nAll that matter."] != "Lint, Unit tests" {
				t.Errorf("the input is %s", got.Specific.Input)
			}
		})
	}
	f := newFixture(t)
	f.is(f.call(PreToolUse, askUserQuestion, "toolu_1", questions), "defer")
	for _, q := range f.requests() {
		f.decide(q.ID, model.Answering{Decision: model.DecideDeny, Text: "decide yourself"})
	}
	got := f.call(PreToolUse, askUserQuestion, "toolu_1", questions)
	f.is(got, "deny")
	f.says(got, "decide yourself")
	f.is(f.call(PreToolUse, askUserQuestion, "toolu_3", map[string]any{"questions": "none"}), "deny")
}

// prompted is what the permission_prompt tool decides.
func (f *fixture) prompted(c PromptedCall) Decision {
	f.Helper()
	actor, err := desk.ActorFor(func(k string) string { return f.env[k] }, "claude-code")
	if err != nil {
		f.Fatal(err)
	}
	d, err := desk.New(f.s, desk.Options{Actor: actor, Channel: "mcp", Run: f.env["VESPE_RUN_ID"], Task: f.env["VESPE_TASK"]})
	if err != nil {
		f.Fatal(err)
	}
	env := func(k string) string {
		if k == "CLAUDE_CODE_SESSION_ID" {
			return "11111111-1111-4111-8111-111111111111"
		}
		return f.env[k]
	}
	p := Prompter{Getenv: env, Rules: f.rules, Dir: f.root}
	out := p.Permission(f.Context(), d, c, nil)
	var text map[string]any
	if err := json.Unmarshal([]byte(out.Text()), &text); err != nil || text["behavior"] != out.Behavior {
		f.Errorf("it says %s", out.Text())
	}
	if (out.Behavior == "allow") != (text["updatedInput"] != nil) || (out.Behavior == "deny") != (text["message"] != nil) {
		f.Errorf("it says %s", out.Text())
	}
	return out
}

func TestThePermissionPrompt(t *testing.T) {
	f := newFixture(t)
	input := []byte(`{"command":"make deploy"}`)
	call := PromptedCall{Tool: "Bash", Input: input, ToolUseID: "toolu_1"}
	wait := f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept}) })
	d := f.prompted(call)
	wait()
	if d.Behavior != "allow" || string(d.UpdatedInput) != string(input) {
		t.Errorf("it decides %+v", d)
	}
	if d = f.prompted(call); d.Behavior != "allow" { // the same call again
		t.Errorf("it decides %+v", d)
	}
	call.ToolUseID = "toolu_2" // another
	wait = f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "once is enough"}) })
	if d = f.prompted(call); d.Behavior != "deny" || !strings.Contains(d.Message, "once is enough") {
		t.Errorf("it decides %+v", d)
	}
	wait()
	for _, c := range []PromptedCall{
		{}, {Tool: "Bash"}, {Tool: "Write", Input: []byte(`{"file_path":"` + filepath.Join(f.root, ".vespe", "x") + `"}`)}, {Tool: exitPlanMode, Input: []byte(`{}`)}, {Tool: askUserQuestion, Input: []byte(`[]`)},
	} {
		if c.Tool == "Bash" {
			continue
		}
		if d := f.prompted(c); d.Behavior != "deny" || d.Message == "" {
			t.Errorf("of %+v it decides %+v", c, d)
		}
	}
	if d := f.prompted(PromptedCall{Tool: "mcp__vespe__plan_submit", Input: []byte(`{"a":1}`)}); d.Behavior != "allow" || string(d.UpdatedInput) != `{"a":1}` {
		t.Errorf("vespe's own tool is %+v", d)
	}
	if err := os.Remove(filepath.Join(f.root, ".vespe", "config.json")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}
