package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNoRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := t.TempDir()
	if _, err := Open(t.Context(), dir, state, storeID, gitEnv()); !errors.Is(err, ErrNoRepo) {
		t.Errorf("no repository: %v", err)
	}
	f := newFix(t)
	f.git("init", "-q", "--bare", dir)
	if _, err := Open(t.Context(), dir, state, storeID, gitEnv()); !errors.Is(err, ErrNoRepo) {
		t.Errorf("a bare one: %v", err)
	}
	if _, err := Open(t.Context(), f.top, filepath.Join(f.top, "state"), storeID, f.env); err == nil || !strings.Contains(err.Error(), "can't be inside the repository") {
		t.Errorf("worktrees in the repository: %v", err)
	}
	for _, id := range []string{"", "..", "a/b", "-x"} {
		if _, err := Open(t.Context(), f.top, state, id, f.env); err == nil {
			t.Errorf("%q is the id of a store", id)
		}
		if _, err := f.Add(t.Context(), id, "t", "main"); err == nil {
			t.Errorf("%q is the id of a run", id)
		}
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(f *fix)
		refused string
		warns   string
	}{
		"a merge":            {prepare: func(f *fix) { f.write(f.top, ".git/MERGE_HEAD", "") }, refused: "a merge in progress"},
		"no branch":          {prepare: func(f *fix) { f.git("checkout", "-q", "--detach") }, refused: "No branch is checked out"},
		"no such branch":     {prepare: func(f *fix) { f.Target = "gone" }, refused: "no branch gone"},
		"no commit":          {prepare: func(f *fix) { f.git("checkout", "-q", "--orphan", "new") }, refused: "no commit yet"},
		"integration itself": {prepare: func(f *fix) { f.git("checkout", "-q", "-b", DefaultBranch) }, refused: "integration branch"},
		"integration beside": {prepare: func(f *fix) { f.git("worktree", "add", "-q", "-b", DefaultBranch, f.top+"-other") }, refused: "is checked out in"},
		"changes":            {prepare: func(f *fix) { f.write(f.top, "a.txt", "x"); f.write(f.top, "u.txt", "x") }, warns: "changes in a.txt, u.txt."},
		"a store":            {prepare: func(f *fix) { f.write(f.top, ".vespe/config.json", "x"); f.write(f.top, ".vespe/new", "x") }},
		"a shallow clone":    {prepare: func(f *fix) { f.write(f.top, ".git/shallow", f.at("HEAD")+"\n") }, warns: "shallow"},
		"a partial clone":    {prepare: func(f *fix) { f.git("config", "remote.origin.promisor", "true") }, warns: "partial"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFix(t)
			c.prepare(f)
			warnings, err := f.Preflight(t.Context())
			var refused *Refused
			if c.refused != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Why, c.refused) || refused.Hint == "") || c.refused == "" && err != nil {
				t.Errorf("%v", err)
			}
			if got := strings.Join(warnings, "\n"); (got == "") != (c.warns == "") || !strings.Contains(got, c.warns) {
				t.Errorf("%q", got)
			}
		})
	}
}

// A store in a directory of a larger repository: the worktree has all of it.
func TestAStoreInADirectory(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.commitFile("sub/.vespe/config.json", "{}\n")
	r, err := Open(t.Context(), filepath.Join(f.top, "sub"), f.state, "store-2", f.env)
	if err != nil {
		t.Fatal(err)
	}
	f.Repo = r
	tree := f.add("run-1")
	f.write(tree.Path, "a.txt", "x\n")
	f.write(tree.Path, "sub/b.txt", "x\n")
	f.write(tree.Path, "sub/.vespe/config.json", "{\"x\":1}\n")
	res := f.snapshot(tree)
	if got := f.paths(res); got != "M a.txt, A sub/b.txt" || len(res.Refused) != 1 {
		t.Errorf("%s %q", got, res.Refused)
	}
	f.write(f.top, "dir/c.txt", "mine\n")
	if err := f.FastForward(t.Context(), f.integrate("run-1").Commit); err != nil {
		t.Fatal(err)
	}
	if f.show("main", "sub/b.txt") != "x" || f.status() != " M dir/c.txt" {
		t.Errorf("%s", f.status())
	}
}

// The person works in a linked worktree themselves.
func TestAPersonInALinkedWorktree(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.git("worktree", "add", "-q", "-b", "mine", f.top+"-mine")
	main := f.at("main")
	r, err := Open(t.Context(), f.top+"-mine", f.state, storeID, f.env)
	if err != nil {
		t.Fatal(err)
	}
	f.Repo = r
	f.work("run-1", "one.txt", "1\n")
	if err := f.FastForward(t.Context(), f.integrate("run-1").Commit); err != nil {
		t.Fatal(err)
	}
	if f.show("mine", "one.txt") != "1" || f.at("main") != main || f.gitIn(f.top+"-mine", "status", "--porcelain") != "" {
		t.Error("the wrong branch has moved")
	}
}

// Submodules are empty in a worktree until a setup command fills them. What a worker then does in them stays there.
func TestSubmodules(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	lib := f.submodule()
	if warnings, err := f.Preflight(t.Context()); err != nil || !strings.Contains(strings.Join(warnings, ""), "submodules (1)") {
		t.Errorf("%q %v", warnings, err)
	}
	tree := f.add("run-1")
	f.write(tree.Path, "one.txt", "1\n")
	if res := f.snapshot(tree); f.paths(res) != "A one.txt" || len(res.Refused) > 0 {
		t.Errorf("%+v", res)
	}
	f.gitIn(tree.Path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	f.write(tree.Path, "lib/new.txt", "uncommitted\n")
	if kept, err := f.Remove(t.Context(), tree); err != nil || !strings.Contains(kept, "lib") {
		t.Errorf("%q %v", kept, err)
	}
	again, err := f.Reopen(t.Context(), "run-1")
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(again.Path, "lib")
	f.gitIn(sub, "add", "-A")
	f.gitIn(sub, "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "only here")
	if res := f.snapshot(again); !strings.Contains(strings.Join(res.Refused, ""), "lib: a submodule commit that exists only") {
		t.Errorf("%+v", res)
	}
	f.gitIn(sub, "reset", "-q", "--hard", f.gitIn(lib, "rev-parse", "HEAD"))
	if kept, err := f.Remove(t.Context(), again); err != nil || kept != "" {
		t.Errorf("%q %v", kept, err)
	}
}

// submodule commits a submodule, lib, and returns the repository that it is of.
func (f *fix) submodule() (lib string) {
	f.t.Helper()
	lib = f.t.TempDir()
	f.gitIn(lib, "init", "-q", "-b", "main")
	f.write(lib, "lib.txt", "lib\n")
	f.gitIn(lib, "add", "-A")
	f.gitIn(lib, "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "lib")
	f.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "lib", lib, "lib")
	f.git("commit", "-q", "-m", "submodule")
	return lib
}

// Worktrees of the living, of the dead, and those that somebody removed.
func TestReopen(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	one, two := f.add("run-1"), f.add("run-2")
	f.write(one.Path, "one.txt", "1\n")
	if _, err := f.Add(ctx, "run-1", "t", ""); !errors.Is(err, ErrInUse) && !errors.Is(err, ErrExists) {
		t.Errorf("twice: %v", err)
	}
	if _, err := f.Reopen(ctx, "run-1"); !errors.Is(err, ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	if _, err := f.Reopen(ctx, "run-9"); !errors.Is(err, ErrNoTree) {
		t.Errorf("none: %v", err)
	}
	one.Close()
	two.Close()
	mine := f.top + "-mine"
	f.git("worktree", "add", "-q", "-b", "mine", mine)
	f.git("worktree", "add", "-q", "--detach", filepath.Join(f.home, "stranger"))
	if err := errors.Join(os.RemoveAll(two.Path), os.RemoveAll(mine)); err != nil {
		t.Fatal(err)
	}
	check, err := f.Checkout(ctx, "run-1", one.Base)
	if err != nil {
		t.Fatal(err)
	}
	check.Close() // its process is dead
	again, err := f.Reopen(ctx, "run-1")
	if err != nil || again.Path != one.Path || again.Base != one.Base {
		t.Fatalf("%+v %v", again, err)
	}
	defer again.Close()
	if _, err := f.Add(ctx, "run-2", "t", one.Base); err != nil {
		t.Errorf("a directory that somebody removed: %v", err)
	}
	list := f.git("worktree", "list")
	if strings.Contains(list, "+check") || !strings.Contains(list, mine) || !strings.Contains(list, "stranger") {
		t.Errorf("only what is ours and dead goes:\n%s", list)
	}
	if res := f.snapshot(again); f.paths(res) != "A one.txt" {
		t.Errorf("%+v", res)
	}
}

// What came after the result keeps the worktree.
func TestAWorktreeGoesOnlyWhenAllIsKept(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	tree := f.add("run-1")
	f.write(tree.Path, "one.txt", "1\n")
	if kept, err := f.Remove(ctx, tree); err != nil || !strings.Contains(kept, "one.txt") {
		t.Fatalf("%q %v", kept, err)
	}
	for _, late := range []struct{ name, body string }{{"late.txt", "late\n"}, {"one.txt", "2\n"}, {"b.txt", "later\n"}} {
		again, err := f.Reopen(ctx, "run-1")
		if err != nil {
			t.Fatal(err)
		}
		f.snapshot(again)
		f.write(again.Path, late.name, late.body)
		if kept, err := f.Remove(ctx, again); err != nil || !strings.Contains(kept, late.name) {
			t.Errorf("%s: %q %v", late.name, kept, err)
		}
	}
	again, err := f.Reopen(ctx, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	f.snapshot(again)
	f.git("update-ref", "refs/vespe/run-1/result", "main")
	if kept, err := f.Remove(ctx, again); err != nil || !strings.Contains(kept, "not saved") {
		t.Errorf("%q %v", kept, err)
	}
	if again, err = f.Reopen(ctx, "run-1"); err != nil {
		t.Fatal(err)
	}
	f.gitIn(again.Path, "checkout", "-q", "-b", "feature")
	f.gitIn(again.Path, "commit", "-q", "--allow-empty", "-m", "mine")
	head := f.gitIn(again.Path, "rev-parse", "HEAD")
	f.snapshot(again)
	if kept, err := f.Remove(ctx, again); err != nil || kept != "" {
		t.Errorf("%q %v", kept, err)
	}
	if f.git("rev-parse", "refs/vespe/run-1/head") != head || f.git("rev-parse", "feature") != head {
		t.Error("the worker's commits are gone")
	}
}

// A worktree that could not be removed to the end goes with the next one that is made.
func TestARemovalThatWasInterrupted(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	tree := f.add("run-1")
	f.write(tree.Path, "one.txt", "1\n")
	f.snapshot(tree)
	f.step = func(what string) error {
		if what == "worktree done" {
			return nil
		}
		if what == "files" {
			return context.Canceled
		}
		return nil
	}
	if _, err := f.Remove(t.Context(), tree); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.write(tree.Path, "half/of.txt", "it")
	f.step = nil
	f.add("run-2")
	names, err := f.records()
	if err != nil || !slices.Equal(names, []string{"run-2"}) || exists(tree.Path) {
		t.Errorf("%v %v", names, err)
	}
}
