package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What the person commits to the target comes in before the next run begins, and before the next
// result is integrated.
func TestTheTargetIsBroughtIn(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	at := time.Unix(1_000_000_000, 0)
	f.now = func() time.Time { at = at.Add(time.Hour); return at }
	early := f.add("run-1")
	f.write(early.Path, "one.txt", "1\n")
	f.snapshot(early)
	first := f.commitFile("first.txt", "p\n")
	if tip, err := f.Tip(ctx); err != nil || tip != first {
		t.Errorf("the branch was behind, and is at %s %v", tip, err)
	}
	second := f.commitFile("second.txt", "p\n")
	verified := 0
	done, err := f.Integrate(ctx, f.integration("run-1"), func(_ context.Context, _, commit string) error {
		verified++
		if f.show(commit, "second.txt") != "p" || f.show(commit, "one.txt") != "1" {
			t.Error("what is verified is not what comes out")
		}
		return nil
	})
	if err != nil || done.SameTree || verified != 1 || f.at(done.Commit+"^") != second {
		t.Fatalf("%+v %v", done, err)
	}
	f.commitFile("third.txt", "p\n")
	tree := f.add("run-2")
	if f.show(tree.Base, "third.txt") != "p" || f.show(tree.Base, "one.txt") != "1" {
		t.Error("the next run begins without what there is")
	}
	if f.at(DefaultBranch) != done.Commit {
		t.Error("a merge that nobody has verified is on the branch")
	}
	f.write(tree.Path, "two.txt", "2\n")
	f.snapshot(tree)
	if next := f.integrate("run-2"); !next.SameTree || f.at(next.Commit+"^") != tree.Base {
		t.Errorf("what it began on is not what it is integrated on: %+v", next)
	}
	tip := f.at(DefaultBranch)
	if again := f.integrate("run-1"); !again.Already || again.Commit != done.Commit {
		t.Errorf("%+v", again)
	}
	f.commitFile("one.txt", "the person's\n")
	var conflict *Conflict
	if _, err := f.Add(ctx, "run-3", "t", ""); !errors.As(err, &conflict) || conflict.Files[0] != "one.txt" || !strings.Contains(conflict.What, "main") {
		t.Errorf("%v", err)
	}
	if f.at(DefaultBranch) != tip {
		t.Error("the branch was moved")
	}
	if _, err := f.Add(ctx, "run-3", "t", tree.Base); err != nil {
		t.Errorf("a base that is named: %v", err)
	}
}

// A target with commits of its own moves past the merge of them, when that is verified and brings no
// other work with it.
func TestATargetThatWentItsOwnWay(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	f.work("run-1", "one.txt", "1\n")
	one := f.integrate("run-1").Commit
	f.commitFile("person.txt", "p\n")
	var refused *Refused
	if err := f.FastForward(ctx, one); !errors.As(err, &refused) {
		t.Fatalf("%v", err)
	}
	tip := f.update()
	if f.show(tip, "person.txt") != "p" || f.show(tip, "one.txt") != "1" {
		t.Error("something is missing")
	}
	f.work("run-2", "two.txt", "2\n")
	two := f.integrate("run-2").Commit
	if err := f.FastForward(ctx, one); err != nil || f.at("main") != tip || f.status() != "" {
		t.Errorf("main is at %s: %v", f.at("main"), err)
	}
	f.commitFile("again.txt", "p\n")
	f.work("run-3", "three.txt", "3\n")
	f.integrate("run-3")
	// The merge is after run-3's work began, and before it: only run-2 is to come.
	if err := f.FastForward(ctx, two); err != nil || f.show("main", "two.txt") != "2" || f.show("main", "three.txt") != "" {
		t.Errorf("main is at %s: %v", f.at("main"), err)
	}
	f.commitFile("last.txt", "p\n")
	f.work("run-4", "four.txt", "4\n")
	f.integrate("run-4")
	before := f.at("main")
	if err := f.FastForward(ctx, two); err != nil || f.at("main") != before {
		t.Errorf("it has that already: %v", err)
	}
}

func TestResultsThatChangeNothing(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	if _, err := f.Integrate(ctx, f.integration("run-0"), nil); !errors.Is(err, ErrNoResult) {
		t.Errorf("%v", err)
	}
	if res := f.work("run-1"); !res.Empty || len(res.Files) > 0 {
		t.Errorf("%+v", res)
	}
	if done := f.integrate("run-1"); !done.Empty || !done.SameTree {
		t.Errorf("%+v", done)
	}
	one, two := f.add("run-2"), f.add("run-3")
	for _, tree := range []*Tree{one, two} {
		f.write(tree.Path, "same.txt", "same\n")
		f.snapshot(tree)
	}
	if done := f.integrate("run-2"); done.Empty {
		t.Errorf("%+v", done)
	}
	if done := f.integrate("run-3"); !done.Empty || !done.SameTree { // applied already: recorded all the same
		t.Errorf("%+v", done)
	}
	if _, ok, err := f.find(ctx, "run-3"); !ok || err != nil {
		t.Error(ok, err)
	}
}

// Work that a person accepted gets to a target that has gone its own way, without the work after it.
func TestWorkIsDeliveredBesideOtherWork(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	f.work("run-1", "one.txt", "1\n")
	one := f.integrate("run-1").Commit
	f.work("run-2", "two.txt", "2\n")
	two := f.integrate("run-2").Commit
	person := f.commitFile("person.txt", "p\n")
	verified := 0
	verify := func(_ context.Context, dir, commit string) error {
		verified++
		if f.show(commit, "person.txt") != "p" || f.show(commit, "one.txt") != "1" || f.show(commit, "two.txt") != "" || !exists(dir+"/one.txt") {
			t.Error("what is verified is not what the target gets")
		}
		return nil
	}
	var unverified *Unverified
	if err := f.Deliver(ctx, one, func(context.Context, string, string) error { return errors.New("no") }); !errors.As(err, &unverified) {
		t.Errorf("%v", err)
	}
	f.write(f.top, "one.txt", "mine\n")
	var refused *Refused
	if err := f.Deliver(ctx, one, verify); !errors.As(err, &refused) || verified != 0 || f.at("main") != person {
		t.Errorf("it is in the way before anything is verified: %v, %d", err, verified)
	}
	if err := os.Remove(filepath.Join(f.top, "one.txt")); err != nil {
		t.Fatal(err)
	}
	// Killed just before the end: it is not verified again.
	f.step = func(what string) error {
		if what == "merge" {
			return errKilled
		}
		return nil
	}
	if err := f.Deliver(ctx, one, verify); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	f.step = nil
	if err := f.Deliver(ctx, one, verify); err != nil || verified != 1 || f.status() != "" {
		t.Fatalf("%v, verified %d times, %s", err, verified, f.status())
	}
	if f.show("main", "one.txt") != "1" || f.show("main", "two.txt") != "" || f.show("main", "person.txt") != "p" {
		t.Error("the target has something else")
	}
	pending, err := f.Pending(ctx)
	if err != nil || len(pending) != 1 || pending[0].Commit != two {
		t.Errorf("%+v %v", pending, err)
	}
	if again := f.integrate("run-1"); !again.Already {
		t.Errorf("%+v", again)
	}
	if err := f.Deliver(ctx, two, nil); err != nil || f.show("main", "two.txt") != "2" || f.show("main", "person.txt") != "p" {
		t.Error(err)
	}
	f.commitFile("two.txt", "the person's\n")
	f.work("run-3", "three.txt", "3\n")
	three := f.integrate("run-3").Commit
	if err := f.Deliver(ctx, three, nil); err != nil {
		t.Error(err)
	}
	f.work("run-4", "two.txt", "4\n")
	four := f.integrate("run-4").Commit
	f.commitFile("two.txt", "again\n")
	var conflict *Conflict
	if err := f.Deliver(ctx, four, nil); !errors.As(err, &conflict) || conflict.Files[0] != "two.txt" {
		t.Errorf("%v", err)
	}
}

// A person resolves a conflict in the worktree of the run: by a merge that is committed, by one that
// is not, or by a rebase. The result is compared with what was merged.
func TestAConflictThatIsResolvedInTheWorktree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		resolve func(f *fix, dir string)
		files   string
		left    bool // conflicts are left
	}{
		"a merge": {func(f *fix, dir string) {
			_, _ = f.tryGit(dir, "merge", "-q", DefaultBranch)
			f.write(dir, "b.txt", "both\n")
			f.gitIn(dir, "add", "-A")
			f.gitIn(dir, "commit", "-q", "-m", "resolved")
		}, "M b.txt, A two.txt", false},
		"a merge that is not committed": {func(f *fix, dir string) {
			_, _ = f.tryGit(dir, "merge", "-q", DefaultBranch)
			f.write(dir, "b.txt", "both\n")
		}, "M b.txt, A two.txt", false},
		"a merge that is not resolved": {func(f *fix, dir string) {
			_, _ = f.tryGit(dir, "merge", "-q", DefaultBranch)
		}, "", true},
		"a rebase": {func(f *fix, dir string) {
			_, _ = f.tryGit(dir, "rebase", "-q", DefaultBranch)
			f.write(dir, "b.txt", "both\n")
			f.gitIn(dir, "add", "-A")
			f.gitIn(dir, "-c", "core.editor=true", "rebase", "--continue")
		}, "M b.txt, A two.txt", false},
		"a merge that takes back what others did": {func(f *fix, dir string) {
			f.gitIn(dir, "merge", "-q", "-s", "ours", "-m", "mine", DefaultBranch)
		}, "M b.txt, D one.txt, A two.txt", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, ctx := newFix(t), t.Context()
			one, two := f.add("run-1"), f.add("run-2")
			f.write(one.Path, "b.txt", "one\n")
			f.write(one.Path, "one.txt", "1\n")
			f.write(two.Path, "b.txt", "two\n")
			f.write(two.Path, "two.txt", "2\n")
			f.snapshot(one)
			f.snapshot(two)
			f.integrate("run-1")
			f.commitFile(".vespe/config.json", "{\"later\":1}\n")
			f.commitFile("later.txt", "l\n")
			tip := f.update()
			var conflict *Conflict
			if _, err := f.Integrate(ctx, f.integration("run-2"), nil); !errors.As(err, &conflict) {
				t.Fatal(err)
			}
			f.gitIn(two.Path, "add", "-A")
			f.gitIn(two.Path, "commit", "-q", "-m", "mine")
			c.resolve(f, two.Path)
			res, err := f.Snapshot(ctx, two, Message{Subject: "resolved"})
			var unfinished *Unfinished
			if c.left {
				if !errors.As(err, &unfinished) || unfinished.Files[0] != "b.txt" {
					t.Errorf("%v", err)
				}
				return
			}
			if got := strings.ReplaceAll(f.paths(res), ", D later.txt", ""); err != nil || got != c.files || res.Base != tip {
				t.Fatalf("%v %s, compared with %s", err, got, res.Base)
			}
			done := f.integrate("run-2")
			if f.show(done.Commit, ".vespe/config.json") != "{\"later\":1}" || f.show(done.Commit, "two.txt") != "2" {
				t.Error("something is lost")
			}
			if err := f.FastForward(ctx, done.Commit); err != nil || f.status() != "" {
				t.Errorf("%v %s", err, f.status())
			}
			if kept, err := f.Remove(ctx, two); kept != "" || err != nil {
				t.Error(kept, err)
			}
		})
	}
}

// update has the integration branch on what the target has gained, as the next integration would.
func (f *fix) update() string {
	f.t.Helper()
	tip, err := f.tip(f.t.Context())
	if err == nil {
		err = f.advanceLocked(f.t.Context(), tip.branch, tip.at, "test")
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return tip.at
}

// Git writes ids into MERGE_HEAD: a name there, which may have git walk through all commits, is no merge.
func TestANameInMergeHeadIsNoMerge(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	one, two := f.add("run-1"), f.add("run-2")
	f.write(one.Path, "one.txt", "1\n")
	f.write(two.Path, "two.txt", "2\n")
	f.snapshot(one)
	f.integrate("run-1")
	f.write(f.gitDir(two.Path), "MERGE_HEAD", DefaultBranch+"\n:/nothing\n")
	if res := f.snapshot(two); res.Base != two.Base || f.paths(res) != "A two.txt" {
		t.Errorf("%s, compared with %s", f.paths(res), res.Base)
	}
}

// A result that somebody made with files of a store is not integrated.
func TestAResultWithFilesOfAStore(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.work("run-1", "one.txt", "1\n")
	forged := f.commitFile(".vespe/approvals/a.json", "{}\n")
	f.git("reset", "-q", "--hard", "HEAD^")
	in := f.integration("run-1")
	in.Result = forged
	var tampered *Tampered
	if _, err := f.Integrate(t.Context(), in, nil); !errors.As(err, &tampered) || !strings.Contains(err.Error(), ".vespe/approvals/a.json") {
		t.Errorf("%v", err)
	}
}

// Somebody removes the integration branch when the target has all of it.
func TestARemovedIntegrationBranch(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	f.work("run-1", "one.txt", "1\n")
	if err := f.FastForward(ctx, f.integrate("run-1").Commit); err != nil {
		t.Fatal(err)
	}
	f.git("branch", "-q", "-D", DefaultBranch)
	if again := f.integrate("run-1"); !again.Already || again.Commit != f.at("main") {
		t.Errorf("%+v", again)
	}
	if pending, err := f.Pending(ctx); err != nil || len(pending) > 0 {
		t.Errorf("%+v %v", pending, err)
	}
}

// Somebody else moves the integration branch while a result is verified: it is merged and verified
// once more.
func TestTheBranchMovesMeanwhile(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	f.work("run-1", "one.txt", "1\n")
	f.commitFile("person.txt", "p\n")
	calls := 0
	done, err := f.Integrate(ctx, f.integration("run-1"), func(context.Context, string, string) error {
		if calls++; calls == 1 {
			tip := f.at("main")
			theirs := f.git("commit-tree", "-p", tip, "-m", "theirs", tip+"^{tree}")
			f.git("update-ref", "refs/heads/"+DefaultBranch, theirs)
		}
		return nil
	})
	if err != nil || calls != 2 || f.git("log", "-1", "--format=%s", done.Commit+"^") != "theirs" {
		t.Errorf("%+v %v, verified %d times", done, err, calls)
	}
	f.work("run-2", "two.txt", "2\n")
	f.git("worktree", "add", "-q", f.top+"-other", DefaultBranch)
	var refused *Refused
	if _, err := f.Integrate(ctx, f.integration("run-2"), nil); !errors.As(err, &refused) || !strings.Contains(refused.Why, "checked out") {
		t.Errorf("%v", err)
	}
}

// Several processes at once: each run once, one verified at a time.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	const n = 6
	var wg sync.WaitGroup
	var verifying, most atomic.Int32
	errs := make([]error, n)
	for i := range n {
		r, err := Open(t.Context(), f.top, f.state+fmt.Sprint(i%2), storeID, f.env) // two persons' state
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			errs[i] = func() error {
				own := fmt.Sprint("run-", i)
				tree, err := r.Add(t.Context(), own, "t", "")
				if err != nil {
					return err
				}
				f.write(tree.Path, own+".txt", own+"\n")
				if _, err := r.Snapshot(t.Context(), tree, Message{Subject: own}); err != nil {
					return err
				}
				if kept, err := r.Remove(t.Context(), tree); err != nil || kept != "" {
					return fmt.Errorf("%s %w", kept, err)
				}
				_, err = r.Integrate(t.Context(), Integration{Run: own, Message: Message{Subject: own}}, func(context.Context, string, string) error {
					most.Store(max(most.Load(), verifying.Add(1)))
					verifying.Add(-1)
					return nil
				})
				return err
			}()
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if most.Load() > 1 {
		t.Error("two were verified at once")
	}
	pending, err := f.Pending(t.Context())
	if err != nil || len(pending) != n {
		t.Errorf("%+v %v", pending, err)
	}
	for i := range n {
		own := fmt.Sprint("run-", i)
		if f.show(DefaultBranch, own+".txt") != own {
			t.Errorf("the work of %s is lost", own)
		}
	}
}

// A run that several processes integrate at the same time is integrated once.
func TestOneRunByManyAtOnce(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.work("run-1", "one.txt", "1\n")
	f.commitFile("person.txt", "p\n")
	var wg sync.WaitGroup
	var already atomic.Int32
	for range 4 {
		r, err := Open(t.Context(), f.top, f.state, storeID, f.env)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			done, err := r.Integrate(t.Context(), f.integration("run-1"), func(context.Context, string, string) error { return nil })
			if err != nil {
				t.Error(err)
			}
			if done.Already {
				already.Add(1)
			}
		})
	}
	wg.Wait()
	pending, err := f.Pending(t.Context())
	if err != nil || len(pending) != 1 || already.Load() != 3 {
		t.Errorf("%+v %v, already %d", pending, err, already.Load())
	}
}
