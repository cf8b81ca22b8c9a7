package store

import (
	"path/filepath"

	"vespe/model"
	"vespe/store/layout"
)

// RevisionPath is the path of the file of a recorded revision with a hash.
func (s *Store) RevisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(s.projectedView().RevisionPath(uid, doc, n, hash)))
}
