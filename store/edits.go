package store

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/lastwrites"
	"vespe/store/layout"
	"vespe/store/opindex"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// comparer decides what of the difference between a task's files and the log counts.
type comparer struct {
	table  *edits.Table
	disk   *durable.Files
	log    *txlog.Log
	writes *lastwrites.Index
	ops    *opindex.Index

	view     func() view.View // of what is projected
	storeID  func() string
	attestor func() model.Attestor
	now      func() time.Time

	lockWorks atomic.Bool // known to keep others out; not known to do so is false
}

// noticed is what to think of a task that the log knows as was and whose files say now.
func (s *Store) noticed(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsUnread(was) {
		_, at := s.kept()
		look := []*model.Task{now}
		doubted, err := s.comparer.firstLook(context.Background(), look, at.Seq)
		if err != nil {
			return nil, err
		}
		was, now = look[0], look[0]
		if len(doubted) > 0 {
			was = doubted[0]
		}
	}
	if taskfiles.IsBlank(was) {
		t, err := s.deletedUnseen(now.UID)
		if err != nil {
			return nil, err
		}
		if t != nil {
			was = t
		}
	}
	return s.comparer.compared(was, now)
}

// compared is noticed where all is known of the task.
func (c *comparer) compared(was, now *model.Task) (*model.Task, error) {
	now = now.Split(was)
	same := taskfiles.Same(was, now)
	c.table.Unmark(now, same)
	if same {
		c.table.Compared(was, now, was, same)
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
	if against, err = model.Unmarked(against, now, func(file string) (string, error) { return c.markedHash(now.UID, file) }); err != nil {
		return nil, err
	}
	if against, now, err = c.vouched(against, now.Split(against)); err != nil {
		return nil, err
	}
	c.table.Compared(was, now, against, taskfiles.Same(was, now))
	believed, refused := model.Believed(against, now)
	believed = model.WithLowered(against, believed)
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

// noticeDocs remembers documents that were written past vespe. v is no older than the snapshot: an approval may be in
// an entry that is being projected. unedited is true where they were
// compared, and nothing of the task was; not where the log has told of newer ones meanwhile.
func (s *Store) noticeDocs(v view.View, snap *model.Snapshot, uid model.UID) (unedited bool, err error) {
	t, ok := snap.Task(uid)
	if !ok {
		return false, nil
	}
	known, _ := s.edits.Known(snap, uid)
	conflicts, err := v.Tampered(t)
	if err != nil {
		return false, err
	}
	var docs []model.Doc
	compared := true
	for _, d := range []struct {
		doc model.Doc
		has bool
	}{{model.Objective, t.HasObjective}, {model.Plan, t.HasPlan}} {
		if !d.has {
			continue
		}
		edited, conflict, err := s.comparer.docEdited(uid, d.doc, view.CurrentOf(&known.Status, d.doc))
		if errors.Is(err, errIncomparable) {
			compared, err = false, nil
		}
		if err != nil {
			return false, err
		}
		if conflicts = append(conflicts, conflict...); edited && !taskfiles.IsBlank(known) { // of a task that came, all is taken over
			docs = append(docs, d.doc)
		}
	}
	s.looking.Lock() // else what is shown and what is known to be edited may be of two moments
	defer s.looking.Unlock()
	shown, _ := s.kept()
	if shown == nil {
		return false, nil
	}
	now, ok := shown.Task(uid)
	if !ok || !slices.Equal(model.StandingApprovals(&t.Status), model.StandingApprovals(&now.Status)) {
		return false, nil
	}
	e, edited := s.edits.Of(uid)
	if !edited {
		e = edits.Edit{Was: now, Now: now}
	}
	if e.Was.Status.ObjectiveRevision != known.Status.ObjectiveRevision || e.Was.Status.PlanRevision != known.Status.PlanRevision {
		return false, nil
	}
	e.Docs = docs
	s.edits.Noticed(e, conflicts)
	return compared && !s.edits.Differs(uid) && !needsLook(shown, uid), nil
}

// errIncomparable: whether a document is another than its revision cannot be told. The revision may
// be in an entry that is not projected yet.
var errIncomparable = errors.New("there is nothing to compare the document with")

// docEdited says whether a document holds something else than its current revision, and whether
// that are both sides of a merge.
func (c *comparer) docEdited(uid model.UID, doc model.Doc, of view.Current) (edited bool, conflicts []model.Problem, err error) {
	now, doubt, err := c.view().Content(uid, doc, of)
	if err = errors.Join(err, doubt); err != nil {
		if !fsys.IsAboutFile(err) && !errors.Is(err, model.ErrNoContent) {
			return false, nil, err // there may be an edit
		}
		return false, c.unreadDoc(uid, doc), errIncomparable // that it is an edit is not known
	}
	name := layout.TaskFile(uid, layout.DocFile(doc))
	if p, found := model.ConflictProblem(uid, layout.Shown(name), now.Body); found && now.Revision == 0 {
		return false, []model.Problem{p}, nil
	}
	// One that was never recorded is an older system's, or written for the first time.
	if now.Revision != 0 || of.N == 0 {
		return false, nil, nil
	}
	old, err := c.isStale(name, now.Hash)
	if err != nil {
		return false, nil, err
	}
	if old {
		c.table.AddStale(uid, []string{name})
	}
	return !old, nil, nil
}

// unreadDoc is what to say of a document that cannot be compared with its revision because it
// may not be read, or is too large. Of what is not a regular file a load tells.
func (c *comparer) unreadDoc(uid model.UID, doc model.Doc) []model.Problem {
	name := layout.TaskFile(uid, layout.DocFile(doc))
	_, err := c.view().ReadFile(name, layout.MaxDocument)
	var notPlain *fsys.NotRegularError
	if err == nil || fsys.Missing(err) || errors.As(err, &notPlain) {
		return nil
	}
	p := failure.OfFile(layout.Shown(name), err)
	p.UID = uid
	return []model.Problem{p}
}

// tellConflicts puts what is wrong with documents into the current snapshot.
func (s *Store) tellConflicts() {
	s.looking.Lock()
	defer s.looking.Unlock()
	snap, at := s.kept()
	if snap == nil {
		return
	}
	now := s.edits.Conflicts()
	ours := func(p model.Problem) bool { return isAboutDoc(p) || view.IsAboutApproval(p) }
	told := without(snap.StoreProblems(), func(p model.Problem) bool { return !ours(p) })
	if !slices.Equal(told, now) {
		now = append(without(snap.StoreProblems(), ours), now...)
		s.keep(snap.Amend(model.Amendment{Problems: &now}), at)
	}
}

func isAboutDoc(p model.Problem) bool {
	return p.UID != "" && (p.Path == layout.Shown(layout.TaskFile(p.UID, layout.DocFile(model.Objective))) || p.Path == layout.Shown(layout.TaskFile(p.UID, layout.DocFile(model.Plan))))
}

// Edited are the tasks whose files were found to be written past vespe, and not taken over
// yet, in uid order.
func (s *Store) Edited() []model.UID { return s.edits.Edited() }

// takenOver forgets edits that are in the log now. from is the snapshot before.
func (s *Store) takenOver(t *transaction, from *model.Snapshot) {
	known, taken := map[model.UID]*model.Task{}, map[model.UID]*model.External{}
	for i := range t.ops {
		if x := t.ops[i].External; x != nil {
			uid := t.ops[i].UID
			if taken[uid], known[uid] = x, x.Now; x.Gone {
				known[uid] = taskfiles.Blank(uid)
			}
		}
	}
	for i, task := range t.change.Tasks {
		known[task.UID] = t.withFiles(task, t.change.Touched[i])
	}
	s.edits.TakenOver(known, taken, from)
}
