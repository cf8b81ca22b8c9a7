package lastwrites

import (
	"context"
	"fmt"
	"time"

	"vespe/model"
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

// LastNamed is the time of the last entry that names a task; zero where none ever did.
func (x *Index) LastNamed(uid model.UID) (at time.Time, err error) {
	seq, err := x.named(uid)
	if err != nil || seq == 0 {
		return at, err
	}
	if at, err = x.Log.EntryTime(seq); err != nil {
		return at, fmt.Errorf("read the last review of %s: %w", uid, err)
	}
	return at, nil
}
