package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// gitEnv is the environment of a person who has configured nothing.
func gitEnv(t testing.TB) []string {
	t.Helper()
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
	}
}

// gitRepo is a directory with an empty repository, and the environment to use it in.
func gitRepo(t testing.TB, format string) (dir string, env []string) {
	t.Helper()
	dir, env = fastDir(t), gitEnv(t)
	must(t, os.CopyFS(dir, os.DirFS(emptyRepo(t, env, format))))
	return dir, env
}

// emptyRepo is an empty repository, which is made once. No process follows each of its commits.
func emptyRepo(t testing.TB, env []string, format string) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	if dir, ok := templates.empty[format]; ok {
		return dir
	}
	dir, err := os.MkdirTemp(filepath.Dir(fastDir(t)), "vespe-template-")
	must(t, err)
	runGit(t, dir, env, "init", "-q", "-b", "main", "--object-format="+format)
	runGit(t, dir, env, "config", "maintenance.auto", "false")
	templates.empty[format] = dir
	return dir
}

// runGit runs the person's own git and returns what it prints.
func runGit(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		said := ""
		if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // straight from Output
			said = string(e.Stderr)
		}
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, said)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// gitOptions are those of a trusted store in an environment.
func gitOptions(env []string) Options {
	opt := testOptions()
	opt.Trusted, opt.AllowNested = true, true
	opt.Environ = func() []string { return env }
	return opt
}

func TestHeadsBytesAreKnownByTheirHash(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			top, env := gitRepo(t, format)
			s := initIn(t, filepath.Join(top, `a "b`, "c"), gitOptions(env))
			uid := planned(t, s, "one")
			plan, status := layout.TaskFile(uid, "plan.md"), layout.TaskFile(uid, "status.json")
			blobs := func(s *Store) map[string]string {
				t.Helper()
				found := mustGet(s.head().Hashes(context.Background(), []string{plan, status, "tasks/tsk-none/plan.md", "../../x", "log/000000000001.json"}))(t)
				return found
			}
			if found := blobs(s); len(found) != 0 {
				t.Fatalf("before the first commit: %v", found)
			}
			runGit(t, top, env, "add", "-A")
			runGit(t, top, env, "commit", "-q", "-m", "all")
			want := model.HashBytes([]byte(read(t, vespe(s, plan))))
			write(t, vespe(s, plan), "edited\n")
			found := blobs(s)
			if len(found) != 2 || found[plan] != want {
				t.Fatalf("found %v, want %s for the plan", found, want)
			}
			opt := gitOptions(env)
			opt.Trusted = false
			if found := blobs(open(t, s.Root(), opt)); len(found) != 0 {
				t.Fatalf("git was asked for a store that is not trusted: %v", found)
			}
		})
	}
}

func TestNoRepositoryHasNoBytes(t *testing.T) {
	s := initIn(t, fastDir(t), gitOptions(gitEnv(t)))
	found, err := s.head().Hashes(context.Background(), []string{"config.json"})
	if err != nil || len(found) != 0 {
		t.Fatal(found, err)
	}
}
