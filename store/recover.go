package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vespe/model"
)

// hint is cache/projected: what was projected last, written after a projection and not
// synced. synced is only said of a projection that was made durable before the hint was
// written, so that the hint cannot outlive what it speaks of. Anything else that it says
// may come from before a power cut.
type hint struct {
	seq    uint64
	head   string
	synced bool
}

const hintLength = 128 // fixed, so that writing over it never leaves a mixture of lengths

func (s *Store) readHint() hint {
	b, err := s.fs.ReadFile(projectedTip, maxHint)
	if err != nil || len(b) != hintLength {
		return hint{}
	}
	return parseHint(string(b))
}

func parseHint(text string) hint {
	fields := strings.Fields(text)
	if len(fields) != 4 || fields[0] != "projected" || !validHash(fields[2]) {
		return hint{}
	}
	var h hint
	if n, err := fmt.Sscanf(fields[1], "%d", &h.seq); n != 1 || err != nil {
		return hint{}
	}
	h.head = fields[2]
	h.synced = fields[3] == "synced"
	return h
}

func (h hint) encode() []byte {
	word := "unsynced"
	if h.synced {
		word = "synced"
	}
	line := fmt.Sprintf("projected %d %s %s", h.seq, h.head, word)
	return []byte(line + strings.Repeat(" ", max(hintLength-1-len(line), 0)) + "\n")
}

// markProjected remembers, here and in the hint, that an entry is projected.
func (s *Store) markProjected(at tip, synced bool) {
	s.mu.Lock()
	s.projected = max(s.projected, at.seq)
	s.mu.Unlock()
	// Best effort: without the hint the next one compares hashes.
	_ = s.fs.Overwrite(projectedTip, hint{at.seq, at.head, synced}.encode())
}

// tryRecover finishes the projection of the last entry if nobody is writing right now.
func (s *Store) tryRecover(ctx context.Context) {
	if !s.writing.TryLock() {
		return // a transaction of this process is under way; it recovers by itself
	}
	defer s.writing.Unlock()
	s.mu.Lock()
	from, done := s.tip.seq, s.projected
	s.mu.Unlock()
	last, err := s.tail(from)
	if err != nil || last == 0 || last <= done {
		return
	}
	if behind, err := s.unprojected(last); err != nil || !behind {
		return
	}
	l, err := s.fs.TryLock(lockFile)
	if err != nil {
		return
	}
	defer l.Close()
	if ctx.Err() != nil || s.prepare() != nil {
		return
	}
	// What cannot be finished now is read through the log, and the next transaction says
	// why it cannot be finished.
	_, _ = s.recoverTail()
}

// unprojected says whether there is anything to finish, without the lock.
func (s *Store) unprojected(seq uint64) (bool, error) {
	b, err := s.fs.ReadFile(entryFile(seq), maxEntry)
	if err != nil {
		return false, err
	}
	head := model.HashBytes(b)
	hint := s.readHint()
	if hint.synced && hint.seq == seq && hint.head == head {
		return false, nil
	}
	e, err := decodeEntry(b, seq)
	if err != nil {
		return false, err
	}
	todo, err := s.compare(e, hint.seq == seq && hint.head == head)
	return len(todo) > 0, err
}

// recoverTail brings the files of the last entry to what the entry says, under the lock:
//
//   - a file that holds the after-image is done;
//   - one that holds what was there before is written;
//   - one with other bytes, or none, is a later edit if the entry is known to have been
//     projected once, and stays. Otherwise its bytes are kept beside it, and it is
//     written.
//
// Entries before the last need no look: whoever committed the next one did this first.
func (s *Store) recoverTail() (warnings []string, err error) {
	s.mu.Lock()
	from, done := s.tip.seq, s.projected
	s.mu.Unlock()
	last, err := s.tail(from)
	if err != nil || last == 0 || last <= done {
		return nil, err
	}
	b, err := s.fs.ReadFile(entryFile(last), maxEntry)
	if err != nil {
		return nil, err
	}
	at := tip{last, model.HashBytes(b)}
	h := s.readHint()
	same := h.seq == last && h.head == at.head
	if same && h.synced {
		s.markProjected(at, true)
		return nil, nil
	}
	e, err := decodeEntry(b, last)
	if err != nil {
		return nil, fail(model.CodeInvalid, guardStore, nil, err, "run `vespe doctor`", "the last entry of the log cannot be read, so nothing can follow it")
	}
	if err := s.dropTmpName(last); err != nil {
		return nil, err
	}
	todo, err := s.compare(e, same)
	if err != nil {
		return nil, err
	}
	synced := false
	if len(todo) > 0 {
		if warnings, synced, err = s.project(last, todo); err != nil {
			return warnings, err
		}
	}
	s.markProjected(at, synced && len(todo) == len(e.Files))
	return warnings, nil
}

// compare is the files of an entry that have to be written.
func (s *Store) compare(e *entry, once bool) ([]*fileImage, error) {
	var todo []*fileImage
	for i := range e.Files {
		f := &e.Files[i]
		now, err := s.hashOf(f.Path)
		var notPlain *NotRegularError
		var tooLarge *TooLargeError
		if errors.As(err, &notPlain) || errors.As(err, &tooLarge) {
			now, err = "something else", nil
		}
		if err != nil {
			return nil, err
		}
		if now == f.Hash || now != f.Was && once {
			continue
		}
		todo = append(todo, f)
	}
	return todo, nil
}

// dropTmpName removes the temporary name that an entry keeps when whoever committed it
// came no further.
func (s *Store) dropTmpName(seq uint64) error {
	in, err := s.fs.Stat(entryFile(seq))
	if err != nil || in.Links < 2 {
		return err
	}
	d, err := s.fs.OpenDir(tmpDir)
	if err != nil {
		return err
	}
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return err
	}
	for _, e := range es {
		if t, err := d.Stat(e.Name); err == nil && t.Ino == in.Ino && t.Dev == in.Dev {
			return removed(s.fs.Remove(tmpDir + "/" + e.Name))
		}
	}
	return nil
}
