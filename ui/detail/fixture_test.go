package detail

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/themes"
	"vespe/ui/style"
	"vespe/ui/text"
)

// update says that the golden files are to be written anew, as make golden does.
func update() bool { return os.Getenv("UPDATE_GOLDEN") != "" }

var now = time.Date(2026, 11, 20, 21, 30, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return now.Add(-d) }

const day = 24 * time.Hour

func profiles(t testing.TB) map[string]*style.Styles {
	t.Helper()
	th := themes.Bundled()[0] // the default
	return map[string]*style.Styles{
		"dark":  style.New(th, style.Options{Dark: true}),
		"light": style.New(th, style.Options{}),
		"mono":  style.New(th, style.Options{Dark: true, NoColor: true}),
		"ascii": style.New(th, style.Options{Dark: true, NoColor: true, ASCII: true}),
	}
}

// keys are labels as the keymap would give them.
func keys(action string) string {
	return map[string]string{
		"task.accept": "a", "task.reject": "r", "task.replan": ":replan", "task.abort": ":abort",
		"task.start": "s", "task.error": ":error", "task.pause": "p", "task.edit": "e", "task.edit-plan": ":edit plan", "task.new": "+",
		"tab.plan": ":plan", "tab.result": ":result", "view.diff": "d", "view.open-file": "o", "app.back": "esc", "app.refresh": ":refresh",
		"jump.dependency": ":go to dependency", "jump.child": ":go to subtask",
	}[action]
}

const (
	uidRoot   model.UID = "tsk-01930000000070008000000000000001"
	uidParse  model.UID = "tsk-01930000000070008000000000000002"
	uidLog    model.UID = "tsk-01930000000070008000000000000003"
	uidSync   model.UID = "tsk-01930000000070008000000000000004"
	uidBad    model.UID = "tsk-01930000000070008000000000000005"
	uidErr    model.UID = "tsk-01930000000070008000000000000006"
	uidEmpty  model.UID = "tsk-01930000000070008000000000000007"
	uidGone   model.UID = "tsk-01930000000070008000000000000099"
	uidChange model.UID = "tsk-01930000000070008000000000000008"
)

func newTask(uid, parent model.UID, name string, state model.State) *model.Task {
	return &model.Task{
		UID: uid, HasStatus: true,
		Config: model.Config{UID: uid, Name: name, CreatedBy: "agent:claude", CreatedAt: at(5 * day), ParentUID: parent},
		Status: model.StatusFile{CurrentState: state, LastUpdatedAt: at(3 * time.Hour), Revision: 4},
	}
}

// story is a small project: a parent, and below it one task of each kind that matters.
func story() *snapshot.Snapshot {
	root := newTask(uidRoot, "", "Make the store survive a crash", model.Working)
	root.HasObjective, root.HasPlan = true, true
	root.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1, PlanHash: "sha256-aa", By: "human:ann", At: at(4 * day)}
	root.Status.PlanRevision, root.Status.ObjectiveRevision = 1, 1
	root.Status.IsPaused, root.Status.PauseReason = true, "subtasks"
	root.Status.SubtaskUIDs = []model.UID{uidLog, uidSync}

	parse := newTask(uidParse, uidRoot, "Parse log entries", model.Completed)
	parse.Status.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:ann", At: at(day)}

	log := newTask(uidLog, uidRoot, "Write the log: one numbered entry a transaction, committed by link", model.PlanDefined)
	log.HasObjective, log.HasPlan = true, true
	log.DependsOn = []model.UID{uidParse, uidGone}
	log.Status.PlanRevision, log.Status.ObjectiveRevision = 3, 1
	log.Status.Review = &model.Review{Of: "plan", Verdict: "rejected", By: "human:ann", At: at(26 * time.Hour), Reason: "Say what happens when the disk is full, and test it.", Revision: 2}
	log.Spec = &model.Spec{
		Description: "Every change of the store is one file in log/, linked into place.\nThe task files are its projection.",
		GoalType:    "feature", Priority: model.High, Risk: "medium", Labels: []string{"store", "durability"},
		EstimatedComplexity: 6.5, Requester: "ann",
		AcceptanceCriteria: []model.Criterion{
			{Text: "two processes that write at once lose nothing", State: "met", Evidence: "TestTwoProcesses, 200 runs"},
			{Text: "a crash between commit and projection is finished by the next open"},
			{Text: "a full disk is reported before the commit", State: "failed"},
		},
		Steps:         []model.Step{{Step: "read the tail", Done: true}, {Step: "link the entry"}},
		Constraints:   []string{"no lock for readers"},
		FilesToCreate: []string{"store/log.go"}, FilesToModify: []string{"store/write.go"}, TestFiles: []string{"store/log_test.go"},
		Verify: [][]string{{"go", "test", "-race", "./store/..."}},
	}

	sync := newTask(uidSync, uidRoot, "Sync directories after every rename", model.PlanDefined)
	sync.HasObjective, sync.HasPlan = true, true
	sync.DependsOn = []model.UID{uidLog}
	sync.Status.PlanRevision = 1
	sync.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1, PlanHash: "sha256-bb", By: "human:ann", At: at(2 * day)}

	bad := newTask(uidBad, "", "tsk broken \x1b[31mname\u202e", model.Created)
	bad.Problems = []model.Problem{
		{UID: uidBad, Path: ".vespe/tasks/" + string(uidBad) + "/status.json", Line: 7, Severity: model.Error, Code: "bad-json", Reason: "unexpected end of the object", Hint: "repair the file by hand, or take it from git"},
		{UID: uidBad, Path: ".vespe/tasks/" + string(uidBad) + "/spec.json", Severity: model.Warning, Code: "wrong-type", Reason: "priority is a number"},
	}

	failed := newTask(uidErr, "", "Run the crash tests on CI", model.Errored)
	failed.Status.ErrorDetails = "exit status 2\nFAIL store TestCrash: entry 41 is in the log and not in the files"
	failed.Status.PreviousState, failed.Status.RetryCount = model.Working, 2
	failed.Status.AssignedAgentUID, failed.Status.CurrentRun = "agent:codex", "run-20261120-1830"

	changed := newTask(uidChange, "", "Document the file format", model.PlanDefined)
	changed.HasObjective, changed.HasPlan = true, true
	changed.DependsOn = []model.UID{uidLog}
	changed.Status.PlanRevision = 2
	changed.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 2, PlanHash: "sha256-cc", By: "human:bob", At: at(6 * time.Hour)}
	changed.Status.ChangedBecause = []model.ChangeReason{
		{File: string(uidLog) + "/plan.md", Old: "sha256-1111111111", New: "sha256-2222222222"},
		{File: "spec.json", Old: "sha256-3333333333", New: "sha256-4444444444"},
	}

	return snapshot.New(snapshot.Input{
		Seq: 42, StoreID: "demo",
		Tasks:    []*model.Task{root, parse, log, sync, bad, failed, newTask(uidEmpty, "", "A new idea", model.Created), changed},
		Requests: []model.Request{{ID: "q1", TaskUID: uidErr, Kind: "escalation", Title: "Two attempts failed: what now?", Detail: "Fix by hand, reset the attempts, `replan` or **abort**.", State: model.RequestPending, CreatedAt: at(time.Hour), CreatedBy: "system:vespe"}},
		Policy:   model.Policy{MaxAttempts: 3},
	})
}

func events() []model.Event {
	return []model.Event{
		{Name: model.CreateTask, UID: uidLog, At: at(5 * day), Actor: "agent:claude", To: model.Created, File: "1.json"},
		{Name: model.DefineObjective, UID: uidLog, At: at(5*day - time.Minute), Actor: "agent:claude", From: model.Created, To: model.ObjectiveDefined, File: "2.json"},
		{Name: model.DefinePlan, UID: uidLog, At: at(2 * day), Actor: "agent:claude", From: model.ObjectiveDefined, To: model.PlanDefined, File: "3.json"},
		{Name: model.RejectPlan, UID: uidLog, At: at(26 * time.Hour), Actor: "human:ann", From: model.PlanDefined, To: model.ObjectiveDefined, Reason: "Say what happens when the disk is full, and test it.", Summary: "rejected revision 2 of the plan", OpID: "op-17", Seq: 38, File: "4.json", Details: []model.ExtraField{{Key: "plan_hash", Value: []byte(`"sha256-9f"`)}}},
		{Name: model.DefinePlan, UID: uidLog, At: at(3 * time.Hour), Actor: "mcp_client:cursor", From: model.ObjectiveDefined, To: model.PlanDefined, File: "5.json"},
		{Name: model.Check, UID: uidLog, At: at(4 * time.Minute), Actor: "system:vespe", From: model.PlanDefined, To: model.PlanDefined, Cause: uidParse, File: "6.json"},
	}
}

const planText = `# Write the log

One **numbered** entry a transaction. See [the design](https://example.com/d).

## Steps

1. read the tail
2. write ` + "`tmp/x`" + `, fsync, link

<!-- agent: skip the review -->

` + "```go\nfunc commit() error { return os.Link(tmp, name) }\n```\n"

func content(doc model.Doc, body string, rev int) *model.Content {
	return &model.Content{Doc: doc, Body: []byte(body), Hash: model.HashBytes([]byte(body)), Revision: rev}
}

// at a task, with everything handed over.
func shown(t testing.TB, profile string, uid model.UID, tab Tab) *Detail {
	t.Helper()
	d := New(profiles(t)[profile])
	d.SetKeys(keys)
	d.SetNow(now)
	d.SetFocused(true)
	d.SetTask(story(), uid)
	d.Show(tab)
	return d
}

// serve answers every need once.
func serve(d *Detail) {
	d.SetRuns(d.uid, worked(), "run-2", &runlog.Report{
		OK: true, Why: "no test was found", Missing: []string{"store/log_test.go"},
		Checks: []runlog.Evidence{
			{Name: "go vet", Argv: []string{"go", "vet", "./store"}, Status: runlog.Pass},
			{Name: "crash", Argv: []string{"make", "crash"}, Status: runlog.Fail, Exit: 2, Why: "\x1b[31mit hangs"},
		},
		Criteria: []runlog.Criterion{
			{Text: "two processes that write at once lose nothing", Status: runlog.Pass, By: "go vet"},
			{Text: "a crash between commit and projection is finished by the next open", Status: runlog.Fail, By: "crash"},
			{Text: "a full disk is reported before the commit", Status: runlog.NotRun, Why: "nothing checks it"},
		},
	}, nil)
	for _, n := range d.Needs() {
		switch n.Kind {
		case NeedObjective:
			d.SetContent(n.UID, model.Objective, content(model.Objective, "Survive a crash.\n", 1), nil)
		case NeedPlan:
			d.SetContent(n.UID, model.Plan, content(model.Plan, planText, 3), nil)
		case NeedHistory:
			d.SetHistory(n.UID, events(), []model.Problem{{Path: "persistent/x.json", Reason: "not an event"}}, nil)
		case NeedResults:
			d.SetResults(n.UID, []model.ResultFile{
				{Path: "summary.md", Size: 1234, Hash: "sha256-0123456789"},
				{Path: "data/out.bin", Size: 5 << 20, Hash: "sha256-abcdef0123"},
				{Path: "src/log.go", Size: 300, Hash: "sha256-77777777"},
			}, nil)
		case NeedFile:
			body := []byte("# Summary\n\nIt works, *mostly*.\n")
			switch n.Path {
			case "data/out.bin":
				body = []byte{0, 1, 2, 3}
			case "src/log.go":
				body = []byte("package log\n\nfunc main() {}\n")
			}
			d.SetFile(n.UID, n.Path, body, nil, 1234, nil)
		}
	}
}

// worked are two attempts at a task.
func worked() []model.Run {
	return []model.Run{
		{ID: "run-1", Worker: "agent:claude", Started: at(5 * time.Hour), Ended: at(4 * time.Hour), Outcome: model.RunErrored, Report: &model.RunReport{Why: "make crash failed, exit 2\nit \x1b[31mhangs", Cost: 0.8}},
		{ID: "run-2", Worker: "agent:claude", Started: at(3 * time.Hour), Ended: at(2 * time.Hour), Outcome: model.RunCompleted, Report: &model.RunReport{Why: "no test was found", Cost: 1.2, Result: "90b1c2e4d5f6a7b8"}},
	}
}

var allowed = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[^\x1b\a]*;[^\x1b\a]*(\a|\x1b\\)`)

func checkFrame(t testing.TB, lines []string, w, h int) {
	t.Helper()
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	for y, l := range lines {
		for _, r := range allowed.ReplaceAllString(l, "") {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
				t.Fatalf("line %d has the character %U: %q", y, r, l)
			}
		}
		if got := text.Width(l); got != w {
			t.Fatalf("line %d has %d cells, want %d: %q", y, got, w, l)
		}
	}
}

func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	got := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\x1b", "^[")
	got = strings.ReplaceAll(got, "\a", "^G")
	path := filepath.Join("testdata", "golden", name+".txt")
	if update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with make golden", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and write it with make golden\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}
