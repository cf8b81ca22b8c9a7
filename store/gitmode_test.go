package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/gitlog"
	"vespe/store/layout"
)

// A file that can be executed stays one, no matter who recorded it first.
func TestFilesStayExecutable(t *testing.T) {
	for _, c := range []struct{ mode, ref string }{{model.GitBranch, "main"}, {model.GitRef, gitlog.Ref}} {
		for _, start := range []bool{true, false} {
			t.Run(c.mode+map[bool]string{true: " from the start", false: " later"}[start], func(t *testing.T) {
				s, env := gitStore(t, model.GitOff, "sha1")
				uid := planned(t, s, "one")
				if !start {
					setMode(t, s, c.mode)
					create(t, s, "two", "o\n")
				}
				script := layout.Name + "/" + layout.TaskFile(uid, "result/run.sh")
				write(t, filepath.Join(s.Root(), script), "#!/bin/sh\n")
				must(t, os.Chmod(filepath.Join(s.Root(), script), 0o755))
				plain := layout.Name + "/" + layout.TaskFile(uid, "plan.md")
				if start {
					setMode(t, s, c.mode)
				}
				if c.mode == model.GitBranch {
					runGit(t, s.Root(), env, "add", layout.Name)
					runGit(t, s.Root(), env, "commit", "-q", "-m", "a result")
				}
				create(t, s, "three", "o\n")
				do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
				got := runGit(t, s.Root(), env, "ls-tree", "-r", c.ref, script, plain)
				if want := start || c.mode == model.GitBranch; want != strings.Contains(got, "100755 blob") {
					t.Errorf("the tree has\n%s", got)
				}
				if !strings.Contains(got, "100644 blob") {
					t.Errorf("the plan has the mode\n%s", got)
				}
				if c.mode == model.GitBranch {
					wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), "")
				}
			})
		}
	}
}

// Where the worktree cannot tell, a file keeps the mode that it was committed with.
func TestModesOfAWorktreeThatHasNone(t *testing.T) {
	s, env := gitStore(t, model.GitBranch, "sha1")
	uid := planned(t, s, "one")
	plan := layout.Name + "/" + layout.TaskFile(uid, "plan.md")
	runGit(t, s.Root(), env, "update-index", "--chmod=+x", plan)
	runGit(t, s.Root(), env, "config", "core.fileMode", "false")
	runGit(t, s.Root(), env, "commit", "-q", "-m", "executable")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
	if got := runGit(t, s.Root(), env, "ls-tree", "main", plan); !strings.HasPrefix(got, "100755 ") {
		t.Errorf("the plan has become %s", got)
	}
	wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), "")
}

func TestWhatIsOnlyMeantToBeAddedIsCommitted(t *testing.T) {
	s, env := gitStore(t, model.GitOff, "sha1")
	uid := create(t, s, "one", "o\n")
	runGit(t, s.Root(), env, "add", "-N", layout.Name)
	setMode(t, s, model.GitBranch)
	create(t, s, "two", "o\n")
	wantEqual(t, "staged", runGit(t, s.Root(), env, "diff", "--cached", "--name-status"), "")
	wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), "")
	runGit(t, s.Root(), env, "commit", "-q", "--allow-empty", "-m", "mine")
	runGit(t, s.Root(), env, "cat-file", "-e", "main:"+layout.Name+"/"+layout.TaskFile(uid, layout.StatusFile))
}

// A git that was killed leaves the lock of a reference, and every command would wait for it.
func TestALockThatWasLeftCostsLittle(t *testing.T) {
	for mode, lock := range map[string]string{model.GitBranch: "refs/heads/main.lock", model.GitRef: gitlog.Ref + ".lock"} {
		t.Run(mode, func(t *testing.T) {
			made, env := gitStore(t, mode, "sha1")
			with, runs := spyGit(t, env, t.TempDir())
			opt := gitOptions(with)
			opt.Rand = entropy(4)
			s := open(t, made.Root(), opt)
			create(t, s, "one", "o\n")
			lock := filepath.Join(s.Root(), ".git", lock)
			write(t, lock, "")
			before := len(runs())
			warnings := attempt(t, s, "two")
			if len(warnings) != 1 || !strings.Contains(warnings[0], "the lock file "+lock+" exists") || !strings.Contains(warnings[0], "remove the file") {
				t.Errorf("warnings: %q", warnings)
			}
			moves := 0
			for _, run := range runs()[before:] {
				if strings.Contains(run, " update-ref ") {
					moves++
					if !strings.Contains(run, "core.filesRefLockTimeout=100") {
						t.Errorf("git waits: %s", run)
					}
				}
			}
			if moves != 1 {
				t.Errorf("git was asked %d times to move the reference", moves)
			}
			must(t, os.Remove(lock))
			if w := s.RecordGit(t.Context()); len(w) > 0 {
				t.Error(w)
			}
			if got, want := seqs(t, s, env, map[string]string{model.GitBranch: "main", model.GitRef: gitlog.Ref}[mode]), "1 2"; !strings.HasSuffix(got, want) {
				t.Errorf("recorded %q", got)
			}
		})
	}
}

// A transaction of a process that has recorded before starts as few gits as it takes: to read, to store, and to move the
// reference. Each costs more than all else of a transaction.
func TestATransactionStartsFewGits(t *testing.T) {
	top, env := gitRepo(t, "sha1")
	real := mustGet(exec.LookPath("git"))(t)
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> '%s'\nexec '%s' \"$@\"\n", started, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	s := initIn(t, top, gitOptions(append(env, "PATH="+dir+":"+os.Getenv("PATH"))))
	setMode(t, s, model.GitRef)
	uid := planned(t, s, "one")
	must(t, os.Remove(started))
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
	if lines := strings.Split(strings.TrimSpace(read(t, started)), "\n"); len(lines) != 3 {
		t.Errorf("it started %d:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}
