package store

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/results"
)

// What somebody wrote just where a file was replaced is kept beside it, as *.theirs-N (place.go). It stays
// until a person removes it, unless another file has its bytes.

// keptAs is a file that has bytes of another already: what was kept beside that before, or a recorded
// revision of the document that it is; "" when there is none, or it cannot be told. Only copies before
// one count where that is named. hash is asked for only where a file may have them.
func keptAs(disk *durable.Files, name, before string, hash func() (string, error)) string {
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
		if e.Type == 0 && strings.HasPrefix(e.Name, base+layout.TheirsMark) && (before == "" || dir+e.Name < before) && holds(dir+e.Name) {
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

// copiesIn are the copies below a directory, as deep as is said; what cannot be listed has none.
func (s *Store) copiesIn(dir string, depth int) (names []string, err error) {
	es, err := fsys.List(s.fs, dir)
	if err != nil {
		if fsys.IsAboutFile(err) {
			err = nil
		}
		return nil, err
	}
	for _, e := range es {
		name := path.Join(dir, e.Name)
		switch {
		case e.Type == 0 && strings.Contains(e.Name, layout.TheirsMark):
			names = append(names, name)
		case e.Type == fs.ModeDir && depth > 0:
			more, err := s.copiesIn(name, depth-1)
			if err != nil {
				return nil, err
			}
			names = append(names, more...)
		}
	}
	return names, nil
}

// copiesOfStoreFiles are those of the files that belong to no task.
func (s *Store) copiesOfStoreFiles() ([]string, error) {
	names, err := s.copiesIn(".", 0)
	if err != nil {
		return nil, err
	}
	more, err := s.copiesIn(layout.RequestsDir, 0)
	return append(names, more...), err
}

// copies reports the copies of files that belong to no task.
func (d *doctor) copies() error {
	names, err := d.s.copiesOfStoreFiles()
	for _, name := range names {
		d.problems = append(d.problems, failure.TheirsProblem(layout.Shown(name)))
	}
	return err
}

// copies removes copies whose bytes the file beside them, an earlier copy or a revision has.
func (f *repairer) copies() error {
	names, err := f.s.copiesOfStoreFiles()
	if err != nil {
		return err
	}
	more, err := f.s.copiesIn(layout.TasksDir, results.MaxDepth+2)
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(names, more) {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		hash, err := f.s.disk.Hash(name)
		if err != nil || hash == "" {
			continue // it stays, and is reported
		}
		of := path.Join(path.Dir(name), path.Base(name)[:strings.Index(path.Base(name), layout.TheirsMark)])
		there := of
		if now, err := f.s.disk.Hash(of); err != nil || now != hash {
			there = keptAs(&f.s.disk, of, name, func() (string, error) { return hash, nil })
		}
		if there == "" {
			continue
		}
		if err := f.remove(name, "removed: "+layout.Shown(there)+" has the same bytes"); err != nil {
			return err
		}
	}
	return nil
}
