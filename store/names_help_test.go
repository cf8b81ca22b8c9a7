package store

import (
	"path/filepath"
	"strings"

	"vespe/model"
	"vespe/store/layout"
)

// revisionAt is the file of a revision; of one that there is none of, as older versions named it.
func revisionAt(s *Store, uid model.UID, doc model.Doc, n int) string {
	name := layout.TaskFile(uid, layout.RevisionFile(doc, n, ""))
	found, err := filepath.Glob(vespe(s, strings.TrimSuffix(name, ".md")+"-*.md"))
	if err != nil || len(found) != 1 {
		return name
	}
	return layout.TaskFile(uid, layout.RevisionsDir+"/"+filepath.Base(found[0]))
}

// reviewAt is the file of what was said about a revision of a plan, likewise.
func reviewAt(s *Store, uid model.UID, n int) string {
	return layout.ReviewOf(uid, revisionAt(s, uid, model.Plan, n))
}
