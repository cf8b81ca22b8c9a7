package lifecycle_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
)

const (
	ann   model.Actor = "human:ann"
	agent model.Actor = "agent:claude"
	vespe model.Actor = "system:vespe"
	loop  model.Actor = "system:loop"
)

// desk is a world with short words for what tests do to it.
type desk struct {
	testing.TB
	w *modeltest.World
}

func newDesk(t testing.TB) *desk { return &desk{t, modeltest.New()} }

// do applies an operation that must be allowed.
func (d *desk) do(op model.Op) *model.Change {
	d.Helper()
	c, err := d.w.Do(op)
	if err != nil {
		r := asRefusal(d, err)
		d.Fatalf("%v (guard %s, hint %q)", r, r.Guard, r.Hint)
	}
	return c
}

// refused applies an operation that must fail at a guard, and changes nothing.
func (d *desk) refused(op model.Op, g model.Guard, code model.Code) *model.Refusal {
	d.Helper()
	before := d.image()
	_, err := d.w.Do(op)
	if err == nil {
		d.Fatalf("%s was allowed, guard %s should refuse it", op.Name, g)
	}
	r := asRefusal(d, err)
	if r.Guard != g || r.Code != code {
		d.Fatalf("%s: refused by %s (%s): %s; want guard %s (%s)", op.Name, r.Guard, r.Code, r.Why, g, code)
	}
	if r.Why == "" || r.Hint == "" || r.Op != op.Name {
		d.Fatalf("%s: the refusal says too little: %+v", op.Name, r)
	}
	if t, ok := d.w.Task(op.UID); ok && (r.UID != op.UID || r.Task != t.Config.Name) {
		d.Fatalf("%s: the refusal is about %q (%s), want %q", op.Name, r.Task, r.UID, t.Config.Name)
	}
	if after := d.image(); !reflect.DeepEqual(before, after) {
		d.Fatalf("%s was refused and changed the world", op.Name)
	}
	return r
}

// reporter is what testing.TB and rapid.T have in common.
type reporter interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func asRefusal(t reporter, err error) *model.Refusal {
	t.Helper()
	var r *model.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("the error is a %T, want *model.Refusal: %v", err, err)
	}
	return r
}

// image is a deep copy of every task.
func (d *desk) image() []*model.Task {
	var out []*model.Task
	for _, t := range d.w.Tasks() {
		out = append(out, t.Clone())
	}
	return out
}

func (d *desk) task(uid model.UID) *model.Task {
	d.Helper()
	t, ok := d.w.Task(uid)
	if !ok {
		d.Fatalf("there is no task %s", uid)
	}
	return t
}

func (d *desk) state(uid model.UID) model.State { return d.task(uid).Status.CurrentState }

func (d *desk) wantState(uid model.UID, want model.State) {
	d.Helper()
	if got := d.state(uid); got != want {
		d.Errorf("%q is %s, want %s", d.task(uid).Config.Name, got, want)
	}
}

func (d *desk) wantPause(uid model.UID, want string) {
	d.Helper()
	if got := d.task(uid).Status.PauseKind(); got != want {
		d.Errorf("%q has the pause kind %q, want %q", d.task(uid).Config.Name, got, want)
	}
}

func (d *desk) status(uid model.UID) string {
	d.Helper()
	s := d.w.Snapshot()
	i, ok := s.Index(uid)
	if !ok {
		d.Fatalf("there is no task %s", uid)
	}
	return s.Status(i).String()
}

// pending are the keys of the requests that wait for a person.
func (d *desk) pending() []string {
	var out []string
	for _, r := range d.w.Requests() {
		if r.State == model.RequestPending {
			out = append(out, r.Key)
		}
	}
	return out
}

func (d *desk) wantPending(want ...string) {
	d.Helper()
	got := d.pending()
	if len(got) != len(want) {
		d.Fatalf("pending requests %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			d.Fatalf("pending requests %q, want %q", got, want)
		}
	}
}

func (d *desk) wantSummary(c *model.Change, parts ...string) {
	d.Helper()
	for _, p := range parts {
		if !strings.Contains(c.Summary, p) {
			d.Errorf("summary %q lacks %q", c.Summary, p)
		}
	}
	if strings.ContainsAny(c.Summary, "\n\r\x1b") {
		d.Errorf("summary %q is not one plain line", c.Summary)
	}
}

// create makes a task with an objective.
func (d *desk) create(name string, parent model.UID, deps ...model.UID) model.UID {
	d.Helper()
	uid := d.w.NewUID()
	d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{
		UID: uid, Name: name, Parent: parent, DependsOn: deps, Objective: "do " + name + "\n",
	}})
	return uid
}

// planned makes a task with a plan to review.
func (d *desk) planned(name string, parent model.UID, deps ...model.UID) model.UID {
	d.Helper()
	uid := d.create(name, parent, deps...)
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "plan of " + name + "\n"}})
	return uid
}

// accepted makes a task with an accepted plan: working, or blocked.
func (d *desk) accepted(name string, parent model.UID, deps ...model.UID) model.UID {
	d.Helper()
	uid := d.planned(name, parent, deps...)
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	return uid
}

// running makes a task with a live run.
func (d *desk) running(name string, parent model.UID, deps ...model.UID) model.UID {
	d.Helper()
	uid := d.accepted(name, parent, deps...)
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
	return uid
}

func (d *desk) complete(uid model.UID, summary string) *model.Change {
	d.Helper()
	return d.do(model.Op{Name: model.WorkCompleted, UID: uid, Actor: agent, Args: model.Completion{Summary: summary}})
}

func (d *desk) completed(name string, parent model.UID, deps ...model.UID) model.UID {
	d.Helper()
	uid := d.running(name, parent, deps...)
	d.complete(uid, "did "+name)
	return uid
}

func (d *desk) fail(uid model.UID, why string) *model.Change {
	d.Helper()
	return d.do(model.Op{Name: model.RaiseError, UID: uid, Actor: agent, Args: model.ErrorReport{Details: why, Failure: true}})
}

func (d *desk) abort(uid model.UID) *model.Change {
	d.Helper()
	return d.do(model.Op{Name: model.Abort, UID: uid, Reason: "no longer wanted"})
}

// run is what run.json says of a run.
func (d *desk) run(uid model.UID, id string) model.Run {
	d.Helper()
	body, err := d.w.RunFile(uid, id)
	if err != nil {
		d.Fatalf("run.json of %s: %v", id, err)
	}
	run, problems := model.DecodeRun("tasks/"+string(uid)+"/persistent/runs/"+id+"/run.json", body)
	if len(problems) > 0 {
		d.Fatalf("run.json of %s: %v", id, problems)
	}
	return run
}
