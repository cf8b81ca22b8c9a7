package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model/snapshot"
	"vespe/store/layout"
)

// coldStore is a store of n tasks as if vespe never wrote to it.
func coldStore(t testing.TB, n int) string {
	t.Helper()
	s := newStore(t)
	for i := range n {
		create(t, s, string(rune('a'+i%26)), "Text.\n")
	}
	root := s.Root()
	must(t, s.Close())
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"log", "cache", "store.json"} {
		must(t, os.RemoveAll(filepath.Join(root, layout.Name, name)))
	}
	must(t, filepath.WalkDir(filepath.Join(root, layout.Name), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
	return root
}

// readCold is what a new process reads, and how many files of tasks it reads.
func readCold(t testing.TB, root, cache string) (*snapshot.Snapshot, int64) {
	t.Helper()
	return readColdWhile(t, root, cache, func(string) {})
}

// readColdWhile is readCold with something that happens after each file of a task that is read.
func readColdWhile(t testing.TB, root, cache string, after func(name string)) (*snapshot.Snapshot, int64) {
	t.Helper()
	var reads atomic.Int64
	isRead := func(call, name string) bool { return call == callRead && strings.HasPrefix(name, layout.TasksDir+"/") }
	f := &hookFS{deep: true, before: func(call, name string) error {
		if isRead(call, name) {
			reads.Add(1)
		}
		return nil
	}, after: func(call, name string) {
		if isRead(call, name) {
			after(name)
		}
	}}
	s := open(t, root, Options{CacheDir: cache, ReadOnly: true, FS: f.system})
	s.checkpoints.Least = 1
	snap := load(t, s)
	must(t, s.Close())
	return snap, reads.Load()
}

// A read-only store without a checkpoint is read completely once. After that, only what looks changed is read.
func TestColdReads(t *testing.T) {
	const n = 40
	root, cache := coldStore(t, n), t.TempDir()
	plain, all := readCold(t, root, "")
	first, reads := readCold(t, root, cache)
	if reads < n || reads != all || !bytes.Equal(first.Pack(), plain.Pack()) {
		t.Errorf("the first read takes %d files, without a cache it takes %d", reads, all)
	}
	again, reads := readCold(t, root, cache)
	if reads > all/4 || !bytes.Equal(again.Pack(), plain.Pack()) {
		t.Errorf("the second takes %d of %d files", reads, all)
	}
	if _, err := os.Stat(filepath.Join(root, layout.Name, "log")); err == nil {
		t.Error("the store was written to")
	}

	// An edit that puts size and time back is seen, and so is a file that came.
	dir := filepath.Join(root, layout.Name, layout.TasksDir, string(plain.UID(7)))
	name := filepath.Join(dir, layout.ConfigFile)
	in := mustGet(os.Stat(name))(t)
	b := mustGet(os.ReadFile(name))(t)
	other := bytes.Replace(b, []byte(`"name": "h"`), []byte(`"name": "Z"`), 1)
	if bytes.Equal(b, other) {
		t.Fatalf("config.json is %s", b)
	}
	must(t, os.WriteFile(name, other, 0o600))
	must(t, os.Chtimes(name, in.ModTime(), in.ModTime()))
	must(t, os.WriteFile(filepath.Join(root, layout.Name, layout.TasksDir, string(plain.UID(9)), "plan.md.theirs-3"), nil, 0o600))
	now, _ := readCold(t, root, cache)
	if now.At(7).Config.Name != "Z" || len(now.At(9).Problems) == 0 {
		t.Errorf("an edit was not seen: %q, %v", now.At(7).Config.Name, now.At(9).Problems)
	}

	// A cache that another account can have written isn't read.
	files, err := filepath.Glob(filepath.Join(cache, "*.tc"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	must(t, os.Chmod(files[0], 0o620))
	if _, reads := readCold(t, root, cache); reads != all {
		t.Errorf("with a cache that a group may write, %d of %d files are read", reads, all)
	}
	if in, err := os.Stat(files[0]); err != nil || in.Mode() != 0o600 {
		t.Errorf("the next cache is %v, %v", in, err)
	}
	if os.Geteuid() == 0 {
		must(t, os.Chown(files[0], 1, 0))
		if _, reads := readCold(t, root, cache); reads != all {
			t.Errorf("with another account's cache, %d of %d files are read", reads, all)
		}
	}

	// Neither is a damaged cache, or another store's.
	whole := mustGet(os.ReadFile(files[0]))(t)
	for at := 0; at < len(whole); at += len(whole)/23 + 1 {
		bad := bytes.Clone(whole)
		bad[at] ^= 0x41
		must(t, os.WriteFile(files[0], bad[:len(bad)-at%2], 0o600))
		if snap, _ := readCold(t, root, cache); !bytes.Equal(snap.Pack(), now.Pack()) {
			t.Errorf("with byte %d of the cache changed another store is read", at)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(elsewhere, os.DirFS(root)))
	if _, reads := readCold(t, elsewhere, cache); reads < n {
		t.Errorf("a copy was read from the cache of the store: %d files", reads)
	}
}

// A file that is written after it was read and before it is cached is read again, even if its size and time are as
// before.
func TestAnEditWhileATaskIsKept(t *testing.T) {
	root, cache := coldStore(t, 40), t.TempDir()
	plain, _ := readCold(t, root, "")
	name := filepath.Join(root, layout.Name, layout.TaskFile(plain.UID(7), layout.ConfigFile))
	in, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	readColdWhile(t, root, cache, func(file string) {
		if file == layout.TaskFile(plain.UID(7), layout.ConfigFile) {
			once.Do(func() {
				err = errors.Join(replaceIn(name, `"name": "h"`, `"name": "Z"`), os.Chtimes(name, in.ModTime(), in.ModTime()))
			})
		}
	})
	must(t, err)
	if now, reads := readCold(t, root, cache); now.At(7).Config.Name != "Z" || reads > 40 {
		t.Errorf("it is called %q, and %d files were read", now.At(7).Config.Name, reads)
	}
}
