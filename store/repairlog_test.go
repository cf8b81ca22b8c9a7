package store

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// spoilLast makes the last entry unreadable.
func spoilLast(t *testing.T, s *Store, how func(body string) string) (seq uint64, body string) {
	t.Helper()
	seq = mustGet(open(t, s.Root(), testOptions()).log.Tail(0))(t)
	name := vespe(s, layout.EntryFile(seq))
	body = read(t, name)
	if spoilt := how(body); spoilt != "directory" {
		write(t, name, spoilt)
		return seq, body
	}
	must(t, os.Remove(name))
	must(t, os.Mkdir(name, 0o755))
	return seq, body
}

func half(body string) string    { return body[:len(body)/2] }
func garbage(body string) string { return strings.Repeat("\x00", len(body)) }

// A last entry that cannot be read goes; what it has left in files
// is taken over as an edit: nothing of it is lost, no approval counts, and writing continues.
func TestRepairMovesABrokenLastEntryAside(t *testing.T) {
	t.Parallel()
	last := map[string]func(*testing.T, *Store, model.UID) model.UID{
		"a plan": func(t *testing.T, s *Store, uid model.UID) model.UID {
			t.Helper()
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "the second plan\n"}})
			return uid
		},
		"an approval": func(t *testing.T, s *Store, uid model.UID) model.UID {
			t.Helper()
			do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			return uid
		},
		"a name": func(t *testing.T, s *Store, uid model.UID) model.UID {
			t.Helper()
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "another"}})
			return uid
		},
		"a task": func(t *testing.T, s *Store, _ model.UID) model.UID {
			t.Helper()
			return create(t, s, "a third", "its objective\n")
		},
		"a task that is accepted": func(t *testing.T, s *Store, _ model.UID) model.UID {
			t.Helper()
			uid := s.NewUID()
			do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: uid, Name: "a third", Objective: "its objective\n"}},
				model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "its plan\n"}}, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			return uid
		},
	}
	for what, op := range last {
		for how, spoil := range map[string]func(string) string{
			"half": half, "garbage": garbage, "nothing": func(string) string { return "" }, "a directory": func(string) string { return "directory" },
		} {
			for _, checkpoint := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %s, checkpoint=%v", what, how, checkpoint), func(t *testing.T) {
					s := newStore(t)
					uid, other := planned(t, s, "one"), planned(t, s, "other")
					do(t, s, model.Op{Name: model.AcceptPlan, UID: other, Actor: ann})
					uid = op(t, s, uid)
					must(t, s.Close())
					if !checkpoint {
						withoutCheckpoint(t, s)
					}
					checkRepair(t, s, uid, other, spoil)
				})
			}
		}
	}
}

func checkRepair(t *testing.T, s *Store, uid, other model.UID, spoil func(string) string) {
	t.Helper()
	seq, _ := spoilLast(t, s, spoil)
	s = open(t, s.Root(), testOptions())
	kept := map[string]string{}
	for _, name := range []string{"plan.md", "objective.md", layout.ConfigFile} {
		if b, err := os.ReadFile(vespe(s, layout.TaskFile(uid, name))); err == nil {
			kept[name] = string(b)
		}
	}
	rename := model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "goes on"}}
	if _, err := s.Do(t.Context(), rename); err == nil || !strings.Contains(err.Error(), "`vespe store doctor --fix`") {
		t.Errorf("before: %v", err)
	}
	before := tree(t, s.Root())
	if would, err := s.Fsck().Repair(t.Context(), true); err != nil || len(would) != 1 || tree(t, s.Root()) != before {
		t.Errorf("a dry run: %+v, %v", would, err)
	}
	did, err := s.Fsck().Repair(t.Context(), false)
	if err != nil || len(did) < 2 || !strings.Contains(did[0].Kept, layout.TheirsMark) {
		t.Fatalf("did %+v, %v", did, err)
	}
	if _, err := os.Stat(s.Root() + "/" + did[0].Kept); err != nil {
		t.Error(err)
	}
	now, _, err := s.log.ReadEntry(seq)
	if err != nil || now.Ops[0].Name != model.ExternalEdit {
		t.Fatalf("entry %d is %+v, %v", seq, now, err)
	}
	for name, was := range kept {
		if got := read(t, vespe(s, layout.TaskFile(uid, name))); got != was {
			t.Errorf("%s is %q, and was %q", name, got, was)
		}
	}
	do(t, s, rename)
	for name, r := range map[string]*Store{"the same": s, "another": open(t, s.Root(), testOptions())} {
		snap := load(t, r)
		if task(t, snap, uid).Status.AcceptedPlan != nil {
			t.Errorf("%s process believes an approval that the log does not hold", name)
		}
		if task(t, snap, other).Status.AcceptedPlan == nil {
			t.Errorf("%s process has lost another approval", name)
		}
		if e := r.Edited(); len(e) > 0 {
			t.Errorf("%s process finds edits in %v", name, e)
		}
	}
	projectionHolds(t, s)
	ps := doctor(t, s)
	for _, p := range ps {
		if p.Severity == model.Error {
			t.Errorf("afterwards: %+v", p)
		}
	}
	if again, err := s.Fsck().Repair(t.Context(), false); err != nil || len(again) > 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
}

// Anyone who is killed while the end of the log is repaired leaves what the next one repairs.
func TestEveryStepOfARepairMayFail(t *testing.T) {
	t.Parallel()
	template := newStore(t)
	uid := planned(t, template, "one")
	do(t, template, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "the second plan\n"}},
		model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	must(t, template.Close())
	spoilLast(t, template, half)
	first := inMemory(t, template)
	for k := 1; ; k++ {
		d := first.copied()
		f := &faultFS{at: k, dead: true, err: errDead}
		s, err := f.openOn(d, Options{Now: newClock().now})
		must(t, err)
		_, _ = s.Fsck().Repair(t.Context(), false)
		ended := f.calls < k
		n := openOn(t, d, testOptions())
		if _, err := n.Fsck().Repair(t.Context(), false); err != nil {
			t.Fatalf("killed at call %d: %v", k, err)
		}
		if got := d.files()[layout.TaskFile(uid, "plan.md")]; got != "the second plan\n" {
			t.Fatalf("killed at call %d: the plan is %q", k, got)
		}
		snap := load(t, n)
		if task(t, snap, uid).Status.AcceptedPlan != nil {
			t.Fatalf("killed at call %d: an approval is believed that the log does not hold", k)
		}
		do(t, n, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "goes on"}})
		if ended {
			if k < 10 {
				t.Fatalf("it has only %d calls", k-1)
			}
			return
		}
	}
}
