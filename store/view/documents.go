package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Current is the revision of a document that a status speaks of.
type Current struct {
	N    int    // 0: none
	Hash string // of its bytes, where they were accepted: its file may have been rewritten; else ""
}

func CurrentOf(st *model.StatusFile, doc model.Doc) Current {
	c, a := Current{N: st.PlanRevision}, st.AcceptedPlan
	if doc == model.Objective {
		c.N = st.ObjectiveRevision
	}
	switch {
	case a == nil:
	case doc == model.Objective && a.ObjectiveRevision == c.N:
		c.Hash = a.ObjectiveHash
	case doc == model.Plan && a.PlanRevision == c.N:
		c.Hash = a.PlanHash
	}
	return c
}

// Content reads a document and compares it with its current revision. doubt is why that could
// not be done: it may be that revision or not.
func (v View) Content(uid model.UID, doc model.Doc, current Current) (c model.Content, doubt, err error) {
	b, err := v.ReadFile(layout.TaskFile(uid, layout.DocFile(doc)), layout.MaxDocument)
	if fsys.Missing(err) {
		return c, nil, model.ErrNoContent
	}
	if err != nil {
		return c, nil, fmt.Errorf("read the %s of %s: %w", doc, uid, err)
	}
	c = model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b)}
	if current.N > 0 && (current.Hash == "" || current.Hash == c.Hash) {
		switch name, _, err := v.Recorded(uid, doc, current.N, c.Hash); {
		case err != nil:
			doubt = fmt.Errorf("read revision %d of the %s of %s: %w", current.N, doc, uid, err)
		case name != "":
			c.Revision = current.N
		}
	}
	return c, doubt, nil
}

func (v View) Revision(uid model.UID, doc model.Doc, n int) (model.Content, error) {
	var b []byte
	names, err := v.revisionNames(uid, doc, n)
	if err == nil && len(names) > 0 {
		b, err = v.ReadFile(layout.TaskFile(uid, names[0]), layout.MaxDocument)
	}
	if fsys.Missing(err) || err == nil && len(names) == 0 {
		return model.Content{}, failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "`vespe task history` lists them",
			"revision %d of the %s of %s is not recorded", n, doc, uid)
	}
	if err != nil {
		return model.Content{}, fmt.Errorf("read revision %d of the %s of %s: %w", n, doc, uid, err)
	}
	return model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b), Revision: n}, nil
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compact leaves each name in once, in the order of the first.
func compact(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	})
}

// Names are the names in a directory of a task, in order. There are none where it is missing.
func (v View) Names(dir string) ([]string, error) {
	names := v.Below(dir)
	es, err := fsys.List(v.FS, dir)
	if err != nil && !fsys.Missing(err) && (len(names) == 0 || !errors.Is(err, fs.ErrPermission)) {
		return nil, err
	}
	for _, e := range es {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// revisionNames are the files of a revision in a task's directory. After a merge two clones may each have
// given its number; then the one that counts here is the first.
func (v View) revisionNames(uid model.UID, doc model.Doc, n int) ([]string, error) {
	all, err := v.Names(layout.TaskFile(uid, layout.RevisionsDir))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range all {
		if of, m, _, ok := model.ParseRevisionName(name); ok && of == doc && m == n {
			found = append(found, layout.RevisionsDir+"/"+name)
		}
	}
	if len(found) > 1 {
		counts := v.counting(uid, doc, n)
		slices.SortStableFunc(found, func(a, b string) int {
			return boolOrder(slices.Contains(counts, b), slices.Contains(counts, a))
		})
	}
	return found, nil
}

// counting are the names that a revision has where it is the one that status.json or the document speaks of.
func (v View) counting(uid model.UID, doc model.Doc, n int) (names []string) {
	if b, err := v.ReadFile(layout.TaskFile(uid, layout.StatusFile), layout.MaxJSON); err == nil {
		st, _ := model.DecodeStatus(layout.Shown(layout.TaskFile(uid, layout.StatusFile)), b)
		if of := CurrentOf(&st, doc); of.N == n && of.Hash != "" {
			return []string{layout.RevisionFile(doc, n, of.Hash)}
		}
	}
	if b, err := v.ReadFile(layout.TaskFile(uid, layout.DocFile(doc)), layout.MaxDocument); err == nil {
		names = append(names, layout.RevisionFile(doc, n, model.HashBytes(b)))
	}
	return names
}

// Recorded is the file that has revision n with a hash; "" for none.
func (v View) Recorded(uid model.UID, doc model.Doc, n int, hash string) (name string, body []byte, err error) {
	for _, name := range []string{layout.RevisionFile(doc, n, hash), layout.RevisionFile(doc, n, "")} {
		b, err := v.ReadFile(layout.TaskFile(uid, name), layout.MaxDocument)
		if err != nil && !fsys.Missing(err) {
			return "", nil, err
		}
		if err == nil && model.HashBytes(b) == hash {
			return name, b, nil
		}
	}
	return "", nil, nil
}

// RevisionPath is where a revision with a hash is, or should be.
func (v View) RevisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	old := layout.TaskFile(uid, layout.RevisionFile(doc, n, ""))
	if _, err := v.FS.Stat(old); err == nil {
		return old
	}
	return layout.TaskFile(uid, layout.RevisionFile(doc, n, hash))
}

// ReviewNames are the files that hold, or held, what was said about a revision of a plan; the first one
// there is counts. A name of an older version is the last.
func (v View) ReviewNames(uid model.UID, revision int) ([]string, error) {
	revisions, err := v.revisionNames(uid, model.Plan, revision)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range revisions {
		found = append(found, layout.ReviewOf(uid, name))
	}
	all, err := v.Names(layout.TaskFile(uid, layout.ReviewsDir))
	if err != nil {
		return nil, err
	}
	for _, name := range all {
		if n, _, ok := model.ParseReviewName(name); ok && n == revision {
			found = append(found, layout.TaskFile(uid, layout.ReviewsDir+"/"+name))
		}
	}
	old := layout.TaskFile(uid, layout.ReviewsDir+"/"+model.ReviewName(revision, ""))
	found = slices.DeleteFunc(found, func(name string) bool { return name == old })
	return append(compact(found), old), nil
}

// HasBytes says whether any revision of a document has some bytes.
func (v View) HasBytes(uid model.UID, doc model.Doc, b []byte) bool {
	names, err := v.Names(layout.TaskFile(uid, layout.RevisionsDir))
	if err != nil {
		return false
	}
	for _, name := range slices.Backward(names) {
		of, n, digits, ok := model.ParseRevisionName(name)
		if !ok || of != doc || digits != "" && name != model.RevisionName(doc, n, model.HashBytes(b)) {
			continue
		}
		if was, err := v.ReadFile(layout.TaskFile(uid, layout.RevisionsDir+"/"+name), layout.MaxDocument); err == nil && bytes.Equal(was, b) {
			return true
		}
	}
	return false
}

// CheckDoc refuses what is no document of a task.
func CheckDoc(ctx context.Context, uid model.UID, doc model.Doc) error {
	if err := CheckTask(ctx, uid); err != nil {
		return err
	}
	if doc != model.Objective && doc != model.Plan {
		return failure.New(model.CodeUsage, failure.GuardStore, nil, nil, "ask for the objective or the plan", "a task has no document %q", string(doc))
	}
	return nil
}

// CheckTask refuses what is no task.
func CheckTask(ctx context.Context, uid model.UID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !uid.Valid() {
		return failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "", "%q isn't the uid of a task", string(uid))
	}
	return nil
}
