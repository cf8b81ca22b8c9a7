package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/loading"
	"vespe/store/merge"
)

// Who an edit is taken over from: HEAD has the same bytes, or nobody knows.
const (
	systemExternal = edits.ActorExternal
	systemGit      = model.Actor("system:git")
)

// ImportEdits takes over what was written past vespe into the given tasks, nil for every
// one that is known to be edited, in one transaction where they are not very many. Documents become revisions; a state
// is believed; a verdict is not. It does nothing when nothing was edited.
func (s *Store) ImportEdits(ctx context.Context, uids []model.UID) (snapshot.Applied, error) {
	snap, err := s.Refresh(ctx) // others may have taken them over
	if err != nil {
		return snapshot.Applied{}, err
	}
	if uids == nil {
		uids = s.edits.ToImport()
	}
	applied := snapshot.Applied{Seq: snap.Seq(), Snapshot: snap}
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(uids))), importAtOnce) {
		var ops []model.Op
		for _, uid := range part {
			if s.edits.IsToImport(uid) {
				ops = append(ops, model.Op{Name: model.ExternalEdit, UID: uid, Actor: systemExternal, Channel: model.ChannelFiles})
			}
		}
		if len(ops) == 0 {
			continue
		}
		did, err := s.importEach(ctx, ops)
		if applied = joined(applied, did); err != nil {
			return applied, err
		}
	}
	return applied, nil
}

// importEach takes over edits in one transaction, without those of tasks for which it would
// be refused: these must not keep the others waiting. Warnings say which they are, and why.
func (s *Store) importEach(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	if len(ops) == 0 {
		return snapshot.Applied{}, nil
	}
	did, err := s.DoAll(ctx, ops)
	about, known := refusedFor(err)
	if !known {
		return did, err
	}
	rest := slices.DeleteFunc(slices.Clone(ops), func(op model.Op) bool { return op.UID == about })
	if half := len(ops) / 2; len(rest) == len(ops) && half > 0 {
		// It is about another task that one of them changes; trying tells which.
		first, err := s.importEach(ctx, ops[:half])
		if err != nil {
			return first, err
		}
		did, err = s.importEach(ctx, ops[half:])
		return joined(first, did), err
	}
	if len(rest) == len(ops) {
		rest = nil
	}
	did, more := s.importEach(ctx, rest)
	did.Warnings = append([]string{err.Error() + ": an edit there isn't recorded yet"}, did.Warnings...)
	return did, more
}

// joined is what came of two transactions, either of which may not have come about.
func joined(first, second snapshot.Applied) snapshot.Applied {
	if second.Snapshot == nil {
		first.Warnings = append(first.Warnings, second.Warnings...)
		return first
	}
	second.Warnings = slices.Concat(first.Warnings, second.Warnings)
	return second
}

// refusedFor says whether a transaction was refused for the files of one task alone, and for
// which, where that is known.
func refusedFor(err error) (uid model.UID, ok bool) {
	var r *model.Refusal
	var of *failure.OfTask
	switch {
	case !errors.As(err, &r) || r.Code == model.CodeNotDurable:
		return "", false
	case errors.As(err, &of):
		return of.UID, true
	}
	return "", r.Guard == failure.GuardUnmoved
}

// importAtOnce is how many tasks' edits are taken over in one transaction: others wait for
// it.
const importAtOnce = 500

// withEdits puts an external_edit before the operations on each task of uids that was
// edited, and completes those that are among the operations already, without those that
// have nothing to take over. first is the first of the operations in all, imported are these
// tasks.
func (s *Store) withEdits(ctx context.Context, seen loading.Preview, ops []model.Op, uids []model.UID) (all []model.Op, first int, imported []model.UID, err error) {
	asked := map[model.UID]int{}
	all, uids = slices.Clone(ops), slices.Clone(uids)
	for i := range ops {
		if ops[i].Name == model.ExternalEdit {
			asked[ops[i].UID] = i
			uids = append(uids, ops[i].UID)
		}
	}
	// A transaction also records the deleted tasks that it finds.
	deleted := slices.DeleteFunc(seen.DeletedTasks(&s.edits, importAtOnce), func(uid model.UID) bool { return slices.Contains(uids, uid) })
	var found []*model.External
	var paths []string
	unedited := map[model.UID]bool{} // with no edit left
	for _, uid := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(uids, deleted)))) {
		x, err := s.comparer.External(seen.Edits, uid)
		if err != nil && slices.Contains(deleted, uid) {
			continue // it cannot be told now whether it is back
		}
		if err != nil {
			return nil, 0, nil, failure.About(uid, err)
		}
		if len(x.Files) == 0 {
			unedited[uid] = true
			continue
		}
		imported, found = append(imported, uid), append(found, x)
		for _, f := range x.Files {
			paths = append(paths, layout.TaskFile(uid, f.Name))
		}
	}
	nothing := func(op model.Op) bool { return op.Name == model.ExternalEdit && unedited[op.UID] }
	if len(imported) == 0 {
		return slices.DeleteFunc(all, nothing), 0, nil, nil
	}
	head, err := s.head().Hashes(ctx, paths)
	if err != nil {
		head = nil // who it was is worth no failure: then nobody knows
	}
	var before []model.Op
	for k, uid := range imported {
		op := model.Op{
			ID: fmt.Sprintf("%s.edit.%d", ops[0].ID, len(before)), Name: model.ExternalEdit, UID: uid, At: ops[0].At, Channel: model.ChannelFiles,
		}
		i, named := asked[uid]
		if named {
			op = all[i]
		}
		op.Actor, op.Args = editor(uid, found[k], head), *found[k]
		if named {
			all[i] = op
			continue
		}
		before = append(before, op)
		seenBefore(seen.Snap, all, uid, found[k])
	}
	first = len(before)
	return append(before, slices.DeleteFunc(all, nothing)...), first, imported, nil
}

// seenBefore checks which revision of a task operations expect before its edit is taken
// over, which counts it up. One that writes a file which was edited is not spared: who asks for
// it has not seen what stands there now.
func seenBefore(snap *snapshot.Snapshot, ops []model.Op, uid model.UID, x *model.External) {
	t, ok := snap.Task(uid)
	for i := range ops {
		writes := ownFileOf(ops[i].Name)
		edited := writes != "" && slices.ContainsFunc(x.Files, func(f model.FileEdit) bool { return f.Name == writes })
		if ok && ops[i].UID == uid && ops[i].ExpectRevision == t.Status.Revision && !edited {
			ops[i].ExpectRevision = 0
		}
	}
}

// ownFileOf is the file, beside status.json, that an operation writes anew; "" for none.
func ownFileOf(op model.Name) string {
	switch op {
	case model.SetFields:
		return layout.SpecFile
	case model.AddDependency, model.RemoveDependency:
		return layout.DependenciesFile
	case model.RenameTask:
		return layout.ConfigFile
	case model.DefineObjective:
		return layout.DocFile(model.Objective)
	case model.DefinePlan:
		return layout.DocFile(model.Plan)
	}
	return ""
}

// editor is who an edit is by.
func editor(uid model.UID, x *model.External, head map[string]string) model.Actor {
	for _, f := range x.Files {
		if x.Continues && head[layout.TaskFile(uid, f.Name)] != f.New {
			return merge.System // git has not committed what the merge came to
		}
		if f.New == "" || head[layout.TaskFile(uid, f.Name)] != f.New {
			return systemExternal
		}
	}
	if len(x.Files) == 0 {
		return systemExternal
	}
	return systemGit
}

// isWrittenOn says whether somebody has written a document since an edit of it was read: what becomes a
// revision must be what the entry says the file is.
func (s *Store) isWrittenOn(t *transaction) (bool, error) {
	for i := range t.ops {
		x := model.ArgsOf[model.External](&t.ops[i])
		if x.Gone {
			continue
		}
		for _, f := range x.Files {
			if path.Ext(f.Name) != ".md" {
				continue
			}
			now, err := s.disk.Hash(layout.TaskFile(t.ops[i].UID, f.Name))
			if err != nil && !fsys.IsAboutFile(err) {
				return false, failure.About(t.ops[i].UID, err)
			}
			if err == nil && now != f.New {
				return true, nil
			}
		}
	}
	return false, nil
}

// CheckAll lets check mark what Outdated finds, in one transaction. applied is zero where nothing
// is outdated.
func (s *Store) CheckAll(ctx context.Context, uids []model.UID, actor model.Actor) (found []model.UID, applied snapshot.Applied, err error) {
	if found, err = s.Outdated(ctx, uids); err != nil || len(found) == 0 {
		return found, applied, err
	}
	ops := make([]model.Op, len(found))
	for i, uid := range found {
		ops[i] = model.Op{Name: model.Check, UID: uid, Actor: actor}
	}
	applied, err = s.DoAll(ctx, ops)
	return found, applied, err
}

// ImportComments takes over what was written past vespe into a task's comments, so that a verdict is
// given on what is left of it. It is nil, and nothing happens, where nothing was.
func (s *Store) ImportComments(ctx context.Context, uid model.UID) (*snapshot.Applied, error) {
	snap, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil
	}
	if _, edited := s.reviews.Edited(uid, t.Status.Comments); !edited {
		return nil, nil
	}
	took, err := s.ImportEdits(ctx, []model.UID{uid})
	return &took, err
}
