package gitlog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

// Ref is the reference of the mode "ref".
const Ref = "refs/vespe/history"

// ref records on refs/vespe/history. Only that reference and objects are written.
func (r *attempt) ref() error {
	o, err := r.cat.Get(Ref+"^{commit}", layout.MaxJSON)
	if err != nil {
		return err
	}
	if o.Type == "" {
		return r.startRef()
	}
	at, err := r.standsAt(o)
	if err != nil {
		return err
	}
	if r.hint.OID != o.OID { // the hint is of another time: the commit alone counts
		r.hint = hint{Mode: r.hint.Mode}
	}
	// The store may have been moved within the repository.
	if there, err := r.cat.Get(Ref+":"+r.base, 0); err != nil || there.Type != "tree" {
		if err != nil {
			return err
		}
		return r.resync(o.OID, "the store was moved")
	}
	return r.follow(o.OID, at)
}

// follow records until the end of the log, batch by batch.
func (r *attempt) follow(from git.OID, at txlog.Tip) error {
	last, err := r.s.Log.Tail(at.Seq)
	if err != nil {
		return err
	}
	for at.Seq < last {
		w, err := r.newWriter(from)
		if err != nil {
			return err
		}
		var to git.OID
		if at, to, err = r.replay(w, at, last, nil); err != nil && !(errors.Is(err, errGap) && to != "") {
			if errors.Is(err, errGap) {
				return r.resync(from, "the log no longer has all entries since the last commit")
			}
			return err
		}
		if err := r.move(w, to, from, at); err != nil {
			return err
		}
		from = to
		if last, err = r.s.Log.Tail(at.Seq); err != nil {
			return err
		}
	}
	return nil
}

// move hands the objects over, moves the reference and notes it.
func (r *attempt) move(w *git.Writer, to, from git.OID, at txlog.Tip) error {
	if err := w.Store(); err != nil {
		return err
	}
	if err := r.repo.UpdateRef(r.ctx, Ref, to, from, r.who(), reflogReason); err != nil {
		return refLocked(err)
	}
	h := &r.hint
	h.Seq, h.Head, h.OID, h.At = at.Seq, at.Head, to, r.s.Now()
	h.Tree = max(w.Largest, h.Tree)
	return r.s.writeHint(*h)
}

// standsAt is the entry that the history has come to. A history that is not of this log is
// left alone.
func (r *attempt) standsAt(o git.Object) (txlog.Tip, error) {
	other := func(format string, args ...any) error {
		return trouble("other-history", nil, "%s stays as it is: %s; to begin a new one, move it: git update-ref refs/vespe/history-before %s && git update-ref -d %s",
			Ref, fmt.Sprintf(format, args...), Ref, Ref)
	}
	rec, ok := parseRecorded(string(o.Body))
	switch {
	case !ok:
		return txlog.Tip{}, other("vespe didn't make its last commit")
	case rec.store != r.s.StoreID():
		return txlog.Tip{}, other("it belongs to another store (%.32s)", rec.store)
	}
	last, err := r.s.Log.Tail(0)
	if err != nil {
		return txlog.Tip{}, err
	}
	if rec.Seq > last {
		return txlog.Tip{}, other("it is at entry %d, but the log here ends at %d: it comes from another clone", rec.Seq, last)
	}
	if has, missing := r.has(rec.Tip); !has && !missing {
		return txlog.Tip{}, other("its entry %d differs from the log here: it comes from another clone", rec.Seq)
	}
	return rec.Tip, nil
}

// startRef makes the first commit: the store as it is now. At the first transaction of all
// it is the store before it.
func (r *attempt) startRef() error {
	if !r.start {
		return errStart
	}
	w, err := r.newWriter("")
	if err != nil {
		return err
	}
	at, err := r.putAll(w, nil)
	if err != nil {
		return err
	}
	if at.Seq == 1 {
		e, _, err := r.s.Log.ReadEntry(1)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool { return f.Was != "" }) {
			return r.beginRef(w, at)
		}
		for i := range e.Files {
			if err := w.Remove(r.base + "/" + e.Files[i].Path); err != nil {
				return err
			}
		}
		at = txlog.Tip{}
	}
	return r.beginRef(w, at)
}

func (r *attempt) beginRef(w *git.Writer, at txlog.Tip) error {
	to, err := w.Commit(startCommit(startOfHistory, at, r.s.StoreID(), r.s.Now()), false)
	if err != nil {
		return err
	}
	if err := r.move(w, to, "", at); err != nil {
		return err
	}
	return r.follow(to, at)
}

// resync records the store as it is, where the log does not tell how it came to be so.
func (r *attempt) resync(from git.OID, why string) error {
	if !r.start {
		return errStart
	}
	w, err := r.newWriter(from)
	if err != nil {
		return err
	}
	w.Clear()
	at, err := r.putAll(w, nil)
	if err != nil {
		return err
	}
	to, err := w.Commit(startCommit("the store as it is: "+why, at, r.s.StoreID(), r.s.Now()), false)
	if err != nil {
		return err
	}
	return r.move(w, to, from, at)
}

// putAll lays every file of the store into the tree, as of the entry that it returns, and
// tells how far it is.
func (r *attempt) putAll(w *git.Writer, skip func(path string) bool) (txlog.Tip, error) {
	if working := r.s.Working; working != nil {
		n, err := r.s.Tasks()
		if err != nil {
			return txlog.Tip{}, err
		}
		r.meter = parallel.NewMeter(func(done, total int) { working("recording the whole store in git", done, total) }, n)
		defer func() { r.meter = nil }()
	}
	at, err := r.putFiles(w, skip)
	if r.meter != nil && err == nil {
		r.meter.Finish()
	}
	return at, err
}

func (r *attempt) putFiles(w *git.Writer, skip func(path string) bool) (txlog.Tip, error) {
	first, err := r.s.Log.Tail(0)
	if err != nil {
		return txlog.Tip{}, err
	}
	dir, err := r.s.Disk.FS.OpenDir(".")
	if err != nil {
		return txlog.Tip{}, err
	}
	if err := r.putDir(w, dir, "", skip); err != nil {
		return txlog.Tip{}, err
	}
	// The last entry may not be in all files yet, and others may be now.
	var at txlog.Tip
	for seq := first; seq > 0; seq++ {
		e, head, err := r.s.Log.ReadEntry(seq)
		if fsys.Missing(err) && seq > first {
			break
		}
		if err != nil {
			return txlog.Tip{}, err
		}
		if err := r.put(w, e, skip); err != nil {
			return txlog.Tip{}, err
		}
		at = txlog.Tip{Seq: seq, Head: head}
	}
	return at, nil
}

// putDir lays a directory into the tree, and closes it. What is not a regular file, or too large
// to be read, is not recorded.
func (r *attempt) putDir(w *git.Writer, dir fsys.Dir, prefix string, skip func(path string) bool) error {
	defer dir.Close()
	es, err := dir.Entries()
	if err != nil {
		return err
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	for _, e := range es {
		path := r.base + "/" + prefix + e.Name
		if layout.IsMachinery(e.Name) && (prefix == "" || strings.Contains(e.Name, layout.TheirsMark)) || git.CheckPath(path) != nil {
			continue
		}
		if e.Type.IsDir() {
			sub, err := dir.OpenDir(e.Name)
			if err != nil {
				continue // it was deleted, or cannot be read: Doctor says so
			}
			if err := r.putDir(w, sub, prefix+e.Name+"/", skip); err != nil {
				return err
			}
			if prefix == layout.TasksDir+"/" {
				if err := w.Flush(path); err != nil {
					return err
				}
				if r.meter != nil {
					r.meter.Add(1)
				}
			}
			continue
		}
		if e.Type != 0 || skip != nil && skip(path) {
			continue
		}
		body, err := dir.ReadFile(e.Name, layout.MaxDocument)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			continue
		}
		if err := w.Put(path, body); err != nil {
			return err
		}
	}
	return nil
}
