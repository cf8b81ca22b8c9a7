package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run from its worktree to the person's branch: nothing of the person's checkout changes before
// the end, and nothing is left of the worktree.
func TestARunFromItsWorktreeToTheTarget(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	if warnings, err := f.Preflight(ctx); err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	tree := f.add("run-1")
	if tree.Base != f.at("main") || tree.Base != f.at(DefaultBranch) {
		t.Errorf("it begins at %s", tree.Base)
	}
	if strings.HasPrefix(tree.Path, f.top) {
		t.Errorf("the worktree %s lies in the repository", tree.Path)
	}
	if all := f.git("worktree", "list", "--porcelain"); !strings.Contains(all, "detached\nlocked vespe run-1") {
		t.Errorf("git lists\n%s", all)
	}
	f.write(tree.Path, "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n")
	f.write(tree.Path, "dir/new.txt", "new\nlines\n")
	f.write(tree.Path, "x.log", "ignored\n")
	if err := os.Remove(filepath.Join(tree.Path, "b.txt")); err != nil {
		t.Fatal(err)
	}
	res := f.snapshot(tree)
	if got := f.paths(res); got != "M a.txt, D b.txt, A dir/new.txt" || res.Empty || len(res.Refused)+len(res.Notes) > 0 {
		t.Errorf("%s %+v", got, res)
	}
	if c := res.Files[2]; c.Added != 2 || c.Deleted != 0 || res.Files[0].Added != 1 {
		t.Errorf("%+v", res.Files)
	}
	if got := f.git("log", "-1", "--format=%an %ae %P|%B", res.Commit); got != "Ann ann@example.org "+tree.Base+"|Work of run-1\n\nVespe-Task: task-run-1\nVespe-Run: run-1\n" {
		t.Errorf("%q", got)
	}
	if f.git("rev-parse", "refs/vespe/run-1/result") != res.Commit || f.git("rev-parse", "refs/vespe/run-1/base") != tree.Base {
		t.Error("the references are not there")
	}
	checked, err := f.Checkout(ctx, "run-1", res.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(checked.Path, "dir/new.txt")); err != nil || string(b) != "new\nlines\n" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := os.Lstat(filepath.Join(checked.Path, "x.log")); err == nil {
		t.Error("the clean tree has an ignored file")
	}
	f.write(checked.Path, "build/out", "what a build leaves")
	for _, tr := range []*Tree{checked, tree} {
		if kept, err := f.Remove(ctx, tr); err != nil || kept != "" {
			t.Fatal(kept, err)
		}
		if _, err := os.Lstat(tr.Path); err == nil {
			t.Errorf("%s is still there", tr.Path)
		}
	}
	f.nothingLeft()
	if f.status() != "" {
		t.Errorf("the person's checkout has\n%s", f.status())
	}
	done, err := f.Integrate(ctx, f.integration("run-1"), func(context.Context, string, string) error {
		return errors.New("its tree was verified already")
	})
	if err != nil || !done.SameTree || done.Already || done.Empty {
		t.Fatalf("%+v %v", done, err)
	}
	if got := f.at(DefaultBranch); got != done.Commit {
		t.Errorf("the branch is at %s", got)
	}
	if again := f.integrate("run-1"); !again.Already || again.Commit != done.Commit || again.Task != "task-run-1" {
		t.Errorf("%+v", again)
	}
	pending, err := f.Pending(ctx)
	if err != nil || len(pending) != 1 || pending[0].Run != "run-1" || pending[0].Task != "task-run-1" || pending[0].Commit != done.Commit || pending[0].Subject != "Work of run-1" {
		t.Errorf("%+v %v", pending, err)
	}
	if err := f.FastForward(ctx, done.Commit); err != nil {
		t.Fatal(err)
	}
	if f.status() != "" || f.at("main") != done.Commit || f.git("symbolic-ref", "HEAD") != "refs/heads/main" {
		t.Errorf("the person's checkout: %s %s", f.at("main"), f.status())
	}
	if b, err := os.ReadFile(filepath.Join(f.top, "dir/new.txt")); err != nil || string(b) != "new\nlines\n" {
		t.Errorf("%q %v", b, err)
	}
	if pending, err := f.Pending(ctx); err != nil || len(pending) > 0 {
		t.Errorf("%+v %v", pending, err)
	}
}

// Two runs that began at the same commit: the second is merged with the first and verified so.
func TestTheSecondOfTwoIsVerifiedWithTheFirst(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	one, two := f.add("run-1"), f.add("run-2")
	f.write(one.Path, "one.txt", "1\n")
	f.write(two.Path, "two.txt", "2\n")
	f.snapshot(one)
	f.snapshot(two)
	if done := f.integrate("run-1"); !done.SameTree {
		t.Errorf("%+v", done)
	}
	before := f.at(DefaultBranch)
	bad := errors.New("a test fails")
	_, err := f.Integrate(ctx, f.integration("run-2"), func(context.Context, string, string) error { return bad })
	var unverified *Unverified
	if !errors.As(err, &unverified) || !errors.Is(err, bad) || f.at(DefaultBranch) != before {
		t.Fatalf("%v", err)
	}
	calls := 0
	done, err := f.Integrate(ctx, f.integration("run-2"), func(_ context.Context, dir, commit string) error {
		calls++
		for _, name := range []string{"one.txt", "two.txt"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if f.show(commit, "two.txt") != "2" || f.at(DefaultBranch) != before {
			t.Error("the branch was moved before the commit was verified")
		}
		return nil
	})
	if err != nil || done.SameTree || calls != 1 || f.show(DefaultBranch, "one.txt") != "1" || f.show(DefaultBranch, "two.txt") != "2" {
		t.Errorf("%+v %v, verified %d times", done, err, calls)
	}
	pending, err := f.Pending(ctx)
	if err != nil || len(pending) != 2 || pending[0].Run != "run-1" || pending[1].Run != "run-2" {
		t.Errorf("%+v %v", pending, err)
	}
	if list := f.git("worktree", "list"); strings.Contains(list, "integrate") {
		t.Errorf("left:\n%s", list)
	}
}

func TestAConflictChangesNothing(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	one, two := f.add("run-1"), f.add("run-2")
	f.write(one.Path, "b.txt", "one\n")
	f.write(two.Path, "b.txt", "two\n")
	f.snapshot(one)
	f.snapshot(two)
	f.integrate("run-1")
	refs := f.git("for-each-ref")
	_, err := f.Integrate(ctx, f.integration("run-2"), nil)
	var conflict *Conflict
	if !errors.As(err, &conflict) || len(conflict.Files) != 1 || conflict.Files[0] != "b.txt" || !strings.Contains(err.Error(), "b.txt") {
		t.Fatalf("%v", err)
	}
	if got := f.git("for-each-ref"); got != refs || f.status() != "" {
		t.Errorf("before\n%s\nafter\n%s", refs, got)
	}
	if _, ok, err := f.find(ctx, "run-2"); ok || err != nil {
		t.Error(ok, err)
	}
}

// A write of a record that was killed leaves nothing once the worktree is removed.
func TestAKilledRecordLeavesNothing(t *testing.T) {
	f := newFix(t)
	tree := f.add("run-1")
	left := f.side("", ".run-1.json-123")
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if kept, err := f.Remove(t.Context(), tree); kept != "" || err != nil {
		t.Fatalf("kept %q, %v", kept, err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
