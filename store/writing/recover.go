package writing

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/leftovers"
	"vespe/store/pending"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// markProjected remembers, here and in the hint, that an entry is projected, durably.
func (s *Writer) markProjected(at txlog.Tip) {
	s.Current.SetProjected(at.Seq)
	var names int64
	if !s.Edits.HasMoved() {
		names = s.Current.Names()
	}
	if in, err := s.Disk.FS.Stat(layout.EntryFile(at.Seq)); err == nil {
		// Best effort: without the hint the next one compares hashes.
		_ = s.Disk.FS.Overwrite(layout.ProjectedTip, txlog.Hint{Tip: at, Size: in.Size, Time: in.ModTime.UnixNano(), Names: names}.Encode())
	}
}

// TryRecover finishes the projection of the last entry, and what else is pending, if nobody is writing right now.
func (s *Writer) TryRecover(ctx context.Context) {
	if !s.Writing.TryTake() {
		return // a transaction of this process is under way; it recovers by itself
	}
	defer s.Writing.Give()
	last, err := s.Loader.AgreeAlone()
	if err != nil || last == 0 {
		return
	}
	_, done := s.Current.Known()
	// Also where all of it is in place, as in a copy, whose files are not those that the hint names: without a hint
	// there is no checkpoint.
	behind := last > done && s.Pending.Hint().Seq != last
	if behind {
		if _, _, err := s.Log.ReadEntry(last); err != nil { // broken, or a newer vespe's: nothing may follow it
			return
		}
	}
	if list, err := s.Pending.All(); err != nil || !behind && !s.Pending.AnyDue(list) {
		return
	}
	l, err := s.Disk.FS.TryLock(layout.LockFile)
	if err != nil {
		return
	}
	defer l.Close()
	if ctx.Err() != nil || s.Prepare() != nil {
		return
	}
	// What cannot be finished now is read through the log, and the next transaction says
	// why it cannot be finished.
	if _, err := s.recoverTail(); err != nil {
		return
	}
	if last, err = s.Log.Tail(last); err == nil {
		_, _, _ = s.Pending.Finish(last)
	}
}

// recoverTail brings the files of the last entry to what the entry says, under the lock.
// If the entry is known to have been projected, whatever is different now was done by
// someone else since, and stays. Otherwise, for each of its files:
//
//   - one that holds the after-image is done;
//   - one that holds what was there before is written;
//   - one with other bytes is written too, and the bytes are kept beside it.
//
// Entries before the last need no look: anyone who committed the next one did this first.
func (s *Writer) recoverTail() (warnings []string, err error) {
	last, err := s.Loader.AgreeAlone()
	if err != nil {
		return nil, err
	}
	_, done := s.Current.Known()
	if last == 0 || last <= done {
		return nil, nil
	}
	if h := s.Pending.Hint(); h.Seq == last {
		// A newer vespe may have left a hint and a checkpoint that can be read beside an entry that cannot.
		if err := s.notNewer(last); err != nil {
			return nil, err
		}
		s.Current.SetProjected(last)
		if h.Names != 0 {
			s.Current.SetNames(h.Names)
		}
		return nil, nil
	}
	e, head, err := s.Log.ReadEntry(last)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, err
		}
		return nil, failure.New(model.CodeInvalid, failure.GuardStore, nil, err, failure.HintFor(err, txlog.HintTail), "the last entry of the log can't be read, so vespe can't write another")
	}
	// Anyone who committed it may have been killed before its name was durable, and no file may show what
	// the log does not hold after a power cut.
	if err := s.syncEntry(last); err != nil {
		return nil, err
	}
	if err := s.Disk.DropTempName(layout.EntryFile(last)); err != nil {
		return nil, err
	}
	todo, err := s.ToWrite(e)
	if err != nil {
		return nil, err
	}
	warnings, refused, err := s.Pending.Project(last, todo)
	if err != nil {
		return warnings, err
	}
	// What was in place already, and the directories above it, may be so for no longer than
	// since a moment ago.
	dirs := map[string]bool{}
	for i := range e.Files {
		if uid, _, _ := layout.TaskOf(e.Files[i].Path); !slices.Contains(refused, uid) {
			pending.AddAbove(dirs, e.Files[i].Path)
		}
	}
	if err := s.Disk.SyncDirs(dirs); err != nil {
		return warnings, err
	}
	if err := s.Pending.Note(last, refused, false); err != nil {
		return warnings, err
	}
	warnings = append(warnings, s.Reflections.Write(e)...)
	s.markProjected(txlog.Tip{Seq: last, Head: head})
	s.leftovers().DropSome(e, s.Comparer.IsAlone)
	return warnings, nil
}

// notNewer refuses to continue from an entry of a newer format. It reads only the format.
func (s *Writer) notNewer(seq uint64) error {
	log, err := s.Disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	r, _, err := log.Open(path.Base(layout.EntryFile(seq)), layout.MaxEntry)
	if err != nil {
		return err
	}
	defer r.Close()
	d := jsontext.NewDecoder(r)
	for range 2 { // the brace, and the first key
		if _, err := d.ReadToken(); err != nil {
			return nil //nolint:nilerr // its reader reports what is wrong
		}
	}
	var format int
	if err := json.UnmarshalDecode(d, &format); err != nil || format <= txlog.EntryFormat {
		return nil //nolint:nilerr // the same
	}
	err = &sections.NewerError{What: fmt.Sprintf("%s has format %d; this vespe reads up to %d", layout.Shown(layout.EntryFile(seq)), format, txlog.EntryFormat)}
	return failure.New(model.CodeInvalid, failure.GuardStore, nil, err, failure.HintFor(err, ""), "a newer vespe wrote the last entry of the log, so this one can't write")
}

// ToWrite is the files of an entry that have to be written.
func (s *Writer) ToWrite(e *txlog.Entry) ([]*txlog.FileImage, error) {
	files := make([]*txlog.FileImage, len(e.Files))
	for i := range e.Files {
		files[i] = &e.Files[i]
	}
	return s.differing(slices.DeleteFunc(files, func(f *txlog.FileImage) bool { return f.Edited }))
}

// differing are files that do not hold their after-images, or do not let it be seen.
func (s *Writer) differing(files []*txlog.FileImage) ([]*txlog.FileImage, error) {
	var todo []*txlog.FileImage
	for _, f := range files {
		now, err := s.Disk.Hash(f.Path)
		if err != nil && !fsys.IsAboutFile(err) {
			return nil, err
		}
		if err != nil || now != f.Hash {
			todo = append(todo, f)
		}
	}
	return todo, nil
}

// restoreStale writes files of tasks again that a late writer has set back, under the lock.
func (s *Writer) restoreStale(at txlog.Tip, uids []model.UID) (warnings []string, err error) {
	for _, uid := range uids {
		names := s.Edits.TakeStale(uid)
		if len(names) > 0 && s.Comparer.IsAlone() {
			continue // they are edits, and found to be when they are looked at again
		}
		for _, name := range names {
			hash, err := s.Disk.Hash(name)
			if err != nil && fsys.IsAboutFile(err) {
				continue // its content has changed, which a load reports
			}
			if err != nil {
				return warnings, failure.About(uid, err)
			}
			w, err := s.Comparer.Overtaken(name, hash)
			if err != nil {
				return warnings, failure.About(uid, err)
			}
			if w == nil {
				continue // it was put right meanwhile, or edited
			}
			f := w.Image
			f.Was = hash
			more, refused, err := s.Pending.Project(at.Seq, []*txlog.FileImage{&f})
			warnings = append(warnings, more...)
			if err == nil && len(refused) > 0 {
				err = fmt.Errorf("%s can't be written", layout.Shown(layout.TaskDir(uid)))
			}
			if err != nil {
				s.Edits.AddStale(uid, []string{name})
				return warnings, failure.About(uid, err)
			}
			warnings = append(warnings, fmt.Sprintf("%s was overwritten by a late writer; it is restored to what entry %d wrote", layout.Shown(name), w.Seq))
		}
	}
	return warnings, nil
}

func (s *Writer) leftovers() leftovers.Files { return leftovers.Files{Disk: s.Disk, Log: s.Log} }
