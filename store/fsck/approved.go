package fsck

import (
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// approvals looks whether each approval is one that the log wrote, and whether what it
// approved is still what it says.
func (d *auditor) approvals(snap *snapshot.Snapshot) error {
	for i := range snap.Len() {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		uid := snap.UID(i)
		if d.passesOver(layout.TaskFile(uid, layout.ApprovalsDir)) {
			continue
		}
		es, err := d.list(layout.TaskFile(uid, layout.ApprovalsDir))
		if err != nil {
			return err
		}
		for _, e := range es {
			if e.Type == 0 && strings.HasSuffix(e.Name, ".json") && !strings.Contains(e.Name, layout.TheirsMark) {
				if err := d.approval(uid, layout.TaskFile(uid, layout.ApprovalsDir+"/"+e.Name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (d *auditor) approval(uid model.UID, name string) error {
	b, err := d.s.Disk.FS.ReadFile(name, layout.MaxJSON)
	if err != nil {
		if fsys.IsTransient(err) {
			return err
		}
		return nil // changed under our eyes, or reported as a file that cannot be read
	}
	d.seen.Approvals++
	image, logged := d.last[name]
	if !logged && !d.broken {
		if d.foreign == nil {
			d.foreign = map[string]bool{}
		}
		d.foreign[name] = true
	}
	a, err := review.DecodeApproval(b)
	if err != nil {
		d.add(model.Error, uid, name, "bad-json", "restore it from git", "cannot be read: %v", err)
		return nil
	}
	if _, known := d.last[layout.TaskFile(uid, layout.ConfigFile)]; known && !logged && !d.broken && !d.isSigned(a) {
		d.add(model.Warning, uid, name, "not-believed", "accept again in vespe if you agree",
			"doesn't count: %s gave it in another clone, without a signature that this clone trusts", a.Approver)
	}
	if logged && image.Hash != model.HashBytes(b) {
		return nil // projections has said so
	}
	if id := d.s.Comparer.StoreID(); logged && a.StoreID != "" && id != "" && a.StoreID != id {
		d.add(model.Error, uid, name, "approval-differs", "restore "+layout.Shown(layout.StoreFile)+" from git or a backup",
			"was given in the store %s, but this is %s", a.StoreID, id)
	}
	if a.Task != uid {
		d.add(model.Error, uid, name, "approval-differs", "remove it if it was copied here", "approves the task %q", a.Task)
	}
	if logged && !image.Edited && !d.broken && a.Head != "" && !d.heads[a.Head] {
		d.add(model.Error, uid, name, "log-broken", "it was given in a different log: compare it with a backup",
			"was given after a log entry with the hash %.16s…, which doesn't exist", a.Head)
	}
	for _, step := range []func(model.UID, string, review.Approval) error{d.approvedTexts, d.approvedParts, d.approvedComments, d.approvedResult} {
		if err := step(uid, name, a); err != nil {
			return err
		}
	}
	d.signature(uid, name, a)
	return nil
}

// isSigned says whether an approval has the signature of a key that this clone trusts.
func (d *auditor) isSigned(a review.Approval) bool {
	by := d.s.Comparer.Attestor()
	if by == nil {
		return false
	}
	is := by.Attest(a)
	return !is.False && is.Level >= review.LevelSigned
}

// signature says how far an approval is to be believed. What cannot be checked is a claim.
func (d *auditor) signature(uid model.UID, name string, a review.Approval) {
	var is review.Attested
	if by := d.s.Comparer.Attestor(); by != nil {
		is = by.Attest(a)
	} else if a.Signature != "" {
		is.Why = "signatures can't be checked here"
	}
	switch {
	case is.False:
		d.add(model.Error, uid, name, "signature-false", "ask a person to accept it again", "has an invalid signature: %s", is.Why)
	case is.Why != "":
		d.add(model.Warning, uid, name, "signature-unknown", "add the key to your allowed signers if you know whose it is", "counts as %s only: %s", is.Level, is.Why)
	}
	d.seen.Levels[is.Level]++
}

// approvedTexts looks whether what was approved is still kept as it was.
func (d *auditor) approvedTexts(uid model.UID, name string, a review.Approval) error {
	for doc, said := range map[model.Doc]review.ApprovedDoc{model.Objective: a.Objective, model.Plan: a.Plan} {
		if said.Revision == 0 {
			continue
		}
		v := d.s.Comparer.View()
		file, _, err := v.Recorded(uid, doc, said.Revision, said.Hash)
		if err != nil && fsys.IsTransient(err) {
			return err
		}
		if err != nil || file == "" {
			d.add(model.Error, uid, name, "approval-differs", "restore "+path.Base(v.RevisionPath(uid, doc, said.Revision, said.Hash))+" from git, or with `vespe store doctor --fix`",
				"approves other content for revision %d of the %s than its file has", said.Revision, doc)
		}
	}
	return nil
}

// approvedParts looks whether status.json leaves out what the approval of its acceptance does.
func (d *auditor) approvedParts(uid model.UID, name string, a review.Approval) error {
	st, ok, err := d.status(uid)
	if err != nil {
		return err
	}
	if p := st.AcceptedPlan; ok && p != nil && p.Approval == path.Base(name) && !slices.Equal(p.Excluded, a.Excluded) {
		d.add(model.Error, uid, name, "approval-differs", "restore "+layout.StatusFile+" from git, or with `vespe store doctor --fix`",
			"excludes other parts of the plan than %s records", layout.StatusFile)
	}
	return nil
}

// approvedComments looks whether what was said along with an approval is still kept as it was said.
func (d *auditor) approvedComments(uid model.UID, name string, a review.Approval) error {
	if a.Comments.Hash == "" && len(a.Comments.IDs) == 0 {
		return nil
	}
	file := layout.TaskFile(uid, layout.ReviewsDir+"/"+model.ReviewName(a.Plan.Revision, a.Plan.Hash))
	b, err := d.s.Disk.FS.ReadFile(file, layout.MaxJSON)
	if old := layout.TaskFile(uid, layout.ReviewsDir+"/"+model.ReviewName(a.Plan.Revision, "")); fsys.Missing(err) { // of an older version
		if was, e := d.s.Disk.FS.ReadFile(old, layout.MaxJSON); !fsys.Missing(e) {
			file, b, err = old, was, e
		}
	}
	if err != nil && fsys.IsTransient(err) {
		return err
	}
	if err == nil {
		if f, err := model.DecodeReviewFile(b); err == nil {
			if _, same := a.Comments.In(f); same {
				return nil
			}
		}
	}
	d.add(model.Error, uid, name, "approval-differs", "restore "+path.Base(file)+" from git",
		"was given with other comments than %s has", layout.Shown(file))
	return nil
}

// approvedResult looks whether the result of reviewed work is still what was accepted.
func (d *auditor) approvedResult(uid model.UID, name string, a review.Approval) error {
	if a.Bound == nil || d.foreign[name] {
		return nil
	}
	if st, ok, err := d.status(uid); err != nil || !ok || !a.Stands(&st) {
		return err
	}
	v := d.s.Comparer.View()
	v.Whole = true
	now, err := v.Results(uid)
	if err != nil {
		if fsys.IsTransient(err) {
			return err
		}
		p := failure.OfFile(layout.Shown(layout.TaskFile(uid, layout.ResultDir)), err)
		p.UID = uid
		d.problems = append(d.problems, p)
		return nil
	}
	for _, c := range a.ResultSince(now) {
		file := path.Join(layout.TaskFile(uid, layout.ResultDir), c.File)
		d.add(model.Error, uid, file, "result-differs", "restore it from git, or have a person review the work again",
			"isn't what %s accepted with %s: it was %s and is now %s", a.Approver, path.Base(name), orMissing(c.Old), orMissing(c.New))
	}
	return nil
}

func orMissing(hash string) string {
	if hash == "" {
		return "not there"
	}
	return hash
}
