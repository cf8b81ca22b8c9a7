package binding

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
)

// Compared is one bound file as it was approved and as it is now. The bytes are nil where they
// are not kept, or there is no file; the hashes say whether they differ.
type Compared struct {
	File             string // "plan.md", "spec.json", "<uid>/result": see Bound
	Was, Now         []byte
	WasHash, NowHash string
}

// Differs says whether the file is another than was approved.
func (c *Compared) Differs() bool { return c.WasHash != c.NowHash }

// Recorded gives a recorded revision of a document. errors.Is finds ErrNoContent when there is none.
type Recorded func(uid model.UID, d model.Doc, n int) (model.Content, error)

// SinceApproval compares what a task was accepted with with what is there now, bound file by bound
// file. w has bytes.
func SinceApproval(w model.World, recorded Recorded, uid model.UID) (review.Approval, []Compared, error) {
	s := machine.Look(w, model.Op{Name: model.Check, UID: uid})
	for _, c := range []machine.Guard{machine.NeedTask, NeedAccepted} {
		if r := c.Run(s); r != nil {
			return review.Approval{}, nil, r
		}
	}
	body, known, r := ApprovalOf(s.Tx, s.Task)
	if r != nil {
		return review.Approval{}, nil, r
	}
	if !known || body == nil {
		return review.Approval{}, nil, s.Refuse(model.CodeNotFound, model.GuardApproval, "its approval is missing", "run `vespe store doctor`")
	}
	a, err := review.DecodeApproval(body)
	if err != nil {
		return a, nil, s.Refuse(model.CodeInvalid, model.GuardApproval, model.ApprovalsDir+s.Task.Status.AcceptedPlan.Approval+" cannot be read: "+err.Error(), "restore it from git")
	}
	list, err := compareTexts(s, a, recorded)
	if err != nil || a.Bound == nil {
		return a, list, err
	}
	now, r := bound(s, s.Task)
	if r != nil {
		return a, nil, r
	}
	files := maps.Clone(a.Bound)
	maps.Copy(files, now.hashes)
	for _, f := range slices.Sorted(maps.Keys(files)) {
		if f == review.BoundComments { // what is said about a plan that was accepted voids nothing
			continue
		}
		if why := loosened(s.Tx, s.Task, &a); f == model.BoundProtections && why.Old == why.New {
			continue
		}
		c := Compared{File: f, WasHash: a.Bound[f], NowHash: now.hashes[f], Was: a.TermsBody(f), Now: termsBody(s, f)}
		if id, ok := strings.CutSuffix(f, DepParts[2].file); ok {
			if c.WasHash == "" {
				i, found := HashAt(s.Task.Status.ParentContentHashes, id+DepParts[2].Key)
				if !found {
					continue // nothing relies on it yet
				}
				c.WasHash = s.Task.Status.ParentContentHashes[i].Hash // it came after the approval
			}
			if c.Differs() {
				c.Was, c.Now = resultLists(s, model.UID(id), c.WasHash)
			}
		}
		if c.Differs() && c.Was == nil && c.Now == nil {
			if c.Was, c.Now, err = textsOf(s, f, c.WasHash, recorded); err != nil {
				return a, nil, err
			}
		}
		list = append(list, c)
	}
	return a, list, nil
}

// compareTexts are the task's own texts, of which the approval names the revision.
func compareTexts(s *machine.Step, a review.Approval, recorded Recorded) ([]Compared, error) {
	var out []Compared
	for _, d := range []struct {
		doc model.Doc
		was review.ApprovedDoc
	}{{model.Objective, a.Objective}, {model.Plan, a.Plan}} {
		now, _, r := s.Doc(s.Task, d.doc)
		if r != nil {
			return nil, r
		}
		c := Compared{File: string(d.doc) + ".md", WasHash: d.was.Hash, Now: now.Body, NowHash: now.Hash}
		if d.was.Revision > 0 {
			was, err := recorded(s.Task.UID, d.doc, d.was.Revision)
			switch {
			case err == nil && was.Hash == d.was.Hash:
				c.Was = was.Body
			case err != nil && !errors.Is(err, model.ErrNoContent):
				return nil, err
			}
		}
		if c.Differs() || c.NowHash != "" {
			out = append(out, c)
		}
	}
	return out, nil
}

// textsOf finds a text of another task as it was, among its revisions, and as it is.
func textsOf(s *machine.Step, file, hash string, recorded Recorded) (was, now []byte, err error) {
	id, name, _ := strings.Cut(file, "/")
	doc := model.Doc(strings.TrimSuffix(name, ".md"))
	t, ok := s.World.Task(model.UID(id))
	if !ok || doc != model.Objective && doc != model.Plan {
		return nil, nil, nil
	}
	if c, _, r := s.Doc(t, doc); r == nil {
		now = c.Body
	}
	for n := t.Status.RevisionOf(doc); n > 0; n-- {
		c, err := recorded(t.UID, doc, n)
		switch {
		case errors.Is(err, model.ErrNoContent):
			continue
		case err != nil:
			return nil, nil, err
		case c.Hash == hash:
			return c.Body, now, nil
		}
	}
	return nil, now, nil
}

// resultLists are the files of a task's result with their hashes, a line each: as they were when their hash
// was another, and as they are. The bytes of results are kept nowhere; their list is in the approval of
// the work. nil where nobody has it.
func resultLists(s *machine.Step, uid model.UID, hash string) (was, now []byte) {
	if w, ok := s.World.(model.Listing); ok {
		if files, err := w.ResultFiles(uid); err == nil {
			now = listResult(files)
		}
	}
	t, ok := s.World.Task(uid)
	w, reads := s.World.(review.Approvals)
	if !ok || !reads || t.Status.Review == nil || t.Status.Review.Approval == "" {
		return nil, now
	}
	body, err := w.ApprovalFile(uid, t.Status.Review.Approval)
	if err != nil {
		return nil, now
	}
	a, err := review.DecodeApproval(body)
	if err != nil {
		return nil, now
	}
	if files, ok := a.ResultFiles(); ok && model.HashResult(files) == hash {
		was = listResult(files)
	}
	return was, now
}

func listResult(files []model.ResultFile) []byte {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b model.ResultFile) int { return strings.Compare(a.Path, b.Path) })
	var b []byte
	for _, f := range files {
		b = fmt.Appendf(b, "%s  %.16s\n", f.Path, strings.TrimPrefix(f.Hash, model.HashPrefix))
	}
	return b
}
