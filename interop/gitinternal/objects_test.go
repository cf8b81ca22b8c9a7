package gitinternal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
	"vespe/model/runlog"
)

const (
	runUUID    = "0197a0a2-3000-7000-8000-0000000000a1"
	planUUID   = "0197a0a2-3000-7000-8000-0000000000b1"
	plan2UUID  = "0197a0a2-3000-7000-8000-0000000000b2"
	patchUUID  = "0197a0a2-3000-7000-8000-0000000000c1"
	intentUUID = "0197a0a2-3000-7000-8000-0000000000d1"
)

// obj is an object of the format's shape: a header, and its own members.
func obj(typ, id, at, members string) string {
	fields, problems := model.DecodeFields("", []byte(`{"object_id":"`+id+`","object_type":"`+typ+`","header_version":1,"schema_version":1,
		"created_at":"`+at+`","updated_at":"`+at+`","created_by":{"kind":"agent","id":"coder","display_name":null,"auth_context":null},
		"visibility":"private","tags":{},"external_ids":{},"checksum":null}`))
	more, others := model.DecodeFields("", []byte(members))
	if len(problems)+len(others) > 0 {
		panic(fmt.Sprint(problems, others))
	}
	for _, f := range more {
		fields = fields.With(f)
	}
	return string(model.EncodeFields(fields))
}

func hex64(c string) string { return strings.Repeat(c, 64) }

// whole is a task with one of each other object, as git-internal 0.6 writes them.
func whole() string {
	const t = "2026-01-02T00:00:0"
	run := `"run_id":"` + runUUID + `"`
	return strings.Join([]string{
		with(`{"status":"running","runs":["` + runUUID + `"],"intent":"` + intentUUID + `","description":"Refactor login."}`),
		obj("intent", intentUUID, t+"0Z", `{"prompt":"Refactor login flow","content":"Restructure it","plan":"`+planUUID+`","statuses":[
			{"status":"draft","changed_at":"2026-01-02T00:00:00Z"},{"status":"completed","changed_at":"2026-01-02T00:00:09Z","reason":"All tasks done"}]}`),
		obj("plan", planUUID, t+"1Z", `{"pipeline":"0197a0a2-3000-7000-8000-0000000000e1","fwindow":[0,3],"steps":[{"intent":"run tests","statuses":[{"status":"pending","changed_at":"2026-01-01T00:00:00Z"}]}]}`),
		obj("plan", plan2UUID, t+"2Z", `{"previous":"`+planUUID+`","steps":[{"description":"design OAuth flow","inputs":{"spec":"a.md"},"checks":["lint"],"iframes":[0],"oframes":[2],
			"statuses":[{"status":"completed","changed_at":"2026-01-02T00:00:03Z","reason":"all checks passed"}]},{"description":"two\nlines","statuses":[]}]}`),
		obj("run", runUUID, t+"3Z", `{"updated_at":"2026-01-02T00:05:03.250Z","task":"`+id+`","plan":"`+plan2UUID+`","commit":"`+hex64("a")+`","status":"failed","snapshot":"0197a0a2-3000-7000-8000-0000000000f1",
			"patchsets":["`+patchUUID+`"],"metrics":{"seconds":300.0},"error":"two tests fail","environment":{"os":"linux","arch":"x86_64","cwd":"/w","shell":"zsh"}}`),
		obj("context_snapshot", "0197a0a2-3000-7000-8000-0000000000f1", t+"3Z", `{"selection_strategy":"heuristic","items":[{"kind":"file","path":"a.rs","preview":"fn"},{"kind":{"other":"log"},"path":"x"}],"summary":"s"}`),
		obj("context_pipeline", "0197a0a2-3000-7000-8000-0000000000e1", t+"1Z", `{"frames":[{"frame_id":0,"kind":"step_summary","summary":"did stuff","data":{"files":["a.rs"]},"created_at":"2026-01-02T00:00:01Z","token_estimate":150}],"next_frame_id":1,"max_frames":0,"global_summary":"g"}`),
		obj("patch_set", patchUUID, t+"4Z", `{"run":"`+runUUID+`","commit":"`+hex64("a")+`","format":"unified_diff","artifact":{"store":"libra","key":"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391","content_type":null,"size_bytes":null,"hash":"`+hex64("b")+`","expires_at":null},
			"touched":[{"path":"../../etc/passwd","change_type":"modify","lines_added":1,"lines_deleted":2}],"rationale":"why","apply_status":"rejected"}`),
		obj("evidence", "0197a0a2-3000-7000-8000-000000000101", t+"5Z", `{`+run+`,"patchset_id":"`+patchUUID+`","kind":"test","tool":"cargo","command":"cargo test","exit_code":1,"summary":"2 failed","report_artifacts":[{"store":"local","key":"log.txt"}]}`),
		obj("evidence", "0197a0a2-3000-7000-8000-000000000102", t+"6Z", `{`+run+`,"kind":"security","tool":"audit"}`),
		obj("tool_invocation", "0197a0a2-3000-7000-8000-000000000103", t+"6Z", `{`+run+`,"tool_name":"apply_patch","io_footprint":{"paths_read":["a.rs"],"paths_written":["a.rs"]},"args":{"file":"a.rs"},"status":"error","result_summary":"no such hunk"}`),
		obj("provenance", "0197a0a2-3000-7000-8000-000000000104", t+"6Z", `{`+run+`,"provider":"openai","model":"gpt-4","parameters":{"temperature":0.2,"max_tokens":128},"temperature":0.2,"max_tokens":128,"token_usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15,"cost_usd":0.001}}`),
		obj("decision", "0197a0a2-3000-7000-8000-000000000105", t+"7Z", `{`+run+`,"decision_type":"commit","chosen_patchset_id":"`+patchUUID+`","result_commit_sha":"`+hex64("c")+`","rationale":"tests passed"}`),
		obj("decision", "0197a0a2-3000-7000-8000-000000000106", t+"8Z", `{`+run+`,"decision_type":"ask the boss","created_by":{"kind":"robot","id":"r2"}}`),
	}, "\n")
}

// What comes of each object, and all of it goes out as it came.
func TestEachObject(t *testing.T) {
	ctx := context.Background()
	s := recordstest.New(t, Format())
	r := s.Import(whole())
	if r.Created != 1 {
		t.Fatalf("%+v", r)
	}
	task := s.Task(id)
	if st := task.Status; st.CurrentState != model.PlanDefined || st.PlanRevision != 2 || st.AcceptedPlan != nil || st.Review != nil || st.Runs != 1 || s.Status(id) != model.StatusReviewPlan {
		t.Errorf("no decision of elsewhere is an approval here: %s %+v", s.Status(id), st)
	}
	for n, want := range map[int]string{
		1: "1. run tests\n",
		2: "1. design OAuth flow\n   - inputs: `{\"spec\":\"a.md\"}`\n   - checks: `[\"lint\"]`\n2. two\n   lines\n",
	} {
		if c, err := s.Files().Revision(ctx, task.UID, model.Plan, n); err != nil || string(c.Body) != want {
			t.Errorf("revision %d: %v %q", n, err, c.Body)
		}
	}
	runs, err := s.Files().Runs(ctx, task.UID)
	if err != nil || len(runs) != 1 {
		t.Fatal(err, runs)
	}
	run := runs[0]
	if run.ID != "run-0197a0a23000700080000000000000a1" || run.Worker != "agent:coder" || run.Outcome != model.RunFailed || run.Report.Why != "in git-internal: two tests fail" ||
		run.Report.In != 10 || run.Report.Cost != 0.001 || run.Report.Verified || run.Took().Milliseconds() != 300_250 {
		t.Errorf("%+v %+v", run, run.Report)
	}
	b, _, err := s.Files().ReadRunFile(ctx, task.UID, run.ID, "verify.json", 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	report, err := runlog.DecodeReport(b)
	if err != nil || report.OK || report.Tested || len(report.Checks) != 2 || report.Checks[0].Status != runlog.Fail || report.Checks[0].Name != "cargo test" ||
		report.Checks[0].Output != "2 failed" || report.Checks[1].Status != runlog.NotRun {
		t.Errorf("%v %+v", err, report)
	}
	events, problems, err := s.Files().History(ctx, task.UID)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	var decided []string
	for _, e := range events {
		if e.Name == "decision" {
			decided = append(decided, string(e.Actor)+" "+e.Summary)
		}
	}
	if !slices.Equal(decided, []string{"agent:coder commit: tests passed", "system:git-internal ask the boss"}) {
		t.Errorf("%q", decided)
	}
	all := strings.Join(r.NotCarried, "\n")
	for _, what := range []string{"type intent", "type context_snapshot", "type context_pipeline", "type tool_invocation", "patch sets without their patch", "they approve nothing"} {
		if !strings.Contains(all, what) {
			t.Errorf("%q is not said: %s", what, all)
		}
	}
	s.Exports(whole())
	if r := s.Import(whole()); r.Unchanged != 1 || r.Created+r.Updated != 0 {
		t.Errorf("a second import: %+v", r)
	}
}

// Objects may come one by one, and before what they belong to.
func TestObjectsComeLater(t *testing.T) {
	list, problems := records.Read("f", strings.NewReader(whole()))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, order := range []string{"forth", "back"} {
		t.Run(order, func(t *testing.T) {
			if order == "back" {
				slices.Reverse(list)
			}
			s := recordstest.New(t, Format())
			for _, r := range list {
				s.Import(string(r.Raw))
			}
			s.Exports(whole())
			if len(mustRuns(t, s)) != 1 {
				t.Error("the run is not there")
			}
			s.Import(whole())
			s.Exports(whole())
		})
	}
}

func mustRuns(t *testing.T, s *recordstest.Store) []model.Run {
	t.Helper()
	runs, err := s.Files().Runs(context.Background(), s.Task(id).UID)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// A plan that nobody judged follows the one there; one that a person changed or accepted stays.
func TestPlansFollow(t *testing.T) {
	next := func(words string) string {
		const third = "0197a0a2-3000-7000-8000-0000000000b3"
		return obj("plan", third, "2026-01-03T00:00:00Z", `{"previous":"`+plan2UUID+`","steps":[{"description":"`+words+`","statuses":[]}]}`) +
			obj("run", "0197a0a2-3000-7000-8000-0000000000a2", "2026-01-03T00:00:01Z", `{"task":"`+id+`","plan":"`+third+`","commit":"`+hex64("a")+`","status":"completed"}`)
	}
	s := recordstest.New(t, Format())
	s.Import(whole())
	s.Import(next("third"))
	if c, err := s.Files().Content(t.Context(), s.Task(id).UID, model.Plan); err != nil || string(c.Body) != "1. third\n" {
		t.Errorf("%v %q", err, c.Body)
	}
	if runs := mustRuns(t, s); len(runs) != 2 || s.Task(id).Status.Runs != 2 {
		t.Errorf("%+v", runs)
	}
	s.Do(model.Op{Name: model.AcceptPlan}, id)
	r := s.Import(next("third, otherwise"))
	if c, err := s.Files().Content(t.Context(), s.Task(id).UID, model.Plan); err != nil || string(c.Body) != "1. third\n" || s.Task(id).Status.AcceptedPlan == nil {
		t.Errorf("%v %q", err, c.Body)
	}
	if !strings.Contains(strings.Join(r.NotCarried, "\n"), "the plan changed there") {
		t.Errorf("%q", r.NotCarried)
	}
	list, _ := s.Export()
	var plans, steps []string
	for _, o := range list {
		if text(o, "object_type") == "plan" {
			plans = append(plans, text(o, "previous"))
			steps = append(steps, stepsText(stepsOf(o)))
		}
	}
	// The one that was accepted here is one more, after what it came from.
	if len(list) != 17 || len(plans) != 4 || !slices.Contains(steps, "1. third\n") || !slices.Contains(steps, "1. third, otherwise\n") {
		t.Errorf("%d objects, %q", len(list), steps)
	}
}

// What belongs to no task is kept until one comes.
func TestLooseObjects(t *testing.T) {
	in := obj("intent", intentUUID, "2026-01-02T00:00:00Z", `{"prompt":"p","statuses":[]}`) + obj("run_event", "0197a0a2-3000-7000-8000-000000000999", "2026-01-02T00:00:00Z", `{"run_id":"`+runUUID+`"}`)
	s := recordstest.New(t, Format())
	if r := s.Import(in); r.Created != 1 || !strings.Contains(strings.Join(r.NotCarried, "\n"), "run_event") {
		t.Fatalf("%+v", r)
	}
	s.Exports(in)
	if r := s.Import(in); r.Unchanged != 1 || r.Created+r.Updated != 0 {
		t.Errorf("%+v", r)
	}
	s.Import(with(`{"intent":"` + intentUUID + `"}`))
	s.Exports(in + with(`{"intent":"`+intentUUID+`"}`))
}

func TestBadParts(t *testing.T) {
	const at = "2026-01-02T00:00:00Z"
	run := func(members string) string {
		base := `{"task":"` + id + `","commit":"` + hex64("a") + `","status":"created"`
		return obj("run", runUUID, at, base+members+`}`)
	}
	for in, want := range map[string]string{
		run(`,"checksum":"` + hex64("0") + `"`):                             "its checksum doesn't match",
		run(`,"created_at":null`):                                           "it has no created_at",
		run(`,"created_by":{"kind":"agent"}`):                               "created_by names no one",
		run(`,"header_version":0`):                                          "header_version is not a version",
		run(`,"object_id":"x"`):                                             "object_id is not a UUID",
		run(`,"object_id":"00000000-0000-7000-8000-000000000009"`):          "is also the id of a task",
		run("") + run(`,"error":"y"`):                                       "appears twice with different content",
		obj("plan", planUUID, at, `{"previous":"`+planUUID+`","steps":[]}`): "its previous forms a cycle",
	} {
		list, problems := records.Read("f", strings.NewReader(old2()+in))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		ops, report, err := Format().Import(t.Context(), list, records.Options{Actor: "human:ann"})
		if err != nil || len(ops) > 0 || len(report.Problems) == 0 || !strings.Contains(fmt.Sprint(report.Problems), want) || report.Problems[0].Path != "f" {
			t.Errorf("%s: want %q, %v, %d operations, %+v", in, want, err, len(ops), report.Problems)
		}
	}
}

// Words that git-internal 0.6 does not know are kept and said.
func TestUnknownWords(t *testing.T) {
	s := recordstest.New(t, Format())
	in := with(`{"status":"paused","goal":"spike","visibility":"team"}`) +
		obj("run", runUUID, "2026-01-02T00:00:00Z", `{"task":"`+id+`","commit":"`+strings.Repeat("a", 40)+`","status":"resting"}`)
	r := s.Import(in)
	all := strings.Join(r.NotCarried, "\n")
	for _, what := range []string{"unknown status paused", "goal that", "unknown visibility", "unfinished runs"} {
		if !strings.Contains(all, what) {
			t.Errorf("%q is not said: %s", what, all)
		}
	}
	s.Exports(in)
}

// A checksum is believed as git-internal makes it: of what was there before it wrote updated_at.
func TestSealedThere(t *testing.T) {
	fields, _ := model.DecodeFields("", []byte(with(`{"updated_at":"2026-01-01T00:00:00Z"}`)))
	sum := checksum(fields)
	s := recordstest.New(t, Format())
	s.Import(with(`{"updated_at":"2026-02-02T00:00:00Z","checksum":"` + strings.ToUpper(sum) + `"}`))
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0", 1: "1.0", 0.001: "0.001", 0.25: "0.25", 1e-5: "0.00001", 1e-6: "1e-6", 1.5e-7: "1.5e-7", 1e15: "1000000000000000.0", 1e16: "1e16", 123456.5: "123456.5"} {
		if got := string(float(v)); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

func TestDeepObjects(t *testing.T) {
	const deep = 9_000
	in := obj("tool_invocation", planUUID, "2026-01-02T00:00:00Z", `{"run_id":"`+runUUID+`","tool_name":"x","status":"ok"}`)
	in = strings.Replace(in, `"status"`, `"args": `+strings.Repeat(`{"a":`, deep)+`1`+strings.Repeat(`}`, deep)+`, "status"`, 1)
	if _, problems := records.Read("f", strings.NewReader(old2()+in)); len(problems) != 1 || problems[0].Code != "too-deep" || !strings.Contains(problems[0].Reason, "record 2") {
		t.Errorf("%.300v", problems)
	}
}
