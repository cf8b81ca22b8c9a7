package uitest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
)

// world is what lifecycle.Apply sees: a snapshot with the files.
type world struct {
	*snapshot.Snapshot
	files map[string][]byte
}

// Content is the document's bytes and the recorded revision that they are, if any.
func (w world) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	b, ok := w.files[docPath(uid, doc)]
	if !ok {
		return model.Content{}, fmt.Errorf("%s has no %s.md: %w", uid, doc, model.ErrNoContent)
	}
	c := model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b)}
	if t, ok := w.Task(uid); ok {
		n := t.Status.PlanRevision
		if doc == model.Objective {
			n = t.Status.ObjectiveRevision
		}
		if _, ok := w.files["tasks/"+string(uid)+"/persistent/revisions/"+model.RevisionName(doc, n, c.Hash)]; ok {
			c.Revision = n
		}
	}
	return c, nil
}

func (w world) results(uid model.UID) []model.ResultFile {
	var out []model.ResultFile
	prefix := "tasks/" + string(uid) + "/result/"
	for path, b := range w.files {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			out = append(out, model.ResultFile{Path: rest, Size: int64(len(b)), Hash: model.HashBytes(b)})
		}
	}
	slices.SortFunc(out, func(a, b model.ResultFile) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func (w world) ResultHash(uid model.UID) (string, error) {
	files := w.results(uid)
	if len(files) == 0 {
		return "", nil
	}
	return model.HashResult(files), nil
}

func (w world) ResultFile(uid model.UID, path string) ([]byte, error) {
	b, ok := w.files["tasks/"+string(uid)+"/result/"+path]
	if !ok {
		return nil, fmt.Errorf("%s has no result/%s: %w", uid, path, model.ErrNoContent)
	}
	return b, nil
}

// ApprovalFile implements review.Approvals, with the two below it.
func (w world) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	b, ok := w.files["tasks/"+string(uid)+"/approvals/"+name]
	if !ok {
		return nil, model.ErrNoContent
	}
	return b, nil
}

func (w world) HasBytes() bool            { return true }
func (w world) Attestor() review.Attestor { return nil }
