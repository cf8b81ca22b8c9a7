package writing

import (
	"context"
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

// ImportAtOnce is how many tasks' edits are taken over in one transaction: others wait for
// it.
const ImportAtOnce = 500

// withEdits puts an external_edit before the operations on each task of uids that was
// edited, and completes those that are among the operations already, without those that
// have nothing to take over. first is the first of the operations in all, imported are these
// tasks.
func (s *Writer) withEdits(ctx context.Context, seen loading.Preview, ops []model.Op, uids []model.UID) (all []model.Op, first int, imported []model.UID, err error) {
	asked := map[model.UID]int{}
	all, uids = slices.Clone(ops), slices.Clone(uids)
	for i := range ops {
		if ops[i].Name == model.ExternalEdit {
			asked[ops[i].UID] = i
			uids = append(uids, ops[i].UID)
		}
	}
	// A transaction also records the deleted tasks that it finds.
	deleted := slices.DeleteFunc(seen.DeletedTasks(s.Edits, ImportAtOnce), func(uid model.UID) bool { return slices.Contains(uids, uid) })
	var found []*model.External
	var paths []string
	unedited := map[model.UID]bool{} // with no edit left
	for _, uid := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(uids, deleted)))) {
		x, err := s.Comparer.External(seen.Edits, uid)
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
	head, err := s.Committed(ctx, paths)
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
			return edits.ActorExternal
		}
	}
	if len(x.Files) == 0 {
		return edits.ActorExternal
	}
	return edits.ActorGit
}

// isWrittenOn says whether somebody has written a document since an edit of it was read: what becomes a
// revision must be what the entry says the file is.
func (s *Writer) isWrittenOn(t *Transaction) (bool, error) {
	for i := range t.ops {
		x := model.ArgsOf[model.External](&t.ops[i])
		if x.Gone {
			continue
		}
		for _, f := range x.Files {
			if path.Ext(f.Name) != ".md" {
				continue
			}
			now, err := s.Disk.Hash(layout.TaskFile(t.ops[i].UID, f.Name))
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
