package desk

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

const (
	ann    = model.Actor("human:ann")
	claude = model.Actor("agent:claude-code")
)

// fixture is a store with a person and an agent at it.
type fixture struct {
	*testing.T
	s *store.Store
	d *Desk
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	s, err := store.Init(t.TempDir(), store.Options{Name: "test", Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return fixture{t, s, deskAt(t, s, Options{Actor: claude, Channel: "mcp"})}
}

func deskAt(t testing.TB, s *store.Store, o Options) *Desk {
	t.Helper()
	d, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// as does what a person, or somebody else, does.
func (f fixture) as(who model.Actor, ops ...model.Op) snapshot.Applied {
	f.Helper()
	for i := range ops {
		ops[i].Actor = who
	}
	a, err := f.s.DoAll(context.Background(), ops)
	if err != nil {
		f.Fatal(err)
	}
	return a
}

func (f fixture) create(name string) model.UID {
	f.Helper()
	return f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: name, Objective: "Do " + name + ".\n"}}).Change.Tasks[0].UID
}

func (f fixture) task(uid model.UID) *model.Task {
	f.Helper()
	snap, err := f.s.Refresh(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	t, ok := snap.Task(uid)
	if !ok {
		f.Fatalf("there is no task %s", uid)
	}
	return t
}

func (f fixture) submit(p Plan) Review {
	f.Helper()
	r, err := f.d.SubmitPlan(f.Context(), p)
	if err != nil {
		f.Fatal(err)
	}
	return r
}

func (f fixture) ask(q Question) Review {
	f.Helper()
	r, err := f.d.Ask(f.Context(), q)
	if err != nil {
		f.Fatal(err)
	}
	return r
}

func (f fixture) look(id string) Review {
	f.Helper()
	r, err := f.d.Look(f.Context(), id)
	if err != nil {
		f.Fatal(err)
	}
	return r
}

// is fails unless a review is in a state, with an order what to do.
func (f fixture) is(r Review, state string) {
	f.Helper()
	if r.State != state {
		f.Errorf("%s is %s (%q), want %s", r.ReviewID, r.State, r.Text, state)
	}
	if r.NextAction == "" {
		f.Errorf("%s, %s, says nothing to do", r.ReviewID, r.State)
	}
	if r.Waits() != (r.PollAfter > 0) {
		f.Errorf("%s, %s: look again after %d s", r.ReviewID, r.State, r.PollAfter)
	}
}

// refused fails unless err is an Error with a code that says what to do, in words that are in it.
func refused(t testing.TB, err error, code Code, words ...string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no refusal of a desk, want %s", err, code)
	}
	if e.Code != code {
		t.Errorf("%v has the code %s, want %s", err, e.Code, code)
	}
	if e.Next == "" {
		t.Errorf("%v says nothing to do", err)
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("%v says nothing of %q", err, w)
		}
	}
	return e
}

func pointer[T any](v T) *T { return &v }

// soon is how long a test waits before it reports that something never came. It says nothing about speed.
const soon = 3 * time.Minute
