package beads

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/staged"
)

const by model.Actor = "human:ann"

func now() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// convert is what one line becomes.
func imported(t *testing.T, line string) (*model.Imported, records.Report) {
	t.Helper()
	issues, problems := Parse("issues.jsonl", strings.NewReader(line))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	ops, report := Ops(issues, Options{Actor: by, Now: now()})
	if len(ops) == 0 || ops[0].Name != model.ImportTask || ops[0].Actor != by {
		t.Fatalf("%+v", ops)
	}
	in := model.ArgsOf[model.Imported](&ops[0])
	return &in, report
}

const dates = `"created_at":"2024-11-29T10:00:00Z","updated_at":"2024-12-01T12:00:00+02:00"`

// The table of doc.go, a case for each line of it.
func TestMapping(t *testing.T) {
	text := func(im *model.Imported, key string) string {
		for _, f := range im.Task.Spec.External {
			if f.Key == key {
				return string(f.Value)
			}
		}
		return ""
	}
	for _, tt := range []struct {
		name, fields string
		get          func(*model.Imported) any
		want         any
	}{
		{"title", `"title":" A title "`, func(im *model.Imported) any { return im.Task.Config.Name }, "A title"},
		{"no title", `"title":" "`, func(im *model.Imported) any { return im.Task.Config.Name }, "x-1"},
		{"id", `"title":"T"`, func(im *model.Imported) any { return text(im, "beads") }, `"x-1"`},
		{"description", `"description":"Do it.\n\n"`, func(im *model.Imported) any { return im.Objective }, "Do it.\n"},
		{"blank description", `"description":" \n"`, func(im *model.Imported) any { return im.Objective }, ""},
		{"notes", `"description":"Do it.","notes":"Mind the gap."`, func(im *model.Imported) any { return im.Objective }, "Do it.\n\n## Notes\n\nMind the gap.\n"},
		{"only notes", `"notes":"Mind the gap."`, func(im *model.Imported) any { return im.Objective }, "## Notes\n\nMind the gap.\n"},
		{"design", `"design":"1. Look"`, func(im *model.Imported) any { return im.Plan }, "1. Look\n"},
		{
			"acceptance criteria", `"acceptance_criteria":"- [ ] one\n- [x] two\n\n* three\nfour"`,
			func(im *model.Imported) any { return im.Task.Spec.AcceptanceCriteria },
			[]model.Criterion{{Text: "one"}, {Text: "two", State: "met"}, {Text: "three"}, {Text: "four"}},
		},
		{"priority 0", `"priority":0`, func(im *model.Imported) any { return im.Task.Spec.Priority }, model.Critical},
		{"priority 1", `"priority":1`, func(im *model.Imported) any { return im.Task.Spec.Priority }, model.High},
		{"priority 2", `"priority":2`, func(im *model.Imported) any { return im.Task.Spec.Priority }, model.Medium},
		{"priority 3", `"priority":3`, func(im *model.Imported) any { return im.Task.Spec.Priority }, model.Low},
		{"priority 4", `"priority":4`, func(im *model.Imported) any { return im.Task.Spec.Priority }, model.Low},
		{"priority 4 is kept", `"priority":4`, func(im *model.Imported) any { return text(im, "beads_priority") }, "4"},
		{"no priority", `"title":"T"`, func(im *model.Imported) any { return im.Task.Spec.Priority }, model.Priority("")},
		{"bug", `"issue_type":"bug"`, func(im *model.Imported) any { return im.Task.Spec.GoalType }, "bugfix"},
		{"epic", `"issue_type":"epic"`, func(im *model.Imported) any { return im.Task.Spec.GoalType }, "epic"},
		{"labels", `"labels":["a","b"]`, func(im *model.Imported) any { return im.Task.Spec.Labels }, []string{"a", "b"}},
		{"owner", `"owner":"raj"`, func(im *model.Imported) any { return im.Task.Spec.Requester }, "raj"},
		{"assignee", `"assignee":"raj"`, func(im *model.Imported) any { return text(im, "beads_assignee") }, `"raj"`},
		{"author", `"created_by":"ann"`, func(im *model.Imported) any { return im.Task.Config.CreatedBy }, model.Actor("human:ann")},
		{"author by path", `"created_by":"rig/crew/joe"`, func(im *model.Imported) any { return im.Task.Config.CreatedBy }, model.Actor("agent:rig/crew/joe")},
		{"author by owner", `"owner":"raj"`, func(im *model.Imported) any { return im.Task.Config.CreatedBy }, model.Actor("human:raj")},
		{"no author", `"title":"T"`, func(im *model.Imported) any { return im.Task.Config.CreatedBy }, importer},
		{"created", dates, func(im *model.Imported) any { return im.Task.Config.CreatedAt }, time.Date(2024, 11, 29, 10, 0, 0, 0, time.UTC)},
		{"updated", dates, func(im *model.Imported) any { return im.Task.Status.LastUpdatedAt }, time.Date(2024, 12, 1, 10, 0, 0, 0, time.UTC)},
		{"no dates", `"title":"T"`, func(im *model.Imported) any { return im.Task.Config.CreatedAt }, now()},
		{"source", `"title":"T"`, func(im *model.Imported) any { return im.Task.Spec.Source }, "beads"},
		{"another key", `"ephemeral":{"a":[1,2]}`, func(im *model.Imported) any { return text(im, "beads_ephemeral") }, `{"a":[1,2]}`},
		{"its status", `"status":"hooked"`, func(im *model.Imported) any { return text(im, "beads_status") }, `"hooked"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			im, _ := imported(t, `{"id":"x-1",`+tt.fields+`}`)
			if got := tt.get(im); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestStates(t *testing.T) {
	for _, tt := range []struct {
		name, fields string
		want         model.State
		events       string
		reported     string
	}{
		{"nothing", `"status":"open"`, model.Created, "create", ""},
		{"description", `"status":"open","description":"d"`, model.ObjectiveDefined, "create define_objective", ""},
		{"design", `"status":"open","description":"d","design":"p"`, model.PlanDefined, "create define_objective define_plan", ""},
		{"only design", `"status":"open","design":"p"`, model.PlanDefined, "create define_plan", ""},
		{"blocked", `"status":"blocked","description":"d"`, model.ObjectiveDefined, "create define_objective", ""},
		{"in progress", `"status":"in_progress","design":"p"`, model.PlanDefined, "create define_plan", "in_progress there"},
		{"hooked", `"status":"hooked"`, model.Created, "create", "hooked there"},
		{"unknown", `"status":"dreaming"`, model.Created, "create", "unknown status dreaming"},
		{"closed", `"status":"closed","description":"d"`, model.Completed, "create define_objective work_completed review_accepted", ""},
		{"closed, empty", `"status":"closed"`, model.Completed, "create work_completed review_accepted", ""},
		{"tombstone", `"status":"tombstone"`, model.Aborted, "create abort", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			im, report := imported(t, `{"id":"x-1",`+dates+`,`+tt.fields+`}`)
			st := im.Task.Status
			if st.CurrentState != tt.want {
				t.Errorf("%s, want %s", st.CurrentState, tt.want)
			}
			if st.AcceptedPlan != nil || st.IsPaused || st.CurrentRun != "" {
				t.Errorf("an import claims to have been approved, paused or started: %+v", st)
			}
			reviewed := st.Review != nil && st.Review.Verdict == "accepted" && st.Review.Of == "work"
			if reviewed != (tt.want == model.Completed) {
				t.Errorf("review is %+v", st.Review)
			}
			var names []string
			from := model.State("")
			for _, e := range im.Events {
				names = append(names, string(e.Name))
				if e.From != from || e.At.IsZero() || e.UID != im.Task.UID || e.Actor == "" {
					t.Errorf("event %+v does not go on from %q", e, from)
				}
				from = e.To
			}
			if got := strings.Join(names, " "); got != tt.events {
				t.Errorf("history is %s, want %s", got, tt.events)
			}
			if from != st.CurrentState {
				t.Errorf("the history ends at %s", from)
			}
			if all := strings.Join(report.NotCarried, "\n"); !strings.Contains(all, tt.reported) || tt.reported == "" && all != "" {
				t.Errorf("reported: %q, want %q", all, tt.reported)
			}
		})
	}
}

func TestDatesAndReasonsOfTheEnd(t *testing.T) {
	im, _ := imported(t, `{"id":"x","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-03-01T00:00:00Z","status":"closed","closed_at":"2024-02-01T00:00:00Z","close_reason":"did it","comments":[{"author":"raj","text":"late","created_at":"2024-02-15T00:00:00Z"},{"author":"a/b","text":"early","created_at":"2024-01-15T00:00:00Z"}]}`)
	var got []string
	for _, e := range im.Events {
		got = append(got, fmt.Sprint(e.At.Format("01-02 "), e.Name, " ", e.Actor, " ", e.Reason+e.Summary))
	}
	want := []string{
		"01-01 create system:beads ", "01-15 comment agent:a/b early", "02-01 work_completed system:beads did it",
		"02-01 review_accepted system:beads closed in beads", "02-15 comment human:raj late",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if r := im.Task.Status.Review; r.Reason != "did it" || !r.At.Equal(time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("review %+v", r)
	}
	im, _ = imported(t, `{"id":"x","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-03-01T00:00:00Z","status":"tombstone","deleted_at":"2024-02-01T00:00:00Z","deleted_by":"raj","delete_reason":"twice"}`)
	if e := im.Events[1]; e.Name != model.Abort || e.Actor != "human:raj" || e.Reason != "deleted in beads: twice" || e.At.Month() != time.February {
		t.Errorf("abort %+v", e)
	}
}

func TestDeferredIsPaused(t *testing.T) {
	issues, _ := Parse("f", strings.NewReader(`{"id":"x","status":"deferred",`+dates+`}`))
	ops, report := Ops(issues, Options{Actor: by, Now: now()})
	if len(ops) != 2 || report.Created != 1 {
		t.Fatalf("%d operations, %d created", len(ops), report.Created)
	}
	if p := ops[1]; p.Name != model.Pause || p.UID != ops[0].UID || p.Actor != importer || p.Reason != "deferred in beads" || !p.At.Equal(time.Date(2024, 12, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", p)
	}
}

func TestLinks(t *testing.T) {
	issues, problems := Parse("f", strings.NewReader(`
{"id":"child","dependencies":[{"depends_on_id":"p1","type":"parent-child"},{"depends_on_id":"p2","type":"parent-child"},{"depends_on_id":"b","type":"blocks"},{"depends_on_id":"b","type":"blocks"},{"depends_on_id":"gone","type":"blocks"},{"depends_on_id":"b","type":"related"}]}
{"id":"p1","dependencies":[{"depends_on_id":"top","type":"parent-child"}]}
{"id":"p2"}
{"id":"b"}
{"id":"top"}
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	ops, report := Ops(issues, Options{Actor: by, Now: now()})
	uid := map[string]model.UID{}
	place := map[string]int{}
	for i, issue := range issues {
		uid[issue.ID] = UID(issue.Issue)
		place[issue.ID] = slices.IndexFunc(ops, func(op model.Op) bool { return op.UID == UID(issues[i].Issue) })
	}
	if !(place["top"] < place["p1"] && place["p1"] < place["child"]) {
		t.Errorf("parents do not come first: %v", place)
	}
	child := model.ArgsOf[model.Imported](&ops[place["child"]]).Task
	if child.Config.ParentUID != uid["p1"] {
		t.Errorf("parent is %s", child.Config.ParentUID)
	}
	if want := []model.UID{uid["b"], UID(Issue{ID: "gone"})}; !slices.Equal(child.DependsOn, want) {
		t.Errorf("depends on %v, want %v", child.DependsOn, want)
	}
	var links []struct{ ID, Type, UID string }
	for _, f := range child.Spec.External {
		if f.Key == "beads_links" {
			if err := json.Unmarshal(f.Value, &links); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(links) != 2 || links[0].ID != "p2" || links[0].UID != string(uid["p2"]) || links[1].Type != "related" {
		t.Errorf("other links: %+v", links)
	}
	all := strings.Join(report.NotCarried, "\n")
	for _, want := range []string{"more than one parent", "related links are saved", "linked issues that are not in the file (1: gone)"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not reported: %s", want, all)
		}
	}
}

// Parents that are each other's are imported all the same, each once.
func TestParentCycle(t *testing.T) {
	link := func(to string) string {
		return `"dependencies":[{"depends_on_id":"` + to + `","type":"parent-child"}]`
	}
	issues, _ := Parse("f", strings.NewReader(`{"id":"a",`+link("b")+"}\n"+`{"id":"b",`+link("c")+"}\n"+`{"id":"c",`+link("a")+"}\n"+`{"id":"s",`+link("s")+"}\n"+`{"id":"d",`+link("a")+"}\n"))
	ops, _ := Ops(issues, Options{Actor: by, Now: now()})
	seen := map[model.UID]int{}
	for _, op := range ops {
		seen[op.UID]++
	}
	if len(ops) != 5 || len(seen) != 5 {
		t.Errorf("%d operations for %d tasks", len(ops), len(seen))
	}
}

func TestUIDs(t *testing.T) {
	issues, _ := Parse("f", strings.NewReader(`{"id":"a",`+dates+"}\n"+`{"id":"b",`+dates+"}\n"+`{"id":"c"}`))
	for _, issue := range issues {
		uid := UID(issue.Issue)
		if !uid.Valid() || len(uid) != 36 || uid[16] != '7' || !strings.ContainsRune("89ab", rune(uid[20])) {
			t.Errorf("%s is no UUIDv7", uid)
		}
	}
	if a, b := UID(issues[0].Issue), UID(issues[1].Issue); a == b || a[:16] != b[:16] || a[:16] != "tsk-0193775cf100" {
		t.Errorf("%s and %s do not begin with their date", a, b)
	}
}

func TestParseProblems(t *testing.T) {
	const file = "x.jsonl"
	lines := []string{
		`{"id":"ok","title":"T"}`,
		``,
		`{"id":"cut",`,
		`[1,2]`,
		`"text"`,
		`null`,
		`{"title":"no id"}`,
		`{"id":"ok","title":"again"}`,
		`{"id":"typed","title":"T","priority":"high","labels":"x"}`,
		`{"id":"dated","created_at":"yesterday"}`,
		`   {"id":"spaced"}   `,
		"\xff\xfe",
		`{"id":"last"}`,
	}
	issues, problems := Parse(file, strings.NewReader(strings.Join(lines, "\r\n")))
	var ids []string
	for _, i := range issues {
		ids = append(ids, fmt.Sprintf("%s@%d", i.ID, i.Line))
	}
	if got := strings.Join(ids, " "); got != "ok@1 typed@9 spaced@11 last@13" {
		t.Errorf("read %s", got)
	}
	var found []string
	for _, p := range problems {
		found = append(found, fmt.Sprintf("%d:%s", p.Line, p.Code))
		if p.Path != file || p.Reason == "" || p.Hint == "" {
			t.Errorf("%+v", p)
		}
		if (p.Severity == model.Warning) != (p.Code == "wrong-type") {
			t.Errorf("%+v", p)
		}
	}
	if got := strings.Join(found, " "); got != "3:bad-json 4:bad-json 5:bad-json 6:missing-id 7:missing-id 8:duplicate-id 9:wrong-type 10:bad-json 12:bad-json" {
		t.Errorf("problems: %s", got)
	}
}

// repeated yields a line of n bytes without holding it.
type repeated struct{ n int }

func (r *repeated) Read(b []byte) (int, error) {
	if r.n == 0 {
		return copy(b, "\n{\"id\":\"after\"}\n"), fmt.Errorf("EOF: %w", errEnd)
	}
	n := min(r.n, len(b))
	for i := range b[:n] {
		b[i] = 'x'
	}
	r.n -= n
	return n, nil
}

var errEnd = fmt.Errorf("the disk is gone")

func TestLongLineAndFailingReader(t *testing.T) {
	issues, problems := Parse("f", &repeated{maxLine + 10})
	if len(issues) != 1 || issues[0].ID != "after" || issues[0].Line != 2 {
		t.Errorf("issues after a long line: %+v", issues)
	}
	if len(problems) != 2 || problems[0].Code != "too-large" || problems[0].Line != 1 || problems[1].Code != "unreadable" || !strings.Contains(problems[1].Reason, "gone") {
		t.Errorf("%+v", problems)
	}
}

// Whatever the bytes, parsing ends, and what comes out of it can be imported: every
// operation is one that the model takes, or refuses in words.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"id":"a"}`, `{"id":"a","status":"closed",` + dates + `}`, `{"id":"a","priority":9999999999999999999}`,
		`{"id":"a","dependencies":[{"depends_on_id":"a","type":"parent-child"}]}` + "\n" + `{"id":"b","design":" ","status":"deferred"}`,
		`{"id":"a","comments":[{"text":"\u0000"}],"labels":[""],"acceptance_criteria":"- [x] a"}`, "\xff\n{\"id\":\"\\ud800\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		issues, problems := Parse("f", strings.NewReader(string(b)))
		lines := strings.Count(string(b), "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines || p.Reason == "" {
				t.Errorf("%+v of %d lines", p, lines)
			}
		}
		one, report := Ops(issues, Options{Actor: by, Now: now()})
		two, _ := Ops(issues, Options{Actor: by, Now: now()})
		if !reflect.DeepEqual(one, two) {
			t.Error("the same issues give other operations")
		}
		if report.Created != len(issues) {
			t.Errorf("%d created of %d issues", report.Created, len(issues))
		}
		over := staged.New(snapshot.New(snapshot.Input{}))
		for _, op := range one {
			if op.At.IsZero() {
				op.At = now()
			}
			c, err := lifecycle.Apply(over, op)
			if err != nil {
				t.Fatalf("%s of %s: %v", op.Name, op.UID, err)
			}
			over.Absorb(c)
		}
	})
}

// Every key of an issue that is known is read, and none of them is kept beside it as unknown.
func TestAClosedIssueHasNoUnknownKeys(t *testing.T) {
	issue, fields, err := parseIssue([]byte(`{"id":"x","title":"t","closed_at":"2024-02-01T00:00:00Z","close_reason":"did it","deleted_at":"2024-02-02T00:00:00Z","deleted_by":"ann","delete_reason":"twice","foo":1,"":2}`))
	if err != nil || issue.CloseReason != "did it" || issue.DeletedBy != "ann" {
		t.Fatalf("%+v, %v", issue, err)
	}
	if kept := rest(fields); len(kept) != 2 || kept[0].Key != "" || kept[1].Key != "foo" {
		t.Errorf("kept as unknown: %+v", kept)
	}
}
