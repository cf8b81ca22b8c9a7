package view

import (
	"errors"
	"fmt"
	"path"

	"vespe/model"
	"vespe/model/review"
	"vespe/store/fsys"
	"vespe/store/layout"
)

func (v View) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	file := layout.TaskFile(uid, layout.ApprovalsDir+"/"+name)
	if err := layout.CheckTarget(file); err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrNoContent, err) // a name that vespe never gave
	}
	b, err := v.ReadFile(file, layout.MaxJSON)
	switch {
	case fsys.Missing(err):
		return nil, model.ErrNoContent
	case err != nil && fsys.IsAboutFile(err):
		return nil, Unread(err)
	}
	return b, err
}

// Unread is a model.ErrUnread in the words of its cause.
func Unread(err error) error { return unreadError{err} }

type unreadError struct{ error }

func (e unreadError) Is(target error) bool { return target == model.ErrUnread }

func (e unreadError) Unwrap() error { return e.error }

// ApprovalIfAny is a file under approvals/; nil where there is none, or it cannot be read.
func (v View) ApprovalIfAny(uid model.UID, name string) ([]byte, error) {
	body, err := v.ApprovalFile(uid, name)
	if errors.Is(err, model.ErrNoContent) || errors.Is(err, model.ErrUnread) {
		return nil, nil
	}
	return body, err
}

// Tampered is what is wrong with the approvals of a task, and with what was said about its plan.
func (v View) Tampered(t *model.Task) (ps []model.Problem, err error) {
	for _, f := range review.StandingApprovals(&t.Status) {
		b, err := v.ApprovalFile(t.UID, path.Base(f.Key))
		p := model.Problem{
			UID: t.UID, Path: layout.Shown(layout.TaskFile(t.UID, f.Key)), Severity: model.Error, Code: CodeApproval,
			Hint: "restore it from git, or with `vespe store doctor --fix`; until then, nothing that it approves counts",
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
// What vespe wrote there is read wherever it is kept, but anyone who opens the file reads something else.
func (v View) tamperedReview(t *model.Task) (*model.Problem, error) {
	known := t.Status.Comments
	if known == nil || known.Hash == "" {
		return nil, nil
	}
	name := layout.ReviewFile(t.UID, known)
	b, err := v.ReadFile(name, layout.MaxJSON)
	p := &model.Problem{
		UID: t.UID, Path: layout.Shown(name), Severity: model.Error, Code: CodeReview,
		Hint: "`vespe plan comments` shows the review; restore it from git, or with `vespe store doctor --fix`",
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

// CodeApproval is the code of a problem of an approval that is not what was given.
const CodeApproval = "approval-differs"

// CodeReview is that of a review file which is not what vespe wrote.
const CodeReview = "review-differs"

// IsAboutApproval says whether a problem is one of tampered.
func IsAboutApproval(p model.Problem) bool {
	return p.UID != "" && (p.Code == CodeApproval || p.Code == CodeReview)
}
