// Package results reads the files under result/ of tasks, and remembers their hashes.
//
// Hashes are remembered, so that a result of which one file was touched costs
// the hashing of that file, and a look at the others. A file that looks as it did when it was hashed is
// taken to be the same: size, inode, and the times of its last writing and of its last change, which
// nobody sets. As with marks they are a reason not to read, and for what decides anything, a
// verdict, a start, an audit, everything is read (whole).
//
// Hashes have a file a task (cache/results), and are no section of the checkpoint: readers write them without the lock.
//
// The hash of a result is made of those of its files in any case (model.HashResult): what is
// remembered is cache, and never what somebody is told.
package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/sections"
)

// Reader reads results. It is safe for concurrent use.
type Reader struct {
	Disk     *durable.Files
	ReadOnly func() bool // nothing is written down

	mu    sync.Mutex
	tasks map[model.UID]map[string]knownFile // by path below result/; a map is never written to
	files int                                // in all of them
}

// knownFile is how a file looked when it had a hash.
type knownFile struct {
	dev, ino, size uint64
	mod, changed   int64 // nanoseconds since 1970
	hash           [sha256.Size]byte
}

// What of it is kept, and what is worth being written down: hashing again takes longer than that.
const (
	mostKnownFiles = 200_000
	writtenFiles   = 32      // hashed anew
	writtenBytes   = 1 << 20 // or so much
)

const (
	cacheDir = layout.CacheDir + "/results"
	magic    = "VESPERES"
)

// CacheFile is where hashes of a task's result are written down.
func CacheFile(uid model.UID) string { return cacheDir + "/" + string(uid) + ".ck" }

func looksOf(in fsys.Info) knownFile {
	return knownFile{dev: in.Dev, ino: in.Ino, size: uint64(in.Size), mod: in.ModTime.UnixNano(), changed: in.Changed.UnixNano()}
}

func (k knownFile) looksLike(in fsys.Info) bool {
	looks := looksOf(in)
	looks.hash = k.hash
	return looks == k
}

// coarse is the grain of file systems whose times are whole seconds.
const coarse = 2 * time.Second

// isStable says whether a file that was looked at before it was read, at a time, cannot be written
// again and look the same.
func isStable(in fsys.Info, at time.Time) bool {
	grain := marks.Racy
	if in.Changed.Nanosecond() == 0 && in.ModTime.Nanosecond() == 0 {
		grain = coarse
	}
	return !in.Changed.IsZero() && at.Sub(in.Changed) >= grain && at.Sub(in.ModTime) >= grain
}

// hashing is one walk over a result.
type hashing struct {
	was, is map[string]knownFile
	files   int // that were read
	bytes   int64
}

// file is one file of a result; name is that in its directory.
func (h *hashing) file(d fsys.Dir, name, path string) (model.ResultFile, error) {
	if was, ok := h.was[path]; ok {
		in, err := d.Stat(name)
		if err != nil {
			return model.ResultFile{}, err
		}
		if was.looksLike(in) && fsys.CheckReadable(path, in, layout.MaxResult) == nil {
			h.is[path] = was
			return model.ResultFile{Path: path, Size: in.Size, Hash: layout.HashPrefix + hex.EncodeToString(was.hash[:])}, nil
		}
	}
	at := time.Now()
	r, in, err := d.Open(name, layout.MaxResult)
	if err != nil {
		return model.ResultFile{}, err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	if err != nil {
		return model.ResultFile{}, err
	}
	h.files++
	h.bytes += n
	known := looksOf(in)
	sum.Sum(known.hash[:0])
	if n == in.Size && isStable(in, at) {
		h.is[path] = known
	}
	return model.ResultFile{Path: path, Size: n, Hash: layout.HashPrefix + hex.EncodeToString(known.hash[:])}, nil
}

// hashesOf is what is remembered of a task's result.
func (r *Reader) hashesOf(uid model.UID) map[string]knownFile {
	r.mu.Lock()
	known, ok := r.tasks[uid]
	r.mu.Unlock()
	if ok {
		return known
	}
	return r.readHashes(uid)
}

// remember keeps what a walk has found out.
func (r *Reader) remember(uid model.UID, h *hashing) {
	if len(h.is)+len(h.was) == 0 {
		return
	}
	r.mu.Lock()
	if r.tasks == nil || r.files > mostKnownFiles {
		r.tasks, r.files = map[model.UID]map[string]knownFile{}, 0
	}
	r.files += len(h.is) - len(r.tasks[uid])
	r.tasks[uid] = h.is
	r.mu.Unlock()
	if (h.files >= writtenFiles || h.bytes >= writtenBytes) && !r.ReadOnly() {
		_ = r.writeHashes(uid, h.is) // who cannot write it hashes again
	}
}

func (r *Reader) writeHashes(uid model.UID, files map[string]knownFile) error {
	b := binary.AppendUvarint(nil, uint64(len(files)))
	for path, k := range files {
		b = binary.AppendUvarint(b, uint64(len(path)))
		b = append(b, path...)
		for _, n := range []uint64{k.dev, k.ino, k.size, uint64(k.mod), uint64(k.changed)} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		b = append(b, k.hash[:]...)
	}
	if err := r.Disk.FS.Mkdir(cacheDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return sections.WriteCache(r.Disk.FS, r.Disk.TempName("results"), CacheFile(uid), magic, nil, b)
}

// readHashes is what was written down of a task's result; nil when there is nothing that can be used.
func (r *Reader) readHashes(uid model.UID) map[string]knownFile {
	_, bodies, ok := sections.ReadCache(r.Disk.FS, CacheFile(uid), magic, layout.MaxObject, 1)
	if !ok {
		return nil
	}
	b := bodies[0]
	const fixed = 5*8 + sha256.Size
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)/fixed) {
		return nil
	}
	b = b[k:]
	out := make(map[string]knownFile, n)
	for range n {
		size, k := binary.Uvarint(b)
		if k <= 0 || size > uint64(len(b)-k) || uint64(len(b)-k)-size < fixed {
			return nil
		}
		path := string(b[k : k+int(size)])
		b = b[k+int(size):]
		var f knownFile
		u64 := func() uint64 {
			v := binary.LittleEndian.Uint64(b)
			b = b[8:]
			return v
		}
		f.dev, f.ino, f.size, f.mod, f.changed = u64(), u64(), u64(), int64(u64()), int64(u64())
		b = b[copy(f.hash[:], b):]
		out[path] = f
	}
	return out
}
