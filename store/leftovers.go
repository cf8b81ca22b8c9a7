package store

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

const maxSwept = 64 // files in tmp/ that one write removes at most

// mayBeInUse says, for who holds the lock, whether somebody may still be writing a file in tmp/. alone:
// the lock keeps others out.
func (s *Store) mayBeInUse(e fsys.Entry, alone bool) bool {
	return (!alone || durable.IsWrittenUnlocked(durable.TempPrefix(e))) && !s.isOld(layout.TmpDir+"/"+e.Name)
}

// knower says whether bytes of a file in tmp/, with a hash, are somewhere else, or of no use to anybody.
type knower func(name, hash string) (bool, error)

// isLeftover: vespe made what lies under a name in tmp/, and nobody needs it. A file that was
// exchanged for another may hold what somebody wrote in that very moment, and nobody else has:
// it is ours only when its bytes are known.
func (s *Store) isLeftover(e fsys.Entry, known knower) (bool, error) {
	switch durable.TempPrefix(e) {
	case "":
		return false, nil
	case "f":
	default:
		return true, nil
	}
	name := layout.TmpDir + "/" + e.Name
	hash, err := s.disk.Hash(name)
	if err != nil && fsys.IsTransient(err) {
		return false, err
	}
	if err != nil || hash == "" || hash == model.HashBytes(nil) {
		return err == nil && hash != "", nil
	}
	return known(name, hash)
}

// knowsLogged is a knower of the hashes that are given, and of all that entries of the log, as far as they can
// be read, wrote or replaced. They are read when they are first asked for.
func (s *Store) knowsLogged(ctx context.Context, more map[string]bool) knower {
	var all map[string]bool
	return func(_, hash string) (_ bool, err error) {
		if more[hash] {
			return true, nil
		}
		if all == nil {
			if all, err = s.loggedHashes(ctx); err != nil {
				return false, err
			}
		}
		return all[hash], nil
	}
}

func (s *Store) loggedHashes(ctx context.Context) (map[string]bool, error) {
	all := map[string]bool{}
	seqs, err := s.log.ListLog()
	if err != nil || len(seqs) == 0 {
		return all, err
	}
	log, err := s.fs.OpenDir(layout.LogDir)
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

// dropDead removes leftovers in tmp/, under the lock: as many as one write may take time for. Those that may
// hold a person's bytes it leaves to gc and Repair, which know the log, unless the entry that was just finished,
// which may be nil, knows them.
func (s *Store) dropDead(e *txlog.Entry) {
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
			alone, asked = s.comparer.IsAlone(), true
		}
		return s.mayBeInUse(x, alone)
	}
	left := maxSwept
	_ = s.dropLeftovers(s.writtenBy(e), busy, func(name string) error { // best effort: the next write comes again
		if left == 0 {
			return errSweptEnough
		}
		left--
		return durable.IgnoreMissing(s.fs.Remove(name))
	})
}

var errSweptEnough = errors.New("enough for one write")

// writtenBy is a knower of what the projection of an entry replaces and writes, whole or half.
func (s *Store) writtenBy(e *txlog.Entry) knower {
	return func(name, hash string) (bool, error) {
		for i := range e.Files {
			if f := &e.Files[i]; f.Was == hash || f.Hash == hash {
				return true, nil
			}
		}
		half, err := s.fs.ReadFile(name, layout.MaxDocument)
		if err != nil {
			return false, nil //nolint:nilerr // it stays
		}
		for i := range e.Files {
			if body, err := s.log.BodyOf(&e.Files[i]); err == nil && bytes.HasPrefix(body, half) {
				return true, nil
			}
		}
		return false, nil
	}
}

func (s *Store) leftovers() ([]fsys.Entry, error) {
	es, err := fsys.List(s.fs, layout.TmpDir)
	if fsys.Missing(err) {
		err = nil
	}
	return es, err
}

// leftovers removes what interrupted writers left in tmp/. Whoever holds the lock knows that
// nobody else is writing there, except what is written without it.
func (f *repairer) leftovers() error {
	alone := f.s.disk.LocksWork(layout.LockFile)
	known := map[string]bool{}
	for _, im := range f.last {
		known[im.Hash] = true
	}
	busy := func(e fsys.Entry) bool { return f.s.mayBeInUse(e, alone) }
	return f.s.dropLeftovers(f.s.knowsLogged(f.ctx, known), busy, func(name string) error {
		return f.remove(name, "removed: an interrupted write left it")
	})
}

// leftovers removes what interrupted writers left in tmp/.
func (g *collector) leftovers() error {
	busy := func(e fsys.Entry) bool { return !g.s.isOld(layout.TmpDir + "/" + e.Name) }
	return g.s.dropLeftovers(g.s.knowsLogged(g.ctx, g.known), busy, func(name string) error { return g.remove(name, &g.report.Leftovers) })
}

func (s *Store) dropLeftovers(known knower, busy func(fsys.Entry) bool, remove func(name string) error) error {
	es, err := s.leftovers()
	if err != nil {
		return err
	}
	for _, e := range es {
		if busy(e) {
			continue
		}
		if ours, err := s.isLeftover(e, known); err != nil {
			return err
		} else if !ours {
			continue
		}
		if err := s.upTree(layout.TmpDir+"/"+e.Name, e.Type, 0, remove); err != nil {
			return err
		}
	}
	return nil
}

// isOld says whether nobody can be writing a file any more. The file system's own clock made
// its time, so it is compared with the machine's.
func (s *Store) isOld(name string) bool {
	in, err := s.fs.Stat(name)
	return err == nil && time.Since(in.ModTime) > gcLeftover
}

// upTree calls visit for everything in a directory and then for itself; for a file only that.
func (s *Store) upTree(name string, kind fs.FileMode, depth int, visit func(name string) error) error {
	if kind == fs.ModeDir && depth <= results.MaxDepth {
		es, err := fsys.List(s.fs, name)
		if err != nil {
			return err
		}
		for _, e := range es {
			if err := s.upTree(name+"/"+e.Name, e.Type, depth+1, visit); err != nil {
				return err
			}
		}
	}
	return visit(name)
}
