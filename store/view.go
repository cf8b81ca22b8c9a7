package store

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// view reads files of tasks as they are once everything that is committed is projected. A
// reader that comes between the two takes the tasks themselves through the log; their
// documents, results and events must not lag behind them.
type view struct {
	s *Store
	// images of the last entry, by path, unless it is known to be projected; and what is pending.
	images map[string]*txlog.FileImage
	// whole: results are read and not only looked at (resulthashes.go), because something is decided by it.
	whole bool
}

// projectedView is a view where every entry is projected, as far as it could be.
func (s *Store) projectedView() view { return view{s: s, images: s.edits.Images()} }

// view is for readers. Under the lock a projectedView says the same.
func (s *Store) view() (view, error) {
	v := s.projectedView()
	s.mu.Lock()
	from, done := s.tip.Seq, s.projected
	s.mu.Unlock()
	last, err := s.log.Tail(from)
	if err != nil || last == 0 || last <= done {
		return v, err
	}
	hinted := s.readHint().Seq
	if v = s.projectedView(); hinted == last {
		return v, nil
	}
	e, _, err := s.log.ReadEntry(last)
	if err != nil {
		if fsys.IsTransient(err) {
			return v, err
		}
		return v, nil // a load says what is wrong with it
	}
	if v.images = maps.Clone(v.images); v.images == nil {
		v.images = map[string]*txlog.FileImage{}
	}
	for i := range e.Files {
		if f := &e.Files[i]; f.Hash != "" && !f.Edited {
			v.images[f.Path] = f
		}
	}
	return v, nil
}

// readFile is FS.ReadFile. A file counts as not projected while it is as it was before; what
// else may be in it somebody has written since.
func (v view) readFile(name string, limit int64) ([]byte, error) {
	b, err := v.s.fs.ReadFile(name, limit)
	f := v.images[name]
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
	if b, err = v.s.log.BodyOf(f); err == nil && int64(len(b)) > limit {
		return nil, &fsys.TooLargeError{Path: name, Size: int64(len(b)), Limit: limit}
	}
	return b, err
}

// below are the images with names below a directory, without its name, in order.
func (v view) below(dir string) []string {
	var names []string
	for path := range v.images {
		if name, ok := strings.CutPrefix(path, dir+"/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// results are the files under a task's result/.
func (v view) results(uid model.UID) ([]model.ResultFile, error) {
	files, err := v.s.results.List(uid, v.whole)
	if err != nil {
		return nil, err
	}
	for _, name := range v.below(layout.TaskFile(uid, layout.ResultDir)) {
		f := v.images[layout.TaskFile(uid, layout.ResultDir+"/"+name)]
		i, found := slices.BinarySearchFunc(files, name, func(r model.ResultFile, name string) int { return byElements(r.Path, name) })
		if found && files[i].Hash != f.Was || !found && f.Was != "" {
			continue
		}
		body, err := v.s.log.BodyOf(f)
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

// eventFiles are the names of the JSON files in a task's persistent/, in order.
func (v view) eventFiles(uid model.UID) ([]string, error) {
	dir := layout.TaskFile(uid, layout.PersistentDir)
	pending := v.below(dir)
	es, err := fsys.List(v.s.fs, dir)
	if err != nil && !fsys.Missing(err) {
		return nil, err
	}
	if err != nil {
		if _, err := v.s.fs.Stat(layout.TaskDir(uid)); fsys.Missing(err) && len(pending) == 0 {
			return nil, errNoTask
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

// messages are the names of the messages in a task's memory/, in order.
func (v view) messages(uid model.UID) ([]string, error) {
	es, err := fsys.List(v.s.fs, layout.TaskFile(uid, layout.MemoryDir))
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

// errNoTask: there is no directory of the task, and none is about to come.
var errNoTask = errors.Join(errors.New("there is no such task"), fs.ErrNotExist)
