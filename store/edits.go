package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
)

// Somebody edits a task's files past vespe: an editor, an agent, git. What the log knows of
// the task and what its files say are then two things. A reading that finds such a task
// believes its files, except verdicts (model.Believed), and remembers here how the task
// was; the next transaction that changes the task, or ImportEdits, makes an external_edit
// of the difference. Until then no checkpoint takes it for what the log knows.

// differences are the differences that were found between tasks and the log. They belong to the current
// snapshot and are dropped with it.
type differences struct {
	edits     map[model.UID]edit            // written past vespe
	conflicts map[model.UID][]model.Problem // documents with both sides of a merge, or that cannot be read; approvals that are others
	stale     map[model.UID][]string        // files that a late writer set back
}

// edit is a task that was edited past vespe and not taken over yet.
type edit struct {
	was, now *model.Task // as the log knows it, blank if not at all; as its files say
	against  *model.Task // what verdicts and pauses in it are held against (Store.against); nil: was
	docs     []model.Doc // documents whose bytes are no recorded revision
	deleted  bool        // its directory was deleted
}

// importable says whether the edit can be taken over: files that nobody can read are not.
func (e *edit) importable() bool { return e.deleted || !failure.HasError(e.now.Problems) }

// known is a task as the log knows it, whatever its files say.
func (s *Store) known(snap *model.Snapshot, uid model.UID) (*model.Task, bool) {
	s.mu.Lock()
	e, edited := s.edits[uid]
	s.mu.Unlock()
	if edited {
		return e.was, true
	}
	return snap.Task(uid)
}

// forgetEdit is for a task that the log knows something newer of: what its files say must
// be compared with that.
func (s *Store) forgetEdit(uid model.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.edits, uid)
}

// noticed is what to think of a task that the log knows as was and whose files say now.
func (s *Store) noticed(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsUnread(was) {
		_, at := s.kept()
		look := []*model.Task{now}
		doubted, err := s.firstLook(context.Background(), look, at.Seq)
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
	return s.compared(was, now)
}

// compared is noticed where all is known of the task.
func (s *Store) compared(was, now *model.Task) (*model.Task, error) {
	now = now.Split(was)
	same := taskfiles.Same(was, now)
	s.unmark(now, same)
	if same {
		s.setEdit(was, now, was, same)
		return now, nil // with what is to be said of it beside its files
	}
	now, err := s.unstale(was, now)
	if err != nil {
		return nil, err
	}
	against, err := s.against(was, now)
	if err != nil {
		return nil, err
	}
	if against, err = model.Unmarked(against, now, func(file string) (string, error) { return s.markedHash(now.UID, file) }); err != nil {
		return nil, err
	}
	if against, now, err = s.vouched(against, now.Split(against)); err != nil {
		return nil, err
	}
	s.setEdit(was, now, against, taskfiles.Same(was, now))
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

// unmark forgets how a task looked that is not what it was, or cannot be read, whoever has noticed: it may
// look so again. The next sweep reads it, and knows better.
func (s *Store) unmark(now *model.Task, same bool) {
	if (failure.HasError(now.Problems) || !same) && s.marks.Of(now.UID) != 0 {
		s.marks.Set(now.UID, 0)
	}
}

// setEdit remembers the files of a task, whose documents are noticed apart.
func (s *Store) setEdit(was, now, against *model.Task, same bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := edit{was: was, now: now, against: against}
	if !taskfiles.IsBlank(was) {
		e.docs = s.edits[now.UID].docs
	}
	s.putComparedEdit(e, same)
}

// putEdit needs s.mu.
func (s *Store) putEdit(e edit) { s.putComparedEdit(e, taskfiles.Same(e.was, e.now)) }

// putComparedEdit is putEdit of a task of which it is known whether its files are the same. It needs s.mu.
func (s *Store) putComparedEdit(e edit, same bool) {
	if !e.deleted && len(e.docs) == 0 && same && !becameUnreadable(e.was, e.now) {
		delete(s.edits, e.now.UID)
		return
	}
	if s.edits == nil {
		s.edits = map[model.UID]edit{}
	}
	s.edits[e.now.UID] = e
}

// becameUnreadable says whether a task that was known has a file that cannot be read now. How it was
// must stay known: else what stands there later would be believed as by a first look.
func becameUnreadable(was, now *model.Task) bool {
	return taskfiles.IsUnread(now) && !taskfiles.IsUnread(was)
}

// noticeDocs remembers documents that were written past vespe. v is no older than the snapshot: an approval may be in
// an entry that is being projected. unedited is true where they were
// compared, and nothing of the task was; not where the log has told of newer ones meanwhile.
func (s *Store) noticeDocs(v view, snap *model.Snapshot, uid model.UID) (unedited bool, err error) {
	t, ok := snap.Task(uid)
	if !ok {
		return false, nil
	}
	known, _ := s.known(snap, uid)
	conflicts, err := v.tampered(t)
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
		edited, conflict, err := s.docEdited(uid, d.doc, currentOf(&known.Status, d.doc))
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snap == nil {
		return false, nil
	}
	now, ok := s.snap.Task(uid)
	e, edited := s.edits[uid]
	if !edited {
		e = edit{was: now, now: now}
	}
	if !ok || !slices.Equal(model.StandingApprovals(&t.Status), model.StandingApprovals(&now.Status)) {
		return false, nil
	}
	if e.was.Status.ObjectiveRevision != known.Status.ObjectiveRevision || e.was.Status.PlanRevision != known.Status.PlanRevision {
		return false, nil
	}
	delete(s.conflicts, uid)
	if len(conflicts) > 0 {
		if s.conflicts == nil {
			s.conflicts = map[model.UID][]model.Problem{}
		}
		s.conflicts[uid] = conflicts
	}
	e.docs = docs
	s.putEdit(e)
	_, edited = s.edits[uid]
	return compared && !edited && len(conflicts) == 0 && s.stale[uid] == nil && !needsLook(s.snap, uid), nil
}

// errIncomparable: whether a document is another than its revision cannot be told. The revision may
// be in an entry that is not projected yet.
var errIncomparable = errors.New("there is nothing to compare the document with")

// docEdited says whether a document holds something else than its current revision, and whether
// that are both sides of a merge.
func (s *Store) docEdited(uid model.UID, doc model.Doc, of current) (edited bool, conflicts []model.Problem, err error) {
	c, doubt, err := s.projectedView().content(uid, doc, of)
	if err = errors.Join(err, doubt); err != nil {
		if !fsys.IsAboutFile(err) && !errors.Is(err, model.ErrNoContent) {
			return false, nil, err // there may be an edit
		}
		return false, s.unreadDoc(uid, doc), errIncomparable // that it is an edit is not known
	}
	name := layout.TaskFile(uid, layout.DocFile(doc))
	if p, found := model.ConflictProblem(uid, layout.Shown(name), c.Body); found && c.Revision == 0 {
		return false, []model.Problem{p}, nil
	}
	// One that was never recorded is an older system's, or written for the first time.
	if c.Revision != 0 || of.n == 0 {
		return false, nil, nil
	}
	old, err := s.isStale(name, c.Hash)
	if err != nil {
		return false, nil, err
	}
	if old {
		s.noticeStale(uid, []string{name})
	}
	return !old, nil, nil
}

// unreadDoc is what to say of a document that cannot be compared with its revision because it
// may not be read, or is too large. Of what is not a regular file a load tells.
func (s *Store) unreadDoc(uid model.UID, doc model.Doc) []model.Problem {
	name := layout.TaskFile(uid, layout.DocFile(doc))
	_, err := s.projectedView().readFile(name, layout.MaxDocument)
	var notPlain *fsys.NotRegularError
	if err == nil || fsys.Missing(err) || errors.As(err, &notPlain) {
		return nil
	}
	p := failure.OfFile(layout.Shown(name), err)
	p.UID = uid
	return []model.Problem{p}
}

// conflicted are the documents with both sides of a merge in them, and the approvals that are others.
func (s *Store) conflicted() []model.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ps []model.Problem
	for _, uid := range slices.Sorted(maps.Keys(s.conflicts)) {
		ps = append(ps, s.conflicts[uid]...)
	}
	return ps
}

// tellConflicts puts what is wrong with documents into the current snapshot.
func (s *Store) tellConflicts() {
	s.looking.Lock()
	defer s.looking.Unlock()
	snap, at := s.kept()
	if snap == nil {
		return
	}
	now := s.conflicted()
	ours := func(p model.Problem) bool { return isAboutDoc(p) || isAboutApproval(p) }
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
func (s *Store) Edited() []model.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.edits))
}

func (s *Store) isEdited(uid model.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.edits[uid]
	return ok
}

// takenOver forgets edits that are in the log now. What somebody else in this process has found
// meanwhile is another one, of what the log knows now, and is looked at again.
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
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid, was := range known {
		e, ok := s.edits[uid]
		delete(s.edits, uid)
		x := taken[uid]
		if back, shown := from.Task(uid); x != nil && x.Gone && shown && !ok {
			e, ok = edit{now: back}, true // it came back as it was known, but the log has it gone now
		}
		switch {
		case !ok || was == nil || x != nil && x.Gone == e.deleted && (e.deleted || taskfiles.Same(e.now, x.Now)):
		case e.deleted:
			s.putEdit(edit{was: was, now: was, deleted: true})
		default:
			n := edit{was: was, now: e.now, docs: e.docs}
			if x != nil && x.Gone {
				n.against = x.Was
			}
			s.putEdit(n)
		}
	}
}
