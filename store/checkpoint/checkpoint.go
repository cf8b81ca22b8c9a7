// Package checkpoint saves a store as of an entry of its log. The next process to open the store then reads neither the
// tasks' files nor the entries before that one.
//
// A checkpoint is a cache. It isn't synced: its checksums find a torn one. It holds only for the store and the files that
// it was made from. Files finds and opens checkpoints. A Keeper knows the newest, and writes the next when it is due. It
// asks the store for the content (Take).
package checkpoint

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// Magic begins every checkpoint.
const Magic = "vespe-ck"

const (
	most       = 1 << 30 // bytes
	hint       = "cache/checkpoint"
	hintDigits = 20
)

// The sections of a checkpoint, in their order.
const (
	Pack    = iota // snapshot.Snapshot.Pack
	Marks          // marks.Table.Encode
	Ops            // txlog.OpTable
	Deleted        // snapshot.Snapshot.Pack of the deleted tasks; empty for none
	count
)

// Head is the head of log/snap-<seq>.ck: the whole store as of one entry, made from
// the tasks' files and the log, and never believed over them. It is not synced: what is
// torn is found out by its checksums, and made anew.
type Head struct {
	txlog.Tip // the last entry that is in it

	// What binds it to this very store, so that one that came along with a copy or a
	// clone, whose files may be others, is not used: which file the entry is, and the file
	// itself. Another directory of the tasks only means that all must be compared.
	entrySize, entryTime int64
	Dev, Ino             uint64
	tasksDev, tasksIno   uint64

	entry fsys.Info // the entry's file as it was found by bind

	Names        int64 // mtime of tasks/ when its names were those of the tasks in it, nanoseconds; 0: unknown
	RequestsTime int64 // the same of hitl_queue/
}

// File is the name of the checkpoint as of an entry, below .vespe.
func File(seq uint64) string { return fmt.Sprintf("%s/snap-%012d.ck", layout.LogDir, seq) }

// parseName is the inverse of File for a bare file name.
func parseName(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(strings.TrimSuffix(name, ".ck"), "snap-")
	if !ok || len(digits) < 12 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && File(n) == layout.LogDir+"/"+name
}

// Encode is the bytes of a head.
func (c *Head) Encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, c.Seq)
	head, _ := hex.DecodeString(strings.TrimPrefix(c.Head, layout.HashPrefix)) // validHash, or empty
	b = append(b, make([]byte, 32-len(head))...)
	b = append(b, head...)
	for _, v := range []uint64{
		uint64(c.entrySize), uint64(c.entryTime), c.tasksDev, c.tasksIno, c.Dev, c.Ino,
		uint64(c.Names), uint64(c.RequestsTime),
	} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// ParseHead is the inverse of Encode.
func ParseHead(b []byte) (Head, error) {
	var c Head
	if len(b) != 8+32+8*8 {
		return c, sections.Damaged("its head has %d bytes", len(b))
	}
	c.Seq = binary.LittleEndian.Uint64(b)
	c.Head = layout.HashPrefix + hex.EncodeToString(b[8:40])
	v := func(i int) uint64 { return binary.LittleEndian.Uint64(b[40+8*i:]) }
	c.entrySize, c.entryTime = int64(v(0)), int64(v(1))
	c.tasksDev, c.tasksIno, c.Dev, c.Ino = v(2), v(3), v(4), v(5)
	c.Names, c.RequestsTime = int64(v(6)), int64(v(7))
	return c, nil
}
