package gitlog

import (
	"context"
	"errors"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

// attempt is one attempt to record.
type attempt struct {
	s     *Recorder
	ctx   context.Context //nolint:containedctx // one attempt
	repo  *git.Repo
	cat   *git.Cat
	hint  hint
	base  string          // .vespe as git sees it
	start bool            // a first commit may be made
	meter *parallel.Meter // of putAll; nil: nobody is told
}

func (r *attempt) run(mode string) (err error) {
	if r.cat, err = r.repo.Cat(r.ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.cat.Close()) }()
	if mode == model.GitBranch {
		return r.branch()
	}
	return r.ref()
}

// reflogReason is what the log of a reference says of a move.
const reflogReason = "vespe: entries of the log"

// who is named there.
func (r *attempt) who() git.Commit { return author(model.System+":vespe", r.s.Now()) }

// has reports whether this store's log has an entry with this hash. missing: it has neither
// that entry nor the next, so that nothing can be said.
func (r *attempt) has(at txlog.Tip) (has, missing bool) {
	if at.Seq == 0 {
		return true, false
	}
	next, _, err := r.s.Log.ReadEntry(at.Seq + 1)
	if err == nil {
		return next.Prev == at.Head, false
	}
	_, head, err2 := r.s.Log.ReadEntry(at.Seq)
	return err2 == nil && head == at.Head, fsys.Missing(err) && fsys.Missing(err2)
}

// newWriter begins at a commit, with files as executable as they are in the worktree.
func (r *attempt) newWriter(base git.OID) (*git.Writer, error) {
	w, err := r.repo.NewWriter(r.ctx, r.cat, base)
	if err != nil {
		return nil, err
	}
	w.Executable = func(path string) (is, there bool) {
		in, err := r.s.Disk.FS.Stat(strings.TrimPrefix(path, r.base+"/"))
		return err == nil && in.Exec, err == nil && in.Type == 0
	}
	return w, nil
}

// errGap says that the log does not go back as far as the history.
var errGap = errors.New("entries of the log are gone")

// replay commits the entries after at, as many as one batch has.
func (r *attempt) replay(w *git.Writer, at txlog.Tip, last uint64, skip func(path string) bool) (txlog.Tip, git.OID, error) {
	var oid git.OID
	for last = min(last, at.Seq+r.s.Batch); at.Seq < last; {
		if err := r.ctx.Err(); err != nil {
			return at, oid, err
		}
		e, head, err := r.s.Log.ReadEntry(at.Seq + 1)
		if fsys.Missing(err) {
			return at, oid, errGap
		}
		if err != nil {
			return at, oid, err
		}
		if at.Seq > 0 && e.Prev != at.Head {
			return at, oid, trouble("broken-log", nil, "vespe commits nothing after entry %d, because the next one doesn't follow it; run `vespe store doctor`", at.Seq)
		}
		if err := r.put(w, e, skip); err != nil {
			return at, oid, err
		}
		at = txlog.Tip{Seq: e.Seq, Head: head}
		if oid, err = w.Commit(commitOf(e, at, r.s.StoreID()), skip != nil); err != nil {
			return at, oid, err
		}
	}
	return at, oid, nil
}

// put lays the files of an entry into the tree.
func (r *attempt) put(w *git.Writer, e *txlog.Entry, skip func(path string) bool) error {
	for i := range e.Files {
		f := &e.Files[i]
		path := r.base + "/" + f.Path
		if skip != nil && skip(path) || git.CheckPath(path) != nil {
			continue
		}
		if f.Hash == "" {
			if err := w.Remove(path); err != nil {
				return err
			}
			continue
		}
		body, err := r.s.Log.BodyOf(f)
		if err != nil {
			return err
		}
		if err := w.Put(path, body); err != nil {
			return err
		}
		f.Body, f.Bytes = nil, nil // it is in the pack now
	}
	return nil
}
