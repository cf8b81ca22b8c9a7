package checkpoint

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// Files are the checkpoints of a store.
type Files struct {
	Disk    *durable.Files
	Log     *txlog.Log
	StoreID func() string
}

// Bind fills in what the store says now of the things that a checkpoint is bound to.
func (f Files) Bind(c *Head) error {
	e, err := f.Disk.FS.Stat(layout.EntryFile(c.Seq))
	if err != nil {
		return err
	}
	t, err := f.Disk.FS.Stat(layout.TasksDir)
	if err != nil && !fsys.Missing(err) {
		return err
	}
	c.entry, c.entrySize, c.entryTime = e, e.Size, e.ModTime.UnixNano()
	c.tasksDev, c.tasksIno = t.Dev, t.Ino
	return nil
}

// ErrBehind: files are behind the log, so what is read from them is no state of the store.
var ErrBehind = errors.New("the last transaction may not be in its files yet")

// errForeign: a whole checkpoint, of something else than this store.
var errForeign = errors.New("belongs to another store or to a copy of this one")

// Opened is a checkpoint that can be used.
type Opened struct {
	Head
	Snap  *snapshot.Snapshot
	Marks []byte

	Ops     sections.Section
	Deleted sections.Section
}

// Open reads one file and believes it only if everything fits.
func (f Files) Open(seq uint64) (*Opened, error) {
	name := File(seq)
	in, err := f.Disk.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	b, err := f.Log.MapOnce(name, most)
	if err != nil {
		return nil, err
	}
	head, parts, err := sections.Parse(b, Magic)
	if err != nil {
		return nil, err
	}
	c, err := ParseHead(head)
	if err != nil {
		return nil, err
	}
	now := Head{Tip: txlog.Tip{Seq: seq}}
	if err := f.Bind(&now); err != nil {
		return nil, err
	}
	if c.Seq != seq || c.Dev != in.Dev || c.Ino != in.Ino ||
		c.entrySize != now.entrySize || c.entryTime != now.entryTime {
		return nil, errForeign
	}
	if len(parts) != count {
		return nil, errForeign // another version wrote it
	}
	packed, err := parts[Pack].Checked()
	if err != nil {
		return nil, err
	}
	o := &Opened{Head: c, Ops: parts[Ops], Deleted: parts[Deleted]}
	if o.Marks, err = parts[Marks].Checked(); err != nil {
		return nil, err
	}
	if c.tasksDev != now.tasksDev || c.tasksIno != now.tasksIno {
		// Git removed tasks/ and brought another: what was known of the tasks still holds, and
		// that is to be compared with their files.
		o.Names, o.Marks = 0, nil
	}
	if o.Snap, err = snapshot.Unpack(packed); err != nil {
		return nil, err
	}
	if o.Snap.Seq() != c.Seq || o.Snap.Head() != c.Head || o.Snap.StoreID() != f.StoreID() {
		return nil, errForeign
	}
	f.Log.Saw(o.Tip, now.entry)
	return o, nil
}

// Find is the newest checkpoint that can be used, and what is wrong with newer
// ones. A hint in cache/ saves listing the log.
func (f Files) Find() (*Opened, []model.Problem) {
	if seq := f.hinted(); seq > 0 {
		if o, err := f.Open(seq); err == nil {
			return o, nil
		}
	}
	var ps []model.Problem
	seqs, err := f.List()
	if err != nil {
		return nil, nil // a load meets the same error, and says so
	}
	for _, seq := range slices.Backward(seqs) {
		o, err := f.Open(seq)
		if err == nil {
			return o, ps
		}
		var pe *snapshot.PackError
		if errors.Is(err, sections.ErrDamaged) || errors.As(err, &pe) && pe != snapshot.ErrOtherPack { // another version's is as good as none
			ps = append(ps, model.Problem{
				Path: layout.Shown(File(seq)), Severity: model.Warning, Code: "checkpoint-differs",
				Reason: err.Error(), Hint: "vespe ignores it; the next command that reads the whole store replaces it",
			})
		}
	}
	return nil, ps
}

func (f Files) hinted() uint64 {
	b, err := f.Disk.FS.ReadFile(hint, hintDigits+1)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// List is the numbers of all checkpoints, ascending.
func (f Files) List() ([]uint64, error) {
	es, err := f.Log.LogEntries()
	if err != nil {
		return nil, err
	}
	var seqs []uint64
	for _, e := range es {
		if n, ok := parseName(e.Name); ok {
			seqs = append(seqs, n)
		}
	}
	return seqs, nil
}

// ID is the identity of a store as its newest checkpoint that has one knows it, of this store or another; "" for none.
func (f Files) ID() (string, error) {
	seqs, err := f.List()
	if err != nil {
		return "", err
	}
	for _, seq := range slices.Backward(seqs) {
		b, err := f.Disk.FS.ReadFile(File(seq), most)
		if err != nil {
			if fsys.IsTransient(err) {
				return "", err
			}
			continue
		}
		_, parts, err := sections.Parse(b, Magic)
		if err != nil || len(parts) <= Pack {
			continue
		}
		packed, err := parts[Pack].Checked()
		if err != nil {
			continue
		}
		if snap, err := snapshot.Unpack(packed); err == nil && snap.StoreID() != "" {
			return snap.StoreID(), nil
		}
	}
	return "", nil
}
