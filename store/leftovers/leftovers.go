// Package leftovers finds and removes files in tmp/ that interrupted writers left, and none that may hold what nobody else
// has. Start with Files.
package leftovers

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/results"
	"vespe/store/txlog"
)

// Files are files in tmp/ that interrupted writers left.
type Files struct {
	Disk *durable.Files
	Log  *txlog.Log
}

// Age is how old a file in tmp/ or objects/ is at least that nobody uses.
const Age = time.Hour

const MaxSwept = 64 // files in tmp/ that one write removes at most

// MayBeInUse says, for who holds the lock, whether somebody may still be writing a file in tmp/. alone:
// the lock keeps others out.
func (l Files) MayBeInUse(e fsys.Entry, alone bool) bool {
	return (!alone || durable.IsWrittenUnlocked(durable.TempPrefix(e))) && !l.IsOld(layout.TmpDir+"/"+e.Name)
}

// knower says whether bytes of a file in tmp/, with a hash, are somewhere else, or of no use to anybody.
type knower func(name, hash string) (bool, error)

// isLeftover: vespe made what lies under a name in tmp/, and nobody needs it. A file that was
// exchanged for another may hold what somebody wrote in that very moment, and nobody else has:
// it is ours only when its bytes are known.
func (l Files) isLeftover(e fsys.Entry, known knower) (bool, error) {
	switch durable.TempPrefix(e) {
	case "":
		return false, nil
	case "f":
	default:
		return true, nil
	}
	name := layout.TmpDir + "/" + e.Name
	hash, err := l.Disk.Hash(name)
	if err != nil && fsys.IsTransient(err) {
		return false, err
	}
	if err != nil || hash == "" || hash == model.HashBytes(nil) {
		return err == nil && hash != "", nil
	}
	return known(name, hash)
}

// Logged is a knower of the hashes that are given, and of all that entries of the log, as far as they can
// be read, wrote or replaced. They are read when they are first asked for.
func (l Files) Logged(ctx context.Context, more map[string]bool) knower {
	var all map[string]bool
	return func(_, hash string) (_ bool, err error) {
		if more[hash] {
			return true, nil
		}
		if all == nil {
			if all, err = l.loggedHashes(ctx); err != nil {
				return false, err
			}
		}
		return all[hash], nil
	}
}

func (l Files) loggedHashes(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	seqs, err := l.Log.ListLog()
	if err != nil || len(seqs) == 0 {
		return all, err
	}
	log, err := l.Disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for _, seq := range seqs {
		if _, err := txlog.ScanEntry(ctx, log, seq, func(f txlog.ScannedFile) { all[f.Hash], all[f.Was] = true, true }); err != nil {
			if cerr := ctx.Err(); cerr != nil || fsys.IsTransient(err) {
				return nil, errors.Join(cerr, err)
			}
			// what it told before it could not be read any more is so all the same
		}
	}
	return all, nil
}

// DropSome removes leftovers, under the lock: as many as one write may take time for. Those that may
// hold a person's bytes it leaves to Repair, which knows the log, unless the entry that was just finished,
// which may be nil, knows them.
func (l Files) DropSome(e *txlog.Entry, isAlone func() bool) {
	var alone, asked bool
	busy := func(x fsys.Entry) bool {
		switch durable.TempPrefix(x) {
		case "":
			return true
		case "f":
			if e == nil {
				return true
			}
		}
		if !asked {
			alone, asked = isAlone(), true
		}
		return l.MayBeInUse(x, alone)
	}
	left := MaxSwept
	_ = l.Drop(l.writtenBy(e), busy, func(name string) error { // best effort: the next write comes again
		if left == 0 {
			return errSweptEnough
		}
		left--
		return durable.IgnoreMissing(l.Disk.FS.Remove(name))
	})
}

var errSweptEnough = errors.New("enough for one write")

// writtenBy is a knower of what the projection of an entry replaces and writes, whole or half.
func (l Files) writtenBy(e *txlog.Entry) knower {
	return func(name, hash string) (bool, error) {
		for i := range e.Files {
			if f := &e.Files[i]; f.Was == hash || f.Hash == hash {
				return true, nil
			}
		}
		half, err := l.Disk.FS.ReadFile(name, layout.MaxDocument)
		if err != nil {
			return false, nil //nolint:nilerr // it stays
		}
		for i := range e.Files {
			if body, err := l.Log.BodyOf(&e.Files[i]); err == nil && bytes.HasPrefix(body, half) {
				return true, nil
			}
		}
		return false, nil
	}
}

func (l Files) List() ([]fsys.Entry, error) {
	es, err := fsys.List(l.Disk.FS, layout.TmpDir)
	if fsys.Missing(err) {
		err = nil
	}
	return es, err
}

func (l Files) Drop(known knower, busy func(fsys.Entry) bool, remove func(name string) error) error {
	es, err := l.List()
	if err != nil {
		return err
	}
	for _, e := range es {
		if busy(e) {
			continue
		}
		if ours, err := l.isLeftover(e, known); err != nil {
			return err
		} else if !ours {
			continue
		}
		if err := l.upTree(layout.TmpDir+"/"+e.Name, e.Type, 0, remove); err != nil {
			return err
		}
	}
	return nil
}

// IsOld says whether nobody can be writing a file anymore. The file system's own clock made
// its time, so it is compared with the machine's.
func (l Files) IsOld(name string) bool {
	in, err := l.Disk.FS.Stat(name)
	return err == nil && time.Since(in.ModTime) > Age
}

// upTree calls visit for everything in a directory and then for itself; for a file only that.
func (l Files) upTree(name string, kind fs.FileMode, depth int, visit func(name string) error) error {
	if kind == fs.ModeDir && depth <= results.MaxDepth {
		es, err := fsys.List(l.Disk.FS, name)
		if err != nil {
			return err
		}
		for _, e := range es {
			if err := l.upTree(name+"/"+e.Name, e.Type, depth+1, visit); err != nil {
				return err
			}
		}
	}
	return visit(name)
}
