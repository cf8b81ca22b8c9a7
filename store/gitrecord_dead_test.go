package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"vespe/model"
	"vespe/store/git"
	"vespe/store/gitlog"
)

// A process may die at any moment between taking the lock of the index and giving it back.
func TestADeadProcessLeavesNoLock(t *testing.T) {
	dieAndRecord(t, []death{{}, {moved: true}, {moved: true, empty: true}})
}

// A death is where a process dies that records in git, and what is done afterwards.
type death struct{ moved, unlocked, empty bool }

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
			dieInCommit(t, s, env, moved, c.empty)
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
// nothing, so its git directory is elsewhere by then. With empty it dies before its index is in place, though
// the branch is moved: by the git of one that died before.
func dieInCommit(t *testing.T, s *Store, env []string, moved, empty bool) {
	t.Helper()
	dir := filepath.Join(s.Root(), ".git")
	die := func() error {
		if err := os.Rename(dir, dir+"-of-the-dead"); err != nil {
			t.Error(err)
		}
		return errors.New("it is dead")
	}
	whole := s.git.Move
	s.git.Move = func(move func() error) error {
		if moved {
			if err := move(); err != nil {
				t.Error(err)
			}
		}
		return die()
	}
	plain, notes := s.disk.FS, 0
	if empty {
		s.setFS(&hookFS{FS: plain, before: func(call, _ string) error {
			if call != callCreate {
				return nil
			}
			if notes++; notes == 2 {
				return die()
			}
			return nil
		}})
	}
	s.RecordGit(t.Context())
	s.git.Move = whole
	s.setFS(plain)
	must(t, os.Rename(dir+"-of-the-dead", dir))
	if empty && moved {
		h := readGitNote(t, s)
		runGit(t, s.Root(), env, "update-ref", "HEAD", string(h.Next), string(h.From))
	}
}

// gitNote is what is noted of commits that are under way.
type gitNote struct {
	From git.OID `json:"from"`
	Next git.OID `json:"next"`
}

func readGitNote(t *testing.T, s *Store) (note gitNote) {
	t.Helper()
	must(t, json.Unmarshal([]byte(read(t, vespe(s, gitlog.HintFile))), &note))
	return note
}

// The git that is to move the branch may do so late: after anyone who started it is dead, and
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
			late := readGitNote(t, s)
			if more {
				setMode(t, s, model.GitOff)
				create(t, s, "three", "o\n")
				setMode(t, s, model.GitBranch)
			}
			wrapped := 0
			s.git.Move = func(move func() error) error {
				if wrapped++; wrapped == 1 {
					runGit(t, s.Root(), env, "update-ref", "HEAD", string(late.Next), string(late.From))
				}
				return move()
			}
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "p\n"}})
			if wrapped < 2 {
				t.Fatal("the branch was not moved twice")
			}
			treeIsLog(t, s, env, "main")
			wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), "")
		})
	}
}
