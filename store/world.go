package store

import (
	"errors"
	"fmt"

	"vespe/model"
)

// world is what transitions are computed in: a snapshot, with today's bytes from disk.
type world struct {
	*model.Snapshot
	s *Store
}

var _ model.World = world{}

// Content is today's bytes of a document. ErrNoContent only where the task is not known to
// have one; one that vanished is an error, so that no guard on its bytes is passed over.
func (w world) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	t, ok := w.Task(uid)
	if !ok {
		return model.Content{}, model.ErrNoContent
	}
	n, has := t.Status.PlanRevision, t.HasPlan
	if doc == model.Objective {
		n, has = t.Status.ObjectiveRevision, t.HasObjective
	}
	c, err := w.s.content(uid, doc, n)
	if errors.Is(err, model.ErrNoContent) && has {
		return c, fmt.Errorf("%s is not there any more", shown(taskFile(uid, docFile(doc))))
	}
	return c, err
}

// ResultHash is the hash of result/ as it is now.
func (w world) ResultHash(uid model.UID) (string, error) {
	files, err := w.s.results(uid)
	if err != nil {
		return "", err
	}
	return model.HashResult(files), nil
}

// ResultFile reads one file under result/.
func (w world) ResultFile(uid model.UID, name string) ([]byte, error) {
	return w.s.readResult(uid, name, maxDocument)
}
