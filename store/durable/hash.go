package durable

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

// Hash is the hash of a file's bytes; "" when it is absent. However large the file is, little
// of it is in memory.
func (f *Files) Hash(name string) (string, error) {
	b, err := f.FS.ReadFile(name, layout.SmallFile)
	var large *fsys.TooLargeError
	switch {
	case err == nil:
		return model.HashBytes(b), nil
	case errors.As(err, &large):
		return f.hashLarge(name)
	case fsys.Missing(err):
		return "", nil
	}
	return "", err
}

func (f *Files) hashLarge(name string) (string, error) {
	d, err := f.FS.OpenDir(path.Dir(name))
	if err == nil {
		defer d.Close()
		var file model.ResultFile
		if file, err = hashFile(d, path.Base(name), layout.MaxObject); err == nil {
			return file.Hash, nil
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

// ReadHashed reads a file that has a hash; nil when it has another, or cannot be read for good.
func (f *Files) ReadHashed(name, hash string) ([]byte, error) {
	b, err := f.FS.ReadFile(name, layout.SmallFile)
	var large *fsys.TooLargeError
	if errors.As(err, &large) {
		var now string
		if now, err = f.hashLarge(name); err == nil && now == hash {
			b, err = f.FS.ReadFile(name, layout.MaxObject)
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
