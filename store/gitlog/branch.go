package gitlog

import (
	"errors"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// branch records on the branch that is checked out, by paths below .vespe alone. The
// worktree is not touched; of the index, only paths for which nothing is staged.
func (r *attempt) branch() error {
	if r.s.Disk.LocksWork(lockFile) {
		if err := r.repo.Sweep(r.owner()); err != nil {
			return err
		}
	}
	head, err := r.head()
	if err != nil {
		return err
	}
	if what := r.repo.Busy(); what != "" {
		return trouble("busy", nil, "%s isn't finished: vespe commits the changes afterwards", what)
	}
	branch, err := r.repo.Branch(r.ctx)
	if err != nil {
		return err
	}
	if branch == "" {
		return trouble("detached", nil, "no branch is checked out: vespe commits the changes once one is")
	}
	for {
		at, err := r.branchBatch(branch, head)
		if err != nil {
			return err
		}
		if last, err := r.s.Log.Tail(at.Seq); err != nil || last <= at.Seq {
			return err
		}
		if head, err = r.head(); err != nil {
			return err
		}
	}
}

// head is the commit to continue from, with the index finished that belongs to it. Nobody may
// look at the branch and skip this: a git that outlived its caller may have moved it since.
func (r *attempt) head() (git.Object, error) {
	head, err := r.cat.Get("HEAD^{commit}", layout.MaxJSON)
	if err == nil {
		err = r.finishIndex(head.OID)
	}
	return head, err
}

// branchBatch records as many entries as one batch has, and returns how far it came.
func (r *attempt) branchBatch(branch string, head git.Object) (at txlog.Tip, err error) {
	if head.Type == "" {
		return at, trouble("unborn", nil, "the branch has no commit yet: vespe commits the changes once it has one")
	}
	switch there, err := r.cat.Get("HEAD:"+r.base, 0); {
	case err != nil:
		return at, err
	case there.Type != "" && there.Type != "tree":
		return at, trouble("no-directory", nil, "%s isn't a directory in the last commit, so vespe commits nothing", r.base)
	}
	at, known, err := r.onBranch(head.OID)
	if err != nil {
		return at, err
	}
	w, err := r.newWriter(head.OID)
	if err != nil {
		return at, err
	}
	var to git.OID
	if !known {
		at, to, err = r.startBranch(w)
	} else {
		at, to, err = r.continueBranch(w, at, head.OID)
	}
	if err != nil {
		return at, err
	}
	return at, r.commitBranch(w, branch, head.OID, to, at)
}

// onBranch is the last entry that is recorded on this branch, or that was on another one.
func (r *attempt) onBranch(head git.OID) (at txlog.Tip, known bool, err error) {
	h := &r.hint
	since := git.OID("")
	if has, _ := r.has(txlog.Tip{Seq: h.Seq, Head: h.Head}); has && h.Seq > 0 {
		at, known, since = txlog.Tip{Seq: h.Seq, Head: h.Head}, true, h.OID
		if since == head {
			return at, true, nil
		}
	}
	// A process that died between the commit and its note left more than the note says.
	const most = 50
	found, err := r.repo.Messages(r.ctx, since, head, trailerStore+": "+r.s.StoreID(), most)
	if err != nil && since != "" {
		found, err = r.repo.Messages(r.ctx, "", head, trailerStore+": "+r.s.StoreID(), most)
	}
	if err != nil {
		return at, known, err
	}
	last, err := r.s.Log.Tail(0)
	if err != nil {
		return at, known, err
	}
	for _, f := range found {
		rec, ok := parseRecorded(f.Message)
		if !ok || rec.store != r.s.StoreID() || rec.Seq <= at.Seq || rec.Seq > last {
			continue // of another clone, as likely as not
		}
		if has, _ := r.has(rec.Tip); has {
			return rec.Tip, true, nil
		}
	}
	return at, known, nil
}

func (r *attempt) startBranch(w *git.Writer) (txlog.Tip, git.OID, error) {
	if !r.start {
		return txlog.Tip{}, "", errStart
	}
	var paths []string
	list := func(path string) bool { paths = append(paths, path); return true }
	if _, err := r.putFiles(w, list); err != nil {
		return txlog.Tip{}, "", err
	}
	skip, err := r.ignored(paths)
	if err != nil {
		return txlog.Tip{}, "", err
	}
	at, err := r.putAll(w, skip)
	if err != nil {
		return txlog.Tip{}, "", err
	}
	to, err := w.Commit(startCommit(startOfHistory, at, r.s.StoreID(), r.s.Now()), true)
	return at, to, err
}

func (r *attempt) continueBranch(w *git.Writer, at txlog.Tip, head git.OID) (txlog.Tip, git.OID, error) {
	last, err := r.s.Log.Tail(at.Seq)
	if err != nil || last <= at.Seq {
		return at, head, err
	}
	last = min(last, at.Seq+r.s.Batch)
	var paths []string
	for seq := at.Seq + 1; seq <= last; seq++ {
		e, _, err := r.s.Log.ReadEntry(seq)
		if fsys.Missing(err) {
			return r.startBranch(w)
		}
		if err != nil {
			return at, head, err
		}
		for i := range e.Files {
			paths = append(paths, r.base+"/"+e.Files[i].Path)
		}
	}
	skip, err := r.ignored(paths)
	if err != nil {
		return at, head, err
	}
	return r.replay(w, at, last, skip)
}

// ignored tells which paths git is told to ignore. When it ignores the store, the person
// asked for two things that cannot both be had.
func (r *attempt) ignored(paths []string) (func(path string) bool, error) {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	ignored, err := r.repo.Ignored(r.ctx, paths)
	if err != nil {
		return nil, err
	}
	if len(paths) > 0 && len(ignored) == len(paths) {
		return nil, trouble("ignored", nil, "git ignores %s and doesn't record it: take it out of .gitignore, or set git.mode to \"ref\"", r.base)
	}
	return func(path string) bool { return ignored[path] }, nil
}

// commitBranch moves the branch and the index together, so that nothing looks changed that
// is not, unless attributes have git pass files through a filter or another encoding: bytes
// are committed as they are, because a filter is a program that the repository names. Anyone who dies in between leaves a note by which the next one finishes.
func (r *attempt) commitBranch(w *git.Writer, branch string, from, to git.OID, at txlog.Tip) error {
	h := &r.hint
	done := func() error {
		h.Seq, h.Head, h.OID, h.At = at.Seq, at.Head, to, r.s.Now()
		h.Tree = max(w.Largest, h.Tree)
		h.finished()
		return r.s.writeHint(*h)
	}
	if to == from {
		return done()
	}
	if err := w.Store(); err != nil {
		return err
	}
	lock, err := r.repo.NewIndexLock(r.owner())
	if err != nil {
		return err
	}
	defer lock.Release()
	if h.From != from {
		h.finished()
	} else if h.Next != to && !slices.Contains(h.Past, h.Next) {
		h.Past = append(h.Past, h.Next)
	}
	note := func() error {
		h.Lock, h.From, h.Next = lock.Marks(), from, to
		return r.s.writeHint(*h)
	}
	if err := note(); err != nil {
		return err
	}
	if err := take(lock); err != nil {
		return err
	}
	// Since the lock is ours nobody switches branches.
	if now, err := r.repo.Branch(r.ctx); err != nil || now != branch {
		return errors.Join(err, git.ErrMoved)
	}
	if err := lock.Prepare(r.ctx, from, to, r.base); err != nil {
		return err
	}
	if err := note(); err != nil {
		return err
	}
	if err := lock.Place(); err != nil {
		return err
	}
	move := func() error { return r.repo.UpdateRef(r.ctx, "HEAD", to, from, r.who(), reflogReason) }
	if err := r.s.Move(move); err != nil {
		return refLocked(err)
	}
	if err := lock.Commit(); err != nil {
		return err
	}
	return done()
}

// owner tells this store's files in a git directory from those of others. A store_id may
// be anything, also a path.
func (r *attempt) owner() string {
	return strings.TrimPrefix(model.HashBytes([]byte(r.s.StoreID())), layout.HashPrefix)[:16]
}

// finishIndex ends what a process began that died with the lock of the index. That it died
// is known because our own lock was free: where locks do not work nothing is known.
func (r *attempt) finishIndex(head git.OID) error {
	h := &r.hint
	if h.Next == "" || !r.s.Disk.LocksWork(lockFile) {
		return nil
	}
	moved := head != "" && (head == h.Next || slices.Contains(h.Past, head))
	if lock := r.repo.Adopt(h.Lock); lock != nil {
		defer lock.Release()
		if !moved {
			return nil // the index stays as it was, as the branch did
		}
		if lock.Ready() && head == h.Next {
			h.finished()
			return lock.Commit()
		}
		lock.Release() // it holds no index, or another one
	}
	if !moved {
		return nil
	}
	// There is no lock: someone deleted it, or the git that was to move the branch
	// outlived the process that started it.
	lock, err := r.repo.NewIndexLock(r.owner())
	if err != nil {
		return err
	}
	defer lock.Release()
	h.Lock, h.Next = lock.Marks(), head
	if err := errors.Join(r.s.writeHint(*h), take(lock)); err != nil {
		return err
	}
	if err := lock.Prepare(r.ctx, h.From, head, r.base); err != nil {
		return err
	}
	h.finished()
	return errors.Join(lock.Place(), lock.Commit())
}

// finished forgets a commit whose index is in place, or that nobody can make anymore.
func (h *hint) finished() { h.Lock, h.From, h.Next, h.Past = nil, "", "", nil }

// refLocked is trouble where the lock of a reference stands.
func refLocked(err error) error {
	if errors.Is(err, git.ErrRefLocked) {
		return trouble("ref-lock", nil, "%s", lockText(err, git.ErrRefLocked))
	}
	return err
}

// lockText tells of a lock file, which the error names.
func lockText(err, of error) string {
	name := strings.TrimPrefix(err.Error(), of.Error()+": ")
	return "the lock file " + name + " exists: another git is running, or was killed (then remove the file); vespe commits this later"
}

func take(lock *git.IndexLock) error {
	err := lock.Take()
	if errors.Is(err, git.ErrIndexLocked) {
		return trouble("index-lock", nil, "%s", lockText(err, git.ErrIndexLocked))
	}
	return err
}
