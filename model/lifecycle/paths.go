package lifecycle

import (
	"path"

	"vespe/model"
)

// revisionPath is the file of a revision, relative to .vespe.
func revisionPath(uid model.UID, d model.Doc, n int, hash string) string {
	return model.TaskFile(uid, path.Join("persistent/revisions", model.RevisionName(d, n, hash)))
}

// reviewPath is the file of a review below reviews, relative to .vespe.
func reviewPath(uid model.UID, name string) string {
	return model.TaskFile(uid, path.Join("reviews", name))
}

func runPath(uid model.UID, run string) string { return runFilePath(uid, run, "run.json") }

func runFilePath(uid model.UID, run, name string) string {
	return model.TaskFile(uid, "persistent/runs/"+run+"/"+name)
}
