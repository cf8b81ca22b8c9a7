package project

import (
	"path"
	"strings"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// keptAs is a file that already has the bytes of the file name: a copy kept beside it, or a recorded revision of the
// document; "" if there is none, or it can't be read. hash is called only if a file may match.
func keptAs(disk *durable.Files, name string, hash func() (string, error)) string {
	of := ""
	holds := func(other string) bool {
		var err error
		if of == "" {
			if of, err = hash(); err != nil || of == "" {
				return false
			}
		}
		got, err := disk.Hash(other)
		return err == nil && got == of
	}
	dir, base := path.Split(name)
	es, err := fsys.List(disk.FS, path.Clean(dir))
	if err != nil {
		return ""
	}
	for _, e := range es {
		if e.Type == 0 && strings.HasPrefix(e.Name, base+layout.TheirsMark) && holds(dir+e.Name) {
			return dir + e.Name
		}
	}
	uid, rest, _ := layout.TaskOf(name)
	doc := model.Doc(strings.TrimSuffix(rest, ".md"))
	if rest != layout.DocFile(model.Objective) && rest != layout.DocFile(model.Plan) {
		return ""
	}
	if es, err = fsys.List(disk.FS, layout.TaskFile(uid, layout.RevisionsDir)); err != nil {
		return ""
	}
	for _, e := range es {
		other := layout.TaskFile(uid, layout.RevisionsDir+"/"+e.Name)
		if is, _, _, ok := model.ParseRevisionName(e.Name); ok && is == doc && e.Type == 0 && holds(other) {
			return other
		}
	}
	return ""
}
