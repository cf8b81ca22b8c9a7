package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/gitlog"
	"vespe/store/layout"
)

// setMode writes git.mode into the policy.
func setMode(t testing.TB, s *Store, mode string) {
	t.Helper()
	write(t, vespe(s, layout.PolicyFile), fmt.Sprintf("{\n  \"git\": {\n    \"mode\": %q\n  }\n}\n", mode))
}

// gitStore is a trusted store at the top of a repository with one commit of the person.
func gitStore(t testing.TB, mode, format string) (*Store, []string) {
	t.Helper()
	top, env := gitRepo(t, format)
	write(t, filepath.Join(top, "code.txt"), "code\n")
	runGit(t, top, env, "add", "code.txt")
	runGit(t, top, env, "commit", "-q", "-m", "code")
	s := initIn(t, top, gitOptions(env))
	setMode(t, s, mode)
	return s, env
}

// treeIsLog fails unless a commit has exactly the files of the store, as the log has them.
func treeIsLog(t testing.TB, s *Store, env []string, commit string) {
	t.Helper()
	runGit(t, s.Root(), env, "fsck", "--strict", "--no-dangling")
	inTree := map[string]string{} // path → the hash of its body
	for line := range strings.SplitSeq(runGit(t, s.Root(), env, "ls-tree", "-r", commit, ".vespe"), "\n") {
		what, name, _ := strings.Cut(line, "\t")
		inTree[name] = strings.Fields(what)[2]
		if layout.IsMachinery(strings.Split(name, "/")[1]) {
			t.Errorf("%s is committed", name)
		}
	}
	args := []string{"hash-object", "--no-filters"}
	must(t, walkFiles(filepath.Join(s.Root(), layout.Name), func(path string, _ []byte) {
		rel, err := filepath.Rel(s.Root(), path)
		must(t, err)
		if !layout.IsMachinery(strings.Split(rel, "/")[1]) {
			args = append(args, rel)
		}
	}))
	for i, hash := range strings.Fields(runGit(t, s.Root(), env, args...)) {
		if name := args[2+i]; inTree[name] != hash {
			t.Errorf("%s in %s is %q, want %q", name, commit, inTree[name], hash)
		} else {
			delete(inTree, name)
		}
	}
	for name := range inTree {
		t.Errorf("%s is in %s and not in the store", name, commit)
	}
}

func seqs(t testing.TB, s *Store, env []string, ref string) string {
	t.Helper()
	out := runGit(t, s.Root(), env, "log", "--reverse", "--format=%(trailers:key=Vespe-Seq,valueonly,separator=%x2C)", ref)
	return strings.Join(strings.Fields(out), " ")
}

func TestHistoryIsRecordedOnARef(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			s, env := gitStore(t, model.GitRef, format)
			before := worktree(t, s, env)
			uid := planned(t, s, "one")
			planned(t, s, "two")
			if got := seqs(t, s, env, gitlog.Ref); got != "0 1 2 3 4" {
				t.Fatalf("commits of the entries %q", got)
			}
			treeIsLog(t, s, env, gitlog.Ref)
			if after := worktree(t, s, env); after != before {
				t.Errorf("index, worktree or branch changed:\n%s\nwas\n%s", after, before)
			}
			got := runGit(t, s.Root(), env, "log", "-1", "--format=%an|%ae|%cn|%ce|%aI|%s|%(trailers:key=Vespe-Task,valueonly,separator=%x2C)", gitlog.Ref+"~2")
			e := entryAt(t, s, 2)
			want := "robot|agent.robot@vespe.invalid|robot|agent.robot@vespe.invalid|" + e.At.Format("2006-01-02T15:04:05+00:00") + "|" + e.Summary + "|" + string(uid)
			wantEqual(t, "the commit", got, want)
		})
	}
}

// worktree is what a person would notice of a change to their repository.
func worktree(t testing.TB, s *Store, env []string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range []string{"index", "HEAD", "config", "refs/heads/main", "logs/HEAD", "logs/refs/heads/main", "packed-refs", "index.lock"} {
		body, err := os.ReadFile(filepath.Join(s.Root(), ".git", name))
		fmt.Fprintf(&b, "%s %v %s\n", name, os.IsNotExist(err), model.HashBytes(body))
	}
	hooks, err := os.ReadDir(filepath.Join(s.Root(), ".git", "hooks"))
	fmt.Fprintln(&b, len(hooks), err, read(t, filepath.Join(s.Root(), "code.txt")))
	b.WriteString(runGit(t, s.Root(), append(env, "GIT_OPTIONAL_LOCKS=0"), "status", "--porcelain", "--ignored", "-uno"))
	return b.String()
}

func TestHistoryIsRecordedOnTheBranch(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			s, env := gitStore(t, model.GitBranch, format)
			write(t, filepath.Join(s.Root(), "code.txt"), "staged\n")
			runGit(t, s.Root(), env, "add", "code.txt")
			write(t, filepath.Join(s.Root(), "code.txt"), "not staged\n")
			write(t, filepath.Join(s.Root(), "new.txt"), "untracked\n")
			planned(t, s, "one")
			planned(t, s, "two")
			if got := seqs(t, s, env, "main"); got != "1 2 3 4" {
				t.Fatalf("commits of the entries %q", got)
			}
			treeIsLog(t, s, env, "main")
			if got, want := runGit(t, s.Root(), env, "status", "--porcelain"), "MM code.txt\n?? new.txt"; got != want {
				t.Errorf("the status is\n%s, want\n%s", got, want)
			}
			wantEqual(t, "staged", runGit(t, s.Root(), env, "diff", "--cached", "--name-only"), "code.txt")
			runGit(t, s.Root(), env, "commit", "-q", "-m", "mine")
			planned(t, s, "three")
			if got := seqs(t, s, env, "main"); got != "1 2 3 4 5 6" {
				t.Fatalf("after a commit of the person: %q", got)
			}
			treeIsLog(t, s, env, "main")
		})
	}
}

func TestWhatCannotBeRecordedNowIsRecordedLater(t *testing.T) {
	s, env := gitStore(t, model.GitBranch, "sha1")
	planned(t, s, "one")
	lock := filepath.Join(s.Root(), ".git", "index.lock")
	for _, c := range []struct {
		name, want string
		on, off    func()
	}{
		{"detached", "no branch is checked out", func() { runGit(t, s.Root(), env, "checkout", "-q", "--detach") }, func() { runGit(t, s.Root(), env, "checkout", "-q", "main") }},
		{"merge", "a merge isn't finished", func() { write(t, filepath.Join(s.Root(), ".git", "MERGE_HEAD"), "x") }, func() { os.Remove(filepath.Join(s.Root(), ".git", "MERGE_HEAD")) }},
		{"locked", "another git is running", func() { write(t, lock, "") }, func() { os.Remove(lock) }},
		{"unborn", "no commit yet", func() { runGit(t, s.Root(), env, "symbolic-ref", "HEAD", "refs/heads/none") }, func() { runGit(t, s.Root(), env, "symbolic-ref", "HEAD", "refs/heads/main") }},
		{"ignored", "git ignores", func() { write(t, filepath.Join(s.Root(), ".git", "info", "exclude"), ".vespe/\n") }, func() { os.Remove(filepath.Join(s.Root(), ".git", "info", "exclude")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.on()
			head := runGit(t, s.Root(), env, "rev-parse", "main")
			op := model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "during " + c.name, Objective: "o\n"}}
			a, err := s.Do(context.Background(), op)
			if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], c.want) {
				t.Fatalf("%v, warnings %q", err, a.Warnings)
			}
			op.Args = model.NewTask{Name: "again " + c.name, Objective: "o\n"}
			if a, err = s.Do(context.Background(), op); err != nil || len(a.Warnings) != 0 {
				t.Fatalf("told twice: %v, warnings %q", err, a.Warnings)
			}
			if now := runGit(t, s.Root(), env, "rev-parse", "main"); now != head {
				t.Fatal("the branch was moved")
			}
			c.off()
			create(t, s, "after "+c.name, "o\n")
			last := lastEntry(t, s)
			if got := seqs(t, s, env, "main"); !strings.HasSuffix(got, fmt.Sprintf("%d %d %d", last-2, last-1, last)) {
				t.Fatalf("caught up to %q of %d", got, last)
			}
			treeIsLog(t, s, env, "main")
			wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), "")
		})
	}
}
