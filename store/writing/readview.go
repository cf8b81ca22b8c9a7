package writing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/view"
)

// readView is what transitions are computed in: a snapshot, with today's bytes from disk. What was
// read of a file once is what it says until the end: a guard looks at the same bytes that an
// effect records, though somebody may be writing others.
type readView struct {
	*snapshot.Snapshot
	s    *Writer
	once *onceRead
}

// onceRead is what a readView has read.
type onceRead struct {
	whole   bool // results are read and not only looked at
	docs    map[docOf]readDoc
	results map[model.UID]readResult
	kept    int // bytes of bodies
}

type docOf struct {
	uid model.UID
	doc model.Doc
}

type readDoc struct {
	model.Content
	err     error
	dropped bool // its body was too much to keep
}

type readResult struct {
	files []model.ResultFile
	err   error
}

// mostKept bounds the bodies that a readView keeps, in bytes. What does not fit is read again, and
// must be the same.
const mostKept = 64 << 20

// newReadView is the view for some operations. Where one of them decides, results are read whole.
func newReadView(snap *snapshot.Snapshot, s *Writer, ops ...model.Op) readView {
	whole := slices.ContainsFunc(ops, func(op model.Op) bool {
		row, _ := lifecycle.Lookup(op.Name)
		return row.Verdict || op.Name == model.Start
	})
	return readView{snap, s, &onceRead{whole: whole, docs: map[docOf]readDoc{}, results: map[model.UID]readResult{}}}
}

var (
	_ model.World     = readView{}
	_ model.Numbering = readView{}

	_ model.Strictness = readView{}
	_ review.Approvals = readView{}
	_ model.Listing    = readView{}
)

// Content is today's bytes of a document. ErrNoContent only where the task is not known to
// have one; one that vanished is an error, so that no guard on its bytes is passed over.
func (w readView) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	was, again := w.once.docs[docOf{uid, doc}]
	if again && !was.dropped {
		return was.Content, was.err
	}
	c, err := w.read(uid, doc)
	if again && (err != nil || c.Hash != was.Hash) {
		return c, fmt.Errorf("%s is being edited", layout.Shown(layout.TaskFile(uid, layout.DocFile(doc))))
	}
	is := readDoc{Content: c, err: err}
	if w.once.kept += len(c.Body); w.once.kept > mostKept {
		w.once.kept -= len(c.Body)
		is.Body, is.dropped = nil, true
	}
	w.once.docs[docOf{uid, doc}] = is
	return c, err
}

func (w readView) read(uid model.UID, doc model.Doc) (model.Content, error) {
	t, ok := w.Task(uid)
	if !ok {
		return model.Content{}, model.ErrNoContent
	}
	has := t.HasPlan
	if doc == model.Objective {
		has = t.HasObjective
	}
	c, err := w.content(uid, doc, view.CurrentOf(&t.Status, doc))
	if errors.Is(err, model.ErrNoContent) && has {
		return c, fmt.Errorf("%s no longer exists", layout.Shown(layout.TaskFile(uid, layout.DocFile(doc))))
	}
	if err != nil && fsys.IsAboutFile(err) {
		err = view.Unread(err)
	}
	return c, err
}

// ResultHash is the hash of result/ as it is now.
func (w readView) ResultHash(uid model.UID) (string, error) {
	files, err := w.ResultFiles(uid)
	if err != nil {
		return "", err
	}
	return model.HashResult(files), nil
}

// ResultFiles are the files of result/ as they are now.
func (w readView) ResultFiles(uid model.UID) ([]model.ResultFile, error) {
	is, again := w.once.results[uid]
	if !again {
		v := w.s.Loader.Projected()
		v.Whole = w.once.whole
		is.files, is.err = v.Results(uid)
		w.once.results[uid] = is
	}
	return is.files, is.err
}

// ResultFile reads one file under result/.
func (w readView) ResultFile(uid model.UID, name string) ([]byte, error) {
	return w.s.Loader.Projected().ReadResult(uid, name, layout.MaxDocument)
}

// StartConsent is what the person asks for beside the policy.
func (w readView) StartConsent() string { return w.s.StartConsent() }

// LastRevision is the highest number of a revision of a document that there is a file of; 0 for none.
func (w readView) LastRevision(uid model.UID, doc model.Doc) int {
	es, err := fsys.List(w.s.Disk.FS, layout.TaskFile(uid, layout.RevisionsDir))
	if err != nil {
		return 0 // two revisions may have one number then, and both are kept
	}
	last := 0
	for _, e := range es {
		if of, n, _, ok := model.ParseRevisionName(e.Name); ok && of == doc {
			last = max(last, n)
		}
	}
	return last
}

// ApprovalFile is a file under approvals/, as it is now.
func (w readView) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	return w.s.Loader.Projected().ApprovalFile(uid, name)
}

// HasBytes says that this is no preview.
func (w readView) HasBytes() bool { return true }

// Attestor is who knows the keys of people.
func (w readView) Attestor() review.Attestor { return w.s.Attestor() }

// RunFile is the run.json of a run.
func (w readView) RunFile(uid model.UID, run string) ([]byte, error) {
	return w.s.Loader.Projected().RunFile(uid, run)
}

// content is a document under the lock. That it cannot be compared with its revision is an
// error: it would be taken for an edit. Not so where the revision's file is none of ours any
// more, but a link or far too large.
func (w readView) content(uid model.UID, doc model.Doc, current view.Current) (model.Content, error) {
	c, doubt, err := w.s.Loader.Projected().Content(uid, doc, current)
	if err == nil && doubt != nil && (!fsys.IsAboutFile(doubt) || errors.Is(doubt, fs.ErrPermission)) {
		err = doubt
	}
	return c, err
}

// ReviewFile is the bytes of the review file that a status.json speaks of.
func (w readView) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	return w.s.Reviews.File(context.Background(), layout.ReviewFile(uid, known), known.Hash)
}

// Revision is a recorded revision of a document.
func (w readView) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	c, err := w.s.Loader.Projected().Revision(uid, doc, n)
	return c.Body, err
}
