package store

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/reviewindex"
)

// names are the names in a directory of a task, in order. There are none where it is missing.
func (v view) names(dir string) ([]string, error) {
	names := v.below(dir)
	es, err := fsys.List(v.s.fs, dir)
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
func (v view) revisionNames(uid model.UID, doc model.Doc, n int) ([]string, error) {
	all, err := v.names(layout.TaskFile(uid, layout.RevisionsDir))
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

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// counting are the names that a revision has where it is the one that status.json or the document speaks of.
func (v view) counting(uid model.UID, doc model.Doc, n int) (names []string) {
	if b, err := v.readFile(layout.TaskFile(uid, layout.StatusFile), layout.MaxJSON); err == nil {
		st, _ := model.DecodeStatus(layout.Shown(layout.TaskFile(uid, layout.StatusFile)), b)
		if of := currentOf(&st, doc); of.n == n && of.hash != "" {
			return []string{layout.RevisionFile(doc, n, of.hash)}
		}
	}
	if b, err := v.readFile(layout.TaskFile(uid, layout.DocFile(doc)), layout.MaxDocument); err == nil {
		names = append(names, layout.RevisionFile(doc, n, model.HashBytes(b)))
	}
	return names
}

// recorded is the file that has revision n with a hash; "" for none.
func (v view) recorded(uid model.UID, doc model.Doc, n int, hash string) (name string, body []byte, err error) {
	for _, name := range []string{layout.RevisionFile(doc, n, hash), layout.RevisionFile(doc, n, "")} {
		b, err := v.readFile(layout.TaskFile(uid, name), layout.MaxDocument)
		if err != nil && !fsys.Missing(err) {
			return "", nil, err
		}
		if err == nil && model.HashBytes(b) == hash {
			return name, b, nil
		}
	}
	return "", nil, nil
}

// RevisionPath is the path of the file of a recorded revision with a hash.
func (s *Store) RevisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(s.projectedView().revisionPath(uid, doc, n, hash)))
}

// revisionPath is where a revision with a hash is, or should be.
func (v view) revisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	old := layout.TaskFile(uid, layout.RevisionFile(doc, n, ""))
	if _, err := v.s.fs.Stat(old); err == nil {
		return old
	}
	return layout.TaskFile(uid, layout.RevisionFile(doc, n, hash))
}

// begins is the file of the revision that a review is about.
func begins(review string) string {
	uid, rest, _ := layout.TaskOf(review)
	return layout.TaskFile(uid, layout.RevisionsDir+"/"+strings.TrimSuffix(path.Base(rest), ".json")+".md")
}

// reviewNames are the files that hold, or held, what was said about a revision of a plan; the first one
// there is counts. A name of an older version is the last.
func (v view) reviewNames(uid model.UID, revision int) ([]string, error) {
	revisions, err := v.revisionNames(uid, model.Plan, revision)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range revisions {
		found = append(found, reviewindex.ReviewOf(uid, name))
	}
	all, err := v.names(layout.TaskFile(uid, layout.ReviewsDir))
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

// compact leaves each name in once, in the order of the first.
func compact(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	})
}

// hasBytes says whether any revision of a document has some bytes.
func (v view) hasBytes(uid model.UID, doc model.Doc, b []byte) bool {
	names, err := v.names(layout.TaskFile(uid, layout.RevisionsDir))
	if err != nil {
		return false
	}
	for _, name := range slices.Backward(names) {
		of, n, digits, ok := model.ParseRevisionName(name)
		if !ok || of != doc || digits != "" && name != model.RevisionName(doc, n, model.HashBytes(b)) {
			continue
		}
		if was, err := v.readFile(layout.TaskFile(uid, layout.RevisionsDir+"/"+name), layout.MaxDocument); err == nil && bytes.Equal(was, b) {
			return true
		}
	}
	return false
}
