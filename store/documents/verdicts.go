package documents

import (
	"context"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/view"
)

// Bound returns what a verdict on a task is bound to beside its texts, as the files are now (binding.Bound).
func (s *Reader) Bound(ctx context.Context, op model.Name, uid model.UID) (map[string]string, error) {
	p, err := s.peekAt(ctx, uid)
	if err != nil {
		return nil, err
	}
	return binding.Bound(p, op, uid)
}

// peek is a snapshot with bytes, for who looks without the lock.
type peek struct {
	*snapshot.Snapshot
	v view.View
}

func (s *Reader) peekAt(ctx context.Context, uid model.UID) (peek, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return peek{}, err
	}
	snap, err := s.refresh(ctx)
	if err != nil {
		return peek{}, err
	}
	v, err := s.view()
	return peek{snap, v}, err
}

func (p peek) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	c, _, err := p.v.Content(uid, doc, view.Current{})
	return c, err
}

func (p peek) ResultHash(uid model.UID) (string, error) {
	files, err := p.v.Results(uid)
	if err != nil {
		return "", err
	}
	return model.HashResult(files), nil
}

// ResultFiles, ApprovalFile, HasBytes and Attestor are as those of readView.
func (p peek) ResultFiles(uid model.UID) ([]model.ResultFile, error) {
	return p.v.Results(uid)
}

// ApprovalFile is a file under approvals/.
func (p peek) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	return p.v.ApprovalFile(uid, name)
}
func (p peek) HasBytes() bool            { return true }
func (p peek) Attestor() review.Attestor { return nil }

// SinceApproval compares what a task was accepted with with what is there now.
func (s *Reader) SinceApproval(ctx context.Context, uid model.UID) (review.Approval, []binding.Compared, error) {
	p, err := s.peekAt(ctx, uid)
	if err != nil {
		return review.Approval{}, nil, err
	}
	return binding.SinceApproval(p, p.v.Revision, uid)
}
