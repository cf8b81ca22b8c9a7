package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func repo(t testing.TB) *Repo {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("git", "init", "-q", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	r, err := Find(context.Background(), append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Names whose order with and without a slash at their end differs.
var awkward = []string{"a", "a-b", "a.b", "a0", "ab", "a/x", "a-b/x", "a.b/x", "a0/x", "b/a", "b/a.c", "b/a-c/d", "B/x", "ä", "ä/x", "z"}

// What a Writer makes of files put, replaced and removed in any order is what git makes of
// the files that are left.
func TestAWritersTreesAreGits(t *testing.T) {
	r := repo(t)
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(1, 2))
	cat, err := r.Cat(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	files := map[string]string{}
	var tip OID
	for round := range 30 {
		w, err := r.NewWriter(ctx, cat, tip)
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + rnd.IntN(3) {
			for range 1 + rnd.IntN(6) {
				path := awkward[rnd.IntN(len(awkward))]
				if rnd.IntN(3) == 0 {
					if err := w.Remove(path); err != nil {
						t.Fatal(err)
					}
					drop(files, path)
					continue
				}
				body := fmt.Sprint(rnd.IntN(4))
				if err := w.Put(path, []byte(body)); err != nil {
					t.Fatal(err)
				}
				drop(files, path)
				for parent := path; strings.Contains(parent, "/"); {
					parent = parent[:strings.LastIndex(parent, "/")]
					delete(files, parent)
				}
				files[path] = body
			}
			if tip, err = w.Commit(Commit{Name: "a", Email: "b", At: time.Unix(1, 0), Message: "m\n"}, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Store(); err != nil {
			t.Fatal(err)
		}
		got, err := r.run.run(ctx, nil, nil, "ls-tree", "-r", "-z", "--name-only", string(tip))
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Split(strings.TrimSuffix(got, "\x00"), "\x00")
		if got == "" {
			names = nil
		}
		slices.Sort(names)
		want := make([]string, 0, len(files))
		for name := range files {
			want = append(want, name)
		}
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Fatalf("round %d: %q, want %q", round, names, want)
		}
		for name, body := range files {
			if o, err := cat.Get(string(tip)+":"+name, 100); err != nil || string(o.Body) != body {
				t.Fatalf("round %d: %s is %q, want %q: %v", round, name, o.Body, body, err)
			}
		}
	}
	if out, err := r.run.run(ctx, nil, nil, "fsck", "--strict", "--full"); err != nil {
		t.Fatal(err, out)
	}
}

// drop removes a file, or all below a directory.
func drop(files map[string]string, path string) {
	for name := range files {
		if name == path || strings.HasPrefix(name, path+"/") {
			delete(files, name)
		}
	}
}

func TestPathsThatGitRefuses(t *testing.T) {
	for _, path := range []string{"", "/a", "a/", "a//b", "a/./b", "../a", "a/.git/config", "a/.GIT", "a/.git./x", "a/git~1", "a/.g\u200cit", "a/.git ", "a/.git:x", "a\x00b", strings.Repeat("a", 5000)} {
		if CheckPath(path) == nil {
			t.Errorf("%q is taken", path)
		}
	}
	for _, path := range []string{"a", ".vespe/.gitignore", "a/.github/x", "a/git", "ä/b c", `a"b`} {
		if err := CheckPath(path); err != nil {
			t.Error(err)
		}
	}
}
