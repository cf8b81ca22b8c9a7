package txlog

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
	Tip
	file fileID
}

// Saw remembers which file an entry is. in was asked for before its bytes were read, so that
// a file that took its place meanwhile is not taken for it.
func (l *Log) Saw(at Tip, in fsys.Info) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = seenEntry{at, idOf(in)}
}

// IsStill says whether the log holds an entry as it was read. The bytes are only read where another file has its number.
func (l *Log) IsStill(at Tip) (bool, error) {
	if at.Seq == 0 {
		return true, nil
	}
	in, err := l.FS.Stat(layout.EntryFile(at.Seq))
	if fsys.Missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	seen := l.seen
	l.mu.Unlock()
	if at.Head == "" || seen == (seenEntry{at, idOf(in)}) { // what could not be read has no bytes to compare
		return true, nil
	}
	b, err := l.FS.ReadFile(layout.EntryFile(at.Seq), layout.MaxEntry)
	if err != nil {
		if fsys.IsAboutFile(err) {
			err = nil
		}
		return false, err
	}
	if model.HashBytes(b) != at.Head {
		return false, nil
	}
	l.Saw(at, in)
	return true, nil
}

// Hint is cache/projected: the last entry that is known to be projected. It is written
// only after everything that it speaks of is durable, so that it cannot outlive it; it is
// itself not synced, for the one thing that is lost without it is time.
type Hint struct {
	Tip
	// Size and time of the entry's file say that it is the entry of this log.
	Size, Time int64 // bytes, nanoseconds since 1970
	// names is the mtime of tasks/ when the log had made every name in it; 0: unknown.
	Names int64
}

const HintLength = 192 // fixed, so that writing over it never leaves a mixture of lengths

func (l *Log) Hinted() Hint {
	b, err := l.FS.ReadFile(layout.ProjectedTip, HintLength)
	if err != nil || len(b) != HintLength {
		return Hint{}
	}
	h := ParseHint(string(b))
	if h.Seq == 0 {
		return Hint{}
	}
	in, err := l.FS.Stat(layout.EntryFile(h.Seq))
	if err != nil || in.Size != h.Size || in.ModTime.UnixNano() != h.Time {
		return Hint{}
	}
	l.Saw(h.Tip, in)
	return h
}

func ParseHint(text string) Hint {
	var h Hint
	n, err := fmt.Sscanf(text, "projected %d %s %d %d %d", &h.Seq, &h.Head, &h.Size, &h.Time, &h.Names)
	if err != nil || n != 5 || !ValidHash(h.Head) {
		return Hint{}
	}
	return h
}

func (h Hint) Encode() []byte {
	line := fmt.Sprintf("projected %d %s %d %d %d", h.Seq, h.Head, h.Size, h.Time, h.Names)
	return []byte(line + strings.Repeat(" ", max(HintLength-1-len(line), 0)) + "\n")
}
