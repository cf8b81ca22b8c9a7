package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/store/layout"
)

// cloned is the store as git would bring it elsewhere: without log, cache and bodies.
func cloned(t testing.TB, s *Store, c *clock, seed uint64) *Store {
	t.Helper()
	root := fastDir(t)
	must(t, os.CopyFS(filepath.Join(root, layout.Name), os.DirFS(vespe(s, "."))))
	for _, dir := range []string{layout.LogDir, layout.CacheDir, layout.ObjectsDir} {
		must(t, os.RemoveAll(filepath.Join(root, layout.Name, dir)))
	}
	return open(t, root, Options{Now: c.now, Rand: entropy(seed)})
}

// lookNow fails unless the store looks now, and as of its last entry, as it is shown.
func lookNow(t testing.TB, what string, s *Store) {
	t.Helper()
	live := mustGet(s.Refresh(t.Context()))(t)
	p, err := s.Past().Present(t.Context())
	if err != nil {
		t.Fatal(what, err)
	}
	same(t, what+": now", dump(live), dump(p.Snapshot))
	if live.Seq() == 0 || len(s.Edited()) > 0 {
		return
	}
	if p, err = s.Past().AtSeq(t.Context(), live.Seq()); err != nil {
		t.Fatal(what, err)
	}
	same(t, what+": after the last entry", dump(live), dump(p.Snapshot))
}

// A clone has no log: what its own does not tell is as it is in the files.
func TestLookingBackInAClone(t *testing.T) {
	c := newClock()
	s := initIn(t, fastDir(t), Options{Now: c.now, Rand: entropy(1)})
	one := create(t, s, "one", "why\n")
	two := do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "two", Objective: "x\n", DependsOn: []model.UID{one}}}).Change.Tasks[0].UID
	do(t, s, model.Op{Name: model.SetFields, UID: one, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high"}}}})
	before := load(t, s)
	n := cloned(t, s, c, 2)
	cloneTime := c.now()
	first := do(t, n, model.Op{Name: model.DefinePlan, UID: one, Actor: robot, Args: model.NewPlan{Text: "a plan\n"}})
	lookNow(t, "a plan in a clone", n)
	after := load(t, n)
	do(t, n, model.Op{Name: model.RenameTask, UID: one, Actor: ann, Args: model.NewName{Name: "another"}})
	lookNow(t, "much in a clone", n)
	p := mustGet(n.Past().AtSeq(t.Context(), first.Seq))(t)
	same(t, "after the first entry", dump(after), dump(p.Snapshot))
	same(t, "as it was cloned", states(before), states(lookBack(t, n, cloneTime).Snapshot))
	do(t, n, model.Op{Name: model.SetFields, UID: one, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "low"}}}})
	do(t, n, model.Op{Name: model.RemoveDependency, UID: two, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{one}}})
	q, err := n.Past().AtSeq(t.Context(), first.Seq)
	if err != nil || len(q.Pieced) > 0 {
		t.Errorf("pieced together are %v, %v", q.Pieced, err)
	}
	same(t, "after the first entry, when more was changed", dump(after), dump(q.Snapshot))
	if back := lookBack(t, n, cloneTime); len(back.Pieced) > 0 {
		t.Errorf("as it was cloned, pieced together are %v", back.Pieced)
	}
	if got, err := p.Content(t.Context(), two, model.Objective); err != nil || string(got.Body) != "x\n" {
		t.Errorf("the objective that the log knows nothing of: %q, %v", got.Body, err)
	}
}

// An acceptance that nobody signed counts where it was given, and looking back in a clone does not make it count.
func TestLookingBackAtAnAcceptanceFromElsewhere(t *testing.T) {
	c := newClock()
	s := initIn(t, fastDir(t), Options{Now: c.now, Rand: entropy(1)})
	uid := create(t, s, "one", "why\n")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "a plan\n"}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	lookNow(t, "where it was given", s)
	n := cloned(t, s, c, 2)
	cloneTime := c.now()
	create(t, n, "two", "x\n")
	lookNow(t, "in a clone", n)
	if got := lookBack(t, n, cloneTime).Snapshot; got.Len() != 1 || got.Status(0) != model.StatusReviewPlan {
		t.Errorf("as it was cloned:\n%s", dump(got))
	}
	do(t, n, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	lookNow(t, "accepted in the clone too", n)
}

// Whatever was done to a store, also past vespe: looking at now is looking at it.
func TestLookingAtNow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := newClock()
		s, err := Init(fastDir(t), Options{Now: c.now, Rand: entropy(1)})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		uids := []model.UID{create(t, s, "one", "o\n"), create(t, s, "two", "o\n")}
		for n := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			uid := rapid.SampledFrom(uids).Draw(rt, "task")
			op := model.Op{UID: uid, Actor: ann}
			switch rapid.IntRange(0, 8).Draw(rt, "step") {
			case 0:
				uids = append(uids, create(t, s, fmt.Sprint("task ", n), "o\n"))
				continue
			case 1:
				op.Name, op.Args = model.DefinePlan, model.NewPlan{Text: fmt.Sprintf("plan %d\n", n)}
			case 2:
				op.Name = model.AcceptPlan
			case 3:
				op.Name, op.Args = model.RenameTask, model.NewName{Name: fmt.Sprint("name ", n)}
			case 4:
				op.Name, op.Args = model.SetFields, model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "low"}}}
			case 5: // somebody removes it
				must(rt, os.RemoveAll(vespe(s, layout.TaskDir(uid))))
				load(t, s)
				continue
			case 6:
				write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), fmt.Sprintf(`{"description": "by hand %d"}`, n))
				load(t, s)
				continue
			case 7:
				mustGet(s.ImportEdits(t.Context(), nil))(rt)
			case 8:
				if rapid.Bool().Draw(rt, "clone") {
					s = cloned(t, s, c, uint64(n+2))
				} else if err := s.Close(); err != nil {
					rt.Fatal(err)
				} else {
					s = open(t, s.Root(), Options{Now: c.now, Rand: entropy(uint64(n + 2))})
				}
				load(t, s)
			}
			if op.Name != "" {
				_, _ = s.Do(t.Context(), op) // refused where the table says so
			}
			lookNow(t, fmt.Sprint("step ", n), s)
		}
	})
}

// A time to come is now.
func TestLookingAhead(t *testing.T) {
	s := newStore(t)
	create(t, s, "one", "o\n")
	lookNow(t, "one task", s)
	if p := lookBack(t, s, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)); p.Snapshot.Len() != 1 {
		t.Errorf("%d tasks", p.Snapshot.Len())
	}
}
