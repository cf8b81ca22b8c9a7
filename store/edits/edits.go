// Package edits remembers in what tasks differ from what the log has of them.
//
// Editors, agents and git write the files of tasks past vespe, and directories of tasks come and go. A reading that
// finds such a task believes its files, except verdicts (lifecycle.Believed), and remembers here how the task was. The next
// transaction that changes the task, or ImportEdits, makes an external_edit of the difference. Until then no checkpoint
// takes it for what the log knows.
//
// There is one record for each task that differs, and none for the others (Table). Comparer compares a task with the
// log and decides what of the difference counts. Start with record and Comparer.Compare.
package edits

import (
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/marks"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Edit is a task that was edited past vespe and not taken over yet.
type Edit struct {
	Was, Now *model.Task // as the log knows it, blank if not at all; as its files say
	Against  *model.Task // what verdicts and pauses in it are held against; nil: Was
	Docs     []model.Doc // documents whose bytes are no recorded revision
	Deleted  bool        // its directory was deleted
}

// Importable says whether the edit can be taken over: files that nobody can read are not.
func (e *Edit) Importable() bool { return e.Deleted || !model.HasError(e.Now.Problems) }

// moved says whether the task came or went as a whole.
func (e *Edit) moved() bool { return e.Deleted || taskfiles.IsBlank(e.Was) }

// record is in what a task differs from the log.
type record struct {
	edit      *Edit           // its files were written past vespe
	conflicts []model.Problem // documents with both sides of a merge, or that can't be read; approvals that have changed
	stale     []string        // files that a late writer set back
	pending   uint64          // the entry that isn't projected to it yet; 0: none
}

func (r *record) isEmpty() bool {
	return r.edit == nil && len(r.conflicts) == 0 && len(r.stale) == 0 && r.pending == 0
}

// Table has the record of each task that differs from the log. Edits, conflicts and stale files belong to the current
// snapshot: who changes them holds the lock that orders snapshots. Its methods may be called concurrently; the zero
// value is an empty table.
type Table struct {
	Marks marks.Table // how the files of each task looked when they were as the log has them

	mu      sync.Mutex
	records map[model.UID]*record
	images  map[string]*txlog.FileImage // after-images of what is pending, by path; nil: nothing is
}

// change changes the record of a task. It needs mu.
func (t *Table) change(uid model.UID, do func(r *record)) {
	r := t.records[uid]
	if r == nil {
		r = &record{}
	}
	if do(r); r.isEmpty() {
		delete(t.records, uid)
		return
	}
	if t.records == nil {
		t.records = map[model.UID]*record{}
	}
	t.records[uid] = r
}

// set is change for who does not hold mu.
func (t *Table) set(uid model.UID, do func(r *record)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change(uid, do)
}

// get is a copy of the record of a task.
func (t *Table) get(uid model.UID) record {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.records[uid]; r != nil {
		return *r
	}
	return record{}
}

// where are the tasks whose records are wanted, in uid order.
func (t *Table) where(wanted func(r *record) bool) (uids []model.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uid, r := range t.records {
		if wanted(r) {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

// Differs says whether a task is known to differ from the log.
func (t *Table) Differs(uid model.UID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.records[uid] != nil
}

// IsAsLogged says whether a task whose files look like this is as the log has it. One that differs has to be read
// again however it looks: its mark is of when it was as the log has it, and files that are put back, or deleted again,
// look as they did then.
func (t *Table) IsAsLogged(uid model.UID, mark uint64) bool {
	return mark != 0 && mark == t.Marks.Of(uid) && !t.Differs(uid)
}

// Reset drops what belongs to the current snapshot.
func (t *Table) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uid := range t.records {
		t.change(uid, func(r *record) { *r = record{pending: r.pending} })
	}
}

// Forget drops everything but marks: it was of another log.
func (t *Table) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records, t.images = nil, nil
}

// Of is the edit of a task, if it has one.
func (t *Table) Of(uid model.UID) (Edit, bool) {
	if e := t.get(uid).edit; e != nil {
		return *e, true
	}
	return Edit{}, false
}

// Known is a task as the log knows it, whatever its files say.
func (t *Table) Known(snap *snapshot.Snapshot, uid model.UID) (*model.Task, bool) {
	if e, edited := t.Of(uid); edited {
		return e.Was, true
	}
	return snap.Task(uid)
}

// KnownOrBlank is Known of a task that the log need not know.
func (t *Table) KnownOrBlank(snap *snapshot.Snapshot, uid model.UID) *model.Task {
	if was, ok := t.Known(snap, uid); ok {
		return was
	}
	return taskfiles.Blank(uid)
}

// IsEdited says whether a task has an edit.
func (t *Table) IsEdited(uid model.UID) bool { return t.get(uid).edit != nil }

// Edited are the tasks with edits, in uid order.
func (t *Table) Edited() []model.UID { return t.where(func(r *record) bool { return r.edit != nil }) }

// ToImport are the tasks that a transaction has to do something about.
func (t *Table) ToImport() []model.UID { return t.where((*record).toImport) }

// IsToImport says whether a task is one of ToImport.
func (t *Table) IsToImport(uid model.UID) bool {
	r := t.get(uid)
	return r.toImport()
}

func (r *record) toImport() bool { return r.edit != nil && r.edit.Importable() || len(r.stale) > 0 }

// Deleted are the tasks whose directories were deleted, as the log knows them.
func (t *Table) Deleted() (was []*model.Task) {
	for _, uid := range t.where(func(r *record) bool { return r.edit != nil && r.edit.Deleted }) {
		if e, ok := t.Of(uid); ok {
			was = append(was, e.Was)
		}
	}
	return was
}

// HasMoved says whether directories of tasks came or went that the log does not know of.
func (t *Table) HasMoved() bool {
	return len(t.where(func(r *record) bool { return r.edit != nil && r.edit.moved() })) > 0
}

// Some are the edits of some tasks, and of all that were deleted.
func (t *Table) Some(uids []model.UID) map[model.UID]Edit {
	t.mu.Lock()
	defer t.mu.Unlock()
	some := map[model.UID]Edit{}
	for uid, r := range t.records {
		if r.edit != nil && r.edit.Deleted {
			some[uid] = *r.edit
		}
	}
	for _, uid := range uids {
		if r := t.records[uid]; r != nil && r.edit != nil {
			some[uid] = *r.edit
		}
	}
	return some
}

// Unedited is a snapshot with edited tasks as the log knows them. moved says that the directories of tasks came or went
// that the log does not know of.
func (t *Table) Unedited(snap *snapshot.Snapshot) (known *snapshot.Snapshot, moved bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var was []*model.Task
	var unknown []model.UID
	for uid, r := range t.records {
		switch e := r.edit; {
		case e == nil:
			continue
		case taskfiles.IsBlank(e.Was):
			unknown = append(unknown, uid)
		default:
			was = append(was, e.Was)
		}
		moved = moved || r.edit.moved()
	}
	if len(was) > 0 {
		snap = snap.With(snap.Seq(), snap.Head(), was, nil)
	}
	if len(unknown) > 0 {
		snap = snap.Amend(snapshot.Amendment{Gone: unknown})
	}
	return snap, moved
}

// Compared remembers the files of a task, whose documents are noticed apart. same says that they are as the log has
// them.
func (t *Table) Compared(was, now, against *model.Task, same bool) {
	t.set(now.UID, func(r *record) {
		e := Edit{Was: was, Now: now, Against: against}
		if !taskfiles.IsBlank(was) && r.edit != nil {
			e.Docs = r.edit.Docs
		}
		r.put(e, same)
	})
}

// put remembers an edit, unless nothing is edited.
func (r *record) put(e Edit, same bool) {
	// How a task was whose files became unreadable must stay known: else what stands there later would be believed as
	// by a first look.
	unreadable := taskfiles.IsUnread(e.Now) && !taskfiles.IsUnread(e.Was)
	if r.edit = &e; !e.Deleted && len(e.Docs) == 0 && same && !unreadable {
		r.edit = nil
	}
}

// Noticed remembers the documents of an edit, and what is wrong with documents and approvals.
func (t *Table) Noticed(e Edit, conflicts []model.Problem) {
	t.set(e.Now.UID, func(r *record) {
		r.put(e, taskfiles.Same(e.Was, e.Now))
		r.conflicts = conflicts
	})
}

// SetDeleted remembers a task whose directory was deleted.
func (t *Table) SetDeleted(was *model.Task) {
	t.set(was.UID, func(r *record) {
		if *r = (record{pending: r.pending}); !taskfiles.IsBlank(was) { // else nobody but its author has known it
			r.edit = &Edit{Was: was, Now: was, Deleted: true}
		}
	})
}

// ForgetEdit is for a task that the log knows something newer of: what its files say must be compared with that.
func (t *Table) ForgetEdit(uid model.UID) { t.set(uid, func(r *record) { r.edit = nil }) }

// TakenOver forgets edits that are in the log now: known are the tasks of a transaction as it left them, taken are the
// edits in it. An edit that another goroutine has found meanwhile stays, and is compared again. from is the snapshot
// before.
func (t *Table) TakenOver(known map[model.UID]*model.Task, taken map[model.UID]*model.External, from *snapshot.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uid, was := range known {
		t.change(uid, func(r *record) {
			e, x := r.edit, taken[uid]
			r.edit = nil
			if back, shown := from.Task(uid); x != nil && x.Gone && shown && e == nil {
				e = &Edit{Now: back} // it came back as it was known, but the log has it gone now
			}
			switch {
			case e == nil || was == nil || x != nil && x.Gone == e.Deleted && (e.Deleted || taskfiles.Same(e.Now, x.Now)):
			case e.Deleted:
				r.edit = &Edit{Was: was, Now: was, Deleted: true}
			default:
				n := Edit{Was: was, Now: e.Now, Docs: e.Docs}
				if x != nil && x.Gone {
					n.Against = x.Was
				}
				r.put(n, taskfiles.Same(n.Was, n.Now))
			}
		})
	}
}

// Unmark forgets how a task looked that is not what it was, or cannot be read, no matter who has noticed: it may look so
// again. The next sweep reads it, and knows better.
func (t *Table) Unmark(now *model.Task, same bool) {
	if (model.HasError(now.Problems) || !same) && t.Marks.Of(now.UID) != 0 {
		t.Marks.Set(now.UID, 0)
	}
}

// Conflicts are the documents with both sides of a merge in them, and the approvals that have changed, by tasks.
func (t *Table) Conflicts() (ps []model.Problem) {
	for _, uid := range t.where(func(r *record) bool { return len(r.conflicts) > 0 }) {
		ps = append(ps, t.get(uid).conflicts...)
	}
	return ps
}

// InConflict are the tasks with a conflict of a kind, in uid order.
func (t *Table) InConflict(of func(model.Problem) bool) []model.UID {
	return t.where(func(r *record) bool { return slices.ContainsFunc(r.conflicts, of) })
}

// AddStale adds files of a task that have to be written again.
func (t *Table) AddStale(uid model.UID, names []string) {
	t.set(uid, func(r *record) {
		for _, name := range names {
			if !slices.Contains(r.stale, name) {
				r.stale = append(r.stale[:len(r.stale):len(r.stale)], name)
			}
		}
	})
}

// TakeStale are the files of a task that have to be written again, which are forgotten.
func (t *Table) TakeStale(uid model.UID) (names []string) {
	t.set(uid, func(r *record) { names, r.stale = r.stale, nil })
	return names
}

// HasStale says whether files of tasks have to be written again.
func (t *Table) HasStale(uids []model.UID) bool {
	return slices.ContainsFunc(uids, func(uid model.UID) bool { return len(t.get(uid).stale) > 0 })
}

// SetPending remembers which entries are not projected to which tasks, and the after-images that these are to get.
func (t *Table) SetPending(entries map[model.UID]uint64, images map[string]*txlog.FileImage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.images = images
	for uid := range t.records {
		t.change(uid, func(r *record) { r.pending = entries[uid] })
	}
	for uid, seq := range entries {
		t.change(uid, func(r *record) { r.pending = seq })
	}
}

// Pending is the entry that is not projected to a task; 0: none.
func (t *Table) Pending(uid model.UID) uint64 { return t.get(uid).pending }

// AnyPending says whether anything is pending.
func (t *Table) AnyPending() bool { return t.Images() != nil }

// PendingOf are the tasks that an entry is not projected to.
func (t *Table) PendingOf(seq uint64) []model.UID {
	if !t.AnyPending() {
		return nil
	}
	return t.where(func(r *record) bool { return r.pending == seq })
}

// IsUnwritten says whether a file with a hash is as it was before what is pending.
func (t *Table) IsUnwritten(name, hash string) bool {
	f := t.Images()[name]
	return f != nil && f.Was == hash
}

// Images are the after-images of what is pending, by path. They do not change.
func (t *Table) Images() map[string]*txlog.FileImage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.images
}

// Equal says whether two edits of a task are alike.
func (e *Edit) Equal(o *Edit) bool {
	return e.Deleted == o.Deleted && slices.Equal(e.Docs, o.Docs) && taskfiles.Same(e.Was, o.Was) && taskfiles.Same(e.Now, o.Now)
}
