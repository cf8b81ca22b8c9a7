package store

import (
	"bytes"
	"context"
	"fmt"
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

const systemExternal = model.Actor("system:external")

// noticed is what to think of a task whose files say now, when was is what was thought
// before.
func (s *Store) noticed(was, now *model.Task) *model.Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, known := s.edits[now.UID]
	switch {
	case known && e.now != nil && sameTask(e.now, now):
		return was
	case known && sameTask(e.was, now) && len(e.docs) == 0:
		delete(s.edits, now.UID)
		return e.was
	case known:
		e.now = now
	case sameTask(was, now):
		return was
	default:
		e = edit{was: was, now: now}
	}
	if s.edits == nil {
		s.edits = map[model.UID]edit{}
	}
	s.edits[now.UID] = e
	believed, refused := model.Believed(e.was, now)
	if len(refused) == 0 {
		return believed
	}
	believed = believed.Clone()
	for _, what := range refused {
		believed.Problems = append(believed.Problems, model.Problem{
			UID: now.UID, Path: shown(taskFile(now.UID, statusFile)), Severity: model.Warning, Code: "not-believed",
			Reason: "holds " + what + " that was not given to vespe; it does not count",
			Hint:   "decide in vespe; the next change to the task puts the file right",
		})
	}
	return believed
}

// noticeDocs remembers documents that were written past vespe.
func (s *Store) noticeDocs(snap *model.Snapshot, uid model.UID) error {
	t, ok := snap.Task(uid)
	if !ok {
		return nil
	}
	var docs []model.Doc
	var conflicts []model.Problem
	for _, d := range []struct {
		doc model.Doc
		n   int
		has bool
	}{{model.Objective, t.Status.ObjectiveRevision, t.HasObjective}, {model.Plan, t.Status.PlanRevision, t.HasPlan}} {
		if !d.has {
			continue
		}
		c, err := s.content(uid, d.doc, d.n)
		if err != nil {
			if isTransient(err) {
				return err
			}
			continue // a load has said what is wrong with it
		}
		if p, found := model.ConflictProblem(uid, shown(taskFile(uid, docFile(d.doc))), c.Body); found {
			conflicts = append(conflicts, p)
			continue
		}
		// One that was never recorded is an older system's, or written for the first time.
		if c.Revision == 0 && d.n > 0 {
			docs = append(docs, d.doc)
		}
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
	e, known := s.edits[uid]
	if len(docs) == 0 && !known {
		return nil
	}
	if !known {
		e = edit{was: t, now: t}
	}
	e.docs = docs
	if len(docs) == 0 && e.was == e.now {
		delete(s.edits, uid)
		return nil
	}
	if s.edits == nil {
		s.edits = map[model.UID]edit{}
	}
	s.edits[uid] = e
	return nil
}

// settled says whether what a task's files hold is what the store knows.
func (s *Store) settled(uid model.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, edited := s.edits[uid]
	return !edited && s.conflicts[uid] == nil
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

func (s *Store) isEdited(uid model.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.edits[uid]
	return ok
}

// Edited are the tasks whose files were found to be written past vespe, and not taken over
// yet, in uid order.
func (s *Store) Edited() []model.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.edits))
}

// ImportEdits takes over what was written past vespe into the given tasks, nil for every
// one that is known to be edited, as one transaction. Documents become revisions; a state
// is believed; a verdict is not. It does nothing when nothing was edited.
func (s *Store) ImportEdits(ctx context.Context, uids []model.UID) (model.Applied, error) {
	if uids == nil {
		uids = s.Edited()
	}
	snap, _ := s.kept()
	var ops []model.Op
	for _, uid := range uids {
		if t, ok := snap.Task(uid); ok && s.isEdited(uid) && !hasError(t.Problems) {
			ops = append(ops, model.Op{Name: model.ExternalEdit, UID: uid, Actor: systemExternal})
		}
	}
	if len(ops) == 0 {
		return model.Applied{Seq: snap.Seq(), Snapshot: snap}, nil
	}
	return s.DoAll(ctx, ops)
}

// withEdits puts an external_edit before the operations on each task of uids that was
// edited, and completes those that are among the operations already.
func (s *Store) withEdits(ops []model.Op, uids []model.UID) ([]model.Op, error) {
	out := make([]model.Op, 0, len(ops))
	asked := map[model.UID]bool{}
	for i := range ops {
		op := ops[i]
		if op.Name == model.ExternalEdit {
			asked[op.UID] = true
			x, err := s.external(op.UID)
			if err != nil {
				return nil, err
			}
			op.External = x
		}
		out = append(out, op)
	}
	var before []model.Op
	for _, uid := range slices.Compact(slices.Sorted(slices.Values(uids))) {
		if asked[uid] || !s.isEdited(uid) {
			continue
		}
		x, err := s.external(uid)
		if err != nil {
			return nil, err
		}
		if len(x.Files) > 0 {
			before = append(before, model.Op{
				ID: fmt.Sprintf("%s.edit.%d", ops[0].ID, len(before)), Name: model.ExternalEdit, UID: uid,
				Actor: systemExternal, At: ops[0].At, External: x,
			})
		}
	}
	return append(before, out...), nil
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

// external is the difference between what the log knows of a task and its files now.
func (s *Store) external(uid model.UID) (*model.External, error) {
	s.mu.Lock()
	e, ok := s.edits[uid]
	s.mu.Unlock()
	if !ok {
		return &model.External{}, nil
	}
	x := &model.External{Was: e.was, Now: e.now}
	for _, f := range []struct {
		name   string
		before []byte
		after  []byte
	}{
		{configFile, model.EncodeConfig(e.was.Config), model.EncodeConfig(e.now.Config)},
		{statusFile, model.EncodeStatus(e.was.Status), model.EncodeStatus(e.now.Status)},
		{dependenciesFile, model.EncodeDependencies(e.was.DependsOn, e.was.DepsExtra), model.EncodeDependencies(e.now.DependsOn, e.now.DepsExtra)},
		{specFile, encodeSpec(e.was.Spec), encodeSpec(e.now.Spec)},
	} {
		if bytes.Equal(f.before, f.after) {
			continue
		}
		old := ""
		if f.before != nil {
			old = model.HashBytes(f.before)
		}
		if err := s.addEdit(x, uid, f.name, old); err != nil {
			return nil, err
		}
	}
	for _, doc := range e.docs {
		n := e.was.Status.PlanRevision
		if doc == model.Objective {
			n = e.was.Status.ObjectiveRevision
		}
		old := ""
		if r, err := s.revision(uid, doc, n); err == nil {
			old = r.Hash
		}
		if err := s.addEdit(x, uid, docFile(doc), old); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// addEdit adds a file as it is now.
func (s *Store) addEdit(x *model.External, uid model.UID, name, old string) error {
	b, err := s.fs.ReadFile(taskFile(uid, name), maxDocument)
	switch {
	case missing(err):
		x.Files = append(x.Files, model.FileEdit{Name: name, Old: old})
	case err != nil:
		return fmt.Errorf("read what was edited: %w", err)
	default:
		if b == nil {
			b = []byte{}
		}
		x.Files = append(x.Files, model.FileEdit{Name: name, Old: old, New: model.HashBytes(b), Body: b})
	}
	return nil
}

func encodeSpec(sp *model.Spec) []byte {
	if sp == nil {
		return nil
	}
	return model.EncodeSpec(sp)
}
