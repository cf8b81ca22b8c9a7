// Package taskfiles reads a task's own files: config.json, status.json, dependencies.json, spec.json, and which of its
// documents are there. It compares what two readings mean, and lays files that entries of the log wrote over a reading.
// Start with Read and Same.
package taskfiles

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Images are files of one task that take precedence over those on disk: the after-images
// of a transaction that is not (or not certainly) projected. Keys are names in the task's
// directory.
type Images map[string][]byte

// OrNil is nil for no images at all: then a task without a directory is not there.
func (im Images) OrNil() Images {
	if len(im) == 0 {
		return nil
	}
	return im
}

// Task is a task that has these files alone.
func (im Images) Task(uid model.UID) *model.Task {
	r := reader{t: &model.Task{UID: uid}, over: im}
	_ = r.read() // only a directory gives errors
	return r.t
}

// Read reads one task's directory: its JSON files, and which of its documents are
// there. Whatever is wrong with it becomes a problem of the task. It is nil when there is
// neither a directory nor an image.
//
// The error is one of this moment (out of descriptors): nothing can be said about
// the task then, and a load must not go on as if it were not there. One that may well stay,
// as that of a disk, is a problem too, so that one task does not keep all others from being seen.
// ends says which errors those are.
func Read(tasks fsys.Dir, uid model.UID, over Images, ends func(error) bool) (*model.Task, error) {
	r := reader{t: &model.Task{UID: uid}, over: over, ends: ends}
	dir, err := tasks.OpenDir(string(uid))
	switch {
	case fsys.Missing(err):
		if over == nil {
			return nil, nil
		}
	case err != nil:
		if ends(err) {
			return nil, err
		}
		r.problem("", err)
		r.t.Config.UID = uid
		return r.t, nil
	default:
		defer dir.Close()
		r.dir = dir
		if r.entries, err = dir.Entries(); err != nil {
			if ends(err) {
				return nil, err
			}
			r.problem("", err)
			return r.t, nil
		}
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.t, nil
}

type reader struct {
	t       *model.Task
	dir     fsys.Dir // nil when the task is only in images
	entries []fsys.Entry
	over    Images
	ends    func(error) bool
}

func (r *reader) path(name string) string { return layout.Shown(layout.TaskFile(r.t.UID, name)) }

func (r *reader) add(ps ...model.Problem) {
	for _, p := range ps {
		p.UID = r.t.UID
		r.t.Problems = append(r.t.Problems, p)
	}
}

// problem adds what an error says about a file of the task.
func (r *reader) problem(name string, err error) {
	path := r.path(name)
	if name == "" {
		path = layout.Shown(layout.TaskDir(r.t.UID))
	}
	p := failure.OfFile(path, err)
	p.UID = r.t.UID
	r.t.Problems = append(r.t.Problems, p)
}

func (r *reader) read() error {
	files := map[string]bool{} // of those that are read
	for _, e := range r.entries {
		if err := r.entry(e, files); err != nil {
			return err
		}
	}
	for name := range r.over {
		switch name {
		case layout.ConfigFile, layout.StatusFile, layout.DependenciesFile, layout.SpecFile:
			files[name] = true
		case layout.DocFile(model.Objective):
			r.t.HasObjective = true
		case layout.DocFile(model.Plan):
			r.t.HasPlan = true
		}
	}
	t := r.t
	_, hasConfig := files[layout.ConfigFile] // also when it is not a regular file: that is said already
	if err := r.json(layout.ConfigFile, files, t.Config.Decode); err != nil {
		return err
	}
	if err := r.json(layout.StatusFile, files, func(path string, b []byte) []model.Problem {
		t.HasStatus = true
		return t.Status.Decode(path, b)
	}); err != nil {
		return err
	}
	if err := r.json(layout.DependenciesFile, files, func(path string, b []byte) (ps []model.Problem) {
		t.DependsOn, t.DepsExtra, ps = model.DecodeDependencies(path, b)
		return ps
	}); err != nil {
		return err
	}
	if err := r.json(layout.SpecFile, files, func(path string, b []byte) (ps []model.Problem) {
		t.Spec, ps = model.DecodeSpec(path, b)
		return ps
	}); err != nil {
		return err
	}
	r.identity(hasConfig)
	return nil
}

// entry looks at one name in the task's directory.
func (r *reader) entry(e fsys.Entry, files map[string]bool) error {
	t := r.t
	want := fs.FileMode(0)
	switch e.Name {
	case layout.ConfigFile, layout.StatusFile, layout.DependenciesFile, layout.SpecFile:
		files[e.Name] = e.Type == 0
	case layout.DocFile(model.Objective):
		t.HasObjective = e.Type == 0
	case layout.DocFile(model.Plan):
		t.HasPlan = e.Type == 0
	case layout.PersistentDir, layout.ResultDir, "reviews", "approvals":
		want = fs.ModeDir
	default:
		if strings.Contains(e.Name, layout.TheirsMark) {
			r.add(failure.TheirsProblem(r.path(e.Name)))
		}
		return nil
	}
	if e.Type == want || r.over[e.Name] != nil {
		return nil
	}
	what := fsys.Describe(e.Type)
	if want == fs.ModeDir {
		what += " where a directory belongs"
	}
	r.problem(e.Name, &fsys.NotRegularError{Path: layout.TaskFile(t.UID, e.Name), What: what})
	return nil
}

// json reads one JSON file of the task, if it is there.
func (r *reader) json(name string, files map[string]bool, decode func(string, []byte) []model.Problem) error {
	b, ok := r.over[name]
	if !ok {
		if !files[name] {
			return nil
		}
		var err error
		b, err = r.dir.ReadFile(name, layout.MaxJSON)
		if fsys.Missing(err) { // removed since it was listed
			return nil
		}
		if err != nil {
			if r.ends(err) {
				return err
			}
			r.problem(name, err)
			return nil
		}
	}
	r.add(decode(r.path(name), b)...)
	return nil
}

// identity sees to it that the task is who its directory says.
func (r *reader) identity(hasConfig bool) {
	t := r.t
	if t.Status.CurrentState == "" {
		t.Status.CurrentState = model.Created
	}
	switch said := t.Config.UID; {
	case !hasConfig:
		r.add(model.Problem{
			Path: r.path(layout.ConfigFile), Severity: model.Error, Code: "missing-file",
			Reason: "is missing, so the task has no identity",
			Hint:   "restore it from git, or remove the directory",
		})
	case said != "" && said != t.UID: // "": the codec has said what is wrong
		r.add(model.Problem{
			Path: r.path(layout.ConfigFile), Severity: model.Error, Code: "uid-mismatch",
			Reason: fmt.Sprintf("says it is the task %q, but is in the directory of %q", said, t.UID),
			Hint:   "if it is a copy, give it its own uid in config.json; if the directory was renamed, rename it back",
		})
	}
}

// IsUnread says whether what the files of a task say was not to be had as a whole: then nobody
// knows how the task was.
func IsUnread(t *model.Task) bool {
	for _, p := range t.Problems {
		if p.Code == failure.Unreadable {
			return true
		}
	}
	return false
}

// Unread are those of a snapshot.
func Unread(snap *snapshot.Snapshot) []model.UID {
	var uids []model.UID
	for _, p := range snap.Problems() {
		if p.Code == failure.Unreadable && p.UID != "" {
			uids = append(uids, p.UID)
		}
	}
	slices.Sort(uids)
	return slices.Compact(uids)
}

// DifferentNames are the uids that only one of a snapshot and a sorted list has.
func DifferentNames(snap *snapshot.Snapshot, uids []model.UID) (differ []model.UID) {
	i := 0
	for _, uid := range uids {
		for ; i < snap.Len() && snap.UID(i) < uid; i++ {
			differ = append(differ, snap.UID(i))
		}
		if i < snap.Len() && snap.UID(i) == uid {
			i++
			continue
		}
		differ = append(differ, uid)
	}
	for ; i < snap.Len(); i++ {
		differ = append(differ, snap.UID(i))
	}
	return differ
}
