package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fix is a repository of a person, with the state directory beside it.
type fix struct {
	t     testing.TB
	top   string // the person's checkout
	state string
	env   []string
	*Repo
}

const storeID = "store-1"

// templates is the directory of all templates.
var templates = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "worktree-templates-") })

func templateDir() (string, error) {
	all, err := templates()
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(all, "")
}

// template has the repository that all begin with.
var template = sync.OnceValues(func() (string, error) {
	above, err := templateDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(above, "repo")
	write := func(name, body string) {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), 0o644))
	}
	write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n")
	write("b.txt", "b\n")
	write("dir/c.txt", "c\n")
	write(".gitignore", "*.log\n/.env.local\n/cache/\n")
	write(".vespe/config.json", "{}\n")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Ann"},
		{"config", "user.email", "ann@example.org"},
		{"config", "maintenance.auto", "false"}, // a process after each commit
		{"add", "-A"},
		{"commit", "-q", "-m", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, gitEnv()
		out, e := cmd.CombinedOutput()
		if e != nil {
			err = errors.Join(err, e, errors.New(string(out)))
		}
	}
	return above, err
})

func TestMain(m *testing.M) {
	if mode := os.Getenv("WORKTREE_TEST"); mode != "" {
		os.Exit(helpers[mode]())
	}
	code := m.Run()
	if dir, err := templates(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// helpers are what this program does for a test in a process of its own.
var helpers = map[string]func() int{}

func gitEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
}

func newFix(t testing.TB) *fix {
	t.Helper()
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	return copied(t, from)
}

// copied is a fix of its own with what a template has, in a place whose name is a pattern.
func copied(t testing.TB, from string) *fix {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a[b] c")
	f := &fix{t: t, top: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state"), env: gitEnv()}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	return f
}

// reopen is what the next process does.
func (f *fix) reopen() {
	f.t.Helper()
	r, err := Open(context.Background(), f.top, f.state, storeID, f.env)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Repo = r
}

// git runs git in the person's checkout.
func (f *fix) git(args ...string) string {
	f.t.Helper()
	return f.gitIn(f.top, args...)
}

func (f *fix) gitIn(dir string, args ...string) string {
	f.t.Helper()
	out, err := f.tryGit(dir, args...)
	if err != nil {
		f.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (f *fix) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, f.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func (f *fix) write(dir, name, body string) {
	f.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fix) commitFile(name, body string) string {
	f.t.Helper()
	f.write(f.top, name, body)
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "person: "+name)
	return f.at("HEAD")
}

// at is the commit that a name stands for.
func (f *fix) at(name string) string {
	f.t.Helper()
	oid, err := f.mustCommit(context.Background(), name)
	if err != nil {
		f.t.Fatal(err)
	}
	return oid
}

// show is a file of a commit; "" when it has none.
func (f *fix) show(commit, name string) string {
	out, err := f.tryGit(f.top, "show", commit+":"+name)
	if err != nil {
		return ""
	}
	return out
}

func (f *fix) add(run string) *Tree {
	f.t.Helper()
	tree, err := f.Add(context.Background(), run, "task-"+run, "")
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(tree.Close)
	return tree
}

func (f *fix) snapshot(t *Tree) Result {
	f.t.Helper()
	res, err := f.Snapshot(context.Background(), t, Message{Subject: "Work of " + t.Run})
	if err != nil {
		f.t.Fatal(err)
	}
	return res
}

// work is a run that writes files and is kept.
func (f *fix) work(run string, files ...string) Result {
	f.t.Helper()
	tree := f.add(run)
	for i := 0; i+1 < len(files); i += 2 {
		f.write(tree.Path, files[i], files[i+1])
	}
	res := f.snapshot(tree)
	if kept, err := f.Remove(context.Background(), tree); err != nil || kept != "" {
		f.t.Fatal(kept, err)
	}
	return res
}

func (f *fix) integration(run string) Integration {
	return Integration{Run: run, Message: Message{Subject: "Work of " + run, Task: "task-" + run}}
}

func (f *fix) integrate(run string) Integrated {
	f.t.Helper()
	done, err := f.Integrate(context.Background(), f.integration(run), func(context.Context, string, string) error { return nil })
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

// paths are the files of a result with what became of each, as git tells it.
func (f *fix) paths(res Result) string {
	f.t.Helper()
	if len(res.Files) == 0 {
		return ""
	}
	fields := split(f.git("diff-tree", "-r", "-M", "--name-status", "-z", res.Base, res.Commit))
	var all []string
	for k := 0; len(fields) > 1; k++ {
		name := fields[0][:1] + " " + fields[1]
		if fields[0][0] == 'R' {
			name = "R " + fields[2] + " from " + fields[1]
			fields = fields[1:]
		}
		if k >= len(res.Files) || res.Files[k].Path != fields[1] {
			f.t.Errorf("%s is not number %d of %+v", fields[1], k, res.Files)
		}
		all, fields = append(all, name), fields[2:]
	}
	if len(all) != len(res.Files) {
		f.t.Errorf("%v, but %+v", all, res.Files)
	}
	return strings.Join(all, ", ")
}

func (f *fix) status() string { return f.git("status", "--porcelain") }
