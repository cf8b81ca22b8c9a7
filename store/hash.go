package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// hashOf is the hash of a file's bytes; "" when it is absent. However large the file is, little
// of it is in memory.
func (s *Store) hashOf(name string) (string, error) {
	b, err := s.fs.ReadFile(name, layout.SmallFile)
	var large *fsys.TooLargeError
	switch {
	case err == nil:
		return model.HashBytes(b), nil
	case errors.As(err, &large):
		return s.hashLarge(name)
	case fsys.Missing(err):
		return "", nil
	}
	return "", err
}

func (s *Store) hashLarge(name string) (string, error) {
	d, err := s.fs.OpenDir(path.Dir(name))
	if err == nil {
		defer d.Close()
		var f model.ResultFile
		if f, err = hashFile(d, path.Base(name), layout.MaxObject); err == nil {
			return f.Hash, nil
		}
	}
	if fsys.Missing(err) {
		return "", nil
	}
	return "", err
}

// hashFile reads a file piece by piece. Path is for the caller to say.
func hashFile(d fsys.Dir, name string, limit int64) (model.ResultFile, error) {
	r, _, err := d.Open(name, limit)
	if err != nil {
		return model.ResultFile{}, err
	}
	defer r.Close()
	h := sha256.New()
	n, err := io.Copy(h, r)
	return model.ResultFile{Size: n, Hash: layout.HashPrefix + hex.EncodeToString(h.Sum(nil))}, err
}

// readHashed reads a file that has a hash; nil when it has another, or cannot be read for good.
func (s *Store) readHashed(name, hash string) ([]byte, error) {
	b, err := s.fs.ReadFile(name, layout.SmallFile)
	var large *fsys.TooLargeError
	if errors.As(err, &large) {
		var now string
		if now, err = s.hashLarge(name); err == nil && now == hash {
			b, err = s.fs.ReadFile(name, layout.MaxObject)
		}
	}
	switch {
	case err != nil && fsys.IsTransient(err):
		return nil, err
	case err != nil || b == nil || model.HashBytes(b) != hash:
		return nil, nil //nolint:nilerr // it does not have those bytes, whatever keeps it from being read
	}
	return b, nil
}
