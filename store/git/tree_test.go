package git

import (
	"bytes"
	"context"
	"encoding/hex"
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
		w.Whole = round%2 == 0
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

// apply is what a delta makes of its base, by git's own documentation of packs.
func apply(t *testing.T, base, delta []byte) []byte {
	t.Helper()
	size := func() (n int) {
		for shift := 0; ; shift += 7 {
			b := delta[0]
			delta = delta[1:]
			n |= int(b&0x7f) << shift
			if b < 0x80 {
				return n
			}
		}
	}
	if n := size(); n != len(base) {
		t.Fatalf("it is of a base of %d bytes, not %d", n, len(base))
	}
	want := size()
	var out []byte
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op < 0x80 {
			out = append(out, delta[:op]...)
			delta = delta[op:]
			continue
		}
		var v [7]int
		for i := range v {
			if op>>i&1 == 1 {
				v[i] = int(delta[0])
				delta = delta[1:]
			}
		}
		from, n := v[0]|v[1]<<8|v[2]<<16|v[3]<<24, v[4]|v[5]<<8|v[6]<<16
		out = append(out, base[from:from+n]...)
	}
	if len(out) != want {
		t.Fatalf("%d bytes, and %d were announced", len(out), want)
	}
	return out
}

func TestADeltaGivesTheTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	random := func(n int) *tree {
		var tr tree
		for range n {
			raw := make([]byte, 20)
			for i := range raw {
				raw[i] = byte(rnd.IntN(256))
			}
			mode := uint32(modeFile)
			if rnd.IntN(2) == 0 {
				mode = modeTree
			}
			tr.set(treeEntry{mode, strings.Repeat("n", 1+rnd.IntN(200)) + fmt.Sprint(rnd.IntN(2*n)), string(raw)})
		}
		return &tr
	}
	for i := range 200 {
		was := random(1 + rnd.IntN(300))
		now := &tree{entries: slices.Clone(was.entries)}
		for _, e := range random(rnd.IntN(20)).entries {
			now.set(e)
		}
		for range rnd.IntN(10) {
			if len(now.entries) > 0 {
				now.drop(now.entries[rnd.IntN(len(now.entries))].name)
			}
		}
		want := encodeTree(now.entries)
		if got := apply(t, encodeTree(was.entries), treeDelta(was.entries, now.entries, len(want))); !bytes.Equal(got, want) {
			t.Fatalf("round %d: another tree", i)
		}
	}
	// Copies longer than one instruction can say.
	d := delta{}
	d.copy(0x01020304, maxCopy+0x10000)
	out := d.end()
	if want := "ff04030201ffffff" + "f4" + "02" + "01" + "00"; hex.EncodeToString(out[:8]) != want[:16] {
		t.Errorf("%x", out)
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
