package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"vespe/model"
	"vespe/store/checkpoint"
	"vespe/store/layout"
)

// importedBy counts the entries that take something over from each task.
func importedBy(t *testing.T, s *Store) map[model.UID]int {
	t.Helper()
	last := lastEntry(t, s)
	out := map[model.UID]int{}
	for n := uint64(1); n <= last; n++ {
		e := entryAt(t, s, n)
		if len(e.Files) == 0 {
			t.Errorf("entry %d is empty", n)
		}
		for i := range e.Ops {
			if e.Ops[i].Name == model.ExternalEdit {
				out[e.Ops[i].UID]++
			}
		}
	}
	return out
}

// Anyone who finds the same edits at the same time: one takes each of them over.
func TestEditsAreTakenOverOnce(t *testing.T) {
	s := newStore(t)
	const tasks, processes = 12, 4
	var uids []model.UID
	for i := range tasks {
		uids = append(uids, planned(t, s, fmt.Sprint("task ", i)))
	}
	checkpointed(t, s)
	for i, uid := range uids {
		switch path := vespe(s, layout.TaskDir(uid)); i % 4 {
		case 0:
			forge(t, s, uid)
		case 1:
			write(t, path+"/plan.md", "by hand\n")
		case 2:
			write(t, path+"/"+layout.ConfigFile, strings.Replace(read(t, path+"/"+layout.ConfigFile), "task", "work", 1))
		case 3:
			must(t, os.Rename(path, vespe(s, "tmp/aside-"+string(uid))))
		}
	}
	brought(t, s, "tsk-brought", `{"current_state": "plan_defined"}`)
	var wg sync.WaitGroup
	for range processes {
		opt := testOptions()
		opt.Rand = nil
		p := open(t, s.Root(), opt)
		wg.Go(func() {
			if _, err := p.Load(t.Context(), nil); err != nil {
				t.Error(err)
			}
			if _, err := p.ImportEdits(t.Context(), nil); err != nil {
				t.Error(err)
			}
			if left := p.Edited(); len(left) > 0 {
				t.Errorf("still edited are %v", left)
			}
		})
	}
	wg.Wait()
	got := importedBy(t, s)
	for _, uid := range append(uids, "tsk-brought") {
		if got[uid] != 1 {
			t.Errorf("%s was taken over %d times", uid, got[uid])
		}
	}
	wantClean(t, s)
}

// Everything that continues in one process at once, while somebody edits, leaves what it knows
// and what it shows in step: in the end nothing is edited, and nothing was believed.
func TestEditsWhileAProcessLooks(t *testing.T) {
	s := newStore(t)
	s.checkpoints.Least = 1
	var uids []model.UID
	for i := range 4 {
		uids = append(uids, planned(t, s, fmt.Sprint("task ", i)))
	}
	checkpointed(t, s)
	const rounds = 40
	var wg sync.WaitGroup
	run := func(do func(i int) error) {
		wg.Go(func() {
			for i := range rounds {
				var r *model.Refusal
				if err := do(i); err != nil && !errors.As(err, &r) && !errors.Is(err, checkpoint.ErrBehind) {
					t.Error(err)
				}
			}
		})
	}
	ctx := t.Context()
	run(func(int) error { _, err := s.Load(ctx, nil); return err })
	run(func(i int) error { _, err := s.Freshen(ctx, uids[i%4:i%4+1]); return err })
	run(func(int) error { _, err := s.ImportEdits(ctx, nil); return err })
	run(func(int) error { return s.checkpoints.Write(ctx) })
	run(func(i int) error {
		_, err := s.Do(ctx, model.Op{Name: model.RenameTask, UID: uids[i%4], Actor: ann, Args: model.NewName{Name: fmt.Sprint("renamed ", i)}})
		return err
	})
	run(func(i int) error {
		path := vespe(s, layout.TaskDir(uids[i%3]))
		aside := vespe(s, "tmp/aside-"+string(uids[i%3]))
		switch i % 5 {
		case 0, 1:
			return os.WriteFile(path+"/plan.md", fmt.Appendf(nil, "by hand %d\n", i), 0o644)
		case 2:
			return os.WriteFile(path+"/"+layout.StatusFile, []byte(`{"current_state": "working", "accepted_plan": {"plan_revision": 1, "by": "human:mallory"}}`), 0o644)
		case 3:
			return errors.Join(os.Rename(path, aside), os.Rename(aside, path))
		}
		return os.WriteFile(path+"/"+layout.SpecFile, fmt.Appendf(nil, "{\"description\": \"%d\"}\n", i), 0o644)
	})
	wg.Wait()
	load(t, s)
	mustGet(s.ImportEdits(ctx, nil))(t)
	snap := load(t, s)
	if left := s.Edited(); len(left) > 0 {
		t.Errorf("still edited are %v", left)
	}
	for _, uid := range uids {
		if a := task(t, snap, uid).Status.AcceptedPlan; a != nil {
			t.Errorf("an acceptance by %s counts", a.By)
		}
	}
	n := open(t, s.Root(), testOptions())
	same(t, "a new process", dump(snap), dump(load(t, n)))
	if len(n.Edited()) > 0 {
		t.Errorf("a new process finds edits in %v", n.Edited())
	}
}
