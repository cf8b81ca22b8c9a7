// Package taskcache caches tasks in the person's own cache directory.
//
// A store that vespe never wrote to, like a fresh clone, has no checkpoint and can be read-only. Its tasks are cached
// here instead, each with its mark. A load takes a task from the cache while its files still have this mark, and reads
// or derives everything else as usual. Doctor, Verify and transactions read the files.
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
	mostCaches = 32 // files; the oldest are removed
)

// Cache has the tasks of a store as an earlier load read them, and the marks that the current load finds.
type Cache struct {
	name  string             // of its file
	snap  *snapshot.Snapshot // nil: nothing is cached
	marks []byte             // uint64 each, by index

	now []uint64 // marks by index of the uids that are read, each taken before its task is read
}

// File is the path of a store's cache. It depends on the store's path, directory and id.
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

// readFile returns nil if there is no valid cache.
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

// isPrivate reports whether a file is regular and only this account can write it.
func isPrivate(in os.FileInfo) bool {
	st, ok := in.Sys().(*syscall.Stat_t)
	return ok && in.Mode().IsRegular() && in.Mode().Perm()&0o022 == 0 && int(st.Uid) == os.Geteuid()
}

// Task returns the i-th task of a load if its files look unchanged, else nil.
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

// mark is marks.Read, and changes also when a name in the task's directory comes or goes.
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

// Keep writes the cache in the background. uids are those of the load, sorted; some may have no task. If it fails, the
// next load reads all files again.
func (c *Cache) Keep(group *sync.WaitGroup, uids []model.UID, tasks []*model.Task) {
	tasks, now := slices.Clone(tasks), c.now // the next load replaces c.now
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

// prune removes the oldest caches if there are too many.
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
