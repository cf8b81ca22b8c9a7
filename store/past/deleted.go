package past

import (
	"maps"
	"slices"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/sections"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// DeletedTable is the own files of deleted tasks, as the base keeps them: as files of the
// past are (Writer), each with its body; and the hashes of the approvals that the log wrote of them.
type DeletedTable []byte

func EncodeDeleted(tasks map[model.UID]*model.Task, approvals map[string]string) (DeletedTable, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	w := NewWriter()
	for _, uid := range slices.Sorted(maps.Keys(tasks)) {
		for _, name := range marks.Files {
			if b := taskfiles.Body(tasks[uid], name); b != nil {
				if err := w.Put(layout.TaskFile(uid, name), false, b, ""); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(approvals)) {
		if uid, _, _ := layout.TaskOf(name); tasks[uid] != nil {
			if err := w.Put(name, false, nil, approvals[name]); err != nil {
				return nil, err
			}
		}
	}
	return w.Bytes()
}

// Files are the files in it; none of an empty one.
func (t DeletedTable) Files() (map[string]File, error) {
	if len(t) == 0 {
		return nil, nil
	}
	files, _, err := Decode(t, 0)
	if err != nil {
		return nil, &txlog.BaseError{Err: sections.Damaged("the tasks that were missing: %v", err)}
	}
	return files, nil
}

func (t DeletedTable) Tasks() (map[model.UID]*model.Task, error) {
	files, err := t.Files()
	if err != nil || files == nil {
		return nil, err
	}
	over := map[model.UID]taskfiles.Images{}
	for name, f := range files {
		if uid, rest, ok := layout.TaskOf(name); ok && f.Body != nil {
			if over[uid] == nil {
				over[uid] = taskfiles.Images{}
			}
			over[uid][rest] = f.Body
		}
	}
	out := map[model.UID]*model.Task{}
	for uid, files := range over {
		out[uid] = taskfiles.LaidOver(taskfiles.Blank(uid), files)
	}
	return out, nil
}
