package store

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"vespe/model"
)

// Somebody edits a task's files past vespe: an editor, an agent, git. What the log knows of
// the task and what its files say are then two things. A reading that finds such a task
// believes its files, except verdicts (model.Believed), and remembers here how the task
// was; the next transaction that changes the task, or ImportEdits, makes an external_edit
// of the difference. Until then no checkpoint takes it for what the log knows.

// edit is a task that was edited past vespe and not taken over yet.
type edit struct {
	was, now *model.Task // as the log knows it; as its files say
	docs     []model.Doc // documents whose bytes are no recorded revision
}

// importable says whether the edit can be taken over: files that nobody can read are not.
func (e *edit) importable() bool { return !hasError(e.now.Problems) }

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
	if sameFiles(was, now) {
		s.setEdit(was, was)
		return now, nil // with what is to be said of it beside its files
	}
	now, err := s.unstale(was, now)
	if err != nil {
		return nil, err
	}
	s.setEdit(was, now)
	if sameFiles(was, now) {
		return now, nil
	}
	believed, refused := model.Believed(was, now)
	if len(refused) == 0 {
		return believed, nil
	}
	believed = believed.Clone()
	for _, what := range refused {
		believed.Problems = append(believed.Problems, model.Problem{
			UID: now.UID, Path: shown(taskFile(now.UID, statusFile)), Severity: model.Warning, Code: "not-believed",
			Reason: "holds " + what + " that was not given to vespe; it does not count",
			Hint:   "decide in vespe; the next change to the task puts the file right",
		})
	}
	return believed, nil
}

// setEdit remembers the files of a task, whose documents are noticed apart.
func (s *Store) setEdit(was, now *model.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := edit{was: was, now: now, docs: s.edits[now.UID].docs}
	s.putEdit(e)
}

// putEdit needs s.mu.
func (s *Store) putEdit(e edit) {
	if len(e.docs) == 0 && sameFiles(e.was, e.now) {
		delete(s.edits, e.now.UID)
		return
	}
	if s.edits == nil {
		s.edits = map[model.UID]edit{}
	}
	s.edits[e.now.UID] = e
}

// sameFiles compares what two readings of a task's files mean, not what is wrong with it
// beside them.
func sameFiles(a, b *model.Task) bool {
	return a == b || a.HasStatus == b.HasStatus && a.HasObjective == b.HasObjective && a.HasPlan == b.HasPlan &&
		slices.EqualFunc(errorsOf(a), errorsOf(b), func(x, y model.Problem) bool { return x == y }) &&
		bytes.Equal(model.EncodeStatus(a.Status), model.EncodeStatus(b.Status)) &&
		bytes.Equal(model.EncodeConfig(a.Config), model.EncodeConfig(b.Config)) &&
		slices.Equal(a.DependsOn, b.DependsOn) &&
		bytes.Equal(model.EncodeDependencies(nil, a.DepsExtra), model.EncodeDependencies(nil, b.DepsExtra)) &&
		bytes.Equal(encodeSpec(a.Spec), encodeSpec(b.Spec))
}

func errorsOf(t *model.Task) []model.Problem {
	return without(t.Problems, func(p model.Problem) bool { return p.Severity != model.Error })
}

// laidOver is a task with the files that entries of the log wrote of it; the task itself
// when that makes no difference. A nil body is a file that was taken away.
func laidOver(t *model.Task, over images) *model.Task {
	if len(over) == 0 {
		return t
	}
	n := t.Clone()
	for _, name := range slices.Sorted(maps.Keys(over)) {
		b := over[name]
		path := shown(taskFile(t.UID, name))
		n.Problems = without(n.Problems, func(p model.Problem) bool { return p.Path == path })
		var ps []model.Problem
		switch name {
		case docFile(model.Objective):
			n.HasObjective = b != nil
		case docFile(model.Plan):
			n.HasPlan = b != nil
		case dependenciesFile:
			if n.DependsOn, n.DepsExtra = nil, nil; b != nil {
				n.DependsOn, n.DepsExtra, ps = model.DecodeDependencies(path, b)
			}
		case specFile:
			if n.Spec = nil; b != nil {
				n.Spec, ps = model.DecodeSpec(path, b)
			}
		case configFile:
			n.Config, ps = model.DecodeConfig(path, b)
		case statusFile:
			n.HasStatus = true
			n.Status, ps = model.DecodeStatus(path, b)
		}
		for _, p := range ps {
			p.UID = t.UID
			n.Problems = append(n.Problems, p)
		}
	}
	if sameTask(t, n) {
		return t
	}
	return n
}

// noticeDocs remembers documents that were written past vespe.
func (s *Store) noticeDocs(snap *model.Snapshot, uid model.UID) error {
	t, ok := snap.Task(uid)
	if !ok {
		return nil
	}
	known, _ := s.known(snap, uid)
	var docs []model.Doc
	var conflicts []model.Problem
	for _, d := range []struct {
		doc model.Doc
		n   int
		has bool
	}{{model.Objective, known.Status.ObjectiveRevision, t.HasObjective}, {model.Plan, known.Status.PlanRevision, t.HasPlan}} {
		if !d.has {
			continue
		}
		c, doubt, err := view{s: s}.content(uid, d.doc, d.n)
		if err = errors.Join(err, doubt); err != nil {
			if !isAboutFile(err) && !errors.Is(err, model.ErrNoContent) {
				return err // there may be an edit
			}
			continue // a load has said what is wrong with it; that it is an edit is not known
		}
		if p, found := model.ConflictProblem(uid, shown(taskFile(uid, docFile(d.doc))), c.Body); found {
			conflicts = append(conflicts, p)
			continue
		}
		// One that was never recorded is an older system's, or written for the first time.
		if c.Revision != 0 || d.n == 0 {
			continue
		}
		old, err := s.isStale(taskFile(uid, docFile(d.doc)), c.Hash)
		if err != nil {
			return err
		}
		if old {
			s.noticeStale(uid, []string{taskFile(uid, docFile(d.doc))})
			continue
		}
		docs = append(docs, d.doc)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conflicts, uid)
	if len(conflicts) > 0 {
		if s.conflicts == nil {
			s.conflicts = map[model.UID][]model.Problem{}
		}
		s.conflicts[uid] = conflicts
	}
	e, edited := s.edits[uid]
	if !edited {
		e = edit{was: known, now: t}
	}
	e.docs = docs
	s.putEdit(e)
	return nil
}

// settled says whether what a task's files hold is what the store knows.
func (s *Store) settled(uid model.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, edited := s.edits[uid]
	return !edited && s.conflicts[uid] == nil && s.stale[uid] == nil
}

// conflicted are the documents with both sides of a merge in them.
func (s *Store) conflicted() []model.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ps []model.Problem
	for _, uid := range slices.Sorted(maps.Keys(s.conflicts)) {
		ps = append(ps, s.conflicts[uid]...)
	}
	return ps
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

// takenOver forgets edits that are in the log now.
func (s *Store) takenOver(ops []model.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range ops {
		if ops[i].Name == model.ExternalEdit {
			delete(s.edits, ops[i].UID)
		}
	}
}

// unedited is a snapshot with edited tasks as the log knows them.
func (s *Store) unedited(snap *model.Snapshot) *model.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	var was []*model.Task
	for _, e := range s.edits {
		was = append(was, e.was)
	}
	if len(was) == 0 {
		return snap
	}
	return snap.With(snap.Seq(), snap.Head(), was, nil)
}

func encodeSpec(sp *model.Spec) []byte {
	if sp == nil {
		return nil
	}
	return model.EncodeSpec(sp)
}
