// Package taskcache keeps what the files of tasks said in the person's own cache directory.
//
// A store that vespe never wrote to, as a fresh clone or one of the original, has no checkpoint, and need not
// be writable. What its tasks' files said is kept here instead: tasks with their marks. A task is taken from there while its files look as they did, which is how marks are believed
// everywhere; everything else of a load, and all that is derived, is made as without it. Doctor and Verify,
// and whatever is decided in a transaction, read the files.
package taskcache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/marks"
	"vespe/store/sections"
)

const (
	maxSize    = 1 << 30 // bytes
	magic      = "vespe-tc"
	mostCaches = 32 // of as many stores one is kept
)

// Cache is what was kept of the tasks' files, and how those look that a load reads.
type Cache struct {
	name  string             // of its file
	snap  *snapshot.Snapshot // nil: nothing was kept
	marks []byte             // uint64 each, by index

	now []uint64 // by index of the uids that are read; each taken before its task was
}

// File is where the cache of a store is: bound to the path, the directory and the store.
func File(dir, root, id string, in fsys.Info) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q", root, in.Dev, in.Ino, id))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".tc")
}

// Open reads a cache.
func Open(name string) *Cache {
	c := &Cache{name: name}
	c.snap, c.marks = readFile(name)
	return c
}

// Begin begins a load of n tasks.
func (c *Cache) Begin(n int) { c.now = make([]uint64, n) }

// readFile is nil where there is none that can be used.
func readFile(name string) (*snapshot.Snapshot, []byte) {
	in, err := os.Lstat(name)
	if err != nil || !isPrivate(in) || in.Size() > maxSize {
		return nil, nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil
	}
	head, bodies, err := sections.ParseChecked(b, magic, 2)
	if err != nil || string(head) != filepath.Base(name) {
		return nil, nil
	}
	snap, err := snapshot.Unpack(bodies[0])
	marks := bodies[1]
	if err != nil || len(marks) != 8*snap.Len() {
		return nil, nil
	}
	return snap, marks
}

// isPrivate reports a regular file that only this account can write.
func isPrivate(in os.FileInfo) bool {
	st, ok := in.Sys().(*syscall.Stat_t)
	return ok && in.Mode().IsRegular() && in.Mode().Perm()&0o022 == 0 && int(st.Uid) == os.Geteuid()
}

// Task is a task whose files look as they did; nil where they do not, or nothing is known of it. It is
// the i-th of those that are read.
func (c *Cache) Task(tasks fsys.Dir, i int, uid model.UID) *model.Task {
	c.now[i] = mark(tasks, uid, time.Now())
	if c.snap == nil || c.now[i] == 0 {
		return nil
	}
	k, ok := c.snap.Index(uid)
	if !ok || binary.LittleEndian.Uint64(c.marks[8*k:]) != c.now[i] {
		return nil
	}
	return c.snap.At(k)
}

// mark is marks.Read with the names that the task's directory holds.
func mark(tasks fsys.Dir, uid model.UID, now time.Time) uint64 {
	in, err := tasks.Stat(string(uid))
	if err != nil || marks.IsYoung(in, now) {
		return 0
	}
	sum := marks.Read(tasks, uid, now)
	if sum == 0 {
		return 0
	}
	add := func(v uint64) { sum = (sum ^ v) * 1099511628211 }
	marks.AddInfo(in, add)
	return max(sum, 1)
}

// Keep writes what the files of tasks said, beside whatever else is going on. uids are those that were read, sorted:
// some may be no tasks. It is a cache: what goes wrong leaves the next reader as slow as this one.
func (c *Cache) Keep(group *sync.WaitGroup, uids []model.UID, tasks []*model.Task) {
	tasks, now := slices.Clone(tasks), c.now // the next load of the same store looks anew
	group.Go(func() {
		snap := snapshot.New(snapshot.Input{Tasks: tasks})
		marks := make([]byte, 8*snap.Len())
		for k := range snap.Len() {
			if i, ok := slices.BinarySearch(uids, snap.UID(k)); ok {
				binary.LittleEndian.PutUint64(marks[8*k:], now[i])
			}
		}
		_ = writeFile(c.name, [][]byte{snap.Pack(), marks})
	})
}

func writeFile(name string, bodies [][]byte) (err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	c := sections.Content{Magic: magic, Head: func(fsys.Info) []byte { return []byte(filepath.Base(name)) }, Sections: bodies}
	if err = c.WriteTo(f, fsys.Info{}); err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	prune(dir)
	return err
}

// prune removes the oldest.
func prune(dir string) {
	es, err := os.ReadDir(dir)
	if err != nil || len(es) <= mostCaches {
		return
	}
	var all []os.FileInfo
	for _, e := range es {
		if in, err := e.Info(); err == nil && in.Mode().IsRegular() {
			all = append(all, in)
		}
	}
	slices.SortFunc(all, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, in := range all[min(mostCaches, len(all)):] {
		_ = os.Remove(filepath.Join(dir, in.Name()))
	}
}
