package results

import (
	"fmt"
	"io/fs"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Bounds of a result directory; beyond them it is reported, not read.
const (
	maxFiles = 100_000
	MaxDepth = 32 // directories
)

// List is the files of a result as they are now, in path order; whole reads all of them, whatever is remembered.
func (r *Reader) List(uid model.UID, whole bool) ([]model.ResultFile, error) {
	d, err := r.Disk.FS.OpenDir(layout.TaskFile(uid, layout.ResultDir))
	if fsys.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the results of %s: %w", uid, err)
	}
	h := hashing{is: map[string]knownFile{}}
	if !whole {
		h.was = r.hashesOf(uid)
	}
	var files []model.ResultFile
	if err := walk(d, "", 0, &files, &h); err != nil {
		return nil, fmt.Errorf("list the results of %s: %w", uid, err)
	}
	r.remember(uid, &h)
	return files, nil
}

// walk walks an open directory, which it closes.
func walk(d fsys.Dir, prefix string, depth int, files *[]model.ResultFile, h *hashing) error {
	defer d.Close()
	if depth > MaxDepth {
		return fmt.Errorf("%s is more than %d directories deep", prefix, MaxDepth)
	}
	es, err := d.Entries()
	if err != nil {
		return err
	}
	for _, e := range es {
		name := prefix + e.Name
		if fsys.IsEditors(e) {
			continue
		}
		if e.Type == fs.ModeDir {
			sub, err := d.OpenDir(e.Name)
			if err == nil {
				err = walk(sub, name+"/", depth+1, files, h)
			}
			if fsys.Missing(err) { // removed while we look
				continue
			}
			if err != nil {
				return err
			}
			continue
		}
		f, err := h.file(d, e.Name, name)
		if fsys.Missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if *files = append(*files, f); len(*files) > maxFiles {
			return fmt.Errorf("there are more than %d files", maxFiles)
		}
	}
	return nil
}
