package lifecycle_test

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/staged"
)

// apply is Apply on an overlay that then absorbs the outcome.
func apply(t testing.TB, o *staged.World, op model.Op) *model.Change {
	t.Helper()
	if op.Actor == "" {
		op.Actor = ann
	}
	c, err := lifecycle.Apply(o, op)
	if err != nil {
		t.Fatalf("%s: %v", op.Name, err)
	}
	o.Absorb(c)
	return c
}

func TestOverlayShowsWhatItAbsorbed(t *testing.T) {
	d := newDesk(t)
	base := d.completed("base", "")
	before := d.image()
	o := staged.New(d.w)
	o.Absorb(nil)
	apply(t, o, model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-x", Name: "x", Parent: base, DependsOn: []model.UID{base}, Objective: "o\n"}})
	apply(t, o, model.Op{Name: model.DefinePlan, UID: "tsk-x", Args: model.NewPlan{Text: "p\n"}})
	apply(t, o, model.Op{Name: model.AcceptPlan, UID: "tsk-x"})

	if got := o.ChildUIDs(base); !slices.Equal(got, []model.UID{"tsk-x"}) {
		t.Errorf("children %v", got)
	}
	if got := o.DependentUIDs(base); !slices.Equal(got, []model.UID{"tsk-x"}) {
		t.Errorf("dependents %v", got)
	}
	if c, err := o.Content("tsk-x", model.Plan); err != nil || string(c.Body) != "p\n" || c.Revision != 1 || c.Hash != model.HashBytes(c.Body) {
		t.Errorf("plan %+v, %v", c, err)
	}
	if _, err := o.Content("tsk-none", model.Plan); !errors.Is(err, model.ErrNoContent) {
		t.Errorf("content of no task: %v", err)
	}
	if task, _ := o.Task("tsk-x"); task.Status.CurrentState != model.Working || task.Status.AcceptedPlan.PlanHash == "" {
		t.Errorf("%+v", task.Status)
	}
	apply(t, o, model.Op{Name: model.WorkCompleted, UID: "tsk-x", Args: model.Completion{Summary: "sum"}})
	want := model.HashResult([]model.ResultFile{{Path: "summary.md", Hash: model.HashBytes([]byte("sum\n"))}})
	if got, err := o.ResultHash("tsk-x"); got != want || err != nil {
		t.Errorf("result hash %s, %v; want %s", got, err, want)
	}
	if b, err := o.ResultFile("tsk-x", "summary.md"); string(b) != "sum\n" || err != nil {
		t.Errorf("summary %q, %v", b, err)
	}
	if _, err := o.ResultFile("tsk-x", "other"); !errors.Is(err, model.ErrNoContent) {
		t.Errorf("no such result: %v", err)
	}
	apply(t, o, model.Op{Name: model.RemoveDependency, UID: func() model.UID {
		apply(t, o, model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-y", Name: "y", DependsOn: []model.UID{base, "tsk-x"}}})
		return "tsk-y"
	}(), Args: model.DependencyEdit{DependsOn: []model.UID{base}}})
	if got := o.DependentUIDs(base); !slices.Equal(got, []model.UID{"tsk-x"}) {
		t.Errorf("dependents %v", got)
	}
	if got := o.DependentUIDs("tsk-x"); !slices.Equal(got, []model.UID{"tsk-y"}) {
		t.Errorf("dependents %v", got)
	}
	if !reflect.DeepEqual(before, d.image()) || d.w.ChildUIDs(base) != nil {
		t.Error("the base was written to")
	}
}

func TestOverlayMergesRequests(t *testing.T) {
	d := newDesk(t)
	first := d.running("first", "")
	second := d.create("second", "", first)
	other := d.running("other", "")
	d.create("third", "", other)
	d.fail(first, "gone")
	o := staged.New(d.w)
	apply(t, o, model.Op{Name: model.RaiseError, UID: other, Args: model.ErrorReport{Details: "gone", Failure: true}, ID: "op-a"})
	apply(t, o, model.Op{Name: model.RemoveDependency, UID: second, Args: model.DependencyEdit{DependsOn: []model.UID{first}}, ID: "op-b"})
	got := o.Requests()
	if len(got) != 2 || got[0].State != model.RequestSuperseded || got[1].State != model.RequestPending {
		t.Errorf("requests %+v", got)
	}
	if r := d.w.Requests(); len(r) != 1 || r[0].State != model.RequestPending {
		t.Errorf("the base's requests %+v", r)
	}
}

// TestOneTransactionEqualsMany: operations on an overlay come to what they come to one by
// one.
func TestOneTransactionEqualsMany(t *testing.T) {
	story := func() []model.Op {
		ops := []model.Op{
			{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-p", Name: "parent", Objective: "o\n"}},
			{Name: model.DefinePlan, UID: "tsk-p", Args: model.NewPlan{Text: "p\n"}},
			{Name: model.AcceptPlan, UID: "tsk-p"},
			{Name: model.Start, UID: "tsk-p"},
			{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-q", Name: "child", Parent: "tsk-p", Objective: "o\n"}},
			{Name: model.DefinePlan, UID: "tsk-q", Args: model.NewPlan{Text: "p\n"}},
			{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-r", Name: "after", DependsOn: []model.UID{"tsk-q"}, Objective: "o\n"}},
			{Name: model.DefinePlan, UID: "tsk-r", Args: model.NewPlan{Text: "p\n"}},
			{Name: model.AcceptPlan, UID: "tsk-r"},
			{Name: model.AcceptPlan, UID: "tsk-q"},
			{Name: model.WorkCompleted, UID: "tsk-q", Args: model.Completion{Summary: "done"}},
			{Name: model.ReviewRejected, UID: "tsk-q", Reason: "no"},
			{Name: model.UndoVerdict, UID: "tsk-q"},
			{Name: model.Abort, UID: "tsk-p", Reason: "no"},
		}
		for i := range ops {
			ops[i].ID = fmt.Sprintf("op-%d", i)
			ops[i].At = modeltest.Epoch.Add(time.Duration(i) * time.Second)
			ops[i].Actor = ann
		}
		return ops
	}
	one, many := modeltest.New(), modeltest.New()
	if _, err := one.DoAll(story()); err != nil {
		t.Fatal(err)
	}
	for _, op := range story() {
		if _, err := many.Do(op); err != nil {
			t.Fatal(err)
		}
	}
	a, b := one.Tasks(), many.Tasks()
	for i := range a {
		for _, t := range []*model.Task{a[i], b[i]} {
			if p := t.Status.AcceptedPlan; p != nil {
				p.Approval, p.ApprovalHash = "", "" // the approval names the entry of the log before it
			}
		}
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("%s differs:\n%s\n%s", a[i].UID, model.EncodeStatus(a[i].Status), model.EncodeStatus(b[i].Status))
		}
	}
	files := func(w *modeltest.World) (names []string) {
		for _, name := range w.Files() {
			if dir, file := path.Split(name); strings.HasSuffix(dir, "/approvals/") {
				name = dir + strings.Split(file, "-")[0]
			}
			names = append(names, name)
		}
		return names
	}
	if x, y := files(one), files(many); !slices.Equal(x, y) {
		t.Errorf("files\n%q\n%q", x, y)
	}
}

func TestApplyKeepsTimesAsFilesDo(t *testing.T) {
	d := newDesk(t)
	uid := d.create("x", "")
	at := time.Date(2026, 1, 2, 3, 4, 5, 678912345, time.FixedZone("x", 3600))
	c := d.do(model.Op{Name: model.Pause, UID: uid, At: at})
	want := time.Date(2026, 1, 2, 2, 4, 5, 678000000, time.UTC)
	if got := d.task(uid).Status.LastUpdatedAt; got != want || c.Events[0].At != want {
		t.Errorf("%v, %v; want %v", got, c.Events[0].At, want)
	}
}

// manyOps are n imports under one parent, each dependent on the one before it.
func manyOps(n int) []model.Op {
	ops := make([]model.Op, 0, n)
	for i := range n {
		uid := model.UID(fmt.Sprintf("tsk-%06d", i))
		in := importOf(uid, model.PlanDefined)
		in.Task.Config.Name = fmt.Sprintf("task %d", i)
		if i > 0 {
			in.Task.Config.ParentUID = "tsk-000000"
			in.Task.DependsOn = []model.UID{model.UID(fmt.Sprintf("tsk-%06d", i-1))}
		}
		ops = append(ops, model.Op{
			ID: fmt.Sprint("op-", i), At: modeltest.Epoch, Actor: ann, Name: model.ImportTask, Args: *in,
		})
	}
	return ops
}

// BenchmarkAccept is one acceptance, in a store of few and of many tasks: the same work.
func BenchmarkAccept(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n, " tasks"), func(b *testing.B) {
			var tasks []*model.Task
			for _, op := range manyOps(n) {
				t := model.ArgsOf[model.Imported](&op).Task
				t.HasObjective, t.HasPlan, t.HasStatus = true, true, true
				tasks = append(tasks, t)
			}
			s := snapshot.New(snapshot.Input{Tasks: tasks, Policy: model.DefaultPolicy()})
			op := model.Op{Name: model.AcceptPlan, UID: "tsk-000050", Actor: ann, At: modeltest.Epoch}
			b.ResetTimer()
			for b.Loop() {
				if _, err := lifecycle.Apply(s, op); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAllowed is every row of the palette for one task.
func BenchmarkAllowed(b *testing.B) {
	d := newDesk(b)
	uid := d.running("x", "", d.completed("y", ""))
	s, table := d.w.Snapshot(), lifecycle.Table()
	b.ReportAllocs()
	for b.Loop() {
		for _, row := range table {
			_ = lifecycle.Allowed(s, model.Op{Name: row.Name, UID: uid, Actor: ann})
		}
	}
}
