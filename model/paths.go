package model

import (
	"path"
)

// revisionPath is the file of a revision, relative to .vespe.
func revisionPath(uid UID, d Doc, n int, hash string) string {
	return TaskFile(uid, path.Join("persistent/revisions", RevisionName(d, n, hash)))
}

// reviewPath is the file of a review below reviews, relative to .vespe.
func reviewPath(uid UID, name string) string { return TaskFile(uid, path.Join("reviews", name)) }

func runPath(uid UID, run string) string { return runFilePath(uid, run, "run.json") }

func runFilePath(uid UID, run, name string) string {
	return TaskFile(uid, "persistent/runs/"+run+"/"+name)
}
