package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/gitlog"
)

func TestWhereTheStoreLies(t *testing.T) {
	t.Run("in a directory with a strange name", func(t *testing.T) {
		top, env := gitRepo(t, "sha1")
		write(t, filepath.Join(top, "code.txt"), "code\n")
		runGit(t, top, env, "add", "code.txt")
		runGit(t, top, env, "commit", "-q", "-m", "code")
		s := initIn(t, filepath.Join(top, "a \"b *^", "ü"), gitOptions(env))
		for _, mode := range []string{model.GitRef, model.GitBranch} {
			setMode(t, s, mode)
			planned(t, s, mode)
		}
		wantEqual(t, "the status", runGit(t, top, env, "status", "--porcelain"), "")
		want := "a \"b *^/ü/.vespe/config.json"
		for _, ref := range []string{gitlog.Ref, "main"} {
			if got := runGit(t, top, env, "ls-tree", "-r", "-z", "--name-only", ref); !strings.Contains("\x00"+got, "\x00"+want+"\x00") {
				t.Errorf("%s has %q", ref, got)
			}
		}
		runGit(t, top, env, "fsck", "--strict")
	})
	t.Run("in a linked worktree", func(t *testing.T) {
		top, env := gitRepo(t, "sha1")
		runGit(t, top, env, "commit", "-q", "--allow-empty", "-m", "x")
		linked := filepath.Join(fastDir(t), "linked")
		runGit(t, top, env, "worktree", "add", "-q", "-b", "side", linked)
		s := initIn(t, linked, gitOptions(env))
		setMode(t, s, model.GitBranch)
		planned(t, s, "one")
		treeIsLog(t, s, env, "side")
		wantEqual(t, "the status", runGit(t, linked, env, "status", "--porcelain"), "")
		wantEqual(t, "the other worktree's branch", runGit(t, top, env, "ls-tree", "-r", "--name-only", "main"), "")
	})
	t.Run("in a submodule", func(t *testing.T) {
		sub, env := gitRepo(t, "sha1")
		runGit(t, sub, env, "commit", "-q", "--allow-empty", "-m", "x")
		top, _ := gitRepo(t, "sha1")
		runGit(t, top, env, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "sub")
		runGit(t, top, env, "commit", "-q", "-m", "sub")
		s := initIn(t, filepath.Join(top, "sub"), gitOptions(env))
		setMode(t, s, model.GitBranch)
		planned(t, s, "one")
		treeIsLog(t, s, env, "main")
		wantEqual(t, "the outer repository", runGit(t, top, env, "log", "--format=%s"), "sub")
	})
}

// Where git has no worktree for the store, that is a warning.
func TestWhereNothingCanBeRecorded(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) (string, []string){
		"in no repository": func(t *testing.T) (string, []string) { return fastDir(t), gitEnv(t) },
		"in a bare repository": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			runGit(t, top, env, "config", "core.bare", "true")
			return top, env
		},
		"where there is a line break": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			return filepath.Join(top, "a\nb"), env
		},
		"in a git directory": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			return filepath.Join(top, ".git", "x"), env
		},
		"where the worktree is elsewhere": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			runGit(t, top, env, "config", "core.worktree", t.TempDir())
			return top, env
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := make(t)
			s := initIn(t, dir, gitOptions(env))
			setMode(t, s, model.GitBranch)
			if w := attempt(t, s, "one"); len(w) != 1 || !strings.Contains(w[0], "git repository") {
				t.Errorf("warnings %q", w)
			}
		})
	}
}

func TestAStoreThatIsMovedWithinItsRepository(t *testing.T) {
	top, env := gitRepo(t, "sha1")
	s := initIn(t, filepath.Join(top, "before"), gitOptions(env))
	setMode(t, s, model.GitRef)
	planned(t, s, "one")
	must(t, s.Close())
	must(t, os.Rename(filepath.Join(top, "before"), filepath.Join(top, "after")))
	opt := gitOptions(env)
	opt.Rand = entropy(6)
	s = open(t, filepath.Join(top, "after"), opt)
	planned(t, s, "two")
	wantEqual(t, "recorded", seqs(t, s, env, gitlog.Ref), "0 1 2 3 4")
	files := runGit(t, top, env, "ls-tree", "-r", "--name-only", gitlog.Ref)
	if strings.Contains(files, "before/") || strings.Count(files, "after/.vespe/tasks/") < 6 {
		t.Errorf("it holds\n%s", files)
	}
	runGit(t, top, env, "fsck", "--strict")
}
