package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// seenNow is what a person has on the screen who is about to accept: the bytes, not where they lie.
func seenNow(t testing.TB, s *Store, uid model.UID, op model.Name) (seen *model.Seen, plan string) {
	t.Helper()
	seen = &model.Seen{}
	snap, err := s.Refresh(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for doc, hash := range map[model.Doc]*string{model.Objective: &seen.ObjectiveHash, model.Plan: &seen.PlanHash} {
		c := mustGet(s.Content(context.Background(), uid, doc))(t)
		if *hash = c.Hash; doc == model.Plan {
			plan = string(c.Body)
		}
	}
	if seen.Bound, err = s.Bound(context.Background(), op, uid); err != nil {
		t.Fatal(err)
	}
	seen.Verdict, seen.Head = review.VerdictOn(task(t, snap, uid)), snap.Head()
	return seen, plan
}

// swapped writes a file as an editor does that never shows half of one.
func swapped(path, body string) error {
	apart := path + ".new"
	if err := os.WriteFile(apart, []byte(body), 0o644); err != nil {
		return err
	}
	return os.Rename(apart, path)
}

// Somebody edits while a person accepts, thousands of times: the plan, the spec, the policy and a
// text that it depends on. No approval is ever of bytes that were not on the screen, whatever its
// record says; what it approves is kept; and what was approved and edited after does not start.
//
// Here some of the races are run; TestTortureApprovals runs ten thousand.
func TestNoApprovalOfUnseenBytes(t *testing.T) {
	t.Parallel()
	testUnseen(t, 300)
}

func testUnseen(t *testing.T, races int) {
	const stores = 8 // side by side
	var wg sync.WaitGroup
	var mu sync.Mutex
	given, refused, left := 0, 0, 0
	for n := range stores {
		s := initIn(t, fastDir(t), testOptions())
		s.setFS(unsynced{s.disk.FS})
		wg.Go(func() {
			defer s.Close()
			g, r, l := raceApprovals(t, s, races/stores, n)
			mu.Lock()
			defer mu.Unlock()
			given, refused, left = given+g, refused+r, left+l
		})
	}
	wg.Wait()
	if given < races/20 || refused < races/20 {
		t.Errorf("%d approvals and %d refusals: that is no race", given, refused)
	}
	t.Logf("%d approvals of what was seen, %d refusals, %d edited right after", given, refused, left)
}

// unsynced is a disk that confirms everything at once: nothing here is cut off.
type unsynced struct{ fsys.FS }

func (unsynced) SyncDir(string) error { return nil }
func (unsynced) SyncAll() error       { return nil }

func raceApprovals(t *testing.T, s *Store, races, seed int) (given, refused, left int) {
	uid := create(t, s, "one", "objective\n")
	dep := create(t, s, "before", "objective\n")
	do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}},
		model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "first"}}}})
	plan := vespe(s, layout.TaskFile(uid, "plan.md"))
	edits := []func(i int) error{
		func(i int) error { return swapped(plan, fmt.Sprintf("plan %d, by hand\n", i)) },
		func(i int) error {
			return swapped(vespe(s, layout.TaskFile(uid, layout.SpecFile)), fmt.Sprintf("{\"description\": \"%d\"}\n", i))
		},
		func(i int) error {
			return swapped(vespe(s, layout.PolicyFile), fmt.Sprintf("{\"max_attempts\": %d}\n", i%90+2))
		},
		func(i int) error {
			return swapped(vespe(s, layout.TaskFile(dep, "objective.md")), fmt.Sprintf("objective %d\n", i))
		},
	}
	for i := range races {
		if _, err := s.Do(context.Background(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: fmt.Sprintf("plan %d\n", i)}}); err != nil {
			if asConflict(err) {
				continue
			}
			t.Errorf("define: %v", err)
			return given, refused, left
		}
		seen, text := seenNow(t, s, uid, model.AcceptPlan)
		edited := make(chan error, 1)
		edit := func() { edited <- edits[(i+seed)%len(edits)](i) }
		switch i % 8 { // who is first is decided for some of them: scheduling alone may give all to one
		case 0:
			edit()
		case 4:
		default:
			go edit()
		}
		op := model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, ID: fmt.Sprintf("accept-%d", i), Seen: seen}
		a, err := s.Do(context.Background(), op)
		if i%8 == 4 {
			edit()
		}
		if e := <-edited; e != nil {
			t.Error(e)
			return given, refused, left
		}
		if err != nil {
			if !asConflict(err) {
				t.Errorf("accept: %v", err)
				return given, refused, left
			}
			refused++
			continue
		}
		given++
		checkApproved(t, s, uid, a, seen, text)
		if now, err := s.Content(context.Background(), uid, model.Plan); err == nil && now.Hash != seen.PlanHash {
			left++
			if _, err := s.Do(context.Background(), model.Op{Name: model.Start, UID: uid, Actor: robot}); err == nil {
				t.Error("what was edited after the approval was started")
				return given, refused, left
			}
		}
	}
	return given, refused, left
}

func asConflict(err error) bool {
	var r *model.Refusal
	return errors.As(err, &r) && r.Code == model.CodeConflict
}

// checkApproved holds the approval that was written against what was on the screen.
func checkApproved(t *testing.T, s *Store, uid model.UID, a snapshot.Applied, seen *model.Seen, text string) {
	t.Helper()
	accepted := a.Change.Tasks[0].Status.AcceptedPlan
	b := mustGet(os.ReadFile(vespe(s, layout.TaskFile(uid, layout.ApprovalsDir+"/"+accepted.Approval))))(t)
	is := mustGet(review.DecodeApproval(b))(t)
	if is.Plan.Hash != seen.PlanHash || is.Objective.Hash != seen.ObjectiveHash || !maps.Equal(is.Bound, seen.Bound) || accepted.ApprovalHash != model.HashBytes(b) {
		t.Errorf("what was approved was not seen:\n%s\n%+v", b, seen)
	}
	rev, err := s.Revision(context.Background(), uid, model.Plan, is.Plan.Revision)
	if err != nil || string(rev.Body) != text {
		t.Errorf("revision %d is kept as %q, %v; approved was %q", is.Plan.Revision, rev.Body, err, text)
	}
}

// Two people decide on the same plan at the same moment, from what each had on the screen: one of
// them does, and the other is told who did.
func TestTwoPeopleDecideAtOnce(t *testing.T) {
	t.Parallel()
	const bob = model.Actor("human:bob")
	for i := range 40 {
		s := newStore(t)
		other := open(t, s.Root(), testOptions())
		uid, dep := planned(t, s, "one"), planned(t, s, "before")
		if i%2 == 0 { // else it is working as soon as it is accepted
			do(t, s, model.Op{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
		}
		load(t, other)
		anns, _ := seenNow(t, s, uid, model.AcceptPlan)
		bobs, _ := seenNow(t, other, uid, model.AcceptPlan)
		second := model.Op{Name: model.AcceptPlan, UID: uid, Actor: bob, Seen: bobs}
		if i%4 > 1 {
			second = model.Op{Name: model.RejectPlan, UID: uid, Actor: bob, Seen: bobs, Reason: "no"}
		}
		var errs [2]error
		var wg sync.WaitGroup
		wg.Go(func() {
			_, errs[0] = s.Do(context.Background(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Seen: anns})
		})
		wg.Go(func() { _, errs[1] = other.Do(context.Background(), second) })
		wg.Wait()
		loser, winner := 0, bob
		if errs[0] == nil {
			loser, winner = 1, ann
		}
		var r *model.Refusal
		if errs[1-loser] != nil || !errors.As(errs[loser], &r) || !strings.Contains(r.Why, string(winner)) {
			t.Fatalf("%d: %v and %v; %s won", i, errs[0], errs[1], winner)
		}
		if v := task(t, load(t, s), uid).Status.Review; v == nil || v.By != winner {
			t.Errorf("%+v stands", v)
		}
	}
}

// A task is its uid: another name, before and after the verdict, changes nothing of what was approved.
func TestAnotherNameIsTheSameTask(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	seen, _ := seenNow(t, s, uid, model.AcceptPlan)
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: robot, Args: model.NewName{Name: "another"}})
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "a second revision\n"}})
	_, err := s.Do(context.Background(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Seen: seen})
	wantCode(t, err, model.CodeConflict) // the plan is another, whatever its name
	seen, _ = seenNow(t, s, uid, model.AcceptPlan)
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: robot, Args: model.NewName{Name: "a third"}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Seen: seen})
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: robot, Args: model.NewName{Name: "a fourth"}})
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot})
	if list, _, err := s.History(context.Background(), uid); err != nil || len(list) < 7 {
		t.Errorf("%d events, %v", len(list), err)
	}
}

// Finished work is accepted with the result that was on the screen, and with no other.
func TestWorkIsAcceptedAsItWasSeen(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot})
	file := vespe(s, layout.TaskFile(uid, "result/out.txt"))
	write(t, file, "the result\n")
	do(t, s, model.Op{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "done"}})
	seen, _ := seenNow(t, s, uid, model.ReviewAccepted)
	write(t, file, "another result\n")
	_, err := s.Do(context.Background(), model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann, Seen: seen})
	if r := wantCode(t, err, model.CodeConflict); len(r.Changed) != 1 || r.Changed[0].File != review.BoundResult {
		t.Errorf("%+v", r)
	}
	write(t, file, "the result\n")
	a := do(t, s, model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann, Seen: seen})
	for _, f := range a.Change.Files {
		if strings.Contains(f.Path, "/approvals/") {
			is, err := review.DecodeApproval(f.Body)
			if err != nil || is.Bound[review.BoundResult] != seen.Bound[review.BoundResult] || is.Bound[review.BoundResult] == "" {
				t.Errorf("%s %v", f.Body, err)
			}
		}
	}
}
