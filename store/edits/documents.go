package edits

import (
	"errors"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/view"
)

// Document says whether a document holds something else than its current revision, and whether
// that are both sides of a merge.
func (c *Comparer) Document(uid model.UID, doc model.Doc, of view.Current) (edited bool, conflicts []model.Problem, err error) {
	now, doubt, err := c.View().Content(uid, doc, of)
	if err = errors.Join(err, doubt); err != nil {
		if !fsys.IsAboutFile(err) && !errors.Is(err, model.ErrNoContent) {
			return false, nil, err // there may be an edit
		}
		return false, c.unreadDoc(uid, doc), ErrIncomparable // that it is an edit is not known
	}
	name := layout.TaskFile(uid, layout.DocFile(doc))
	if p, found := model.ConflictProblem(uid, layout.Shown(name), now.Body); found && now.Revision == 0 {
		return false, []model.Problem{p}, nil
	}
	// One that was never recorded is an older system's, or written for the first time.
	if now.Revision != 0 || of.N == 0 {
		return false, nil, nil
	}
	old, err := c.isStale(name, now.Hash)
	if err != nil {
		return false, nil, err
	}
	if old {
		c.Table.AddStale(uid, []string{name})
	}
	return !old, nil, nil
}

// unreadDoc is what to say of a document that cannot be compared with its revision because it
// may not be read, or is too large. Of what is not a regular file a load tells.
func (c *Comparer) unreadDoc(uid model.UID, doc model.Doc) []model.Problem {
	name := layout.TaskFile(uid, layout.DocFile(doc))
	_, err := c.View().ReadFile(name, layout.MaxDocument)
	var notPlain *fsys.NotRegularError
	if err == nil || fsys.Missing(err) || errors.As(err, &notPlain) {
		return nil
	}
	p := failure.OfFile(layout.Shown(name), err)
	p.UID = uid
	return []model.Problem{p}
}

// ErrIncomparable: a document can't be compared with its revision, which may be in an entry that is not projected yet.
var ErrIncomparable = errors.New("the document's revision is missing, so it can't be compared")
