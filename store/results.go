package store

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Bounds of a result directory; beyond them it is reported, not read.
const (
	maxResultFiles = 100_000
	maxResultDepth = 32
)

// Results lists the files under a task's result/, with their hashes, in path
// order. Anything in there that is not a plain file or directory is an error: a hash over
// part of a result would say that nothing changed.
func (s *Store) Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	return v.results(uid)
}

// ReadResult reads a file under result/; path is relative to it. A file larger than limit
// bytes is a *TooLargeError; errors.Is finds model.ErrNoContent when there is none.
func (s *Store) ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	return v.readResult(uid, path, limit)
}

func (v view) readResult(uid model.UID, path string, limit int64) ([]byte, error) {
	if !layout.ValidName(path) || path == "." {
		return nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "", "%q is no path below result/", path)
	}
	b, err := v.readFile(layout.TaskFile(uid, layout.ResultDir+"/"+path), limit)
	if fsys.Missing(err) {
		return nil, model.ErrNoContent
	}
	if err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", uid, err)
	}
	return b, nil
}

// results lists them as they are now; whole reads all of them, whatever is remembered.
func (s *Store) results(uid model.UID, whole bool) ([]model.ResultFile, error) {
	d, err := s.fs.OpenDir(layout.TaskFile(uid, layout.ResultDir))
	if fsys.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the results of %s: %w", uid, err)
	}
	h := hashing{is: map[string]knownFile{}}
	if !whole {
		h.was = s.hashesOf(uid)
	}
	var files []model.ResultFile
	if err := listResults(d, "", 0, &files, &h); err != nil {
		return nil, fmt.Errorf("list the results of %s: %w", uid, err)
	}
	s.remember(uid, &h)
	return files, nil
}

// isEditors says whether a name is one that an editor keeps beside a file while it writes it:
// Vim's swap files and its probe, backups, Emacs' locks and its automatic saves. They come and
// go, and are nobody's result.
func isEditors(e fsys.Entry) bool {
	name := e.Name
	switch {
	case e.Type == fs.ModeSymlink:
		return strings.HasPrefix(name, ".#")
	case e.Type != 0:
		return false
	case name == "4913", len(name) > 1 && strings.HasSuffix(name, "~"), len(name) > 2 && name[0] == '#' && strings.HasSuffix(name, "#"):
		return true
	}
	ext := name[max(0, len(name)-4):]
	return len(name) > 5 && name[0] == '.' && (ext == ".swp" || ext == ".swo" || ext == ".swx")
}

// listResults walks an open directory, which it closes.
func listResults(d fsys.Dir, prefix string, depth int, files *[]model.ResultFile, h *hashing) error {
	defer d.Close()
	if depth > maxResultDepth {
		return fmt.Errorf("%s lies more than %d directories deep", prefix, maxResultDepth)
	}
	es, err := d.Entries()
	if err != nil {
		return err
	}
	for _, e := range es {
		name := prefix + e.Name
		if isEditors(e) {
			continue
		}
		if e.Type == fs.ModeDir {
			sub, err := d.OpenDir(e.Name)
			if err == nil {
				err = listResults(sub, name+"/", depth+1, files, h)
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
		if *files = append(*files, f); len(*files) > maxResultFiles {
			return fmt.Errorf("there are more than %d files", maxResultFiles)
		}
	}
	return nil
}
