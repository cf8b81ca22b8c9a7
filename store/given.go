package store

import (
	"context"
	"slices"
	"strings"
	"sync"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// against is what the verdicts and pauses in a task's files are held against: what the log knows
// of it; of one that comes as a whole, what it last knew. Where a file is byte for byte what
// the log last wrote there, all in it was given to vespe, also where that is not what is known: a
// process without a checkpoint may have looked while git had set the file back.
func (s *Store) against(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsBlank(was) {
		return s.beforeDeletion(now.UID)
	}
	if st := &now.Status; st.AcceptedPlan == nil && st.Review == nil && st.Undo == nil {
		return was, nil
	}
	if _, refused := model.Believed(was, now); len(refused) == 0 {
		return was, nil
	}
	hash, err := s.statusHash(now)
	if err != nil {
		return nil, err
	}
	logged, err := s.statuses.lastStatus(now.UID)
	if err != nil || hash == "" || logged != hash {
		return was, err
	}
	return s.countingByLog(now)
}

// statusHash is the hash of the status.json that a task was read from; "" where another may stand there
// by now, or none that can be read: what that was given says nothing of the task.
func (s *Store) statusHash(t *model.Task) (string, error) {
	b, err := s.fs.ReadFile(layout.TaskFile(t.UID, layout.StatusFile), layout.MaxJSON)
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
func (s *Store) markedHash(uid model.UID, file string) (string, error) {
	v := s.projectedView()
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

// statuses says which entry was the last to name a task, of those that were looked through: from
// the last entry down to one. Where one file is other than it should be, hundreds mostly are.
type statuses struct {
	log *txlog.Log

	mu     sync.Mutex
	last   uint64 // the last entry when they were looked through
	down   uint64 // and the oldest that was
	newest map[model.UID]uint64
}

// forget drops everything: it was of another log.
func (x *statuses) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last, x.down, x.newest = 0, 0, nil
}

// manyHeads is how many heads of entries are read at a time.
const manyHeads = 256

// named is the last entry that names a task; 0 where none that is kept does. It needs mu.
func (x *statuses) named(uid model.UID, floor uint64) (uint64, error) {
	for x.newest[uid] == 0 && x.down > floor+1 {
		first := max(floor+1, x.down-min(x.down, manyHeads))
		heads, err := x.log.Heads(context.Background(), first, x.down-1, true)
		if err != nil {
			return 0, err
		}
		for i, h := range slices.Backward(heads) {
			for _, named := range h.Uids {
				if x.newest[named] == 0 {
					x.newest[named] = first + uint64(i)
				}
			}
		}
		x.down = first
	}
	return x.newest[uid], nil
}

// lastStatus is the hash of what the log last wrote to a task's status.json; "" where it does not
// say.
func (x *statuses) lastStatus(uid model.UID) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	last, err := x.log.Tail(0)
	if err != nil || last == 0 {
		return "", err
	}
	b, err := x.log.OpenBase()
	if err != nil {
		return "", err
	}
	if x.last != last {
		x.last, x.down, x.newest = last, last+1, map[model.UID]uint64{}
	}
	seq, err := x.named(uid, b.Seq)
	if err != nil {
		return "", durable.IgnoreMissing(err)
	}
	found, err := x.lastStatuses(context.Background(), map[model.UID]bool{uid: true}, max(seq, b.Seq), false, nil)
	return found[uid].hash, err
}
