// Package view reads files of tasks as they are once everything that is committed is projected: through the
// after-images of entries that may not be in their files yet. Start with View.
package view

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/results"
	"vespe/store/txlog"
)

// View reads files of tasks as they are once everything that is committed is projected. A
// reader that comes between the two takes the tasks themselves through the log; their
// documents, results and events must not lag behind them.
type View struct {
	FS     fsys.FS
	Log    *txlog.Log
	Reader *results.Reader
	// Images of the last entry, by path, unless it is known to be projected; and what is pending.
	Images map[string]*txlog.FileImage
	// Whole: results are read and not only looked at (results.Reader), because something is decided by it.
	Whole bool
}

// ReadFile is FS.ReadFile. A file counts as not projected while it is as it was before; what
// else may be in it somebody has written since.
func (v View) ReadFile(name string, limit int64) ([]byte, error) {
	b, err := v.FS.ReadFile(name, limit)
	f := v.Images[name]
	hidden := errors.Is(err, fs.ErrPermission)
	if f == nil || err != nil && !fsys.Missing(err) && !hidden {
		return b, err
	}
	was := ""
	if err == nil {
		was = model.HashBytes(b)
	}
	if was != f.Was && !hidden {
		return b, err
	}
	if b, err = v.Log.BodyOf(f); err == nil && int64(len(b)) > limit {
		return nil, &fsys.TooLargeError{Path: name, Size: int64(len(b)), Limit: limit}
	}
	return b, err
}

// Below are the images with names below a directory, without its name, in order.
func (v View) Below(dir string) []string {
	var names []string
	for path := range v.Images {
		if name, ok := strings.CutPrefix(path, dir+"/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Results are the files under a task's result/.
func (v View) Results(uid model.UID) ([]model.ResultFile, error) {
	files, err := v.Reader.List(uid, v.Whole)
	if err != nil {
		return nil, err
	}
	for _, name := range v.Below(layout.TaskFile(uid, layout.ResultDir)) {
		f := v.Images[layout.TaskFile(uid, layout.ResultDir+"/"+name)]
		i, found := slices.BinarySearchFunc(files, name, func(r model.ResultFile, name string) int { return byElements(r.Path, name) })
		if found && files[i].Hash != f.Was || !found && f.Was != "" {
			continue
		}
		body, err := v.Log.BodyOf(f)
		if err != nil {
			return nil, err
		}
		r := model.ResultFile{Path: name, Size: int64(len(body)), Hash: f.Hash}
		if found {
			files[i] = r
		} else {
			files = slices.Insert(files, i, r)
		}
	}
	return files, nil
}

// byElements orders paths as a walk meets them.
func byElements(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}

// EventFiles are the names of the JSON files in a task's persistent/, in order.
func (v View) EventFiles(uid model.UID) ([]string, error) {
	dir := layout.TaskFile(uid, layout.PersistentDir)
	pending := v.Below(dir)
	es, err := fsys.List(v.FS, dir)
	if err != nil && !fsys.Missing(err) {
		return nil, err
	}
	if err != nil {
		if _, err := v.FS.Stat(layout.TaskDir(uid)); fsys.Missing(err) && len(pending) == 0 {
			return nil, ErrNoTask
		}
	}
	for _, e := range es {
		pending = append(pending, e.Name)
	}
	pending = slices.DeleteFunc(pending, func(name string) bool {
		return !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") || strings.Contains(name, "/")
	})
	slices.Sort(pending)
	return slices.Compact(pending), nil
}

// Messages are the names of the messages in a task's memory/, in order.
func (v View) Messages(uid model.UID) ([]string, error) {
	es, err := fsys.List(v.FS, layout.TaskFile(uid, layout.MemoryDir))
	if err != nil {
		if fsys.Missing(err) || fsys.IsAboutFile(err) {
			err = nil // nothing of ours has to be there
		}
		return nil, err
	}
	var names []string
	for _, e := range es {
		if strings.HasPrefix(e.Name, "msg-") && strings.HasSuffix(e.Name, ".json") {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// ErrNoTask: there is no directory of the task, and none is about to come.
var ErrNoTask = errors.Join(errors.New("there is no such task"), fs.ErrNotExist)

func (v View) ReadResult(uid model.UID, path string, limit int64) ([]byte, error) {
	if !layout.ValidName(path) || path == "." {
		return nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "", "%q is not a path below result/", path)
	}
	b, err := v.ReadFile(layout.TaskFile(uid, layout.ResultDir+"/"+path), limit)
	if fsys.Missing(err) {
		return nil, model.ErrNoContent
	}
	if err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", uid, err)
	}
	return b, nil
}
