package store

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

const (
	checkpointMagic = "vespe-ck"
	checkpointEvery = 128     // entries that may follow a checkpoint before there is another
	checkpointTasks = 500     // a smaller store has one after every process that wrote
	maxCheckpoint   = 1 << 30 // bytes
	checkpointHint  = "cache/checkpoint"
	hintDigits      = 20
)

// The sections of a checkpoint, in their order.
const (
	ckPack    = iota // model.Snapshot.Pack
	ckMarks          // marks.Table.Encode
	ckOps            // opTable
	ckDeleted        // model.Snapshot.Pack of the deleted tasks; empty for none
	ckReviews        // reviewTable
	ckSections
)

// checkpoint is the head of log/snap-<seq>.ck: the whole store as of one entry, made from
// the tasks' files and the log, and never believed over them. It is not synced: what is
// torn is found out by its checksums, and made anew.
type checkpoint struct {
	txlog.Tip // the last entry that is in it

	// What binds it to this very store, so that one that came along with a copy or a
	// clone, whose files may be others, is not used: which file the entry is, and the file
	// itself. Another directory of the tasks only means that all must be compared.
	entrySize, entryTime int64
	dev, ino             uint64
	tasksDev, tasksIno   uint64

	entry fsys.Info // the entry's file as it was found by bind

	names        int64 // mtime of tasks/ when its names were those of the tasks in it, nanoseconds; 0: unknown
	requestsTime int64 // the same of hitl_queue/
}

func checkpointFile(seq uint64) string { return fmt.Sprintf("%s/snap-%012d.ck", layout.LogDir, seq) }

// parseCheckpointName is the inverse of checkpointFile for a bare file name.
func parseCheckpointName(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".ck"), "snap-")
	if !ok || len(digits) < 12 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && checkpointFile(n) == layout.LogDir+"/"+name
}

func (c *checkpoint) encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, c.Seq)
	head, _ := hex.DecodeString(strings.TrimPrefix(c.Head, layout.HashPrefix)) // validHash, or empty
	b = append(b, make([]byte, 32-len(head))...)
	b = append(b, head...)
	for _, v := range []uint64{
		uint64(c.entrySize), uint64(c.entryTime), c.tasksDev, c.tasksIno, c.dev, c.ino,
		uint64(c.names), uint64(c.requestsTime),
	} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func parseCheckpoint(b []byte) (checkpoint, error) {
	var c checkpoint
	if len(b) != 8+32+8*8 {
		return c, sections.Damaged("its head has %d bytes", len(b))
	}
	c.Seq = binary.LittleEndian.Uint64(b)
	c.Head = layout.HashPrefix + hex.EncodeToString(b[8:40])
	v := func(i int) uint64 { return binary.LittleEndian.Uint64(b[40+8*i:]) }
	c.entrySize, c.entryTime = int64(v(0)), int64(v(1))
	c.tasksDev, c.tasksIno, c.dev, c.ino = v(2), v(3), v(4), v(5)
	c.names, c.requestsTime = int64(v(6)), int64(v(7))
	return c, nil
}

// bind fills in what the store says now of the things that a checkpoint is bound to.
func (c *checkpoint) bind(s *Store) error {
	e, err := s.fs.Stat(layout.EntryFile(c.Seq))
	if err != nil {
		return err
	}
	t, err := s.fs.Stat(layout.TasksDir)
	if err != nil && !fsys.Missing(err) {
		return err
	}
	c.entry, c.entrySize, c.entryTime = e, e.Size, e.ModTime.UnixNano()
	c.tasksDev, c.tasksIno = t.Dev, t.Ino
	return nil
}

// errBehind: files are behind the log, so what is read from them is no state of the store.
var errBehind = errors.New("the last transaction may not be in its files yet")

// errForeign: a whole checkpoint, of something else than this store.
var errForeign = errors.New("belongs to another store or to a copy of this one")

// opened is a checkpoint that can be used.
type opened struct {
	checkpoint
	snap  *model.Snapshot
	marks []byte

	ops     sections.Section
	deleted sections.Section
	reviews sections.Section // none in a checkpoint of an older vespe
	older   bool             // it has no such section: nothing is known of deleted tasks
}

// openCheckpoint reads one file and believes it only if everything fits.
func (s *Store) openCheckpoint(seq uint64) (*opened, error) {
	name := checkpointFile(seq)
	in, err := s.fs.Stat(name)
	if err != nil {
		return nil, err
	}
	b, err := s.log.MapOnce(name, maxCheckpoint)
	if err != nil {
		return nil, err
	}
	head, parts, err := sections.Parse(b, checkpointMagic)
	if err != nil {
		return nil, err
	}
	c, err := parseCheckpoint(head)
	if err != nil {
		return nil, err
	}
	now := checkpoint{Tip: txlog.Tip{Seq: seq}}
	if err := now.bind(s); err != nil {
		return nil, err
	}
	if c.Seq != seq || c.dev != in.Dev || c.ino != in.Ino ||
		c.entrySize != now.entrySize || c.entryTime != now.entryTime {
		return nil, errForeign
	}
	if n := len(parts); n < ckDeleted || n > ckSections {
		return nil, sections.Damaged("it has %d sections", n)
	}
	packed, err := parts[ckPack].Checked()
	if err != nil {
		return nil, err
	}
	o := &opened{checkpoint: c, ops: parts[ckOps], older: len(parts) == ckDeleted}
	if !o.older {
		o.deleted = parts[ckDeleted]
	}
	if len(parts) > ckReviews {
		o.reviews = parts[ckReviews]
	}
	if o.marks, err = parts[ckMarks].Checked(); err != nil {
		return nil, err
	}
	if c.tasksDev != now.tasksDev || c.tasksIno != now.tasksIno {
		// Git removed tasks/ and brought another: what was known of the tasks still holds, and
		// that is to be compared with their files.
		o.names, o.marks = 0, nil
	}
	if o.snap, err = model.Unpack(packed); err != nil {
		return nil, err
	}
	if o.snap.Seq() != c.Seq || o.snap.Head() != c.Head || o.snap.StoreID() != s.storeID() {
		return nil, errForeign
	}
	s.log.Saw(o.Tip, now.entry)
	return o, nil
}

// findCheckpoint is the newest checkpoint that can be used, and what is wrong with newer
// ones. A hint in cache/ saves listing the log.
func (s *Store) findCheckpoint() (*opened, []model.Problem) {
	if seq := s.hintedCheckpoint(); seq > 0 {
		if o, err := s.openCheckpoint(seq); err == nil {
			return o, nil
		}
	}
	var ps []model.Problem
	seqs, err := s.listCheckpoints()
	if err != nil {
		return nil, nil // a load meets the same error, and says so
	}
	for _, seq := range slices.Backward(seqs) {
		o, err := s.openCheckpoint(seq)
		if err == nil {
			return o, ps
		}
		var pe *model.PackError
		if errors.Is(err, sections.ErrDamaged) || errors.As(err, &pe) {
			ps = append(ps, model.Problem{
				Path: layout.Shown(checkpointFile(seq)), Severity: model.Warning, Code: "checkpoint-differs",
				Reason: err.Error(), Hint: "vespe ignores it; the next command that reads the whole store replaces it",
			})
		}
	}
	return nil, ps
}

func (s *Store) hintedCheckpoint() uint64 {
	b, err := s.fs.ReadFile(checkpointHint, hintDigits+1)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// listCheckpoints is the numbers of all checkpoints, ascending.
func (s *Store) listCheckpoints() ([]uint64, error) {
	es, err := s.log.LogEntries()
	if err != nil {
		return nil, err
	}
	var seqs []uint64
	for _, e := range es {
		if n, ok := parseCheckpointName(e.Name); ok {
			seqs = append(seqs, n)
		}
	}
	return seqs, nil
}

// overdue says whether so much was written since the last checkpoint that there should be
// another: entries is how much.
func (s *Store) overdue(entries uint64) bool {
	if s.ReadOnly() != "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.snap == nil || s.tip.Seq == 0 || s.tip.Head == "":
		return false
	case s.snap.Len() < s.checkpointTasks && entries > 1:
		return false
	}
	return s.checkpointed == 0 || s.tip.Seq >= s.checkpointed+entries
}

// checkpointSoon writes a checkpoint beside whatever else is going on, once it is well
// overdue: a process that ends soon writes it when it is closed.
func (s *Store) checkpointSoon() {
	if !s.overdue(2*checkpointEvery) || !s.checkpointing.TryTake() {
		return
	}
	s.background.Go(func() {
		defer s.checkpointing.Give()
		_ = s.writeCheckpoint(context.Background()) // derived: the next one tries again
	})
}

// packSoon turns a snapshot of many tasks that are values in memory into one that takes a
// fraction of it, by way of a checkpoint where one can be written: anyone who reads so much
// needs it the next time.
func (s *Store) packSoon() {
	snap, _ := s.kept()
	if snap == nil || snap.Len() < s.checkpointTasks || !isLoose(snap) || !s.checkpointing.TryTake() {
		return
	}
	s.background.Go(func() {
		defer s.checkpointing.Give()
		if s.overdue(checkpointEvery) && s.writeCheckpoint(context.Background()) == nil {
			return
		}
		s.repack(snap, snap.Compact())
	})
}

// isLoose says whether so many tasks of a snapshot are values of their own that it is worth
// packing. What was packed before stays in memory as long as texts of its tasks are in use
// wherever they were shown; so there is another only for a good part of all tasks.
func isLoose(snap *model.Snapshot) bool { return snap.Loose() > max(looseLeast, snap.Len()/16) }

const looseLeast = 256

// repack makes p, a packed copy of from, the memory of the current snapshot, whatever it has
// become since.
func (s *Store) repack(from, p *model.Snapshot) {
	s.mu.Lock()
	if s.snap == from {
		requests := from.Requests() // the file has only those that the log knows
		s.snap = p.Amend(model.Amendment{Requests: &requests})
	} else if s.snap != nil {
		s.snap = s.snap.PackedLike(p, from)
	}
	s.mu.Unlock()
	s.edits.Marks.Move(p)
}

// toCheckpoint is the current snapshot and what of it is written down: what is edited past
// vespe is shown, but not known.
func (s *Store) toCheckpoint(ctx context.Context, c *checkpoint) (snap, written *model.Snapshot, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	snap, c.Tip = s.kept()
	if snap == nil {
		return nil, nil, errBehind
	}
	if still, err := s.log.IsStill(c.Tip); err != nil || !still {
		return nil, nil, errors.Join(err, errBehind)
	}
	// Asked before anything costs time, and before the names are compared.
	if err := c.bind(s); err != nil {
		return nil, nil, err
	}
	now, at, err := s.renamed(ctx, snap, c.Tip, c)
	if err != nil {
		return nil, nil, err
	}
	if snap = s.keep(now, at); c.Seq != at.Seq {
		c.Tip = at
		if err := c.bind(s); err != nil {
			return nil, nil, err
		}
	}
	written, moved := s.edits.Unedited(snap)
	if len(taskfiles.Unread(written)) > manyFiles {
		return nil, nil, errBehind // anyone who begins with it would read them all again
	}
	if moved {
		c.names = 0 // anyone who begins with it has to find that out too
	}
	return snap, written, nil
}

// writeCheckpoint writes down the current snapshot and removes older checkpoints. It takes
// no lock: of two that race the files have different names or the same meaning.
func (s *Store) writeCheckpoint(ctx context.Context) error {
	if err := s.findAllDeleted(ctx); err != nil {
		return err
	}
	var c checkpoint
	snap, written, err := s.toCheckpoint(ctx, &c)
	if err != nil {
		return err
	}
	at := c.Tip
	if s.readHint().Tip != at {
		return errBehind
	}
	whole := written == snap
	if written, err = s.withLogged(ctx, written, &c); err != nil {
		return err
	}
	if err := s.ops.Update(ctx, at.Seq); err != nil {
		return err
	}
	deleted, known := s.ops.PackDeleted(at.Seq)
	if !known {
		return errBehind
	}
	if err := s.reviews.Update(ctx, at.Seq); err != nil {
		return err
	}
	file := sections.Content{
		Magic: checkpointMagic,
		Head: func(in fsys.Info) []byte {
			c.dev, c.ino = in.Dev, in.Ino
			return c.encode()
		},
		Sections: [][]byte{
			ckPack: written.Pack(), ckMarks: s.edits.Marks.Encode(written), ckOps: s.ops.UpTo(at.Seq), ckDeleted: deleted,
			ckReviews: s.reviews.Pack(at.Seq),
		},
	}
	if err := file.Replace(s.fs, s.disk.TempName("checkpoint"), checkpointFile(at.Seq)); err != nil {
		return err
	}
	s.mu.Lock()
	s.checkpointed = max(s.checkpointed, at.Seq)
	s.mu.Unlock()
	if whole && isLoose(snap) {
		// The same in a fraction of the memory: the file itself.
		if o, err := s.openCheckpoint(at.Seq); err == nil {
			s.repack(snap, o.snap)
		}
	}
	// Best effort from here: without the hint the log is listed, and of several checkpoints
	// the newest counts.
	_ = s.fs.Overwrite(checkpointHint, fmt.Appendf(nil, "%0*d\n", hintDigits, at.Seq))
	if seqs, err := s.listCheckpoints(); err == nil {
		for _, seq := range seqs {
			if seq < at.Seq {
				_ = s.fs.Remove(checkpointFile(seq))
			}
		}
	}
	return nil
}
