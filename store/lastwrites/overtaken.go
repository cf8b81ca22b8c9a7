package lastwrites

import (
	"slices"
	"time"

	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// reach is how many entries are looked through for who wrote a file.
const reach = 512

// Write is a file as an entry of the log wrote it.
type Write struct {
	Seq   uint64
	Image txlog.FileImage
}

// Overtaken is the newest entry's version of a file that holds an older one's; nil when
// the file holds something else.
func (x *Index) Overtaken(name, hash string) (*Write, error) {
	in, err := x.Log.FS.Stat(name)
	if fsys.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return x.WrittenBefore(name, hash, in.ModTime)
}

// WrittenBefore is Overtaken for bytes that were written at a time.
func (x *Index) WrittenBefore(name, hash string, modified time.Time) (*Write, error) {
	last, err := x.Log.Tail(0)
	if err != nil {
		return nil, err
	}
	var newest *Write
	var before int // entries from before the file was written
	for seq := last; seq > 0 && last-seq < reach && before < 8; seq-- {
		e, err := x.Log.FS.Stat(layout.EntryFile(seq))
		if err != nil || newest == nil && modified.After(e.ModTime) {
			return nil, nil //nolint:nilerr // a log that ends here says nothing more
		}
		if e.ModTime.Before(modified.Add(-time.Second)) {
			before++
		}
		entry, _, err := x.Log.ReadEntry(seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return nil, err
			}
			return nil, nil
		}
		i := slices.IndexFunc(entry.Files, func(f txlog.FileImage) bool { return f.Path == name })
		if i < 0 {
			continue
		}
		f := entry.Files[i]
		switch {
		case newest == nil && (f.Hash == hash || f.Edited):
			return nil, nil
		case newest == nil:
			newest = &Write{seq, f}
		case f.Hash == hash && !f.Edited:
			return newest, nil
		}
	}
	return nil, nil
}
