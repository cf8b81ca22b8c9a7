// Package marks remembers how the files of each task looked, to the file system, when they were
// last found to be what the store knows of the task: one number a task, made of sizes,
// times and inodes of its files. Where it is still the same nothing was edited.
//
// They are only ever a reason not to look. The time of the last change is one of them, which
// nobody sets: an edit that puts the size and the time of the file back is seen, and so are
// permissions. What changes none of it is not (a clock that was set back, a disk that was
// written past the file system); Load with a fresh process and no checkpoint, and Verify, read the bytes.
package marks

import (
	"encoding/binary"
	"io/fs"
	"maps"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Table has a mark for each task. It is safe for concurrent use; the zero value has none.
type Table struct {
	mu   sync.Mutex
	base *snapshot.Snapshot // whose indexes col goes by
	col  []byte             // uint64 each, little-endian
	over map[model.UID]uint64
}

// Start takes over what a checkpoint remembers of the tasks in base.
func (m *Table) Start(base *snapshot.Snapshot, col []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = nil
	if base == nil || len(col) != 8*base.Len() {
		base, col = nil, nil
	}
	m.base, m.col = base, col
}

// Move has the marks go by the indexes of another snapshot: the one before need not be kept
// for them, and those that were set since are no longer apart.
func (m *Table) Move(base *snapshot.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	col, left := make([]byte, 0, 8*base.Len()), maps.Clone(m.over)
	for i := range base.Len() {
		uid := base.UID(i)
		col = binary.LittleEndian.AppendUint64(col, m.find(uid))
		delete(left, uid)
	}
	m.base, m.col, m.over = base, col, left
}

// Of is 0 where nothing is remembered.
func (m *Table) Of(uid model.UID) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.find(uid)
}

// find is Of for who holds mu.
func (m *Table) find(uid model.UID) uint64 {
	if v, ok := m.over[uid]; ok {
		return v
	}
	if m.base != nil {
		if i, ok := m.base.Index(uid); ok {
			return binary.LittleEndian.Uint64(m.col[8*i:])
		}
	}
	return 0
}

// Set remembers a mark; 0 forgets it.
func (m *Table) Set(uid model.UID, stamp uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over == nil {
		m.over = map[model.UID]uint64{}
	}
	m.over[uid] = stamp
}

// Encode is the marks of a snapshot's tasks, in their order.
func (m *Table) Encode(snap *snapshot.Snapshot) []byte {
	out := make([]byte, 0, 8*snap.Len())
	for i := range snap.Len() {
		out = binary.LittleEndian.AppendUint64(out, m.Of(snap.UID(i)))
	}
	return out
}

// Files are the files of a task in its mark, beside its approvals.
var Files = [...]string{layout.ConfigFile, layout.StatusFile, layout.DependenciesFile, layout.SpecFile, "objective.md", "plan.md"}

// Racy is how young a file may not be for its mark to be trusted: within the grain of the
// file system's clock it may be written again and look the same.
const Racy = 20 * time.Millisecond

// Read looks at a task's files, now or later. 0 when that says nothing: they
// are too young, or cannot be looked at.
func Read(tasks fsys.Dir, uid model.UID, now time.Time) uint64 {
	d, err := tasks.OpenDir(string(uid))
	if err != nil {
		return 0
	}
	defer d.Close()
	return ReadIn(d, now)
}

// ReadIn is Read of a task's directory.
func ReadIn(d fsys.Dir, now time.Time) uint64 {
	const prime = 1099511628211
	sum := uint64(14695981039346656037)
	add := func(v uint64) {
		for range 8 {
			sum = (sum ^ v&0xff) * prime
			v >>= 8
		}
	}
	for i, name := range Files {
		in, err := d.Stat(name)
		if fsys.Missing(err) {
			continue
		}
		if err != nil || in.Type&^fs.ModeType != 0 {
			return 0
		}
		if IsYoung(in, now) {
			return 0
		}
		add(uint64(i + 1))
		AddInfo(in, add)
	}
	if !readApprovals(d, now, add) {
		return 0
	}
	return max(sum, 1)
}

// mostApprovals is how many approvals of a task, the newest, a mark is made of.
const mostApprovals = 16

// readApprovals adds the looks of a task's approvals; false where they are too young to say anything. A
// task without any costs one question.
func readApprovals(task fsys.Dir, now time.Time, add func(uint64)) bool {
	if _, err := task.Stat(layout.ApprovalsDir); err != nil {
		return true
	}
	d, err := task.OpenDir(layout.ApprovalsDir)
	if err != nil {
		return true // a load tells what is there instead
	}
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return false
	}
	add(uint64(len(es)))
	for _, e := range es[max(0, len(es)-mostApprovals):] {
		in, err := d.Stat(e.Name)
		if err != nil || IsYoung(in, now) {
			return false
		}
		AddInfo(in, add)
	}
	return true
}

// IsYoung says whether a file may be written again and look the same. A time that is yet to come is no
// sign of youth: the next write gives it another. But it must be yet to come now; who is held up here
// meets files that were written since.
func IsYoung(in fsys.Info, now time.Time) bool {
	return now.Sub(in.ModTime) < Racy && time.Since(in.ModTime) > -Racy
}

// AddInfo adds the looks of a file.
func AddInfo(in fsys.Info, add func(uint64)) {
	add(uint64(in.Type))
	add(uint64(in.Size))
	add(in.Ino)
	add(uint64(in.ModTime.UnixNano()))
	add(uint64(in.Changed.UnixNano()))
}
