package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// approvedTask is a task that could be started: it has a spec and a policy of terms alone and a
// completed dependency with a result, and a person accepted it with all of that.
func approvedTask(t *testing.T, s *Store) (uid, dep model.UID) {
	t.Helper()
	write(t, vespe(s, layout.PolicyFile), "{\n  \"dependency_policy\": \"completed\",\n  \"on_subtask_failure\": \"fail\",\n  \"max_attempts\": 4\n}\n")
	dep = planned(t, s, "before")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: dep, Actor: ann})
	do(t, s, model.Op{Name: model.Start, UID: dep, Actor: robot})
	do(t, s, model.Op{Name: model.WorkCompleted, UID: dep, Actor: robot, Args: model.Completion{Summary: "done"}})
	uid = planned(t, s, "one")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}},
		model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{
			{Key: "description", Value: "what is to be done"},
			{Key: "acceptance_criteria", Value: "it works, it is fast"},
			{Key: "risk", Value: "high"},
			{Key: "files_to_modify", Value: "a.go,b.go"},
			{Key: "verify", Value: "go test ./..."},
			{Key: "context.why", Value: "because"},
		}}})
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "# Plan\n\n## Now\n\n## Later\n"}},
		model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Excluded: []string{"Later"}}})
	if a := task(t, load(t, s), uid); a.Status.CurrentState != model.Working || a.Status.AcceptedPlan.ApprovalHash == "" {
		t.Fatalf("%+v", a.Status)
	}
	return uid, dep
}

// Whatever byte of what a person approved is another when the work begins, it does not begin:
// of the texts, the terms, the policy, what the task depends on, the approval, and what
// status.json says of the acceptance. So it is in the process that wrote them, and in one that
// knows nothing but the files.
func TestEveryBoundByteIsLookedAtBeforeAStart(t *testing.T) {
	t.Parallel()
	testBoundBytes(t, 4)
}

// testBoundBytes flips one bit of every nth byte of long files, and all bits of short ones.
func testBoundBytes(t *testing.T, every int) {
	s := initIn(t, fastDir(t), testOptions())
	defer s.Close()
	uid, dep := approvedTask(t, s)
	approval := layout.TaskFile(uid, layout.ApprovalsDir+"/"+task(t, load(t, s), uid).Status.AcceptedPlan.Approval)
	start := func(s *Store) error {
		_, err := s.Do(context.Background(), model.Op{Name: model.Start, UID: uid, Actor: robot})
		return err
	}
	flips := 0
	for _, name := range []string{
		layout.TaskFile(uid, "objective.md"), layout.TaskFile(uid, "plan.md"), layout.TaskFile(uid, layout.SpecFile), layout.TaskFile(uid, layout.DependenciesFile),
		layout.TaskFile(uid, layout.StatusFile), approval, layout.PolicyFile,
		layout.TaskFile(dep, "objective.md"), layout.TaskFile(dep, "plan.md"), layout.TaskFile(dep, "result/summary.md"),
	} {
		path := vespe(s, name)
		b := []byte(read(t, path))
		from, to := 0, len(b)
		if strings.HasSuffix(name, layout.StatusFile) {
			from, to = span(t, string(b), "accepted_plan")
		}
		for i := from; i < to; i++ {
			for k, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128} {
				if len(b) > 40 && (i%every != 0 || k != i/every%8) {
					continue
				}
				b[i] ^= flip
				write(t, path, string(b))
				by := s
				if (i+k)%4 == 0 {
					by = open(t, s.Root(), testOptions())
				}
				if err := start(by); err == nil {
					t.Fatalf("started with bit %#x of byte %d of %s flipped (%q)", flip, i, name, around(b, i))
				} else if r := (*model.Refusal)(nil); !errors.As(err, &r) {
					t.Fatalf("byte %d of %s: %v", i, name, err)
				}
				if by != s {
					_ = by.Close()
				}
				b[i] ^= flip
				flips++
			}
		}
		write(t, path, string(b))
	}
	if err := start(s); err != nil {
		t.Fatalf("with everything as it was: %v", err)
	}
	t.Logf("%d flips", flips)
}

// span is where the value of a key lies in a file of two-space indent, with the key.
func span(t *testing.T, s, key string) (from, to int) {
	t.Helper()
	from = strings.Index(s, "\n  \""+key+"\"")
	if from < 0 {
		t.Fatalf("no %s in %s", key, s)
	}
	return from + 3, from + strings.Index(s[from:], "\n  }") + len("\n  }")
}

func around(b []byte, i int) string { return string(b[max(0, i-20):min(len(b), i+20)]) }

// An approval that is gone, or is that of another task or another time, starts nothing either.
func TestAnotherApprovalStartsNothing(t *testing.T) {
	s := newStore(t)
	uid, dep := approvedTask(t, s)
	path := vespe(s, layout.TaskFile(uid, layout.ApprovalsDir+"/"+task(t, load(t, s), uid).Status.AcceptedPlan.Approval))
	own := read(t, path)
	other := read(t, vespe(s, layout.TaskFile(dep, layout.ApprovalsDir+"/"+task(t, load(t, s), dep).Status.AcceptedPlan.Approval)))
	for name, spoil := range map[string]func(){
		"gone":      func() { _ = os.Remove(path) },
		"another's": func() { write(t, path, other) },
		"a link": func() {
			_ = os.Remove(path)
			apart := filepath.Join(t.TempDir(), "approval")
			write(t, apart, own)
			must(t, os.Symlink(apart, path))
		},
	} {
		spoil()
		_, err := s.Do(context.Background(), model.Op{Name: model.Start, UID: uid, Actor: robot})
		if r := wantCode(t, err, model.CodeConflict); r.Guard != model.GuardApproval {
			t.Errorf("%s: %s: %v", name, r.Guard, err)
		}
		_ = os.Remove(path)
		write(t, path, own)
	}
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot})
}

// An approval is of one store: with another store_id beside it, it counts for nothing.
func TestAnotherStoreIDVoidsAnApproval(t *testing.T) {
	s := initIn(t, fastDir(t), testOptions())
	uid, _ := approvedTask(t, s)
	path := vespe(s, layout.StoreFile)
	was := read(t, path)
	_ = s.Close()
	from, opened := strings.Index(was, s.ID()), 0
	for i := range s.ID() {
		b := []byte(was)
		b[from+i] ^= 1
		write(t, path, string(b))
		other, err := Open(s.Root(), testOptions())
		if err != nil {
			continue // nothing starts in a store that is not opened
		}
		opened++
		if _, err := other.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot}); err == nil {
			t.Errorf("started in the store %s", other.ID())
		}
		_ = other.Close()
	}
	if opened == 0 {
		t.Error("no store was opened with another id")
	}
	write(t, path, was)
	if _, err := open(t, s.Root(), testOptions()).Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot}); err != nil {
		t.Errorf("with its own id: %v", err)
	}
}
