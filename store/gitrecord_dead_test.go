package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/store/git"
)

// A process may die at any moment between taking the lock of the index and giving it back.
func TestADeadProcessLeavesNoLock(t *testing.T) {
	dieAndRecord(t, []death{{}, {moved: true}})
}

// A death is where a process dies that records in git, and what is done afterwards.
type death struct{ moved, unlocked bool }

func dieAndRecord(t *testing.T, all []death) {
	t.Helper()
	for _, c := range all {
		moved := c.moved
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s, env := gitStore(t, model.GitBranch, "sha1")
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			uid := create(t, s, "two", "o\n")
			setMode(t, s, model.GitBranch)
			head := git.OID(runGit(t, s.Root(), env, "rev-parse", "HEAD"))
			dieInCommit(t, s, moved)
			if now := git.OID(runGit(t, s.Root(), env, "rev-parse", "HEAD")); (now != head) != moved {
				t.Fatal("it did not die where it was to")
			}
			if _, err := os.Stat(filepath.Join(s.Root(), ".git", "index.lock")); err != nil {
				t.Fatal("it left no lock", err)
			}
			if c.unlocked { // as git tells people to do
				must(t, os.Remove(filepath.Join(s.Root(), ".git", "index.lock")))
			}
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "p\n"}})
			if got := seqs(t, s, env, "main"); got != "1 2 3 4" {
				t.Fatalf("recorded %q", got)
			}
			treeIsLog(t, s, env, "main")
			wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), "")
			if left, err := filepath.Glob(filepath.Join(s.Root(), ".git", "vespe-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// dieInCommit records, and dies when all is ready, before or after the branch is moved. Anyone who dies undoes
// nothing, so its git directory is elsewhere by then.
func dieInCommit(t *testing.T, s *Store, moved bool) {
	t.Helper()
	dir := filepath.Join(s.Root(), ".git")
	whole := s.git.Move
	s.git.Move = func(move func() error) error {
		if moved {
			must(t, move())
		}
		must(t, os.Rename(dir, dir+"-of-the-dead"))
		return errors.New("it is dead")
	}
	s.RecordGit(t.Context())
	s.git.Move = whole
	must(t, os.Rename(dir+"-of-the-dead", dir))
}
