package store

import (
	"errors"
	"path"
	"slices"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// The approvals that the verdicts on a task were written to never change. One that is gone, or that
// somebody has put another in the place of, is found where a task is looked at for edits, and is a
// problem of the task before anybody builds on it.

// CodeApproval is the code of a problem of an approval that is not what was given.
const CodeApproval = "approval-differs"

// codeReview is that of a review file which is not what vespe wrote.
const codeReview = "review-differs"

// tampered is what is wrong with the approvals of a task, and with what was said about its plan.
func (v view) tampered(t *model.Task) (ps []model.Problem, err error) {
	for _, f := range model.StandingApprovals(&t.Status) {
		b, err := v.approvalFile(t.UID, path.Base(f.Key))
		p := model.Problem{
			UID: t.UID, Path: layout.Shown(layout.TaskFile(t.UID, f.Key)), Severity: model.Error, Code: CodeApproval,
			Hint: "restore it from git, or with `vespe doctor --fix`; until then, what it approves isn't approved",
		}
		switch {
		case errors.Is(err, model.ErrNoContent):
			p.Reason = "is missing, so nothing shows what was approved"
		case errors.Is(err, model.ErrUnread):
			p.Reason = "cannot be read: " + err.Error()
		case err != nil:
			return nil, err
		case f.Hash == "" || f.Hash == model.HashBytes(b):
			continue
		default:
			p.Reason = "isn't the approval that was given: its content has been changed"
		}
		ps = append(ps, p)
	}
	p, err := v.tamperedReview(t)
	if err != nil || p == nil {
		return ps, err
	}
	return append(ps, *p), nil
}

// tamperedReview is what is wrong with the file of what was said about a task's plan; nil for nothing.
// What vespe wrote there is read wherever it is kept, but whoever opens the file reads something else.
func (v view) tamperedReview(t *model.Task) (*model.Problem, error) {
	known := t.Status.Comments
	if known == nil || known.Hash == "" {
		return nil, nil
	}
	name := layout.ReviewFile(t.UID, known)
	b, err := v.readFile(name, layout.MaxJSON)
	p := &model.Problem{
		UID: t.UID, Path: layout.Shown(name), Severity: model.Error, Code: codeReview,
		Hint: "`vespe review` shows the review; restore it from git, or with `vespe doctor --fix`",
	}
	switch {
	case fsys.Missing(err):
		p.Reason = "is missing: only the log has this review of the plan"
	case err != nil && fsys.IsAboutFile(err):
		p.Reason = "cannot be read: " + err.Error()
	case err != nil:
		return nil, err
	case known.Hash == model.HashBytes(b):
		return nil, nil
	default:
		p.Reason = "isn't the review that was given: its content has been changed and doesn't count"
	}
	return p, nil
}

// isAboutApproval says whether a problem is one of tampered.
func isAboutApproval(p model.Problem) bool {
	return p.UID != "" && (p.Code == CodeApproval || p.Code == codeReview)
}

// mostTampered is how many tasks with such a problem are looked at again each time.
const mostTampered = 64

// tamperedTasks are tasks whose approvals were found not to be what was given: that they are put right
// again, nobody tells.
func (s *Store) tamperedTasks() []model.UID {
	uids := s.edits.InConflict(isAboutApproval)
	return uids[:min(len(uids), mostTampered)]
}

// withTampered is a snapshot with the problems of the approvals of some tasks, for showing.
func withTampered(snap *model.Snapshot, found []model.Problem) *model.Snapshot {
	now := snap.StoreProblems()
	for _, p := range found {
		if !slices.ContainsFunc(now, func(q model.Problem) bool { return q.Path == p.Path && q.Code == p.Code }) {
			now = append(slices.Clone(now), p)
		}
	}
	if len(now) == len(snap.StoreProblems()) {
		return snap
	}
	return snap.Amend(model.Amendment{Problems: &now})
}
