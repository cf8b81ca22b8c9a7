package modeltest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

func runPath(uid model.UID, run, name string) string {
	return fmt.Sprintf("tasks/%s/persistent/runs/%s/%s", uid, run, name)
}

func (u unlocked) RunFile(uid model.UID, run string) ([]byte, error) {
	if b, ok := u.w.files[runPath(uid, run, "run.json")]; ok {
		return b, nil
	}
	return nil, model.ErrNoContent
}

// RunFile is the run.json of a run.
func (w *World) RunFile(uid model.UID, run string) (body []byte, err error) {
	err = read(w, func(u unlocked) error { body, err = u.RunFile(uid, run); return err })
	return body, err
}

// PutFile writes a file below .vespe past every operation, as an editor or the loop does.
func (w *World) PutFile(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[path] = []byte(text)
}

// Runs are the attempts at a task, the oldest first.
func (s *Store) Runs(ctx context.Context, uid model.UID) ([]model.Run, error) {
	var runs []model.Run
	for _, name := range s.w.Files() {
		rest, ok := strings.CutPrefix(name, fmt.Sprintf("tasks/%s/persistent/runs/", uid))
		id, file, _ := strings.Cut(rest, "/")
		if !ok || file != "run.json" {
			continue
		}
		body, _ := s.w.File(name)
		run, _ := model.DecodeRun(name, body)
		run.ID = id
		runs = append(runs, run)
	}
	slices.SortStableFunc(runs, func(a, b model.Run) int { return a.Started.Compare(b.Started) })
	return runs, ctx.Err()
}

// ReadRunFile reads a part of a run's file, as store.Store does.
func (s *Store) ReadRunFile(ctx context.Context, uid model.UID, run, name string, offset int64, limit int) ([]byte, int64, error) {
	body, ok := s.w.File(runPath(uid, run, name))
	if !ok {
		return nil, 0, cmp.Or(ctx.Err(), error(model.ErrNoContent))
	}
	size := int64(len(body))
	if offset < 0 {
		offset += size
	}
	offset = max(0, min(offset, size))
	return body[offset:min(offset+int64(limit), size)], size, ctx.Err()
}
