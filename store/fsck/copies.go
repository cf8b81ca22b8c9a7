package fsck

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/project"
	"vespe/store/results"
)

// What somebody wrote just where a file was replaced is kept beside it, as *.theirs-N (project). It stays
// until a person removes it, unless another file has its bytes.

// copiesIn are the copies below a directory, as deep as is said; what cannot be listed has none.
func (s *Checker) copiesIn(dir string, depth int) (names []string, err error) {
	es, err := fsys.List(s.Disk.FS, dir)
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
func (s *Checker) copiesOfStoreFiles() ([]string, error) {
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
		hash, err := f.s.Disk.Hash(name)
		if err != nil || hash == "" {
			continue // it stays, and is reported
		}
		of := path.Join(path.Dir(name), path.Base(name)[:strings.Index(path.Base(name), layout.TheirsMark)])
		there := of
		if now, err := f.s.Disk.Hash(of); err != nil || now != hash {
			there = project.KeptAs(f.s.Disk, of, name, func() (string, error) { return hash, nil })
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
