package gitinternal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
	"vespe/model/snapshot"
)

const (
	runUUID    = "0197a0a2-3000-7000-8000-0000000000a1"
	planUUID   = "0197a0a2-3000-7000-8000-0000000000b1"
	plan2UUID  = "0197a0a2-3000-7000-8000-0000000000b2"
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

// whole is a task with its intent, two plans and a run, as git-internal 0.6 writes them.
func whole() string {
	const t = "2026-01-02T00:00:0"
	return strings.Join([]string{
		with(`{"status":"running","runs":["` + runUUID + `"],"intent":"` + intentUUID + `","description":"Refactor login."}`),
		obj("intent", intentUUID, t+"0Z", `{"prompt":"Refactor login flow","plan":"`+planUUID+`","statuses":[]}`),
		obj("plan", planUUID, t+"1Z", `{"pipeline":"0197a0a2-3000-7000-8000-0000000000e1","fwindow":[0,3],"steps":[{"intent":"run tests","statuses":[{"status":"pending","changed_at":"2026-01-01T00:00:00Z"}]}]}`),
		obj("plan", plan2UUID, t+"2Z", `{"previous":"`+planUUID+`","steps":[{"description":"design OAuth flow","inputs":{"spec":"a.md"},"checks":["lint"],"iframes":[0],"oframes":[2],
			"statuses":[{"status":"completed","changed_at":"2026-01-02T00:00:03Z","reason":"all checks passed"}]},{"description":"two\nlines","statuses":[]}]}`),
		obj("run", runUUID, t+"3Z", `{"task":"`+id+`","plan":"`+plan2UUID+`","commit":"`+strings.Repeat("a", 64)+`","status":"failed"}`),
		obj("tool_invocation", "0197a0a2-3000-7000-8000-000000000103", t+"6Z", `{"run_id":"`+runUUID+`","tool_name":"apply_patch"}`),
	}, "\n")
}

// A task comes with its plans, which go out as they came. What else there is stays where it is.
func TestTaskWithPlans(t *testing.T) {
	s := recordstest.New(t, Format())
	r := s.Import(whole())
	if r.Created != 1 {
		t.Fatalf("%+v", r)
	}
	task := s.Task(id)
	if st := task.Status; st.CurrentState != model.PlanDefined || st.PlanRevision != 2 || st.AcceptedPlan != nil || st.Review != nil || st.Runs != 0 || s.Status(id) != model.StatusReviewPlan {
		t.Errorf("%s %+v", s.Status(id), st)
	}
	for n, want := range map[int]string{
		1: "1. run tests\n",
		2: "1. design OAuth flow\n   - inputs: `{\"spec\":\"a.md\"}`\n   - checks: `[\"lint\"]`\n2. two\n   lines\n",
	} {
		if c, err := s.Files().Revision(t.Context(), task.UID, model.Plan, n); err != nil || string(c.Body) != want {
			t.Errorf("revision %d: %v %q", n, err, c.Body)
		}
	}
	all := strings.Join(r.NotCarried, "\n")
	for _, what := range []string{"type intent are not", "type run are not", "type tool_invocation are not"} {
		if !strings.Contains(all, what) {
			t.Errorf("%q is not said: %s", what, all)
		}
	}
	out, _ := s.Export()
	if len(out) != 3 || text(out[1], "object_id") != planUUID || text(out[2], "object_id") != plan2UUID {
		t.Errorf("%s", records.ListValue(out))
	}
	for _, again := range []string{whole(), with(`{"status":"running","runs":["` + runUUID + `"],"intent":"` + intentUUID + `","description":"Refactor login."}`)} {
		if r := s.Import(again); r.Unchanged != 1 || r.Created+r.Updated != 0 {
			t.Errorf("a second import: %+v", r)
		}
	}
}

// Without a run the intent says whose the plan is; without either it is left out.
func TestWhosePlan(t *testing.T) {
	plan := obj("plan", planUUID, "2026-01-02T00:00:01Z", `{"steps":[{"description":"a"}]}`)
	intent := obj("intent", intentUUID, "2026-01-02T00:00:00Z", `{"plan":"`+planUUID+`"}`)
	for in, want := range map[string]int{
		with(`{"intent":"`+intentUUID+`"}`) + intent + plan: 1,
		with(`{}`) + intent + plan:                          0,
		with(`{}`) + plan:                                   0,
	} {
		s := recordstest.New(t, Format())
		r := s.Import(in)
		if got := s.Task(id).Status.PlanRevision; got != want || strings.Contains(strings.Join(r.NotCarried, "\n"), "belong to no task") != (want == 0) {
			t.Errorf("revision %d, want %d: %+v", got, want, r)
		}
	}
}

// A plan that nobody judged follows the one there; one that a person changed or accepted stays.
func TestPlansFollow(t *testing.T) {
	next := func(words string) string {
		const third = "0197a0a2-3000-7000-8000-0000000000b3"
		return whole() + obj("plan", third, "2026-01-03T00:00:00Z", `{"previous":"`+plan2UUID+`","steps":[{"description":"`+words+`","statuses":[]}]}`) +
			obj("run", "0197a0a2-3000-7000-8000-0000000000a2", "2026-01-03T00:00:01Z", `{"task":"`+id+`","plan":"`+third+`","status":"completed"}`)
	}
	s := recordstest.New(t, Format())
	s.Import(whole())
	s.Import(next("third"))
	if c, err := s.Files().Content(t.Context(), s.Task(id).UID, model.Plan); err != nil || string(c.Body) != "1. third\n" {
		t.Errorf("%v %q", err, c.Body)
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
	var steps []string
	for _, o := range list {
		if text(o, "object_type") == "plan" {
			steps = append(steps, stepsText(stepsOf(o)))
		}
	}
	// The one that was accepted here is one more, after what it came from.
	if len(steps) != 4 || !slices.Contains(steps, "1. third\n") || !slices.Contains(steps, "1. third, otherwise\n") {
		t.Errorf("%q", steps)
	}
}

func TestBadPlans(t *testing.T) {
	const at = "2026-01-02T00:00:00Z"
	plan := func(members string) string { return obj("plan", planUUID, at, `{"steps":[]`+members+`}`) }
	for in, want := range map[string]string{
		plan(`,"checksum":"` + strings.Repeat("0", 64) + `"`):       "its checksum doesn't match",
		plan(`,"created_at":null`):                                  "it has no created_at",
		plan(`,"created_by":{"kind":"agent"}`):                      "created_by names no one",
		plan(`,"header_version":0`):                                 "header_version is not a version",
		plan(`,"object_id":"x"`):                                    "object_id is not a UUID",
		plan(`,"object_id":"00000000-0000-7000-8000-000000000009"`): "is also the id of a plan",
		plan("") + plan(`,"previous":"`+plan2UUID+`"`):              "appears twice with different content",
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
	// Plans that come before each other end somewhere.
	s := recordstest.New(t, Format())
	s.Import(whole() + obj("plan", "0197a0a2-3000-7000-8000-0000000000b3", at, `{"previous":"0197a0a2-3000-7000-8000-0000000000b3","steps":[]}`))
}

// Words that git-internal 0.6 does not know are kept and said.
func TestUnknownWords(t *testing.T) {
	s := recordstest.New(t, Format())
	in := with(`{"status":"paused","goal":"spike","visibility":"team"}`)
	r := s.Import(in)
	all := strings.Join(r.NotCarried, "\n")
	for _, what := range []string{"unknown status paused", "goal that", "unknown visibility"} {
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

func TestDeepObjects(t *testing.T) {
	const deep = 9_000
	in := obj("tool_invocation", planUUID, "2026-01-02T00:00:00Z", `{"run_id":"`+runUUID+`","tool_name":"x","status":"ok"}`)
	in = strings.Replace(in, `"status"`, `"args": `+strings.Repeat(`{"a":`, deep)+`1`+strings.Repeat(`}`, deep)+`, "status"`, 1)
	if _, problems := records.Read("f", strings.NewReader(old2()+in)); len(problems) != 1 || problems[0].Code != "too-deep" || !strings.Contains(problems[0].Reason, "record 2") {
		t.Errorf("%.300v", problems)
	}
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte(whole()))
	f.Add([]byte(obj("plan", planUUID, "2026-01-02T00:00:00Z", `{"previous":"`+planUUID+`","steps":[{"description":"a","task":"`+id+`"}]}`)))
	f.Add([]byte(strings.ReplaceAll(whole(), runUUID, id)))
	f.Fuzz(func(t *testing.T, b []byte) { recordstest.Fuzz(t, Format(), b) })
}

// A store of an earlier version keeps objects of other types with a task, or in a task of their own. An import and an
// export leave none of them out.
func TestObjectsOfEarlierVersionsStay(t *testing.T) {
	decision := obj("decision", "0197a0a2-3000-7000-8000-0000000000c1", "2026-01-02T00:00:05Z", `{"run_id":"`+runUUID+`","decision_type":"commit"}`)
	fields := func(text string) model.Extra {
		f, problems := model.DecodeFields("", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return f
	}
	kept := fields(with(`{}`)).With(model.ExtraField{Key: objectsKey, Value: []byte("[" + decision + "]")})
	task := &model.Task{UID: "tsk-0123456789abcdef0123456789abcdef", Spec: &model.Spec{External: model.Extra{model.ObjectField(key, kept)}}}
	snap := snapshot.New(snapshot.Input{Tasks: []*model.Task{task}})
	list, problems := records.Read("f", strings.NewReader(with(`{"title":"Another"}`)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got, err := gather(t.Context(), list, records.Options{Snapshot: snap}, &records.Report{})
	if err != nil || len(got) != 1 || !slices.ContainsFunc(objectsOf(got[0].Fields), func(o model.Extra) bool { return text(o, "object_type") == "decision" }) {
		t.Fatalf("after an import: %v %s", err, model.EncodeFields(got[0].Fields))
	}
	x := records.Expanding{Kept: kept, Record: fields(with(`{}`))}
	x.View.Task = task
	for loose, types := range map[string][]string{"false": {"task", "decision"}, "true": {"decision"}} {
		x.Kept = kept.With(model.ExtraField{Key: looseKey, Value: []byte(loose)})
		out, err := expand(t.Context(), nil, x, &records.Report{})
		var found []string
		for _, o := range out {
			found = append(found, text(o, "object_type"))
		}
		if err != nil || !slices.Equal(found, types) {
			t.Errorf("in a task of their own %s: %v %q, want %q", loose, err, found, types)
		}
	}
}

// The type of an object comes from a file that agents write, and names a directory.
func TestATypeIsADirectory(t *testing.T) {
	for _, typ := range []string{"../../hooks", ".git", "a/b", ""} {
		record, _ := model.DecodeFields("", []byte(obj("plan", planUUID, "2026-01-02T00:00:05Z", `{"object_type":"`+typ+`"}`)))
		if files, err := layout(records.Exported{Records: []model.Extra{record}}, ".json"); err == nil {
			t.Errorf("%q: %v", typ, files)
		}
	}
}
