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
func audited(t *testing.T, d *disk, doctor bool, n int, act func()) (found []model.Problem, done bool) {
	t.Helper()
	f := &faultFS{late: true, act: act, reads: true}
	s, err := f.openOn(d, testOptions())
	must(t, err)
	defer s.Close()
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
	template := inMemory(t, first)
	for name, c := range map[string]struct {
		fs  func() *hookFS
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
		"committed and not projected": {unprojected, func(ctx context.Context, s *Store) error {
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
						d := template.copied()
						var found []model.Problem
						found, done = audited(t, d, doctor, n, func() {
							ctx, cancel := context.WithTimeout(context.Background(), limit)
							defer cancel()
							s, err := Open("/nowhere", Options{Rand: entropy(7), FS: func(string) (fsys.FS, error) {
								if c.fs == nil {
									return d, nil
								}
								f := c.fs()
								f.FS = d
								return f, nil
							}})
							if err != nil {
								t.Error(err)
								return
							}
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
