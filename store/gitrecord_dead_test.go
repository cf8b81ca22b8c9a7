package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// A process may die at any moment between taking the lock of the index and giving it back.
func TestADeadProcessLeavesNoLock(t *testing.T) {
	for _, c := range []struct{ moved, unlocked, empty bool }{
		{}, {moved: true}, {unlocked: true}, {moved: true, unlocked: true}, {empty: true}, {moved: true, empty: true},
	} {
		moved := c.moved
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s, env := gitStore(t, model.GitBranch, "sha1")
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			uid := create(t, s, "two", "o\n")
			setMode(t, s, model.GitBranch)
			head := git.OID(runGit(t, s.Root(), env, "rev-parse", "HEAD"))
			dieInCommit(t, s, env, moved, c.empty)
			if now := git.OID(runGit(t, s.Root(), env, "rev-parse", "HEAD")); (now != head) != moved {
				t.Fatal("it did not die where it was to")
			}
			if _, err := os.Stat(filepath.Join(s.Root(), ".git", "index.lock")); err != nil {
				t.Fatal("it left no lock", err)
			}
			if c.unlocked { // as git tells people to do
				if err := os.Remove(filepath.Join(s.Root(), ".git", "index.lock")); err != nil {
					t.Fatal(err)
				}
			}
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "p\n"})
			if got := seqs(t, s, env, "main"); got != "1 2 3 4" {
				t.Fatalf("recorded %q", got)
			}
			treeIsLog(t, s, env, "main")
			if got := runGit(t, s.Root(), env, "status", "--porcelain"); got != "" {
				t.Errorf("the status is\n%s", got)
			}
			if left, err := filepath.Glob(filepath.Join(s.Root(), ".git", "vespe-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// dieInCommit does what commitBranch does until it has, or has not, moved the branch.
// With empty it dies before it has prepared an index, though the branch is moved: by the
// git of one that died before.
func dieInCommit(t *testing.T, s *Store, env []string, moved, empty bool) {
	t.Helper()
	ctx := context.Background()
	repo, err := git.Find(ctx, env, s.Root())
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{s: s, ctx: ctx, repo: repo, hint: s.readGitHint(model.GitBranch), base: layout.Name}
	if r.cat, err = repo.Cat(ctx); err != nil {
		t.Fatal(err)
	}
	defer r.cat.Close()
	head, err := r.cat.Get("HEAD", layout.MaxJSON)
	if err != nil {
		t.Fatal(err)
	}
	w, err := repo.NewWriter(ctx, r.cat, head.OID)
	if err != nil {
		t.Fatal(err)
	}
	_, to, err := r.continueBranch(w, txlog.Tip{Seq: r.hint.Seq, Head: r.hint.Head}, head.OID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Store(); err != nil {
		t.Fatal(err)
	}
	lock, err := repo.NewIndexLock(r.owner())
	if err == nil {
		err = lock.Take()
	}
	if err != nil {
		t.Fatal(err)
	}
	if !empty {
		err = lock.Prepare(ctx, head.OID, to, layout.Name)
	}
	r.hint.Lock, r.hint.From, r.hint.Next = lock.Marks(), head.OID, to
	err = errors.Join(err, s.writeGitHint(r.hint))
	if !empty {
		err = errors.Join(err, lock.Place())
	}
	if err != nil {
		t.Fatal(err)
	}
	if moved {
		if err := repo.UpdateRef(ctx, "HEAD", to, head.OID, r.who(), "x"); err != nil {
			t.Fatal(err)
		}
	}
}

// The git that is to move the branch may do so late: after whoever started it is dead, and
// another process is at the same work. Nothing may look changed for it.
func TestABranchThatIsMovedLate(t *testing.T) {
	for _, more := range []bool{false, true} { // has the other process more to record?
		t.Run(fmt.Sprint(more), func(t *testing.T) {
			s, env := gitStore(t, model.GitBranch, "sha1")
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			uid := create(t, s, "two", "o\n")
			setMode(t, s, model.GitBranch)
			dieInCommit(t, s, env, false, false)
			late := s.readGitHint(model.GitBranch)
			if more {
				setMode(t, s, model.GitOff)
				create(t, s, "three", "o\n")
				setMode(t, s, model.GitBranch)
			}
			wrapped := 0
			s.git.move = func(move func() error) error {
				if wrapped++; wrapped == 1 {
					runGit(t, s.Root(), env, "update-ref", "HEAD", string(late.Next), string(late.From))
				}
				return move()
			}
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "p\n"})
			if wrapped < 2 {
				t.Fatal("the branch was not moved twice")
			}
			treeIsLog(t, s, env, "main")
			if got := runGit(t, s.Root(), env, "status", "--porcelain"); got != "" {
				t.Errorf("the status is\n%s", got)
			}
		})
	}
}
