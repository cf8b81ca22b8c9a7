// Package results reads the files under result/ of tasks, and remembers their hashes.
//
// Hashes are remembered, so that a result of which one file was touched costs
// the hashing of that file, and a look at the others. A file that looks as it did when it was hashed is
// taken to be the same: size, inode, and the times of its last writing and of its last change, which
// nobody sets. As with marks they are a reason not to read, and for what decides anything, a
// verdict, a start, an audit, everything is read (whole).
//
// The hash of a result is made of those of its files in any case (model.HashResult): what is
// remembered is cache, and never what somebody is told.
package results

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
)

// Reader reads results. It is safe for concurrent use.
type Reader struct {
	Disk *durable.Files

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

const mostKnownFiles = 200_000

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
	defer r.mu.Unlock()
	return r.tasks[uid]
}

// remember keeps what a walk has found out.
func (r *Reader) remember(uid model.UID, h *hashing) {
	if len(h.is)+len(h.was) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tasks == nil || r.files > mostKnownFiles {
		r.tasks, r.files = map[model.UID]map[string]knownFile{}, 0
	}
	r.files += len(h.is) - len(r.tasks[uid])
	r.tasks[uid] = h.is
}
