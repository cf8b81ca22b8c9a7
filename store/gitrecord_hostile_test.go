package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/gitlog"
	"vespe/store/layout"
)

// traps are what a repository can have git run. Each leaves a file when it is.
func traps(t *testing.T, s *Store, env []string) (sprung func() []string) {
	t.Helper()
	marks := t.TempDir()
	trap := filepath.Join(t.TempDir(), "trap")
	write(t, trap, "#!/bin/sh\ntouch "+marks+"/$(basename \"$0\")-$$\nexit 1\n")
	for _, name := range []string{
		"reference-transaction", "post-index-change", "pre-commit", "post-commit", "post-update", "pre-auto-gc", "post-rewrite",
		"commit-msg", "prepare-commit-msg", "fsmonitor-watchman", "post-checkout", "update", "pre-push",
	} {
		hook := filepath.Join(s.Root(), ".git", "hooks", name)
		write(t, hook, read(t, trap))
		must(t, os.Chmod(hook, 0o755))
	}
	must(t, os.Chmod(trap, 0o755))
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy", "core.alternateRefsCommand",
		"filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "diff.external", "diff.trap.command", "diff.trap.textconv", "gpg.program",
		"credential.helper", "uploadpack.packObjectsHook", "pager.log", "alias.log", "alias.cat-file", "trailer.vespe-seq.cmd", "sequence.editor",
	} {
		runGit(t, s.Root(), env, "config", key, trap)
	}
	for key, value := range map[string]string{"commit.gpgSign": "true", "log.showSignature": "true", "gc.auto": "1", "maintenance.auto": "true", "gc.autoDetach": "false", "core.hooksPath": ".git/hooks", "filter.trap.required": "true", "core.untrackedCache": "true"} {
		runGit(t, s.Root(), env, "config", key, value)
	}
	write(t, filepath.Join(s.Root(), ".git", "info", "attributes"), "* filter=trap diff=trap\n")
	return func() []string {
		es := mustGet(os.ReadDir(marks))(t)
		var names []string
		for _, e := range es {
			names = append(names, e.Name())
		}
		return names
	}
}

func TestNothingThatARepositoryNamesIsRun(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, env := gitStore(t, mode, "sha1")
			sprung := traps(t, s, env)
			uid := planned(t, s, "one")
			for range 2 {
				do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: fmt.Sprint("n", time.Now().UnixNano())}})
			}
			mustGet(s.head().Hashes(context.Background(), []string{layout.TaskFile(uid, layout.StatusFile)}))(t)
			if got := sprung(); len(got) > 0 {
				t.Fatalf("the repository had these run: %v", got)
			}
			// The traps would have closed on the person's own git.
			cmd := exec.Command("git", "commit", "--allow-empty", "-m", "x")
			cmd.Dir, cmd.Env = s.Root(), env
			_ = cmd.Run() // a trap fails it
			if len(sprung()) == 0 {
				t.Fatal("no trap works")
			}
		})
	}
}

// spyGit is a git first on the PATH that notes each run of it.
func spyGit(t *testing.T, env []string, dir string) (with []string, runs func() []string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "runs")
	spy := filepath.Join(dir, "git")
	write(t, spy, "#!/bin/sh\necho \"$*\" >> "+list+"\nexec "+real+" \"$@\"\n")
	must(t, os.Chmod(spy, 0o755))
	with = slices.Clone(env)
	for i, kv := range with {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			with[i] = "PATH=" + dir + ":" + path
		}
	}
	return with, func() []string {
		b, err := os.ReadFile(list)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
	}
}

func TestAnUntrustedStoreRunsNothing(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			made, env := gitStore(t, mode, "sha1")
			with, runs := spyGit(t, env, t.TempDir())
			trusted := false
			opt := gitOptions(with)
			opt.Rand, opt.Trusted = entropy(4), false
			opt.Trust = func(root, id string) bool { return trusted && root == made.Root() && id == made.ID() }
			s := open(t, made.Root(), opt)
			load(t, s)
			for i := range 3 {
				a := mustGet(s.Do(context.Background(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i), Objective: "o\n"}}))(t)
				if want := i == 0; want != (len(a.Warnings) == 1) {
					t.Errorf("transaction %d has the warnings %q", i, a.Warnings)
				}
			}
			mustGet(s.head().Hashes(context.Background(), []string{"config.json"}))(t)
			if w := s.RecordGit(context.Background()); len(w) > 0 {
				t.Error(w)
			}
			healthy(t, s)
			if got := runs(); len(got) > 0 {
				t.Fatalf("git was run: %q", got)
			}
			// Trust counts from the moment on that it is given.
			trusted = true
			create(t, s, "trusted", "o\n")
			if got := runs(); len(got) == 0 {
				t.Fatal("git was not run when it was trusted")
			}
		})
	}
}

func TestGitIsNeverThatOfTheRepository(t *testing.T) {
	for _, where := range []string{"bin", "../node_modules/.bin"} { // in the store's directory, and in the repository around it
		top, env := gitRepo(t, "sha1")
		runGit(t, top, env, "commit", "-q", "--allow-empty", "-m", "code")
		made := initIn(t, filepath.Join(top, "sub"), gitOptions(env))
		setMode(t, made, model.GitRef)
		inside := filepath.Join(made.Root(), where)
		with, runs := spyGit(t, env, inside)
		link := filepath.Join(t.TempDir(), "bin")
		must(t, os.MkdirAll(link, 0o755))
		must(t, os.Symlink(filepath.Join(inside, "git"), filepath.Join(link, "git")))
		for i, kv := range with {
			if path, ok := strings.CutPrefix(kv, "PATH="); ok {
				with[i] = "PATH=.:bin:" + link + ":" + path
			}
		}
		opt := gitOptions(with)
		opt.Rand = entropy(4)
		s := open(t, made.Root(), opt)
		create(t, s, "one", "o\n")
		if got := runs(); len(got) > 0 {
			t.Errorf("the git in %s was run: %q", where, got)
		}
		wantEqual(t, "recorded", seqs(t, s, env, gitlog.Ref), "0 1")
	}
}

func TestTheEnvironmentOfAnotherGitIsNotFollowed(t *testing.T) {
	made, env := gitStore(t, model.GitBranch, "sha1")
	other, _ := gitRepo(t, "sha1")
	opt := gitOptions(append(slices.Clone(env), "GIT_DIR="+other+"/.git", "GIT_WORK_TREE="+other, "GIT_INDEX_FILE="+other+"/index",
		"GIT_OBJECT_DIRECTORY="+other+"/.git/objects", "GIT_CONFIG_PARAMETERS='core.bare=true'", "GIT_EXEC_PATH=/none", "GIT_TRACE="+other+"/trace"))
	opt.Rand = entropy(4)
	s := open(t, made.Root(), opt)
	create(t, s, "one", "o\n")
	wantEqual(t, "recorded", seqs(t, s, env, "main"), "1")
	treeIsLog(t, s, env, "main")
	if es, err := os.ReadDir(other); err != nil || len(es) != 1 {
		t.Errorf("the other repository has %v: %v", es, err)
	}
}

func TestAGitThatHangsIsNotWaitedFor(t *testing.T) {
	made, env := gitStore(t, model.GitRef, "sha1")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "git"), "#!/bin/sh\nexec sleep 600\n")
	must(t, os.Chmod(filepath.Join(dir, "git"), 0o755))
	opt := gitOptions([]string{"PATH=" + dir + ":" + os.Getenv("PATH")})
	opt.Rand, opt.Trusted = entropy(4), false // not while the entry is made
	s := open(t, made.Root(), opt)
	mustGet(s.Do(context.Background(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "one", Objective: "o\n"}}))(t)
	s.opt.Trusted, s.git.Limit = true, 50*time.Millisecond
	if w := s.RecordGit(context.Background()); len(w) != 1 || !strings.Contains(w[0], "too long") {
		t.Fatal(w)
	}
	create(t, made, "two", "o\n")
	if got := seqs(t, made, env, gitlog.Ref); got != "2" && got != "1 2" {
		t.Errorf("later %q is recorded", got)
	}
}
