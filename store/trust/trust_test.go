package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func registry(t *testing.T, env map[string]string) *Registry {
	t.Helper()
	return Open(func(key string) string { return env[key] })
}

func TestTrustIsOfARootAndAnID(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	r := registry(t, map[string]string{"HOME": home})
	if r.Trusted(root, "one") {
		t.Fatal("trusted before it was added")
	}
	if err := r.Add(Store{Root: root, ID: "one", At: time.Unix(1, 0), How: "init"}); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root, id string
		want     bool
	}{{root, "one", true}, {link, "one", true}, {root, "two", false}, {root, "", false}, {t.TempDir(), "one", false}, {root + "/none", "one", false}} {
		if got := r.Trusted(c.root, c.id); got != c.want {
			t.Errorf("%s %q: trusted %v", c.root, c.id, got)
		}
	}
	in, err := os.Stat(r.Path())
	if err != nil || in.Mode().Perm() != 0o600 {
		t.Fatal(in.Mode(), err)
	}
	// What takes the place of a store takes nothing of its trust.
	if err := r.Add(Store{Root: link, ID: "two"}); err != nil {
		t.Fatal(err)
	}
	if r.Trusted(root, "one") || !r.Trusted(root, "two") {
		t.Fatal("both ids are trusted, or neither")
	}
	if was, err := r.Remove(root); !was || err != nil || r.Trusted(root, "two") {
		t.Fatal("trusted after it was removed", was, err)
	}
	if was, err := r.Remove(root); was || err != nil {
		t.Fatal("removed twice", err)
	}
}

func TestARemovedDirectoryCanBeForgotten(t *testing.T) {
	home, root := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	r := registry(t, map[string]string{"HOME": home})
	if err := r.Add(Store{Root: root, ID: "one"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	if was, err := r.Remove(root); !was || err != nil {
		t.Fatal(was, err)
	}
}

func TestWithoutAPlaceNothingIsTrusted(t *testing.T) {
	root := t.TempDir()
	for name, env := range map[string]map[string]string{
		"no home":          {},
		"a relative home":  {"HOME": "home", "XDG_STATE_HOME": "state"},
		"inside the store": {"XDG_STATE_HOME": filepath.Join(root, "state")},
	} {
		r := registry(t, env)
		if err := r.Add(Store{Root: root, ID: "one"}); err == nil {
			t.Errorf("%s: remembered in %q", name, r.Path())
		}
		if r.Trusted(root, "one") {
			t.Errorf("%s: trusted", name)
		}
	}
	// One that came with the store is not believed, not even behind a link.
	inside := filepath.Join(root, "inside")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "state")
	if err := os.Symlink(inside, outside); err != nil {
		t.Fatal(err)
	}
	planted := registry(t, map[string]string{"XDG_STATE_HOME": outside})
	if err := os.MkdirAll(filepath.Dir(planted.Path()), 0o755); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"format":1,"stores":[{"root":%q,"store_id":"one","trusted_at":"2026-01-01T00:00:00Z","how":"trust"}]}`, root)
	if err := os.WriteFile(planted.Path(), []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	if planted.Trusted(root, "one") {
		t.Error("a list inside the store was believed")
	}
}

func TestAListThatOthersCanWriteIsNotBelieved(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	r := registry(t, map[string]string{"XDG_STATE_HOME": home})
	if err := r.Add(Store{Root: root, ID: "one"}); err != nil {
		t.Fatal(err)
	}
	spoil := map[string]func() error{
		"writable by others": func() error { return os.Chmod(r.Path(), 0o622) },
		"not JSON":           func() error { return os.WriteFile(r.Path(), []byte("{"), 0o600) },
		"newer":              func() error { return os.WriteFile(r.Path(), []byte(`{"format":2,"stores":[]}`), 0o600) },
		"a link": func() error {
			moved := r.Path() + ".moved"
			if err := os.Rename(r.Path(), moved); err != nil {
				return err
			}
			return os.Symlink(moved, r.Path())
		},
	}
	good, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range spoil {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if r.Trusted(root, "one") {
			t.Errorf("%s: believed", name)
		}
		if err := r.Add(Store{Root: root, ID: "two"}); err == nil {
			t.Errorf("%s: written over", name)
		}
		if err := os.Remove(r.Path()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.Path(), good, 0o600); err != nil {
			t.Fatal(err)
		}
		if !r.Trusted(root, "one") {
			t.Fatalf("%s: the list is not as it was", name)
		}
	}
}

func TestNobodysTrustIsLost(t *testing.T) {
	home := t.TempDir()
	roots := make([]string, 16)
	var wg sync.WaitGroup
	for i := range roots {
		roots[i] = t.TempDir()
		wg.Go(func() {
			if err := registry(t, map[string]string{"HOME": home}).Add(Store{Root: roots[i], ID: "one"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := registry(t, map[string]string{"HOME": home}).List()
	if err != nil || len(list) != len(roots) {
		t.Fatalf("%d of %d are remembered: %v", len(list), len(roots), err)
	}
}

// A list that was cut short, or in which something is written otherwise, trusts nothing that it did not trust whole.
func TestADamagedListTrustsNoMore(t *testing.T) {
	home, root, other := t.TempDir(), t.TempDir(), t.TempDir()
	r := registry(t, map[string]string{"HOME": home})
	whole := Store{Root: root, ID: "one", At: time.Unix(1, 0), How: "trust", ScoreCommand: []string{"score"}, Worker: Worker{Argv: []string{"agent"}, Integrate: "verified"}}
	if err := r.Add(whole); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	body, files := string(b), []string{"", "[]", "null", `{"format": 2, "stores": []}`, strings.Replace(string(b), `"stores"`, `"Stores"`, 1)}
	for n := range body {
		files = append(files, body[:n])
		for _, c := range []string{"", "x", `"`, "*", "/", "{"} {
			files = append(files, body[:n]+c+body[n+1:])
		}
	}
	for _, file := range files {
		if err := os.WriteFile(r.Path(), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		w := r.Worker(root, "one")
		switch {
		case r.Trusted(other, "one"), r.Trusted(root, "two"), r.MayRun(root, "one", []string{"other"}), r.Trusted(filepath.Dir(root), "one"),
			len(w.Argv) > 0 && w.Argv[0] == "other", len(w.Setup) > 0, w.Untested != "", w.Branch != "", w.Target != "":
			t.Errorf("it trusts more:\n%s", file)
		}
	}
}
