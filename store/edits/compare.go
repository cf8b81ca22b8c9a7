package edits

import (
	"strings"
	"sync/atomic"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/strictness"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/lastwrites"
	"vespe/store/layout"
	"vespe/store/opindex"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Comparer decides what of the difference between a task's files and the log counts.
type Comparer struct {
	Table  *Table
	Disk   *durable.Files
	Log    *txlog.Log
	Writes lastwrites.Index
	Ops    *opindex.Index

	View     func() view.View // of what is projected
	StoreID  func() string
	Attestor func() review.Attestor
	Now      func() time.Time

	lockWorks atomic.Bool // known to keep others out; not known to do so is false
}

// Overtaken is what the log wrote last into a file that holds what it wrote before; nil where it doesn't.
func (c *Comparer) Overtaken(name, hash string) (*lastwrites.Write, error) {
	return c.Writes.Overtaken(name, hash)
}

// Compare is what to think of a task that the log knows as was and whose files say now. It remembers the difference.
func (c *Comparer) Compare(was, now *model.Task) (*model.Task, error) {
	now = now.Split(was)
	same := taskfiles.Same(was, now)
	c.Table.Unmark(now, same)
	if same {
		c.Table.Compared(was, now, was, same)
		return now, nil // with what is to be said of it beside its files
	}
	now, err := c.unstale(was, now)
	if err != nil {
		return nil, err
	}
	against, err := c.against(was, now)
	if err != nil {
		return nil, err
	}
	if against, err = binding.Unmarked(against, now, func(file string) (string, error) { return c.markedHash(now.UID, file) }); err != nil {
		return nil, err
	}
	if against, now, err = c.vouched(against, now.Split(against)); err != nil {
		return nil, err
	}
	c.Table.Compared(was, now, against, taskfiles.Same(was, now))
	believed, refused := lifecycle.Believed(against, now)
	believed = strictness.WithLowered(against, believed)
	if len(refused) == 0 {
		return believed, nil
	}
	believed = believed.Clone()
	for _, what := range refused {
		believed.Problems = append(believed.Problems, model.Problem{
			UID: now.UID, Path: layout.Shown(layout.TaskFile(now.UID, layout.StatusFile)), Severity: model.Warning, Code: "not-believed",
			Reason: "holds " + what + " that vespe didn't record, so it doesn't count",
			Hint:   "decide in vespe; the next change to the task corrects the file",
		})
	}
	return believed, nil
}

// against is what the verdicts and pauses in a task's files are held against: what the log knows
// of it; of one that comes as a whole, what it last knew. Where a file is byte for byte what
// the log last wrote there, all in it was given to vespe, also where that is not what is known: a
// process without a checkpoint may have looked while git had set the file back.
func (c *Comparer) against(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsBlank(was) {
		return c.beforeDeletion(now.UID)
	}
	if st := &now.Status; st.AcceptedPlan == nil && st.Review == nil && st.Undo == nil {
		return was, nil
	}
	if _, refused := lifecycle.Believed(was, now); len(refused) == 0 {
		return was, nil
	}
	hash, err := c.statusHash(now)
	if err != nil {
		return nil, err
	}
	logged, err := c.Writes.StatusHash(now.UID)
	if err != nil || hash == "" || logged != hash {
		return was, err
	}
	return c.CountingByLog(now)
}

// statusHash is the hash of the status.json that a task was read from; "" where another may stand there
// now, or none that can be read: what that was given says nothing of the task.
func (c *Comparer) statusHash(t *model.Task) (string, error) {
	b, err := c.Disk.FS.ReadFile(layout.TaskFile(t.UID, layout.StatusFile), layout.MaxJSON)
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
func (c *Comparer) markedHash(uid model.UID, file string) (string, error) {
	v := c.View()
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
