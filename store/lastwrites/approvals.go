package lastwrites

import (
	"context"
	"fmt"
	"time"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Approvals are approvals that are looked for in the log, by their paths, with their hashes; "" for whatever is there.
type Approvals map[string]string

// holds reports whether a file of an entry is one of them.
func (want Approvals) holds(path, hash string) bool {
	wanted, ok := want[path]
	return ok && (wanted == "" || wanted == hash)
}

// Has says whether an approval of a task is still among them.
func (want Approvals) Has(uid model.UID, name string) bool {
	_, is := want[layout.TaskFile(uid, layout.ApprovalsDir+"/"+name)]
	return is
}

// Add adds those of a task.
func (want Approvals) Add(t *model.Task) {
	plan, work := t.Accepted()
	if plan != nil {
		want[layout.TaskFile(t.UID, layout.ApprovalsDir+"/"+plan.Approval)] = plan.ApprovalHash
	}
	if work != nil && work.Approval != "" {
		want[layout.TaskFile(t.UID, layout.ApprovalsDir+"/"+work.Approval)] = work.ApprovalHash
	}
}

// MissingApprovals are the approvals of a task that the log never wrote.
func (x *Index) MissingApprovals(t *model.Task) (Approvals, error) {
	want := Approvals{}
	if want.Add(t); len(want) == 0 {
		return want, nil
	}
	last, err := x.Log.Tail(0)
	if err == nil {
		_, err = x.Statuses(context.Background(), nil, last, false, want)
	}
	return want, err
}

// LastNamed is the time of the last entry that names a task; zero where none ever did. Where that entry is missing or
// damaged, known is false: an older one must not stand in for it.
func (x *Index) LastNamed(uid model.UID) (at time.Time, known bool, err error) {
	seq, err := x.named(uid)
	if err == nil && seq > 0 {
		at, err = x.Log.EntryTime(seq)
	}
	if fsys.IsTransient(err) || fsys.IsWithheld(err) {
		return at, false, fmt.Errorf("read when %s was last changed: %w", uid, err)
	}
	return at, err == nil, nil
}
