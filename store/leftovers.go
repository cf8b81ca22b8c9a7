package store

import (
	"encoding/hex"
	"io/fs"
	"strings"
	"time"

	"vespe/model"
)

// tmpRandom is how many random bytes are in a name in tmp/.
const tmpRandom = 12

func (s *Store) tmpName(prefix string) string {
	return tmpDir + "/" + prefix + "-" + s.randomHex(tmpRandom)
}

// tmpPrefix is what a name that tmpName makes begins with; "" for any other entry of tmp/.
func tmpPrefix(e Entry) string {
	prefix, random, _ := strings.Cut(e.Name, "-")
	if raw, err := hex.DecodeString(random); err != nil || len(raw) != tmpRandom || strings.ToLower(random) != random {
		return ""
	}
	want := fs.FileMode(0)
	switch prefix {
	case "task":
		want = fs.ModeDir
	case "f", "entry", "object", "base", "past", "checkpoint", "git", "results":
	default:
		return ""
	}
	if e.Type != want {
		return ""
	}
	return prefix
}

// isLeftover: vespe made what lies under a name in tmp/, and nobody needs it. A file that was
// exchanged for another may hold what somebody wrote in that very moment, and nobody else has:
// it is ours only when the log knows its bytes.
func (s *Store) isLeftover(e Entry, known map[string]bool) (bool, error) {
	switch tmpPrefix(e) {
	case "":
		return false, nil
	case "f":
	default:
		return true, nil
	}
	hash, err := s.hashOf(tmpDir + "/" + e.Name)
	if err != nil && isTransient(err) {
		return false, err
	}
	return err == nil && (known[hash] || hash == emptyHash), nil
}

var emptyHash = model.HashBytes(nil)

func (s *Store) leftovers() ([]Entry, error) {
	es, err := s.entries(tmpDir)
	if missing(err) {
		err = nil
	}
	return es, err
}

// leftovers removes what interrupted writers left in tmp/. Whoever holds the lock knows that
// nobody else is writing there, except what is written without it.
func (f *fixer) leftovers() error {
	alone := f.s.locksWork(lockFile)
	known := map[string]bool{}
	for _, im := range f.last {
		known[im.hash] = true
	}
	busy := func(e Entry) bool {
		prefix := tmpPrefix(e)
		return (!alone || prefix == "git" || prefix == "checkpoint") && !f.s.isOld(tmpDir+"/"+e.Name)
	}
	return f.s.dropLeftovers(known, busy, func(name string) error {
		return f.remove(name, "removed: a write that did not come to its end left it")
	})
}

// leftovers removes what interrupted writers left in tmp/.
func (g *collector) leftovers() error {
	busy := func(e Entry) bool { return !g.s.isOld(tmpDir + "/" + e.Name) }
	return g.s.dropLeftovers(g.known, busy, func(name string) error { return g.remove(name, &g.report.Leftovers) })
}

func (s *Store) dropLeftovers(known map[string]bool, busy func(Entry) bool, remove func(name string) error) error {
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
		if err := s.upTree(tmpDir+"/"+e.Name, e.Type, 0, remove); err != nil {
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
	if kind == fs.ModeDir && depth <= maxResultDepth {
		es, err := s.entries(name)
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
