package taskspec

import (
	"bytes"
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

// The example of the specification, without its comments.
const example = `{
  "task_id": "01JYD0M8R0ABCDEFGHJKMNPQRS",
  "created_at": "2025-06-23T03:15:00Z",
  "source": "email:<gmail_msg_id>",
  "objective": "Schedule 30-min catch-up with Dr. Smith",
  "context": {
    "person": "Dr. Anna Smith",
    "threads": ["<msg1>", "<msg2>"],
    "meeting_duration": "30m"
  },
  "priority": "high",
  "status": "NEW",
  "subtasks": [
    {"step": "propose_time_slots", "done": false},
    {"step": "send_calendar_invite", "done": false}
  ],
  "assigned_agent": "ToolingAgent",
  "last_updated": "2025-06-23T03:16:10Z",
  "tool_output": null,
  "result_summary": null
}`

func TestExample(t *testing.T) {
	s := recordstest.New(t, Format())
	if r := s.Import(example); r.Created != 1 || len(r.NotCarried) != 0 {
		t.Fatalf("%+v", r)
	}
	task := s.Task("01JYD0M8R0ABCDEFGHJKMNPQRS")
	sp := task.Spec
	if task.Config.Name != "Schedule 30-min catch-up with Dr. Smith" || sp.Priority != model.High || sp.Source != "email:<gmail_msg_id>" ||
		len(sp.Context) != 3 || !slices.EqualFunc(sp.Steps, []string{"propose_time_slots", "send_calendar_invite"}, func(a model.Step, b string) bool { return a.Step == b && !a.Done }) ||
		task.Status.AssignedAgentUID != "agent:ToolingAgent" || task.Status.CurrentState != model.ObjectiveDefined ||
		!task.Config.CreatedAt.Equal(time.Date(2025, 6, 23, 3, 15, 0, 0, time.UTC)) || !task.Status.LastUpdatedAt.Equal(time.Date(2025, 6, 23, 3, 16, 10, 0, time.UTC)) {
		t.Errorf("%+v %+v", task, sp)
	}
	s.Exports(example)
}

// Each word of the specification, its column in docs/design.md (Other vocabularies), and what may not be claimed.
func TestStatuses(t *testing.T) {
	for word, want := range map[string]model.Status{
		"NEW": model.StatusPlanning, "READY": model.StatusPlanning, "IN_PROGRESS": model.StatusPlanning, "WAITING_HITL": model.StatusWaiting,
		"DONE": model.StatusDone, "CANCELLED": model.StatusAborted, "ERROR": model.StatusPlanning, "": model.StatusPlanning,
	} {
		t.Run(word, func(t *testing.T) {
			s := recordstest.New(t, Format())
			record := fmt.Sprintf(`{"task_id":"a","objective":"Do","status":%q}`, word)
			r := s.Import(record)
			if got := s.Status("a"); got != want {
				t.Errorf("%v, want %v", got, want)
			}
			if s.Task("a").Status.AcceptedPlan != nil {
				t.Error("an import claims an approval")
			}
			said := strings.Contains(strings.Join(r.NotCarried, "\n"), word)
			if silent := word == "NEW" || word == "" || word == "DONE" || word == "CANCELLED" || word == "WAITING_HITL"; said == silent && word != "" {
				t.Errorf("reported: %q", r.NotCarried)
			}
			s.Exports(record)
		})
	}
}

func TestUpdates(t *testing.T) {
	s := recordstest.New(t, Format())
	s.Import(`[{"task_id":"a","objective":"Do","status":"NEW","priority":"low","context":{"x":1,"y":2}},{"task_id":"w","objective":"W","status":"WAITING_HITL"},{"task_id":"c","objective":"C"}]`)
	// What is changed here stays, unless it changes there too.
	s.Do(model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high"}, {Key: "context.x", Value: "mine"}}}}, "a")
	r := s.Import(`[{"task_id":"a","objective":"Do more","status":"NEW","priority":"critical","context":{"x":1,"y":3},"new":true},{"task_id":"w","objective":"W","status":"IN_PROGRESS"},{"task_id":"c","objective":"C","status":"CANCELLED"}]`)
	if r.Updated != 3 || r.Created != 0 {
		t.Fatalf("%+v", r)
	}
	task := s.Task("a")
	x, _ := model.Extra(task.Spec.Context).Text("x")
	y, _ := model.Extra(task.Spec.Context).Get("y")
	if task.Config.Name != "Do more" || s.Objective("a") != "Do more\n" || task.Spec.Priority != model.Critical || task.Spec.Risk != "high" || x != "mine" || string(y) != "3" {
		t.Errorf("%+v %+v", task.Config, task.Spec)
	}
	if s.Status("w") != model.StatusPlanning || s.Status("c") != model.StatusAborted {
		t.Errorf("%v, %v", s.Status("w"), s.Status("c"))
	}
	list, _ := s.Export("a")
	if got := list[0].Without("last_updated"); !model.SameJSON(model.EncodeFields(got), []byte(`{"task_id":"a","objective":"Do more","status":"NEW","priority":"critical","context":{"x":"mine","y":3},"new":true}`)) {
		t.Errorf("exported as %s", model.EncodeFields(got))
	}
	// Over is over.
	r = s.Import(`{"task_id":"c","objective":"Again","status":"NEW"}`)
	if r.Updated != 0 || s.Status("c") != model.StatusAborted || len(r.NotCarried) != 1 {
		t.Errorf("%+v", r)
	}
}

// A task that was made here has a ULID there, and comes back to itself.
func TestMadeHere(t *testing.T) {
	s := recordstest.New(t, Format())
	uid := s.Create(model.NewTask{Name: "Mine", Objective: "All of it\n", Spec: &model.Spec{Priority: model.Medium, UserStory: "u"}})
	list, report := s.Export()
	id, _ := list[0].Text("task_id")
	if back := uidOf(id, nil, time.Time{}); len(id) != 26 || back != uid {
		t.Errorf("%s is %s, which is %s", uid, id, back)
	}
	all := strings.Join(report.NotCarried, "\n")
	if p, _ := list[0].Text("priority"); p != "med" || !strings.Contains(all, "user_story") || !strings.Contains(all, "names that differ") {
		t.Errorf("%s; lost: %s", model.EncodeFields(list[0]), all)
	}
	if r := s.Import(string(model.EncodeFields(list[0]))); r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
	changed := list[0].With(model.TextField("priority", "high"))
	if r := s.Import(string(model.EncodeFields(changed))); r.Updated != 1 || r.Created != 0 {
		t.Errorf("%+v", r)
	}
	if task := s.Task(string(uid)); task.Spec.Priority != model.High || task.Spec.UserStory != "u" || task.Config.Name != "Mine" {
		t.Errorf("%+v", task)
	}
}

// Nothing comes of a file with anything wrong in it, and its place is named.
func TestBadInput(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", "x", "f:1: record 1"},
		{"empty", " \n", "f:0: the file is empty"},
		{"cut off", "{\"task_id\":\"a\"}\n{\"task_id\":\"b\"", "f:2: record 2"},
		{"cut off list", `[{"task_id":"a"},`, "f:1: record 2"},
		{"after the list", "[{\"task_id\":\"a\"}]\n{\"task_id\":\"b\"}", "f:2: record 2: unexpected text"},
		{"no object", "[{\"task_id\":\"a\"},\n3]", "f:2: record 2: it is not an object"},
		{"no id", "{\"task_id\":\"a\"}\n{}", "f:2: record 2: it has no task_id"},
		{"id of another type", `{"task_id":3}`, "f:1: record 1: it has no task_id"},
		{"twice", "{\"task_id\":\"a\"}\n{\"task_id\":\"a\"}", "f:2: record 2: a is already record 1"},
		{"in two spellings", "{\"task_id\":\"01JYD0M8R0ABCDEFGHJKMNPQRS\"}\n{\"task_id\":\"01jyd0m8r0abcdefghjkmnpqrs\"}", "f:2: record 2"},
		{"a key twice", "{\"task_id\":\"a\",\n\"status\":\"NEW\",\"status\":\"DONE\"}", "f:2: record 1: the key"},
		{"objective", `{"task_id":"a","objective":["x"]}`, "objective is not a string"},
		{"steps", `{"task_id":"a","subtasks":3}`, "record 1: "},
		{"context", `{"task_id":"a","context":"x"}`, "record 1: "},
		{"time", `{"task_id":"a","created_at":"soon"}`, "created_at is not a time"},
		{"UTF-8", "{\"task_id\":\"a\"}\n{\"task_id\":\"\xff\"}", "f:2: the file is not valid UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, problems := records.Read("f", strings.NewReader(tt.in))
			if len(problems) == 0 {
				ops, report, err := Format().Ops(list, records.Options{Actor: "human:ann"})
				if err != nil || len(ops) > 0 {
					t.Fatalf("%v, %d operations", err, len(ops))
				}
				problems = report.Problems
			}
			var all []string
			for _, p := range problems {
				all = append(all, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Reason))
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Whatever the specification allows is exported as it came, and comes in once.
func TestRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "One line", "Two\nlines\n", "\x1b[31mred", "\u202ertl", "日本"}), rapid.String())
	at := rapid.Custom(func(t *rapid.T) any {
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "s"), 0).UTC().Format(time.RFC3339)
	})
	object := func(t *rapid.T, id string) map[string]any {
		all := map[string]any{
			"created_at": at.Draw(t, "at"), "last_updated": at.Draw(t, "updated"), "source": text.Draw(t, "source"), "objective": text.Draw(t, "objective"),
			"context":  rapid.MapOfN(text, rapid.Int(), 0, 3).Draw(t, "context"),
			"priority": rapid.SampledFrom([]any{"low", "med", "medium", "high", "critical", nil, "urgent"}).Draw(t, "priority"),
			"status":   rapid.SampledFrom([]any{"NEW", "READY", "IN_PROGRESS", "WAITING_HITL", "DONE", "CANCELLED", "OTHER", nil}).Draw(t, "status"),
			"subtasks": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
				return map[string]any{"step": text.Draw(t, "step"), "done": rapid.Bool().Draw(t, "done"), "by": 1}
			}), 0, 3).Draw(t, "subtasks"),
			"assigned_agent": text.Draw(t, "agent"), "tool_output": rapid.SampledFrom([]any{nil, "x", map[string]any{"a": []int{1}}}).Draw(t, "output"),
			"result_summary": text.Draw(t, "result"), "unknown": rapid.Int().Draw(t, "unknown"),
		}
		for _, key := range []string{"created_at", "last_updated", "source", "objective", "context", "priority", "status", "subtasks", "assigned_agent", "tool_output", "result_summary", "unknown"} {
			if rapid.IntRange(0, 5).Draw(t, "without") == 0 {
				delete(all, key)
			}
		}
		all["task_id"] = id
		return all
	}
	rapid.Check(t, func(rt *rapid.T) {
		var in bytes.Buffer
		enc := json.NewEncoder(&in)
		ids := rapid.SliceOfNDistinct(rapid.OneOf(rapid.StringMatching(`[0-7][0-9A-HJKMNP-TV-Z]{25}`), rapid.StringMatching(`[a-z]{1,8}`)), 1, 4, rapid.ID).Draw(rt, "ids")
		for _, id := range ids {
			if err := enc.Encode(object(rt, id)); err != nil {
				rt.Fatal(err)
			}
		}
		s := recordstest.New(rt, Format())
		defer s.Close()
		s.Import(in.String())
		s.Exports(in.String())
		if r := s.Import(in.String()); r.Created+r.Updated != 0 || r.Unchanged != len(ids) {
			rt.Fatalf("a second import: %+v", r)
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("[" + example + "]"))
	f.Add([]byte("{\"task_id\":\"a\",\"status\":\"DONE\",\"result_summary\":\"r\"}\n{\"task_id\":\"b\",\"status\":\"WAITING_HITL\"}"))
	f.Fuzz(func(t *testing.T, b []byte) { recordstest.Fuzz(t, Format(), b) })
}
