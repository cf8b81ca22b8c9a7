package store

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// fileID tells a file from others that have its name at other times.
type fileID struct {
	dev, ino   uint64
	size, time int64 // bytes, nanoseconds since 1970
}

func idOf(in fsys.Info) fileID { return fileID{in.Dev, in.Ino, in.Size, in.ModTime.UnixNano()} }

// seenEntry is an entry and the file that held it when it was read.
type seenEntry struct {
	tip
	file fileID
}

// saw remembers which file an entry is. in was asked for before its bytes were read, so that
// a file that took its place meanwhile is not taken for it.
func (l *txLog) saw(at tip, in fsys.Info) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = seenEntry{at, idOf(in)}
}

// isStill says whether the log holds an entry as it was read, or has compacted it since. The
// bytes are only read where another file has its number.
func (l *txLog) isStill(at tip) (bool, error) {
	if at.seq == 0 {
		return true, nil
	}
	in, err := l.fs.Stat(layout.EntryFile(at.seq))
	if fsys.Missing(err) {
		return l.stoodFor(at.seq), nil
	}
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	seen := l.seen
	l.mu.Unlock()
	if at.head == "" || seen == (seenEntry{at, idOf(in)}) { // what could not be read has no bytes to compare
		return true, nil
	}
	b, err := l.fs.ReadFile(layout.EntryFile(at.seq), layout.MaxEntry)
	if err != nil {
		if fsys.IsAboutFile(err) {
			err = nil
		}
		return false, err
	}
	if model.HashBytes(b) != at.head {
		return false, nil
	}
	l.saw(at, in)
	return true, nil
}

// stoodFor says whether an entry is not there because the log was compacted. A base that cannot be
// read is another's to tell.
func (l *txLog) stoodFor(seq uint64) bool {
	floor, err := l.floor(true)
	return err != nil || seq <= floor
}

// hint is cache/projected: the last entry that is known to be projected. It is written
// only after everything that it speaks of is durable, so that it cannot outlive it; it is
// itself not synced, for the one thing that is lost without it is time.
type hint struct {
	tip
	// size and time of the entry's file say that it is the entry of this log.
	size, time int64 // bytes, nanoseconds since 1970
	// names is the mtime of tasks/ when the log had made every name in it; 0: unknown.
	names int64
}

const hintLength = 192 // fixed, so that writing over it never leaves a mixture of lengths

func (l *txLog) hinted() hint {
	b, err := l.fs.ReadFile(layout.ProjectedTip, hintLength)
	if err != nil || len(b) != hintLength {
		return hint{}
	}
	h := parseHint(string(b))
	if h.seq == 0 {
		return hint{}
	}
	in, err := l.fs.Stat(layout.EntryFile(h.seq))
	if err != nil || in.Size != h.size || in.ModTime.UnixNano() != h.time {
		return hint{}
	}
	l.saw(h.tip, in)
	return h
}

func parseHint(text string) hint {
	var h hint
	n, err := fmt.Sscanf(text, "projected %d %s %d %d %d", &h.seq, &h.head, &h.size, &h.time, &h.names)
	if err != nil || n != 5 || !validHash(h.head) {
		return hint{}
	}
	return h
}

func (h hint) encode() []byte {
	line := fmt.Sprintf("projected %d %s %d %d %d", h.seq, h.head, h.size, h.time, h.names)
	return []byte(line + strings.Repeat(" ", max(hintLength-1-len(line), 0)) + "\n")
}
