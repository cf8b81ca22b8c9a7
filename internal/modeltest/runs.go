package modeltest

import (
	"fmt"

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
