package store

import (
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
)

// against is what the verdicts and pauses in a task's files are held against: what the log knows
// of it; of one that comes as a whole, what it last knew. Where a file is byte for byte what
// the log last wrote there, all in it was given to vespe, also where that is not what is known: a
// process without a checkpoint may have looked while git had set the file back.
func (c *comparer) against(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsBlank(was) {
		return c.beforeDeletion(now.UID)
	}
	if st := &now.Status; st.AcceptedPlan == nil && st.Review == nil && st.Undo == nil {
		return was, nil
	}
	if _, refused := model.Believed(was, now); len(refused) == 0 {
		return was, nil
	}
	hash, err := c.statusHash(now)
	if err != nil {
		return nil, err
	}
	logged, err := c.writes.StatusHash(now.UID)
	if err != nil || hash == "" || logged != hash {
		return was, err
	}
	return c.countingByLog(now)
}

// statusHash is the hash of the status.json that a task was read from; "" where another may stand there
// by now, or none that can be read: what that was given says nothing of the task.
func (c *comparer) statusHash(t *model.Task) (string, error) {
	b, err := c.disk.FS.ReadFile(layout.TaskFile(t.UID, layout.StatusFile), layout.MaxJSON)
	if err != nil {
		if fsys.IsAboutFile(err) {
			err = nil
		}
		return "", err
	}
	if b == nil {
		b = []byte{}
	}
	if !taskfiles.Agrees(t, layout.StatusFile, b) {
		return "", nil
	}
	return model.HashBytes(b), nil
}

// markedHash is the hash of what a mark of a task names, by the name that it has there; "" where it is
// not there, or cannot be told.
func (c *comparer) markedHash(uid model.UID, file string) (string, error) {
	v := c.view()
	var b []byte
	id, name, ofOther := strings.Cut(file, "/")
	other := model.UID(id)
	var err error
	switch {
	case !ofOther:
		b, err = v.ReadFile(layout.TaskFile(uid, file), layout.MaxDocument)
	case id == layout.ApprovalsDir:
		b, err = v.ApprovalFile(uid, name)
	case !other.Valid():
		return "", nil
	case name == layout.ResultDir:
		var files []model.ResultFile
		if files, err = v.Results(other); err == nil {
			return model.HashResult(files), nil
		}
	default:
		b, err = v.ReadFile(layout.TaskFile(other, name), layout.MaxDocument)
	}
	switch {
	case err != nil && fsys.IsTransient(err):
		return "", err
	case err != nil:
		return "", nil //nolint:nilerr // then the mark stays
	}
	return model.HashBytes(b), nil
}
