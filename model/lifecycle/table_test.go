package lifecycle_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
)

// fixtures bring a task to each place of the lifecycle by real operations.
var fixtures = []struct {
	name string
	make func(d *desk) model.UID
}{
	{"created", func(d *desk) model.UID {
		uid := d.w.NewUID()
		d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: uid, Name: "subject"}})
		return uid
	}},
	{"objective", func(d *desk) model.UID { return d.create("subject", "") }},
	{"plan", func(d *desk) model.UID { return d.planned("subject", "") }},
	{"blocked", func(d *desk) model.UID { return d.accepted("subject", "", d.create("before", "")) }},
	{"working", func(d *desk) model.UID { return d.accepted("subject", "") }},
	{"running", func(d *desk) model.UID { return d.running("subject", "") }},
	{"paused", func(d *desk) model.UID {
		uid := d.accepted("subject", "")
		d.do(model.Op{Name: model.Pause, UID: uid, Reason: "lunch"})
		return uid
	}},
	{"error", func(d *desk) model.UID {
		uid := d.running("subject", "")
		d.do(model.Op{Name: model.RaiseError, UID: uid, Args: model.ErrorReport{Details: "oops"}})
		return uid
	}},
	{"failed", func(d *desk) model.UID {
		uid := d.running("subject", "")
		d.fail(uid, "broken")
		return uid
	}},
	{"completed", func(d *desk) model.UID { return d.completed("subject", "") }},
	{"done", func(d *desk) model.UID {
		uid := d.completed("subject", "")
		d.do(model.Op{Name: model.ReviewAccepted, UID: uid})
		return uid
	}},
	{"replanned", func(d *desk) model.UID {
		uid := d.accepted("subject", "")
		d.do(model.Op{Name: model.Replan, UID: uid, Reason: "better idea"})
		return uid
	}},
	{"aborted", func(d *desk) model.UID {
		uid := d.accepted("subject", "")
		d.abort(uid)
		return uid
	}},
	{"changed", func(d *desk) model.UID {
		uid := d.accepted("subject", "")
		d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "acceptance_criteria", Value: "it is fast"}}}})
		return uid
	}},
}

// expected is what each transition meets in each fixture: ok, or the guard that refuses.
const expected = `
transition                 created   objective plan      blocked          working   running     paused     error     failed    completed done      replanned aborted   changed
define_objective           ok        ok        state     state            state     state       state      state     not_final state     not_final state     not_final state
define_plan                state     ok        ok        ok               state     state       state      state     not_final state     not_final ok        not_final state
accept_plan                state     state     ok        undecided        state     state       state      state     not_final state     not_final state     not_final state
reject_plan                state     state     ok        ok               state     state       state      state     not_final state     not_final state     not_final state
question_plan              state     state     ok        undecided        state     state       state      state     not_final state     not_final state     not_final state
defer_plan                 state     state     ok        undecided        state     state       state      state     not_final state     not_final state     not_final state
comment                    plan      plan      ok        ok               ok        ok          ok         ok        not_final ok        not_final ok        not_final ok
answer_comments            comment   comment   comment   comment          comment   comment     comment    comment   not_final comment   not_final comment   not_final comment
resolve_comment            comment   comment   comment   comment          comment   comment     comment    comment   not_final comment   not_final comment   not_final comment
reopen_comment             comment   comment   comment   comment          comment   comment     comment    comment   not_final comment   not_final comment   not_final comment
start                      state     state     accepted  dependencies_met ok        no_live_run not_paused state     not_final state     not_final state     not_final not_changed
work_completed             state     state     state     state            ok        ok          not_paused state     not_final state     not_final state     not_final ok
review_accepted            state     state     state     state            state     state       state      state     not_final ok        not_final state     not_final state
review_rejected            state     state     state     state            state     state       state      state     not_final ok        not_final state     not_final state
error                      ok        ok        ok        ok               ok        ok          ok         ok        not_final state     not_final ok        not_final ok
retry                      state     state     state     state            state     state       state      ok        not_final state     not_final state     not_final state
reopen                     state     state     state     state            state     state       state      state     ok        state     state     state     state     state
skip                       state     state     state     state            state     state       state      ok        ok        state     state     state     state     state
stop                       state     state     state     state            live_run  ok          live_run   state     not_final state     not_final state     not_final live_run
spawn_subtask              state     state     state     state            ok        ok          ok         state     not_final state     not_final state     not_final ok
handle_subtask_completion  awaits    awaits    awaits    awaits           ok        ok          ok         awaits    not_final state     not_final awaits    not_final ok
pause                      ok        ok        ok        ok               ok        ok          not_paused ok        not_final ok        not_final ok        not_final ok
resume                     paused    paused    paused    paused           paused    paused      ok         paused    not_final paused    not_final paused    not_final paused
ask                        ok        ok        ok        ok               ok        ok          ok         ok        not_final ok        not_final ok        not_final ok
answer                     ok        ok        ok        ok               ok        ok          ok         ok        ok        ok        ok        ok        ok        ok
escalate                   ok        ok        ok        ok               ok        ok          ok         ok        ok        ok        ok        ok        ok        ok
settle                     ok        ok        ok        ok               ok        ok          ok         ok        ok        ok        ok        ok        ok        ok
abort                      ok        ok        ok        ok               ok        ok          ok         ok        ok        ok        not_final ok        not_final ok
check                      ok        ok        ok        ok               ok        ok          ok         ok        not_final ok        not_final ok        not_final ok
external_edit              ok        ok        ok        ok               ok        ok          ok         ok        ok        ok        ok        ok        ok        ok
revalidate                 changed   changed   changed   changed          changed   changed     changed    changed   not_final changed   not_final changed   not_final ok
replan                     state     state     ok        ok               ok        ok          ok         ok        not_final changed   not_final state     not_final ok
undo                       undo      undo      undo      ok               ok        undo        undo       undo      undo      undo      ok        ok        undo      undo
`

// opFor is a complete operation for a row by an actor who may.
func opFor(row model.Transition, uid, child model.UID) model.Op {
	op := model.Op{
		Name: row.Name, UID: uid, Actor: ann, Reason: "because",
	}
	lifecycle.FillText(&op, "a text like no other\n")
	lifecycle.SetArg(&op, "subtask", child)
	lifecycle.SetArg(&op, "success", true)
	lifecycle.SetArg(&op, "comment", "c000000")
	if row.Who == model.WhoSystem {
		op.Actor = vespe
	}
	if row.Name == model.ExternalEdit {
		op.Args = model.External{Files: []model.FileEdit{{Name: "spec.json", New: "sha256-x", Body: []byte("{}\n")}}}
	}
	switch row.Name {
	case model.AnswerComments:
		op.Args = model.CommentAnswers{Answers: []model.CommentAnswer{{Comment: "c000000", Resolution: model.CommentAnswered, Text: "so"}}}
	case model.Ask:
		op.Args = model.NewRequest{Title: "which port?"}
	case model.Escalate:
		op.Args = model.NewRequest{Title: "it is stuck", Key: "deadlock:x"}
	case model.Settle:
		op.Args = model.Settlement{Request: "esc-loop"}
	case model.AnswerRequest:
		op.Args = model.Answering{Request: "esc-by-hand", Decision: model.DecideRespond, Text: "80"}
	}
	return op
}

func TestEveryTransitionFromEveryState(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(expected), "\n")
	columns := strings.Fields(lines[0])[1:]
	if len(columns) != len(fixtures) {
		t.Fatalf("%d columns for %d fixtures", len(columns), len(fixtures))
	}
	table := lifecycle.Table()
	if len(lines)-1 != len(table) {
		t.Fatalf("%d rows are expected, the table has %d", len(lines)-1, len(table))
	}
	for i, row := range table {
		cells := strings.Fields(lines[i+1])
		if cells[0] != string(row.Name) {
			t.Fatalf("row %d is %s, want %s", i, row.Name, cells[0])
		}
		for k, f := range fixtures {
			if f.name != columns[k] {
				t.Fatalf("column %d is %s, want %s", k, columns[k], f.name)
			}
			t.Run(fmt.Sprintf("%s/%s", row.Name, f.name), func(t *testing.T) {
				testCell(t, row, f.make, cells[k+1])
			})
		}
	}
}

func testCell(t *testing.T, row model.Transition, fixture func(*desk) model.UID, want string) {
	d := newDesk(t)
	uid := fixture(d)
	var child model.UID
	if row.Name == model.SpawnSubtask || row.Name == model.HandleSubtaskCompletion {
		child = d.w.NewUID()
		childState := model.Created
		if row.Name == model.HandleSubtaskCompletion {
			childState = model.Completed // only what has happened is handled
		}
		d.w.Put(&model.Task{
			UID: child, Config: model.Config{UID: child, Name: "child", ParentUID: uid},
			Status: model.StatusFile{CurrentState: childState, Revision: 1}, HasStatus: true,
		})
	}
	d.w.PutRequest(model.Request{ID: "esc-by-hand", TaskUID: uid, Kind: model.KindEscalation, Title: "which port?", CreatedBy: vespe})
	d.w.PutRequest(model.Request{ID: "esc-loop", TaskUID: uid, Kind: model.KindEscalation, Title: "which way?", CreatedBy: loop, Key: "way"})
	op := opFor(row, uid, child)
	for name, world := range map[string]model.World{"bytes": d.w, "no bytes": d.w.Snapshot()} {
		got := "ok"
		if err := lifecycle.Allowed(world, op); err != nil {
			got = string(asRefusal(t, err).Guard)
		}
		if got != want {
			t.Errorf("Allowed in a world with %s: %s, want %s", name, got, want)
		}
	}
	if want != "ok" {
		d.refused(op, model.Guard(want), model.CodeRefused)
		return
	}
	before := d.task(uid).Clone()
	preview, err := lifecycle.Apply(d.w.Snapshot(), op)
	if err != nil {
		t.Fatalf("the preview is refused: %v", err)
	}
	c := d.do(op)
	if preview.Summary != c.Summary || len(preview.Tasks) != len(c.Tasks) {
		t.Errorf("preview %q of %d tasks, report %q of %d tasks", preview.Summary, len(preview.Tasks), c.Summary, len(c.Tasks))
	}
	checkChange(t, c)
	if len(c.Tasks) == 0 {
		return // check found nothing
	}
	e := c.Events[0]
	if e.Name != row.Name || e.UID != uid || e.From != before.Status.CurrentState || e.To != d.state(uid) {
		t.Errorf("event %s %s → %s, the task went %s → %s", e.Name, e.From, e.To, before.Status.CurrentState, d.state(uid))
	}
	if len(row.To) > 0 && !slices.Contains(row.To, e.To) {
		t.Errorf("it went to %s, the row says %v", e.To, row.To)
	}
	if len(row.To) == 0 && row.Name != model.UndoVerdict && e.To != e.From {
		t.Errorf("it went from %s to %s, the row says that the state stays", e.From, e.To)
	}
}

// checkChange holds what is true of every outcome of Apply.
func checkChange(t reporter, c *model.Change) {
	t.Helper()
	if c.Summary == "" || strings.Contains(c.Summary, "\n") {
		t.Errorf("summary %q", c.Summary)
	}
	if len(c.Tasks) != len(c.Touched) {
		t.Errorf("%d tasks, %d touched", len(c.Tasks), len(c.Touched))
	}
	if len(c.Tasks) == 0 && (len(c.Files) > 0 || len(c.Events) > 0) {
		t.Error("nothing was changed, but something is to be written")
	}
	seen := map[model.UID]bool{}
	for i, task := range c.Tasks {
		if seen[task.UID] {
			t.Errorf("%s has two after-images", task.UID)
		}
		seen[task.UID] = true
		if !c.Touched[i].Status {
			t.Errorf("%s: its revision went up, but status.json is not touched", task.UID)
		}
	}
	for _, e := range c.Events {
		if e.Summary == "" || e.Actor == "" || !seen[e.UID] {
			t.Errorf("event %+v is not complete", e)
		}
	}
	for _, f := range c.Files {
		if !fs.ValidPath(f.Path) {
			t.Errorf("file %q is no clean relative path", f.Path)
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	for _, row := range lifecycle.Table() {
		if row.Name.Phrase() == "" || row.FromText == "" || row.ToText == "" || row.Effect == "" || row.Help == "" {
			t.Errorf("%s lacks words: %+v", row.Name, row)
		}
		group, verb, _ := strings.Cut(row.Name.CommandPath(), " ")
		if fired := row.Who != model.WhoSystem; (group != "") != fired || (verb != "") != fired || (row.Example != "") != fired {
			t.Errorf("%s: the command is %q, the example %q", row.Name, row.Name.CommandPath(), row.Example)
		}
		if strings.Contains(row.Name.Verb(), "_") {
			t.Errorf("the verb %q", row.Name.Verb())
		}
		got, ok := lifecycle.Lookup(row.Name)
		if !ok || got.Help != row.Help {
			t.Errorf("Lookup(%s) = %v, %v", row.Name, got.Help, ok)
		}
		for _, g := range row.Guards {
			if g.ID == "" || g.Needs == "" {
				t.Errorf("%s: guard %+v says nothing", row.Name, g)
			}
		}
		for _, a := range row.Args {
			if a.Name == "" || a.Help == "" {
				t.Errorf("%s: argument %+v says nothing", row.Name, a)
			}
		}
		if row.Verdict && row.Who == model.WhoSystem {
			t.Errorf("%s is a verdict of nobody", row.Name)
		}
	}
	for _, n := range []model.Name{model.CreateTask, model.SetFields, "nonsense"} {
		if _, ok := lifecycle.Lookup(n); ok {
			t.Errorf("%s is in the table", n)
		}
	}
	rows := lifecycle.Table()
	rows[0].Name = "mine"
	if lifecycle.Table()[0].Name != model.DefineObjective {
		t.Error("the table was changed through a copy")
	}
}

func TestWhoMayFireWhat(t *testing.T) {
	actors := []model.Actor{ann, agent, vespe, "mcp_client:cursor"}
	may := map[model.Who][]bool{
		model.WhoAny:           {true, true, true, true},
		model.WhoHuman:         {true, false, false, false},
		model.WhoHumanForHITL:  {true, true, true, true},
		model.WhoHumanOrSystem: {true, false, true, false},
		model.WhoSystem:        {false, false, true, false},
	}
	for _, row := range lifecycle.Table() {
		for i, a := range actors {
			d := newDesk(t)
			uid := d.planned("subject", "")
			err := lifecycle.Allowed(d.w, model.Op{Name: row.Name, UID: uid, Actor: a})
			denied := err != nil && asRefusal(t, err).Guard == model.GuardActor
			if denied == may[row.Who][i] {
				t.Errorf("%s by %s: denied %v", row.Name, a, denied)
			}
			if denied && asRefusal(t, err).Code != model.CodeDenied {
				t.Errorf("%s by %s: code %s", row.Name, a, asRefusal(t, err).Code)
			}
		}
	}
	d := newDesk(t)
	uid := d.planned("subject", "")
	d.do(model.Op{Name: model.Pause, UID: uid, Actor: agent, Reason: "hitl: which port?"})
	if got := d.status(uid); got != "waiting" {
		t.Errorf("status %q, want waiting", got)
	}
	d.refused(model.Op{Name: model.Resume, UID: uid, Actor: agent}, model.GuardActor, model.CodeDenied)
	d.do(model.Op{Name: model.Resume, UID: uid, Actor: ann})
	for _, bad := range []model.Actor{"ann", "robot:x", "human:"} {
		d.refused(model.Op{Name: model.Pause, UID: uid, Actor: bad}, model.GuardActor, model.CodeInvalid)
	}
}

func TestGuardsOfEveryOperation(t *testing.T) {
	d := newDesk(t)
	uid := d.create("subject", "")
	d.refused(model.Op{Name: model.Pause, UID: "tsk-none"}, model.GuardExists, model.CodeNotFound)
	d.refused(model.Op{Name: "explode", UID: uid}, model.GuardOperation, model.CodeUsage)
	r := d.refused(model.Op{Name: model.Pause, UID: uid, ExpectRevision: 7}, model.GuardRevision, model.CodeConflict)
	if !strings.Contains(r.Why, "expected revision 7") {
		t.Errorf("why: %s", r.Why)
	}
	d.do(model.Op{Name: model.Pause, UID: uid, ExpectRevision: d.task(uid).Status.Revision})

	broken := d.task(uid).Clone()
	broken.Problems = []model.Problem{{UID: uid, Path: ".vespe/tasks/x/status.json", Line: 3, Severity: model.Error, Reason: "no JSON", Hint: "mend it"}}
	d.w.Put(broken)
	r = d.refused(model.Op{Name: model.Resume, UID: uid}, model.GuardReadable, model.CodeRefused)
	if !strings.Contains(r.Why, "status.json:3") || r.Hint != "mend it" {
		t.Errorf("why %q, hint %q", r.Why, r.Hint)
	}
}

func TestMissingArgumentsAreRefusedButNotInATrial(t *testing.T) {
	for _, tt := range []struct {
		name  model.Name
		state string
		guard model.Guard
	}{
		{model.DefineObjective, "created", model.GuardText},
		{model.DefinePlan, "objective", model.GuardText},
		{model.RejectPlan, "plan", model.GuardReason},
		{model.ReviewRejected, "completed", model.GuardReason},
		{model.RaiseError, "working", model.GuardText},
		{model.Abort, "working", model.GuardReason},
		{model.Replan, "working", model.GuardReason},
	} {
		for _, f := range fixtures {
			if f.name != tt.state {
				continue
			}
			d := newDesk(t)
			uid := f.make(d)
			op := model.Op{Name: tt.name, UID: uid, Actor: ann, Reason: "\t"}
			lifecycle.FillText(&op, " \n")
			d.refused(op, tt.guard, model.CodeInvalid)
			if err := lifecycle.Allowed(d.w.Snapshot(), op); err != nil {
				t.Errorf("%s: a trial needs no text: %v", tt.name, err)
			}
			if tt.guard == model.GuardText {
				op.Args = nil
				lifecycle.FillText(&op, "bad \xff")
				d.refused(op, model.GuardText, model.CodeInvalid)
			}
		}
	}
}

// TestOnlyTheLifecycleSetsAState reads the source of the whole module: current_state is
// assigned where the table's effects do it, where a status file is decoded, and nowhere
// else.
func TestOnlyTheLifecycleSetsAState(t *testing.T) {
	allowed := []string{
		"model/lifecycle/internal/machine/step.go", "model/statusfile.go",
		"store/taskfiles/own.go", "store/taskfiles/read.go", // no status.json reads as created
		"store/asof/piece.go", "model/history/life.go", // the state a task had in the past, pieced together from its events
		"interop/", // builds tasks for import, whose guard looks at the state
	}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasSuffix(e.Name(), "test") {
			return filepath.SkipDir // helpers of tests build worlds as they need them
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || slices.ContainsFunc(allowed, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok {
				for _, lhs := range a.Lhs {
					if sel, ok := lhs.(*ast.SelectorExpr); ok && sel.Sel.Name == "CurrentState" {
						t.Errorf("%s assigns current_state", name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
