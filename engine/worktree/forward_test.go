package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ready is a repository with the work of a run integrated: it changes b.txt, removes dir/c.txt and
// adds new.txt.
func ready(t *testing.T) (f *fix, upTo string) {
	t.Helper()
	readyOnce.Do(func() { makeReady(t) })
	if readyOnce.upTo == "" {
		t.Fatal("what all begin with can't be made")
	}
	return copied(t, readyOnce.dir), readyOnce.upTo
}

// readyOnce is the template of all that are ready.
var readyOnce struct {
	sync.Once
	dir, upTo string
}

func makeReady(t *testing.T) {
	f := newFix(t)
	tree := f.add("run-1")
	f.write(tree.Path, "b.txt", "work\n")
	f.write(tree.Path, "new.txt", "work\n")
	if err := os.Remove(filepath.Join(tree.Path, "dir/c.txt")); err != nil {
		t.Fatal(err)
	}
	f.snapshot(tree)
	if kept, err := f.Remove(t.Context(), tree); kept != "" || err != nil {
		t.Fatal(kept, err)
	}
	upTo := f.integrate("run-1").Commit
	dir, err := templateDir()
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(filepath.Dir(f.top)))
	}
	if err != nil {
		t.Fatal(err)
	}
	readyOnce.dir, readyOnce.upTo = dir, upTo
}

// What is in the way keeps the target where it is, and nothing of the person's is touched.
func TestWhatIsInTheWayOfTheTarget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(f *fix)
		says    string
	}{
		"a file is changed":       {func(f *fix) { f.write(f.top, "b.txt", "mine\n") }, "uncommitted changes in"},
		"a file is staged":        {func(f *fix) { f.write(f.top, "b.txt", "mine\n"); f.git("add", "-A") }, "staged"},
		"another is staged":       {func(f *fix) { f.write(f.top, "staged.txt", "mine\n"); f.git("add", "staged.txt") }, "staged"},
		"a file is staged to go":  {func(f *fix) { f.git("rm", "-q", "--cached", "b.txt") }, "staged"},
		"a removed file is gone":  {func(f *fix) { _ = os.Remove(filepath.Join(f.top, "b.txt")) }, "uncommitted changes in"},
		"a new file is there":     {func(f *fix) { f.write(f.top, "new.txt", "mine\n") }, "new.txt"},
		"a new file is ignored":   {func(f *fix) { f.write(f.top, "new.txt", "mine\n"); f.write(f.top, ".git/info/exclude", "new.txt\n") }, "new.txt"},
		"a directory is in place": {func(f *fix) { f.write(f.top, "new.txt/mine", "mine\n") }, "new.txt"},
		"a merge is going on":     {func(f *fix) { f.write(f.top, ".git/MERGE_HEAD", f.at("HEAD")+"\n") }, "a merge in progress"},
		"a bisection is going on": {func(f *fix) { f.git("bisect", "start") }, "bisect"},
		"a git is at work":        {func(f *fix) { f.write(f.top, ".git/index.lock", "") }, "index.lock"},
		"the target has a commit": {func(f *fix) { f.commitFile("mine.txt", "mine\n") }, "main has commits"},
		"the target is elsewhere": {func(f *fix) {
			f.git("checkout", "-q", "--detach")
			f.git("worktree", "add", "-q", f.top+"-other", "main")
			f.Target = "main"
		}, "is checked out in"},
		"the target is rebased": {func(f *fix) { rebasing(f); f.Target = "main" }, "rebase"},
		"it is, in a worktree that is missing": {func(f *fix) {
			f.git("worktree", "add", "-q", "--detach", f.top+"-away", "main")
			f.write(f.top, ".git/worktrees/"+filepath.Base(f.top)+"-away/rebase-merge/head-name", "refs/heads/main\n")
			_ = os.RemoveAll(f.top + "-away")
		}, "rebase"},
		"no branch is checked out": {func(f *fix) { f.git("checkout", "-q", "--detach") }, "No branch is checked out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, upTo := ready(t)
			c.prepare(f)
			before, refs := f.files(), f.git("for-each-ref")
			err := f.FastForward(t.Context(), upTo)
			var refused *Refused
			if !errors.As(err, &refused) || !strings.Contains(refused.Why+refused.Hint, c.says) || refused.Hint == "" {
				t.Fatalf("%v %+v", err, refused)
			}
			if after := f.files(); after != before || f.git("for-each-ref") != refs {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		})
	}
}

// rebasing leaves a rebase of main that waits for the person.
func rebasing(f *fix) {
	f.git("branch", "side")
	f.commitFile("a.txt", "mine\n")
	f.git("checkout", "-q", "side")
	f.commitFile("a.txt", "theirs\n")
	f.git("checkout", "-q", "main")
	if out, err := f.tryGit(f.top, "rebase", "side"); err == nil {
		f.t.Fatal("the rebase has no conflict", out)
	}
}

// files are the person's files with what they hold, and what is staged.
func (f *fix) files() string {
	var b strings.Builder
	err := filepath.WalkDir(f.top, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d.IsDir() && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		body, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(body))
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return b.String() + f.git("ls-files", "--stage")
}

// What is not in the way stays as it is.
func TestWhatIsNotInTheWayStays(t *testing.T) {
	t.Parallel()
	f, upTo := ready(t)
	f.write(f.top, "a.txt", "mine\n")
	f.write(f.top, "mine.txt", "mine\n")
	f.write(f.top, ".vespe/config.json", "{\"a\":1}\n")
	f.write(f.top, ".vespe/task.json", "{}\n")
	f.git("add", ".vespe/config.json") // vespe records its own
	f.git("config", "merge.autoStash", "true")
	f.git("config", "branch.main.mergeOptions", "--squash --no-ff")
	if err := f.FastForward(t.Context(), upTo); err != nil {
		t.Fatal(err)
	}
	if got := f.status(); got != "M  .vespe/config.json\n M a.txt\n?? .vespe/task.json\n?? mine.txt" {
		t.Errorf("%s", got)
	}
	if f.at("main") != upTo || f.show("main", "b.txt") != "work" {
		t.Error("main has not moved")
	}
	if err := f.FastForward(t.Context(), upTo); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestATargetThatIsCheckedOutNowhere(t *testing.T) {
	t.Parallel()
	f, upTo := ready(t)
	f.git("checkout", "-q", "-b", "other")
	f.write(f.top, "b.txt", "mine\n")
	f.Target = "main"
	if err := f.FastForward(t.Context(), upTo); err != nil {
		t.Fatal(err)
	}
	if f.at("main") != upTo || f.status() != " M b.txt" || f.at("other") == upTo {
		t.Errorf("%s", f.status())
	}
}

// A store that vespe records in the target branch itself moves it at each step. That is no reason
// to refuse for ever, nor to verify the work again.
func TestAStoreThatIsRecordedInTheTarget(t *testing.T) {
	t.Parallel()
	f, upTo := ready(t)
	f.commitFile(".vespe/one.json", "1\n")
	if tip, err := f.Tip(t.Context()); err != nil || tip != upTo {
		t.Errorf("%s %v", tip, err)
	}
	two := f.add("run-2")
	f.write(two.Path, "two.txt", "2\n")
	f.snapshot(two)
	f.commitFile(".vespe/two.json", "2\n")
	if done := f.integrate("run-2"); !done.SameTree {
		t.Errorf("%+v", done)
	}
	if err := f.FastForward(t.Context(), upTo); err != nil {
		t.Fatal(err)
	}
	f.commitFile(".vespe/three.json", "3\n")
	if f.show("main", "new.txt") != "work" || f.show("main", "two.txt") != "" || f.show("main", ".vespe/two.json") != "2" || f.status() != "" {
		t.Errorf("%s", f.status())
	}
	pending, err := f.Pending(t.Context())
	if err != nil || len(pending) != 1 || pending[0].Run != "run-2" {
		t.Fatalf("%+v %v", pending, err)
	}
	if err := f.FastForward(t.Context(), pending[0].Commit); err != nil {
		t.Fatal(err)
	}
	if f.show("main", "two.txt") != "2" || f.show("main", ".vespe/three.json") != "3" {
		t.Error("main lacks something")
	}
	if pending, err := f.Pending(t.Context()); err != nil || len(pending) > 0 {
		t.Errorf("%+v %v", pending, err)
	}
	if _, err := f.Tip(t.Context()); err != nil || f.at("main") != f.at(DefaultBranch) {
		t.Errorf("the integration branch does not follow: %v", err)
	}
}
