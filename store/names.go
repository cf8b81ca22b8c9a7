package store

import (
	"path"
	"path/filepath"
	"strings"

	"vespe/model"
	"vespe/store/layout"
)

// RevisionPath is the path of the file of a recorded revision with a hash.
func (s *Store) RevisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(s.projectedView().RevisionPath(uid, doc, n, hash)))
}

// begins is the file of the revision that a review is about.
func begins(review string) string {
	uid, rest, _ := layout.TaskOf(review)
	return layout.TaskFile(uid, layout.RevisionsDir+"/"+strings.TrimSuffix(path.Base(rest), ".json")+".md")
}
