package view

import (
	"io/fs"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// RunIDs are the names of the directories of a task's runs.
func (v View) RunIDs(uid model.UID) ([]string, error) {
	dir := layout.TaskFile(uid, layout.RunsDir)
	es, err := fsys.List(v.FS, dir)
	if err != nil && !fsys.Missing(err) {
		return nil, err
	}
	if fsys.Missing(err) {
		if _, err := v.FS.Stat(layout.TaskDir(uid)); fsys.Missing(err) && len(v.Below(layout.TaskDir(uid))) == 0 {
			return nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, nil, "`vespe ls` lists the tasks", "there is no task %s", uid)
		}
	}
	var ids []string
	for _, e := range es {
		if e.Type == fs.ModeDir && model.ValidRun(e.Name) {
			ids = append(ids, e.Name)
		}
	}
	for _, name := range v.Below(dir) {
		if id, file, _ := strings.Cut(name, "/"); file == layout.RunFile && model.ValidRun(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// RunFile is a run's run.json.
func (v View) RunFile(uid model.UID, run string) ([]byte, error) {
	if !model.ValidRun(run) {
		return nil, model.ErrNoContent
	}
	b, err := v.ReadFile(layout.RunDir(uid, run)+"/"+layout.RunFile, model.MaxJSON)
	if fsys.Missing(err) {
		return nil, model.ErrNoContent
	}
	return b, err
}

// ByHash is a document with a hash: a revision of it, or today's.
func (v View) ByHash(uid model.UID, doc model.Doc, n int, hash string) ([]byte, error) {
	name, body, err := v.Recorded(uid, doc, n, hash)
	if name != "" || err != nil && fsys.IsTransient(err) {
		return body, err
	}
	b, err := v.ReadFile(layout.TaskFile(uid, layout.DocFile(doc)), layout.MaxDocument)
	if err == nil && model.HashBytes(b) == hash {
		return b, nil
	}
	if err != nil && fsys.IsTransient(err) {
		return nil, err
	}
	return nil, failure.New(model.CodeConflict, failure.GuardStore, nil, model.ErrNoContent, "accept it again, or restore the file from git or a backup",
		"the %s of %s that was accepted (revision %d) no longer has the accepted content", doc, uid, n)
}
