package orchestrator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
)

// A state as the task lifecycle has it: a task with every member, one that was split, one that
// depends on what was split, milestones, and members that are the graph's own.
const example = `{
  "project_name": "shop",
  "tasks": [
    {"id": "T1", "title": "Set up the database", "user_story": "As a developer I want tables So that data stays", "acceptance_criteria": ["C1", "C2"],
     "files_to_create": ["db/schema.sql"], "files_to_modify": ["go.mod"], "test_files": ["db/schema_test.go"], "dependencies": [], "milestone_id": "M1",
     "status": "completed", "priority": "critical", "estimated_complexity": "low", "attempts": 2, "max_attempts": 3,
     "implementation_notes": "Made three tables", "error": null, "linear_issue_id": "TEAM-1"},
    {"id": "T2-a", "title": "Cart: data layer", "user_story": "", "acceptance_criteria": [], "files_to_create": [], "files_to_modify": [], "test_files": [],
     "dependencies": ["T1"], "milestone_id": "M1", "status": "in_progress", "priority": "high", "estimated_complexity": "medium", "attempts": 1, "max_attempts": 3,
     "implementation_notes": "", "error": null, "linear_issue_id": null},
    {"id": "T2-b", "title": "Cart: business layer", "user_story": "", "acceptance_criteria": [], "files_to_create": [], "files_to_modify": [], "test_files": [],
     "dependencies": ["T2-a"], "milestone_id": "M1", "status": "blocked", "priority": "high", "estimated_complexity": "medium", "attempts": 0, "max_attempts": 3,
     "implementation_notes": "", "error": null, "linear_issue_id": null},
    {"id": "T3", "title": "Pay", "user_story": "", "acceptance_criteria": [], "files_to_create": [], "files_to_modify": [], "test_files": [],
     "dependencies": ["T2"], "milestone_id": "M2", "status": "pending", "priority": "medium", "estimated_complexity": "high", "attempts": 1, "max_attempts": 5,
     "implementation_notes": "", "error": "the tests fail", "linear_issue_id": null},
    {"id": "T4", "title": "Mail", "user_story": "", "acceptance_criteria": [], "files_to_create": [], "files_to_modify": [], "test_files": [],
     "dependencies": ["T1"], "milestone_id": "M2", "status": "blocked", "priority": "low", "estimated_complexity": "low", "attempts": 1, "max_attempts": 3,
     "implementation_notes": "", "error": "which provider?", "linear_issue_id": null},
    {"id": "T10", "title": "Search", "user_story": "", "acceptance_criteria": [], "files_to_create": [], "files_to_modify": [], "test_files": [],
     "dependencies": [], "milestone_id": "M2", "status": "failed", "priority": "low", "estimated_complexity": "low", "attempts": 3, "max_attempts": 3,
     "implementation_notes": "", "error": "no index", "linear_issue_id": null}
  ],
  "milestones": [
    {"id": "M1", "name": "Core Features", "description": "What nobody can do without", "task_ids": ["T1", "T2-a", "T2-b"], "status": "in_progress", "owner": "ann"},
    {"id": "M2", "name": "Later", "description": "", "task_ids": ["T3", "T4", "T10"], "status": "failed"}
  ],
  "current_task_id": "T2-a",
  "current_task_ids": ["T2-a"],
  "completed_task_ids": ["T1"],
  "failed_task_ids": ["T10"],
  "in_flight_task_ids": ["T2-a"],
  "phase_status": {"planning": "completed"}
}`

func TestState(t *testing.T) {
	s := recordstest.New(t, Format())
	r := s.Import(example)
	if r.Created != 6 {
		t.Fatalf("%+v", r)
	}
	said := strings.Join(r.NotCarried, "\n")
	for _, want := range []string{"in_progress there", "depends on a split task", "estimated_complexity, saved", "workflow_state, saved", "error, saved in spec.external.orchestrator (2: "} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing is said of %q:\n%s", want, said)
		}
	}
	one := s.Task("T1")
	sp := one.Spec
	if one.Config.Name != "Set up the database" || s.Objective("T1") != "Set up the database\n" || sp.UserStory == "" || len(sp.AcceptanceCriteria) != 2 ||
		!slices.Equal(sp.FilesToCreate, []string{"db/schema.sql"}) || !slices.Equal(sp.FilesToModify, []string{"go.mod"}) ||
		!slices.Equal(sp.TestFiles, []string{"db/schema_test.go"}) || sp.Priority != model.Critical || sp.MilestoneID != "M1" || sp.MaxAttempts != 3 {
		t.Errorf("%+v %+v", one, sp)
	}
	if issue, _ := model.Extra(sp.External).Text("linear_issue_id"); issue != "TEAM-1" {
		t.Errorf("the issue is %q", issue)
	}
	for id, want := range map[string]struct {
		status model.Status
		tried  int
	}{
		"T1": {model.StatusDone, 1}, "T2-a": {model.StatusPlanning, 0}, "T2-b": {model.StatusPlanning, 0},
		"T3": {model.StatusPlanning, 1}, "T4": {model.StatusWaiting, 1}, "T10": {model.StatusFailed, 3},
	} {
		task := s.Task(id)
		if got := s.Status(id); got != want.status || task.Status.RetryCount != want.tried || task.Status.AcceptedPlan != nil {
			t.Errorf("%s is %v after %d, want %v after %d", id, got, task.Status.RetryCount, want.status, want.tried)
		}
	}
	if got := s.Task("T10").Status.ErrorDetails; got != "no index" {
		t.Errorf("T10 failed with %q", got)
	}
	if got := s.Task("T3").DependsOn; !slices.Equal(got, []model.UID{s.Task("T2-b").UID}) {
		t.Errorf("T3 depends on %v, want the last part of T2", got)
	}
	if ms := s.Milestones(); len(ms.List) != 2 || ms.List[0].ID != "M1" || ms.List[0].Name != "Core Features" || ms.List[0].Description != "What nobody can do without" {
		t.Errorf("%+v", ms)
	}
	if ev := s.History("T10"); !slices.ContainsFunc(ev, func(e model.Event) bool { return e.Name == "attempts" && e.Number("attempts") == 3 }) {
		t.Errorf("no attempts in %+v", ev)
	}
	if got := s.Whole(); !model.SameJSON(got, []byte(example)) {
		t.Errorf("comes out as\n%s", got)
	}
	if r := s.Import(example); r.Created+r.Updated != 0 || r.Unchanged != 6 {
		t.Errorf("again: %+v", r)
	}
}

// A plan's phases become milestones, its tasks tasks, as the orchestrator breaks it down; what
// comes out is a state that it can continue with.
func TestPlan(t *testing.T) {
	const plan = `{"plan_name": "p", "summary": "s", "phases": [
	  {"phase": 1, "name": "Base", "tasks": [{"id": "T1", "description": "Do it", "files": ["a.go"]}, {"id": "T2", "description": "Then that\nin detail", "dependencies": ["T1"]}]},
	  {"phase": 3, "name": "Rest", "tasks": [{"id": "T3", "description": "x"}]}], "risks": ["r"]}`
	s := recordstest.New(t, Format())
	if r := s.Import(plan); r.Created != 3 {
		t.Fatalf("%+v", r)
	}
	two := s.Task("T2")
	if two.Config.Name != "Then that" || s.Objective("T2") != "Then that\nin detail\n" || two.Spec.MilestoneID != "M1" || !slices.Equal(two.DependsOn, []model.UID{s.Task("T1").UID}) ||
		!slices.Equal(s.Task("T1").Spec.FilesToModify, []string{"a.go"}) {
		t.Errorf("%+v %+v", two, two.Spec)
	}
	if ms := s.Milestones(); len(ms.List) != 2 || ms.List[1].ID != "M3" || ms.List[1].Name != "Rest" {
		t.Errorf("%+v", ms)
	}
	out := s.Whole()
	fields, _ := model.DecodeFields("", out)
	if kept, _ := fields.Get("plan"); !model.SameJSON(kept, []byte(plan)) {
		t.Errorf("the plan comes out as %s", kept)
	}
	for _, again := range []string{plan, string(out)} {
		if r := s.Import(again); r.Created != 0 || r.Unchanged < 2 {
			t.Errorf("%+v of %s", r, again)
		}
	}
	var tasks []map[string]any
	raw, _ := fields.Get("tasks")
	if err := json.Unmarshal(raw, &tasks); err != nil || len(tasks) != 3 || tasks[0]["id"] != "T1" || tasks[0]["status"] != "pending" {
		t.Errorf("%v, %v", tasks, err)
	}
}

func TestUpdates(t *testing.T) {
	s := recordstest.New(t, Format())
	doc := func(title, stone, word, attempts string) string {
		return fmt.Sprintf(`{"tasks":[{"id":"T1","title":%q,"status":%q,"milestone_id":"M1","attempts":%s},{"id":"T2","title":"Two","dependencies":["T1"],"milestone_id":"M1"}],
		"milestones":[{"id":"M1","name":%q}]}`, title, word, attempts, stone)
	}
	s.Import(doc("One", "Stone", "pending", "0"))
	s.Do(model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high"}}}}, "T1")
	r := s.Import(doc("One!", "Rock", "completed", "2"))
	said := strings.Join(r.NotCarried, "\n")
	if r.Updated != 1 || !strings.Contains(said, "completed there") || !strings.Contains(said, "the number of attempts changed there") {
		t.Errorf("%+v", r)
	}
	if got := s.Task("T1"); got.Config.Name != "One!" || got.Spec.Risk != "high" || s.Status("T1") != model.StatusPlanning {
		t.Errorf("%+v", got)
	}
	if ms := s.Milestones(); ms.List[0].Name != "Rock" {
		t.Errorf("%+v", ms)
	}
	// What a person renamed here stays while it does not change there.
	name := "Mine"
	s.Do(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "M1", Name: &name}}, "T1")
	s.Import(doc("One!!", "Rock", "completed", "2"))
	if ms := s.Milestones(); ms.List[0].Name != "Mine" {
		t.Errorf("%+v", ms)
	}
	s.Do(model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "beta", Name: &[]string{"Beta"}[0]}}, "T1")
	s.Do(model.Op{Name: model.AssignMilestone, Args: model.MilestoneEdit{ID: "beta"}}, "T2")
	var out struct {
		Milestones []struct {
			ID, Name string
			TaskIDs  []string `json:"task_ids"`
			Status   string
		}
	}
	if err := json.Unmarshal(s.Whole(), &out); err != nil || fmt.Sprint(out.Milestones) != "[{M1 Mine [T1] pending} {beta Beta [T2] pending}]" {
		t.Errorf("%v, %+v", err, out)
	}
	s.Do(model.Op{Name: model.RemoveMilestone, Args: model.MilestoneEdit{ID: "M1"}}, "T1")
	if r := s.Import(doc("One", "Rocks", "completed", "2")); !strings.Contains(strings.Join(r.NotCarried, "\n"), "removed here") || len(s.Milestones().List) != 1 {
		t.Errorf("%+v, %+v", r, s.Milestones())
	}
}

// A task that was made here has an id there that comes back to it, in every store.
func TestMadeHere(t *testing.T) {
	s := recordstest.New(t, Format())
	uid := s.Create(model.NewTask{Name: strings.Repeat("n", 90), Objective: "All of it\n\nand more\n", Spec: &model.Spec{Risk: "high", EstimatedComplexity: 9}})
	list, report := s.Export()
	id, _ := list[0].Text("id")
	if back := uidOf(id, nil, s.Task(string(uid)).Config.CreatedAt); back != uid || !strings.HasPrefix(id, "T") || strings.Trim(id[1:], "0123456789") != "" {
		t.Errorf("%s is %s, which is %s", uid, id, back)
	}
	said := strings.Join(report.NotCarried, "\n")
	for _, want := range []string{"risk", "description", "80 characters"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing is said of %s: %s", want, said)
		}
	}
	if level, _ := list[0].Text("estimated_complexity"); level != "high" {
		t.Errorf("the complexity is %q", level)
	}
	if r := s.Import(string(s.Whole())); r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
	other := recordstest.New(t, Format())
	other.Import(string(s.Whole()))
	if other.Objective(id) != "All of it\n\nand more\n" && !strings.Contains(other.Objective(id), "All of it\n\nand more\n") {
		t.Errorf("its objective is %q", other.Objective(id))
	}
}

func TestBadInput(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", "{\"tasks\":[\n{]}", "f:2: "},
		{"empty", "", "f:0: the file is empty"},
		{"no task", `{"milestones":[{"id":"M1"}]}`, "it has no tasks"},
		{"tasks", "{\n\"tasks\": 3}", "f:2: tasks is not a list"},
		{"a task", "{\"tasks\":[{\"id\":\"T1\"},\n7]}", "f:2: record 2: it is not an object"},
		{"no id", "{\"tasks\":[{\"id\":\"T1\"},\n{\"title\":\"x\"}]}", "f:2: record 2: it has no id"},
		{"a milestone", "{\"tasks\":[{\"id\":\"T1\"}],\n\"milestones\":[{\"name\":\"x\"}]}", "f:2: milestone 1: it has no valid id"},
		{"two milestones", `{"tasks":[{"id":"T1"}],"milestones":[{"id":"M1"},{"id":"m1"}]}`, "milestone 2: the id m1 is used twice"},
		{"milestones", `{"tasks":[{"id":"T1"}],"milestones":{"M1":{}}}`, "milestones is not a list"},
		{"a phase", "{\"phases\":[\n{\"phase\":\"one\"}]}", "f:2: phase 1: it is not a phase"},
		{"phases", `{"plan":{"phases":7}}`, "phases is not a list"},
		{"a key twice", `{"tasks":[{"id":"T1"}],"tasks":[]}`, "the key tasks appears twice"},
		{"milestone id", `{"id":"T1","milestone_id":"a b"}`, "milestone_id is not a valid"},
		{"attempts", `{"id":"T1","attempts":-1}`, "attempts is not a whole number"},
		{"criteria", `{"id":"T1","acceptance_criteria":7}`, "record 1: "},
		{"dependencies", `{"id":"T1","dependencies":"T2"}`, "dependencies is not a list"},
		{"our own member", `{"id":"T1","workflow_state":{}}`, ""},
		{"our own member in a state", `{"tasks":[{"id":"T1","workflow_state":{}}]}`, "workflow_state is reserved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, problems := Format().Records(records.Input{Name: "f", File: strings.NewReader(tt.in)})
			if len(problems) == 0 {
				ops, report, err := Format().Ops(list, records.Options{Actor: "human:ann"})
				if err != nil || len(ops) > 0 && len(report.Problems) > 0 {
					t.Fatalf("%v, %d operations", err, len(ops))
				}
				problems = report.Problems
			}
			var all []string
			for _, p := range problems {
				all = append(all, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Reason))
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// A state that says the same as its tasks comes out as it came, and comes in once.
func TestRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "One line", "Two\nlines\n", "\x1b[31mred", "\u202ertl", "日本"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`T[1-9][0-9]?(-[abc])?`), 1, 6, rapid.ID).Draw(rt, "ids")
		slices.SortFunc(ids, byID)
		stones := rapid.SliceOfNDistinct(rapid.StringMatching(`M[1-9]`), 0, 3, rapid.ID).Draw(rt, "milestones")
		words, in := map[string][]string{}, map[string][]string{}
		lists := map[string][]string{}
		doc := map[string]any{"note": text.Draw(rt, "note")}
		var tasks, list []any
		for i, id := range ids {
			word := rapid.SampledFrom([]string{"pending", "in_progress", "completed", "failed", "blocked"}).Draw(rt, "status")
			all := map[string]any{
				"title": text.Draw(rt, "title"), "user_story": text.Draw(rt, "story"), "acceptance_criteria": rapid.SliceOfN(text, 0, 3).Draw(rt, "criteria"),
				"files_to_create": []string{"a"}, "files_to_modify": []string{}, "test_files": []string{}, "dependencies": rapid.SliceOfNDistinct(rapid.SampledFrom(append([]string{"T999"}, ids[:i]...)), 0, 2, rapid.ID).Draw(rt, "deps"),
				"priority":     rapid.SampledFrom([]any{"low", "medium", "high", "critical", nil, "urgent"}).Draw(rt, "priority"),
				"attempts":     rapid.IntRange(0, 5).Draw(rt, "attempts"),
				"max_attempts": rapid.IntRange(1, 5).Draw(rt, "most"), "implementation_notes": text.Draw(rt, "notes"), "error": rapid.SampledFrom([]any{nil, "x"}).Draw(rt, "error"),
				"linear_issue_id": rapid.SampledFrom([]any{nil, "L-1"}).Draw(rt, "issue"), "unknown": rapid.Int().Draw(rt, "unknown"),
			}
			for key := range all {
				if rapid.IntRange(0, 5).Draw(rt, "without") == 0 {
					delete(all, key)
				}
			}
			all["id"], all["status"] = id, word
			if len(stones) > 0 {
				m := rapid.SampledFrom(stones).Draw(rt, "milestone")
				all["milestone_id"] = m
				words[m], in[m] = append(words[m], word), append(in[m], id)
			}
			lists[word] = append(lists[word], id)
			tasks = append(tasks, all)
		}
		for _, id := range stones {
			list = append(list, map[string]any{
				"id": id, "name": text.Draw(rt, "name"), "description": text.Draw(rt, "text"),
				"task_ids": append([]string{}, in[id]...), "status": derive(words[id]), "unknown": 1,
			})
		}
		or := func(ids []string) []string { return append([]string{}, ids...) }
		running := or(lists["in_progress"])
		doc["tasks"], doc["milestones"] = tasks, append([]any{}, list...)
		doc["current_task_id"], doc["current_task_ids"], doc["in_flight_task_ids"] = nil, running, running
		if len(running) > 0 {
			doc["current_task_id"] = running[0]
		}
		doc["completed_task_ids"], doc["failed_task_ids"] = or(lists["completed"]), or(lists["failed"])
		in1, err := json.Marshal(doc)
		if err != nil {
			rt.Fatal(err)
		}
		s := recordstest.New(rt, Format())
		defer s.Close()
		s.Import(string(in1))
		if got := s.Whole(); !model.SameJSON(got, in1) {
			rt.Fatalf("comes out as\n%s\nand was\n%s", got, in1)
		}
		if r := s.Import(string(in1)); r.Created+r.Updated != 0 || r.Unchanged != len(ids) {
			rt.Fatalf("a second import: %+v", r)
		}
	})
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(`{"phases":[{"phase":1,"name":"a","tasks":[{"id":"T1","description":"d","files":["x"]}]}]}`))
	f.Add([]byte("{\"id\":\"T1\",\"title\":\"t\"}\n{\"id\":\"T2\",\"dependencies\":[\"T1\"]}"))
	f.Fuzz(func(t *testing.T, b []byte) { recordstest.Fuzz(t, Format(), b) })
}
