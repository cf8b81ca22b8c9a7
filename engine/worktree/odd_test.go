package worktree

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/store/git"
)

// Repositories that are set up in ways of their own.
func TestOddRepositories(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(f *fix){
		"an empty tree": func(f *fix) {
			f.git("rm", "-q", "-r", ".")
			f.git("commit", "-q", "-m", "empty")
		},
		"a sparse checkout": func(f *fix) {
			f.git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/", "!/b.txt")
		},
		"a split index": func(f *fix) {
			f.git("config", "core.splitIndex", "true")
			f.git("update-index", "--split-index")
		},
		"an untracked cache": func(f *fix) { f.git("config", "feature.manyFiles", "true") },
		"signed commits": func(f *fix) {
			f.git("config", "commit.gpgSign", "true")
			f.git("config", "gpg.program", "/no/such/program")
			f.git("config", "log.showSignature", "true")
		},
		"settings of each worktree": func(f *fix) { f.git("config", "extensions.worktreeConfig", "true") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFix(t)
			prepare(f)
			if warnings, err := f.Preflight(t.Context()); err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			tree := f.add("run.1")
			f.write(tree.Path, "one.txt", "1\n")
			if got := f.paths(f.snapshot(tree)); got != "A one.txt" {
				t.Errorf("%s", got)
			}
			if kept, err := f.Remove(t.Context(), tree); kept != "" || err != nil {
				t.Error(kept, err)
			}
			if err := f.FastForward(t.Context(), f.integrate("run.1").Commit); err != nil {
				t.Fatal(err)
			}
			if f.show("main", "one.txt") != "1" || f.status() != "" {
				t.Errorf("%s", f.status())
			}
			f.nothingLeft()
		})
	}
}

// Whatever names a program in the settings of a repository is seen.
func TestProgramsInSettings(t *testing.T) {
	t.Parallel()
	f, ctx := newFix(t), t.Context()
	none, err := f.programs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f.write(f.state, "more", "[FILTER \"x\"]\n\tclean = cat\n")
	for name, text := range map[string]string{
		"filter":  "[filter \"x\"]\n\tclean = cat\n",
		"driver":  "[merge \"x\"]\n\tdriver = cat\n",
		"include": "[Include]\n\tpath = " + f.state + "/more\n",
		"only if": "[includeIf \"gitdir:**\"]\n\tpath = " + f.state + "/more\n",
	} {
		at := filepath.Join(f.common, "config")
		was, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		f.write(f.common, "config", string(was)+text)
		if now, err := f.programs(ctx); err != nil || now == none {
			t.Errorf("%s is not seen: %v", name, err)
		}
		f.write(f.common, "config", string(was))
	}
}

func TestBranchesThatGitCannotHave(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.git("branch", "vespe")
	for branch, says := range map[string]string{DefaultBranch: "The branch vespe exists", "a..b": "not a branch name", "-x ": "not a branch name", "": "not a branch name"} {
		f.Branch = branch
		var refused *Refused
		if _, err := f.Preflight(t.Context()); !errors.As(err, &refused) || !strings.Contains(refused.Why, says) {
			t.Errorf("%q: %v", branch, err)
		}
	}
}

// What lies where a worktree was is removed only as far as it is the worktree.
func TestALinkInTheWorktreesPlace(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	tree := f.add("run-1")
	check, err := f.Checkout(t.Context(), "run-1", tree.Base)
	if err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(t.TempDir(), "victim")
	f.write(victim, "precious.txt", "p")
	for _, tr := range []*Tree{check, tree} {
		b, err := os.ReadFile(filepath.Join(tr.Path, ".git"))
		if err = errors.Join(err, os.RemoveAll(tr.Path), os.Symlink(victim, tr.Path)); err != nil {
			t.Fatal(err)
		}
		f.write(victim, ".git", string(b))
		kept, err := f.Remove(t.Context(), tr)
		if err != nil || (kept == "") != (tr == check) || kept != "" && !strings.Contains(kept, "is not a directory") {
			t.Errorf("%q %v", kept, err)
		}
		if !exists(filepath.Join(victim, "precious.txt")) {
			t.Fatal("what the link leads to was removed")
		}
	}
}

// A cache of packages is read-only, directories too.
func TestReadOnlyDirectoriesGo(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	tree := f.add("run-1")
	f.write(tree.Path, "cache/pkg/mod/x.go", "x")
	for _, dir := range []string{"cache/pkg/mod", "cache/pkg"} {
		if err := os.Chmod(filepath.Join(tree.Path, dir), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := f.Remove(t.Context(), tree); kept != "" || err != nil {
		t.Fatal(kept, err)
	}
	f.nothingLeft()
}

// The settings of a submodule are the worker's: they do not have us run a program.
func TestASubmodulesSettings(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.submodule()
	tree := f.add("run-1")
	f.gitIn(tree.Path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	sub, ran := filepath.Join(tree.Path, "lib"), filepath.Join(t.TempDir(), "ran")
	f.gitIn(sub, "config", "filter.x.clean", "touch "+ran+"; cat")
	f.write(sub, ".gitattributes", "* filter=x\n")
	f.write(sub, "lib.txt", "bil\n") // as long as it was: git has to look into it
	f.snapshot(tree)
	if kept, err := f.Remove(t.Context(), tree); err != nil || !strings.Contains(kept, "lib") {
		t.Errorf("%q %v", kept, err)
	}
	if exists(ran) {
		t.Error("a program was run")
	}
}

// Locks that a git left which was killed with the machine.
func TestLocksOfTheDead(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	for _, name := range []string{"base", "result"} {
		f.write(f.top, ".git/refs/vespe/run-1/"+name+".lock", "")
	}
	tree := f.add("run-1")
	f.write(tree.Path, "one.txt", "1\n")
	f.write(filepath.Join(f.home, known), "run-1.next.lock", "")
	if res := f.snapshot(tree); f.at(runRef("run-1", "result")) != res.Commit {
		t.Error("the result is not kept")
	}
	f.write(filepath.Join(f.home, known), "run-1.next.lock", "")
	if kept, err := f.Remove(t.Context(), tree); kept != "" || err != nil {
		t.Error(kept, err)
	}
	f.nothingLeft()
	f.write(f.top, ".git/refs/heads/"+DefaultBranch+".lock", "")
	var refused *Refused
	if _, err := f.Integrate(t.Context(), f.integration("run-1"), nil); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "integration.lock") {
		t.Errorf("%v", err)
	}
}

// told says when something is written to it.
type told chan struct{}

func (t told) Write(p []byte) (int, error) {
	select {
	case t <- struct{}{}:
	default:
	}
	return len(p), nil
}

// A git that outlives us holds the lock until it ends.
func TestAGitThatOutlivesUsHoldsTheLock(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	path := filepath.Join(f.home, "lock")
	lock, err := flock(path)
	if err != nil {
		t.Fatal(err)
	}
	in, tell := io.Pipe()
	runs, ended := make(told, 1), make(chan error)
	go func() {
		_, err := f.call(holding(t.Context(), lock), git.Call{Args: []string{"cat-file", "--batch-check"}, In: in, Out: runs})
		ended <- err
	}()
	if _, err := io.WriteString(tell, "HEAD\n"); err != nil {
		t.Fatal(err)
	}
	<-runs
	if err := lock.Close(); err != nil { // as the system does for one who is killed
		t.Fatal(err)
	}
	if !held(path) {
		t.Error("the lock was given back while git runs")
	}
	if err := errors.Join(tell.Close(), <-ended); err != nil {
		t.Fatal(err)
	}
	last, err := own(t.Context(), path)
	if err != nil {
		t.Fatalf("after git has ended: %v", err)
	}
	release(last)
}
