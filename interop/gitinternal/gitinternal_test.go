package gitinternal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
)

// An object as git-internal wrote it before headers had a version, from its own tests.
const old = `{
	"object_id": "01234567-89ab-cdef-0123-456789abcdef",
	"object_type": "task",
	"schema_version": 1,
	"created_at": "2026-01-01T00:00:00Z",
	"updated_at": "2026-01-01T00:00:00Z",
	"created_by": {"kind": "human", "id": "jackie"},
	"visibility": "private",
	"title": "old task",
	"status": "draft"
}`

const id = "01234567-89ab-cdef-0123-456789abcdef"

func TestOldObject(t *testing.T) {
	s := recordstest.New(t, Format())
	if r := s.Import(old); r.Created != 1 || len(r.NotCarried) != 0 {
		t.Fatalf("%+v", r)
	}
	task := s.Task(id)
	if task.UID != "tsk-0123456789abcdef0123456789abcdef" || task.Config.Name != "old task" || task.Config.CreatedBy != "human:jackie" || s.Status(id) != model.StatusCreated {
		t.Errorf("%+v", task)
	}
	s.Exports(old)
}

// with is the old object with other members.
func with(members string) string {
	fields, _ := model.DecodeFields("", []byte(old))
	more, _ := model.DecodeFields("", []byte(members))
	for _, f := range more {
		fields = fields.With(f)
	}
	return string(model.EncodeFields(fields))
}

func TestMembers(t *testing.T) {
	s := recordstest.New(t, Format())
	const other = "01234567-89ab-cdef-0123-456789abcde0"
	in := with(`{"description":"Do it.","goal":{"other":"spike"},"constraints":["Must use JWT"],"acceptance_criteria":["All tests pass"],
		"requester":{"kind":"mcp_client","id":"vscode-client","display_name":null,"auth_context":null},"parent":"`+other+`","intent":"`+other+`",
		"runs":["`+other+`"],"dependencies":["00000000-0000-0000-0000-000000000001"],"created_by":{"kind":"robot","id":"r2"},
		"visibility":"public","tags":{"a":"b"},"external_ids":{"jira":"X-1"},"header_version":1,"updated_at":null}`) +
		with(`{"object_id":"`+other+`"}`) + with(`{"object_id":"00000000-0000-0000-0000-000000000001","title":"dep"}`)
	r := s.Import(in)
	task := s.Task(id)
	sp := task.Spec
	if s.Objective(id) != "Do it.\n" || sp.GoalType != "spike" || sp.Constraints[0] != "Must use JWT" || sp.AcceptanceCriteria[0].Text != "All tests pass" ||
		sp.Requester != "mcp_client:vscode-client" || sp.Intent != other || task.Config.ParentUID != "tsk-0123456789abcdef0123456789abcde0" ||
		len(task.DependsOn) != 1 || task.Config.CreatedBy != system || !task.Status.LastUpdatedAt.Equal(task.Config.CreatedAt) {
		t.Errorf("%+v %+v", task, sp)
	}
	all := strings.Join(r.NotCarried, "\n")
	for _, member := range []string{"runs", "tags", "external_ids", "visibility"} {
		if !strings.Contains(all, member+", saved") {
			t.Errorf("%s is not reported: %s", member, all)
		}
	}
	s.Exports(in)
}

func TestStatuses(t *testing.T) {
	for word, want := range map[string]model.Status{
		"draft": model.StatusCreated, "running": model.StatusCreated, "done": model.StatusDone, "failed": model.StatusFailed, "cancelled": model.StatusAborted,
	} {
		t.Run(word, func(t *testing.T) {
			s := recordstest.New(t, Format())
			in := with(fmt.Sprintf(`{"status":%q}`, word))
			r := s.Import(in)
			if got := s.Status(id); got != want || s.Task(id).Status.AcceptedPlan != nil {
				t.Errorf("%v, want %v", got, want)
			}
			if (len(r.NotCarried) > 0) != (word == "running") {
				t.Errorf("%q", r.NotCarried)
			}
			s.Exports(in)
		})
	}
}

// An object that was changed here is written with its own checksum, one that was not keeps what
// it came with.
func TestChecksum(t *testing.T) {
	// By hand: keys sorted at every depth, no white space, checksum null.
	const plain = `{"checksum":null,"created_by":{"id":"j<","kind":"human"},"tags":{"a":1,"b":[{"x":2,"y":1}]},"title":"ü"}`
	fields, _ := model.DecodeFields("", []byte(`{"title":"\u00fc","tags":{"b":[{"y":1,"x":2}],"a":1},"created_by":{"kind":"human","id":"j<"},"checksum":"x"}`))
	sum := sha256.Sum256([]byte(plain))
	if got := checksum(fields); got != hex.EncodeToString(sum[:]) {
		t.Errorf("%s of %s", got, model.EncodeFields(fields))
	}

	s := recordstest.New(t, Format())
	wrong := with(`{"checksum":"` + strings.Repeat("ab", 32) + `"}`)
	s.Unchecked = true
	if r := s.Import(wrong); len(r.NotCarried) != 1 || !strings.Contains(r.NotCarried[0], "wrong checksum") {
		t.Errorf("%q", r.NotCarried)
	}
	s.Unchecked = false
	s.Exports(wrong)
	s.Do(model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "constraints", Value: "One"}}}}, id)
	list, _ := s.Export()
	got, _ := list[0].Text("checksum")
	if got != checksum(list[0]) || got == strings.Repeat("ab", 32) {
		t.Errorf("%s", model.EncodeFields(list[0]))
	}
	// Taken away here, it is gone there.
	if r := s.Import(with(`{"constraints":["One"],"title":"new title"}`)); r.Updated != 1 || s.Task(id).Config.Name != "new title" {
		t.Errorf("%+v", r)
	}
	s.Do(model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "constraints", Value: ""}}}}, id)
	list, _ = s.Export()
	if _, ok := list[0].Get("constraints"); ok {
		t.Errorf("%s", model.EncodeFields(list[0]))
	}
}

func TestMadeHere(t *testing.T) {
	s := recordstest.New(t, Format())
	uid := s.Create(model.NewTask{Name: "Mine", Objective: "All\n", Spec: &model.Spec{GoalType: "spike", Priority: model.High, AcceptanceCriteria: []model.Criterion{{Text: "c", State: "met"}}}})
	list, report := s.Export()
	out := string(model.EncodeFields(list[0]))
	var o struct {
		ObjectID  string            `json:"object_id"`
		Goal      map[string]string `json:"goal"`
		CreatedBy map[string]any    `json:"created_by"`
		Status    string            `json:"status"`
		Checksum  string            `json:"checksum"`
		Criteria  []string          `json:"acceptance_criteria"`
		Header    int               `json:"header_version"`
	}
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if uidOf(o.ObjectID, nil, time.Time{}) != uid || o.Goal["other"] != "spike" || o.CreatedBy["kind"] != "human" || o.CreatedBy["id"] != "ann" ||
		o.Status != "draft" || o.Checksum != checksum(list[0]) || o.Criteria[0] != "c" || o.Header != 1 {
		t.Errorf("%s", out)
	}
	all := strings.Join(report.NotCarried, "\n")
	if !strings.Contains(all, "priority") || !strings.Contains(all, "results of acceptance criteria") {
		t.Errorf("lost: %s", all)
	}
	if r := s.Import(out); r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
}

func TestBadObjects(t *testing.T) {
	for members, want := range map[string]string{
		`{"object_id":"x"}`: "object_id is not a UUID", `{"object_type":null}`: "no object_type",
		`{"header_version":0}`: "header_version is not a version", `{"schema_version":"1"}`: "schema_version is not a version",
		`{"checksum":"` + strings.Repeat("ab", 32) + `"}`: "its checksum doesn't match", `{"checksum":1}`: "checksum is not a string",
		`{"tags":{"a":1}}`: "tags is not an object of strings", `{"external_ids":["a"]}`: "external_ids is not an object of strings",
		`{"parent":"` + id + `"}`: "its parents form a cycle", `{"status":5}`: "status is not a string", `{"visibility":{}}`: "visibility is not a string",
		`{"created_by":{"kind":"human","id":" "}}`: "created_by names no one", `{"title":null}`: "no title",
		`{"goal":{"x":1}}`: "goal is unknown", `{"goal":7}`: "goal is unknown", `{"status":null}`: "it has no status",
		`{"dependencies":["T1"]}`: "other than UUIDs", `{"parent":"p"}`: "other than UUIDs", `{"intent":"why"}`: "not a UUID", `{"constraints":"one"}`: "not a list of strings",
		`{"acceptance_criteria":[{"text":"x"}]}`: "not a list of strings", `{"created_at":"soon"}`: "not a time",
	} {
		list, problems := records.Read("f", strings.NewReader(old2()+with(members)))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		ops, report, err := Format().Ops(list, records.Options{Actor: "human:ann"})
		if err != nil || len(ops) > 0 || len(report.Problems) == 0 || !strings.Contains(fmt.Sprint(report.Problems), want) || !strings.Contains(report.Problems[0].Reason, "record 2") {
			t.Errorf("%s: %v, %d operations, %+v", members, err, len(ops), report.Problems)
		}
	}
}

// old2 is a sound object beside the one that is tried.
func old2() string { return with(`{"object_id":"00000000-0000-7000-8000-000000000009"}`) }

func TestRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "One line", "Two\nlines\n", "\x1b[31mred", "日本"}), rapid.String())
	ref := rapid.Custom(func(t *rapid.T) any {
		return map[string]any{"kind": rapid.SampledFrom([]string{"human", "agent", "system", "mcp_client", "robot"}).Draw(t, "kind"), "id": "x" + text.Draw(t, "id"), "display_name": nil}
	})
	at := rapid.Custom(func(t *rapid.T) any {
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), 0).UTC().Format(time.RFC3339)
	})
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(rt, "n")
		name := func(i int) string { return fmt.Sprintf("0197a0a2-3000-7000-8000-%012d", i) }
		var in bytes.Buffer
		for i := range n {
			o := map[string]any{
				"header_version": 1, "schema_version": 1, "updated_at": at.Draw(rt, "updated"), "visibility": rapid.SampledFrom([]any{"private", "public"}).Draw(rt, "v"),
				"tags": map[string]any{"t": text.Draw(rt, "tag")}, "external_ids": map[string]any{}, "checksum": nil, "description": text.Draw(rt, "description"),
				"goal":        rapid.SampledFrom([]any{"feature", "ci", nil, map[string]any{"other": "x"}, map[string]any{"other": "docs"}}).Draw(rt, "goal"),
				"constraints": rapid.SliceOfN(text, 0, 3).Draw(rt, "constraints"), "acceptance_criteria": rapid.SliceOfN(text, 0, 3).Draw(rt, "criteria"),
				"requester": ref.Draw(rt, "requester"), "intent": name(99), "runs": []string{name(98)},
			}
			for key := range o {
				if rapid.Bool().Draw(rt, "without "+key) {
					delete(o, key)
				}
			}
			if i > 0 && rapid.Bool().Draw(rt, "has parent") {
				o["parent"] = name(rapid.IntRange(0, i-1).Draw(rt, "parent"))
			}
			if i > 0 && rapid.Bool().Draw(rt, "has needs") {
				o["dependencies"] = []string{name(rapid.IntRange(0, i-1).Draw(rt, "needs"))}
			}
			o["object_id"], o["object_type"], o["created_at"], o["created_by"] = name(i), "task", at.Draw(rt, "at"), ref.Draw(rt, "by")
			o["title"] = text.Draw(rt, "title")
			o["status"] = rapid.SampledFrom([]string{"draft", "running", "done", "failed", "cancelled"}).Draw(rt, "status")
			if err := json.NewEncoder(&in).Encode(o); err != nil {
				rt.Fatal(err)
			}
		}
		s := recordstest.New(rt, Format())
		defer s.Close()
		s.Import(in.String())
		s.Exports(in.String())
		if r := s.Import(in.String()); r.Created+r.Updated != 0 || r.Unchanged != n {
			rt.Fatalf("a second import: %+v", r)
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(old))
	f.Add([]byte("[" + with(`{"status":"done","goal":{"other":"x"},"checksum":"00"}`) + "," + with(`{"object_id":"00000000-0000-7000-8000-000000000009","parent":"`+id+`","dependencies":["`+id+`"]}`) + "]"))
	f.Fuzz(func(t *testing.T, b []byte) { recordstest.Fuzz(t, Format(), b) })
}

// A task whose only text is its description keeps it: out, and into another store.
func TestDescriptionRoundTrip(t *testing.T) {
	s := recordstest.New(t, Format())
	s.Create(model.NewTask{Name: "Mine", Spec: &model.Spec{Description: "Parse it."}})
	list, report := s.Export()
	if lost := strings.Join(report.NotCarried, "; "); strings.Contains(lost, "description") {
		t.Errorf("the description is in the object, and reported as not carried: %s", lost)
	}
	out := string(model.EncodeFields(list[0]))
	if !strings.Contains(out, `"description": "Parse it."`) && !strings.Contains(out, `"description":"Parse it."`) {
		t.Fatalf("exported %s", out)
	}
	there := recordstest.New(t, Format())
	there.Import(out)
	if again, _ := there.Export(); !strings.Contains(string(model.EncodeFields(again[0])), "Parse it.") {
		t.Errorf("exported again %s", model.EncodeFields(again[0]))
	}
}

// Objects of other types stay where they are: the tasks among them come, and the report names the others.
func TestOtherTypes(t *testing.T) {
	other := func(typ, n string) string {
		return with(`{"object_id":"00000000-0000-7000-8000-00000000000` + n + `","object_type":"` + typ + `","title":null,"status":null}`)
	}
	s := recordstest.New(t, Format())
	r := s.Import(other("plan", "1") + old + other("run", "2") + other("run", "3"))
	want := []string{
		"objects of the type plan are not imported (1: 00000000-0000-7000-8000-000000000001)",
		"objects of the type run are not imported (2: 00000000-0000-7000-8000-000000000002, 00000000-0000-7000-8000-000000000003)",
	}
	if r.Created != 1 || !slices.Equal(r.NotCarried, want) {
		t.Errorf("%+v", r)
	}
	s.Exports(old)
	if r := s.Import(other("plan", "1")); r.Created+r.Updated+r.Unchanged != 0 || len(r.NotCarried) != 1 {
		t.Errorf("a plan alone: %+v", r)
	}
}

// A plan that was made here stays here, and is reported.
func TestPlanMadeHere(t *testing.T) {
	s := recordstest.New(t, Format())
	s.Import(with(`{"description":"Do it."}`))
	s.Do(model.Op{Name: model.DefinePlan, Args: model.NewPlan{Text: "1. Look\n"}}, id)
	list, report := s.Export()
	if len(list) != 1 || !slices.ContainsFunc(report.NotCarried, func(s string) bool { return strings.HasPrefix(s, "plans are not exported") }) {
		t.Errorf("%d objects, %q", len(list), report.NotCarried)
	}
}

// What an import changed here is exported as it came there, with its time and checksum.
func TestAnImportIsNoChange(t *testing.T) {
	s := recordstest.New(t, Format())
	s.Import(old)
	next := with(`{"title":"new title","updated_at":"2026-02-02T00:00:00Z"}`)
	if r := s.Import(next); r.Updated != 1 {
		t.Errorf("%+v", r)
	}
	s.Exports(next)
}

// Records that earlier versions kept have members of vespe's own, which no object has.
func TestOutdatedMembers(t *testing.T) {
	kept := with(`{"vespe_objects":[{"object_type":"plan"}],"vespe_loose":true}`)
	s := recordstest.New(t, Format())
	s.Import(kept)
	s.Exports(old)
	if r := s.Import(old); r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
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
	in := with(`{"object_type":"tool_invocation","status":"ok"}`)
	in = strings.Replace(in, `"status"`, `"args": `+strings.Repeat(`{"a":`, deep)+`1`+strings.Repeat(`}`, deep)+`, "status"`, 1)
	if _, problems := records.Read("f", strings.NewReader(old2()+in)); len(problems) != 1 || problems[0].Code != "too-deep" || !strings.Contains(problems[0].Reason, "record 2") {
		t.Errorf("%.300v", problems)
	}
}
