package store

import (
	"context"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/fsys"
)

// audited is what Verify, or Doctor, finds while act happens just before its nth call of the file
// system; done says that there is no such call.
func audited(t *testing.T, root string, doctor bool, n int, act func()) (found []model.Problem, done bool) {
	t.Helper()
	opt := testOptions()
	f := &faultFS{late: true, act: act, reads: true}
	opt.FS = f.system
	s := open(t, root, opt)
	f.calls, f.at = 0, n
	if doctor {
		found, err := s.Fsck().Doctor(context.Background())
		if err != nil {
			t.Fatalf("at call %d: %v", n, err)
		}
		return found, f.calls < n
	}
	v, err := s.Fsck().Verify(context.Background(), "")
	if err != nil {
		t.Fatalf("at call %d: %v", n, err)
	}
	return v.Problems, f.calls < n
}

// TestAuditsBesideWriters: whatever others do meanwhile, and whenever, nothing is said to be wrong.
func TestAuditsBesideWriters(t *testing.T) {
	t.Parallel()
	step := 11
	if testing.Short() { // the writer is called by the audit: for the race detector there is little to see
		step = 29
	}
	first := newStore(t)
	uid := planned(t, first, "one")
	for range 3 {
		create(t, first, "more", "x\n")
	}
	for name, c := range map[string]struct {
		fs  func(root string) (fsys.FS, error)
		act func(ctx context.Context, s *Store) error
	}{
		"plan": {nil, func(ctx context.Context, s *Store) error {
			_, err := s.Do(ctx, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another\n"}})
			return err
		}},
		"accept": {nil, func(ctx context.Context, s *Store) error {
			_, err := s.Do(ctx, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			return err
		}},
		"new": {nil, func(ctx context.Context, s *Store) error {
			_, err := s.Do(ctx, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "new", Objective: "x\n"}})
			return err
		}},
		"compacted": {nil, func(ctx context.Context, s *Store) error {
			_, err := s.GC(ctx, GCOptions{})
			return err
		}},
		"committed and not projected": {func(root string) (fsys.FS, error) { return unprojected().system(root) }, func(ctx context.Context, s *Store) error {
			_, err := s.Do(ctx, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "new", Objective: "x\n"}})
			return err
		}},
	} {
		for word, doctor := range map[string]bool{"verify": false, "doctor": true} {
			t.Run(name+"/"+word, func(t *testing.T) {
				// Doctor holds the lock for a moment: who can't have it in time gives up, on a busy machine more often.
				acted := 0
				for limit := 20 * time.Millisecond; acted == 0 && limit < time.Minute; limit *= 16 {
					for n, done := 1, false; !done; n += step {
						root := cloneStore(t, first)
						var found []model.Problem
						found, done = audited(t, root, doctor, n, func() {
							ctx, cancel := context.WithTimeout(context.Background(), limit)
							defer cancel()
							s, err := Open(root, Options{Rand: entropy(7), FS: c.fs})
							if err != nil {
								t.Error(err)
								return
							}
							s.collector.Least = 1
							if c.act(ctx, s) == nil {
								acted++
							}
							_ = s.Close()
						})
						for _, p := range found {
							if p.Code == "leftover" && c.fs != nil {
								continue // it is one: of the writer that could not continue
							}
							t.Errorf("at call %d: %s: %s", n, p.Path, p.Reason)
						}
						if t.Failed() {
							return
						}
					}
				}
				if acted == 0 {
					t.Error("it was never done")
				}
			})
		}
	}
}
