package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// A task's directory may be aside just while the files of an entry are written, and come back. A file in
// log/owed, with a name that says which entry and which task, remembers that; unlike a debt it holds up
// nobody. Who writes next, once the directory is there, writes what the task has missed: events, revisions
// and approvals that are not there, and where no later entry is about the task reviews and results, if they
// still are what they were before. Its own files are looked at by every reading, and settled like an edit.

// awayMark ends the name of such a file.
const awayMark = ".away"

// mostAway is how many later entries are looked through for the task. Beyond that it is taken for granted
// that one is about it.
const mostAway = 256

// missedEntry is an entry that a task has missed.
type missedEntry struct {
	seq uint64
	uid model.UID
}

func (m missedEntry) file() string {
	return fmt.Sprintf("%s/%012d.%s%s", owedDir, m.seq, m.uid, awayMark)
}

// aways are the entries that tasks have missed, the oldest first.
func (s *Store) aways() (list []missedEntry, err error) {
	es, err := s.entries(owedDir)
	var notPlain *fsys.NotRegularError
	if fsys.Missing(err) || errors.As(err, &notPlain) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range es {
		name, ok := strings.CutSuffix(e.Name, awayMark)
		digits, uid, _ := strings.Cut(name, ".")
		seq, err := strconv.ParseUint(digits, 10, 64)
		if m := (missedEntry{seq, model.UID(uid)}); ok && err == nil && m.uid.Valid() && e.Type == 0 && m.file() == owedDir+"/"+e.Name {
			list = append(list, m)
		}
	}
	return list, nil
}

// noteAway remembers that tasks were away while an entry was written. It is best effort: what it is for can
// be had from `vespe doctor --fix`, too.
func (s *Store) noteAway(seq uint64, uids []model.UID) {
	if len(uids) == 0 {
		return
	}
	switch err := s.fs.Mkdir(owedDir); {
	case err == nil:
		_ = s.syncDir(layout.LogDir)
	case !errors.Is(err, fs.ErrExist):
		return
	}
	for _, uid := range uids {
		_ = s.writeNew(missedEntry{seq, uid}.file(), nil)
	}
	_ = s.syncDir(owedDir)
}

// writeMissed writes what tasks have missed that are back, under the lock. last is the last entry.
func (s *Store) writeMissed(last uint64) (back []model.UID, warnings []string, err error) {
	list, err := s.aways()
	if err != nil {
		return nil, nil, err
	}
	for _, m := range list {
		if _, err := s.fs.Stat(layout.TaskDir(m.uid)); err != nil && !s.wasCompacted(m.seq) {
			continue // it may come back
		}
		more, err := s.writeMissedOf(m, last)
		warnings = append(warnings, more...)
		if err != nil {
			return back, warnings, err
		}
		if _, err := s.fs.Stat(layout.TaskDir(m.uid)); err != nil && !s.wasCompacted(m.seq) {
			continue // it has gone again
		}
		if err := removed(s.fs.Remove(m.file())); err != nil {
			return back, warnings, err
		}
		back = append(back, m.uid)
	}
	return back, warnings, nil
}

func (s *Store) writeMissedOf(m missedEntry, last uint64) (warnings []string, err error) {
	e, _, err := s.readEntry(m.seq)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, err
		}
		return nil, nil // it was compacted, or cannot be read: Doctor says so
	}
	files := filesOf(e, m.uid)
	if s.anyUnwritable(files) != nil {
		return nil, nil // `vespe doctor --fix` can do it when that is mended
	}
	later := last-m.seq > mostAway
	log, err := s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for seq := m.seq + 1; seq <= last && !later; seq++ {
		later = mayName(log, seq, m.uid)
	}
	var todo []*fileImage
	for _, f := range files {
		now, err := s.hashOf(f.Path)
		if err != nil {
			if fsys.IsAboutFile(err) {
				continue
			}
			return nil, err
		}
		if now != f.Hash && (f.Immutable && now == "" || !f.Immutable && !isOwn(f.Path) && !later && now == f.Was) {
			todo = append(todo, f)
		}
	}
	warnings, _, err = s.project(last, todo)
	return warnings, err
}

// mayName says whether an entry may be about a task.
func mayName(log fsys.Dir, seq uint64, uid model.UID) bool {
	b, err := log.ReadFile(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), hashWhole)
	return err != nil || strings.Contains(string(b), string(uid)+"/")
}
