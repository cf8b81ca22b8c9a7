package taskfiles

import (
	"bytes"
	"maps"
	"path"
	"reflect"
	"slices"

	"vespe/model"
	"vespe/store/layout"
)

// Same compares what two readings of a task's files mean, not what is wrong with them:
// what cannot be read is no other meaning.
func Same(a, b *model.Task) bool {
	return a == b || a.HasObjective == b.HasObjective && a.HasPlan == b.HasPlan && (sameValues(a, b) ||
		slices.EqualFunc(Own(a), Own(b), func(x, y File) bool { return bytes.Equal(x.Body, y.Body) }))
}

// sameValues reports two readings that are alike in everything that a task's files say, and so have the same files. It
// takes much less time than writing them.
func sameValues(a, b *model.Task) bool {
	return IsBlank(a) == IsBlank(b) && a.HasStatus == b.HasStatus && slices.Equal(a.DependsOn, b.DependsOn) &&
		reflect.DeepEqual(a.DepsExtra, b.DepsExtra) && reflect.DeepEqual(&a.Config, &b.Config) &&
		reflect.DeepEqual(&a.Status, &b.Status) && reflect.DeepEqual(a.Spec, b.Spec)
}

// File is one of a task's own JSON files in its one form; nil where there is none, or
// one that says the same as none.
type File struct {
	Name string
	Body []byte
}

// Own is a task's JSON files, in the order in which a load reads them.
func Own(t *model.Task) []File {
	files := []File{{Name: layout.ConfigFile}, {Name: layout.StatusFile}, {Name: layout.DependenciesFile}, {Name: layout.SpecFile}}
	if !IsBlank(t) {
		files[0].Body = model.EncodeConfig(t.Config)
	}
	if t.HasStatus {
		files[1].Body = model.EncodeStatus(t.Status)
	}
	if len(t.DependsOn) > 0 || len(t.DepsExtra) > 0 {
		files[2].Body = model.EncodeDependencies(t.DependsOn, t.DepsExtra)
	}
	if t.Spec != nil {
		files[3].Body = model.EncodeSpec(t.Spec)
	}
	return files
}

// LaidOver is a task with the files that entries of the log wrote of it; the task itself
// when that makes no difference. A nil body is a file that was deleted.
func LaidOver(t *model.Task, over Images) *model.Task {
	if len(over) == 0 {
		return t
	}
	n := t.Clone()
	if b, ok := over[layout.ConfigFile]; ok && b == nil {
		n = Blank(t.UID) // it was deleted as a whole
	}
	for _, name := range slices.Sorted(maps.Keys(over)) {
		b := over[name]
		path := layout.Shown(layout.TaskFile(t.UID, name))
		n.Problems = slices.DeleteFunc(slices.Clone(n.Problems), func(p model.Problem) bool { return p.Path == path })
		var ps []model.Problem
		switch name {
		case layout.DocFile(model.Objective):
			n.HasObjective = b != nil
		case layout.DocFile(model.Plan):
			n.HasPlan = b != nil
		case layout.DependenciesFile:
			if n.DependsOn, n.DepsExtra = nil, nil; b != nil {
				n.DependsOn, n.DepsExtra, ps = model.DecodeDependencies(path, b)
			}
		case layout.SpecFile:
			if n.Spec = nil; b != nil {
				n.Spec, ps = model.DecodeSpec(path, b)
			}
		case layout.ConfigFile:
			if b != nil {
				n.Config, ps = model.DecodeConfig(path, b)
			}
		case layout.StatusFile:
			if n.Status, n.HasStatus = (model.StatusFile{CurrentState: model.Created}), b != nil; b != nil {
				n.Status, ps = model.DecodeStatus(path, b)
			}
		}
		for _, p := range ps {
			p.UID = t.UID
			n.Problems = append(n.Problems, p)
		}
	}
	if n = n.Split(t); SameTask(t, n) {
		return t
	}
	return n
}

// Blank is a task that the log does not know.
func Blank(uid model.UID) *model.Task {
	return &model.Task{UID: uid, Status: model.StatusFile{CurrentState: model.Created}}
}

func IsBlank(t *model.Task) bool { return t.Config.UID == "" && len(t.Problems) == 0 }

// Agrees says whether one of a task's own files means what the task has of it; of a document, only
// whether it is there.
func Agrees(t *model.Task, name string, b []byte) bool {
	n := LaidOver(t, Images{name: b})
	if n != t && n.Status.CurrentState == "" {
		n.Status.CurrentState = model.Created // as readers of the task have it
	}
	was, now := Body(t, name), Body(n, name)
	return (was == nil) == (now == nil) && bytes.Equal(was, now)
}

// Body is one of a task's own files: nil when it is not there, and nothing for a document.
func Body(t *model.Task, name string) []byte {
	if name == layout.DocFile(model.Objective) && t.HasObjective || name == layout.DocFile(model.Plan) && t.HasPlan {
		return []byte{}
	}
	for _, f := range Own(t) {
		if f.Name == name {
			return f.Body
		}
	}
	return nil
}

// IsOwn says whether a load looks at this file of a task.
func IsOwn(rest string) bool {
	switch rest {
	case layout.ConfigFile, layout.StatusFile, layout.DependenciesFile, layout.SpecFile, "objective.md", "plan.md":
		return true
	}
	return false
}

// sameCounting says whether of the acceptances in two readings of one file the same count.
func sameCounting(a, b *model.Task) bool {
	x, y := &a.Status, &b.Status
	return (x.AcceptedPlan == nil) == (y.AcceptedPlan == nil) && (x.Review == nil) == (y.Review == nil) && (x.Undo == nil) == (y.Undo == nil)
}

// SameTask compares what two readings of a task's files mean.
func SameTask(a, b *model.Task) bool {
	return a == b || slices.Equal(a.Problems, b.Problems) && Same(a, b) && sameCounting(a, b)
}

// Lost: one of a task's JSON files is known to have been there, and its bytes are gone.
func (im Images) Lost() bool {
	for name, body := range im {
		if body == nil && path.Ext(name) == ".json" {
			return true
		}
	}
	return false
}
