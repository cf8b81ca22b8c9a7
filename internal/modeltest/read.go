package modeltest

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/review"
)

// unlocked is the model.World of a World whose lock is held.
type unlocked struct{ w *World }

func (u unlocked) Task(uid model.UID) (*model.Task, bool) {
	t, ok := u.w.tasks[uid]
	return t, ok
}

func (u unlocked) ChildUIDs(uid model.UID) []model.UID     { return u.w.kids[uid] }
func (u unlocked) DependentUIDs(uid model.UID) []model.UID { return u.w.deps[uid] }
func (u unlocked) Policy() model.Policy                    { return u.w.policy }
func (u unlocked) Requests() []model.Request               { return u.w.requests }
func (u unlocked) MilestoneFile() model.Milestones         { return u.w.milestones }

// NamedIn are the tasks whose spec.json names a milestone, in the order of their uids.
func (u unlocked) NamedIn(milestone string) []model.UID {
	var out []model.UID
	for uid, t := range u.w.tasks {
		if t.Spec != nil && t.Spec.MilestoneID == milestone {
			out = append(out, uid)
		}
	}
	slices.Sort(out)
	return out
}

func (u unlocked) StoreID() string { return "store-of-tests" }
func (u unlocked) Head() string    { return u.w.head() }

func (u unlocked) Content(uid model.UID, d model.Doc) (model.Content, error) {
	if c, ok := u.w.docs[string(uid)+"/"+string(d)]; ok {
		return c, nil
	}
	return model.Content{}, model.ErrNoContent
}

func (u unlocked) ResultHash(uid model.UID) (string, error) {
	return model.HashResult(u.results(uid)), nil
}

func (u unlocked) ResultFiles(uid model.UID) ([]model.ResultFile, error) { return u.results(uid), nil }

func (u unlocked) results(uid model.UID) []model.ResultFile {
	var out []model.ResultFile
	dir := resultDir(uid)
	for name, body := range u.w.files {
		if rest, ok := strings.CutPrefix(name, dir); ok {
			out = append(out, model.ResultFile{Path: rest, Size: int64(len(body)), Hash: model.HashBytes(body)})
		}
	}
	return out
}

func (u unlocked) ResultFile(uid model.UID, name string) ([]byte, error) {
	if body, ok := u.w.files[resultDir(uid)+name]; ok {
		return body, nil
	}
	return nil, model.ErrNoContent
}

// ReviewFile is a review file that hashes so.
func (u unlocked) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	name := fmt.Sprintf("tasks/%s/reviews/%s", uid, known.Name())
	body, ok := u.w.files[name]
	if !ok || model.HashBytes(body) != known.Hash {
		return nil, fmt.Errorf("%s is not what was written", name)
	}
	return body, nil
}

// Revision is a recorded revision of a document.
func (u unlocked) Revision(uid model.UID, d model.Doc, n int) ([]byte, error) {
	if body, ok := RevisionIn(u.w.files, uid, d, n); ok {
		return body, nil
	}
	return nil, model.ErrNoContent
}

// read calls f with the lock held for reading.
func read[T any](w *World, f func(unlocked) T) T {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return f(unlocked{w})
}

// Task finds a task. Do not modify it.
func (w *World) Task(uid model.UID) (*model.Task, bool) {
	t := read(w, func(u unlocked) *model.Task { t, _ := u.Task(uid); return t })
	return t, t != nil
}

// ChildUIDs are the uids of a task's children, in uid order.
func (w *World) ChildUIDs(uid model.UID) []model.UID {
	return read(w, func(u unlocked) []model.UID { return u.ChildUIDs(uid) })
}

// DependentUIDs are the uids of the tasks that depend on uid, in uid order.
func (w *World) DependentUIDs(uid model.UID) []model.UID {
	return read(w, func(u unlocked) []model.UID { return u.DependentUIDs(uid) })
}

// Policy is the project's policy.
func (w *World) Policy() model.Policy {
	return read(w, func(u unlocked) model.Policy { return u.Policy() })
}

// Requests are all requests in the order in which they were filed. Do not modify them.
func (w *World) Requests() []model.Request {
	return read(w, func(u unlocked) []model.Request { return u.Requests() })
}

// Content is today's bytes of a document; model.ErrNoContent when there is none.
func (w *World) Content(uid model.UID, d model.Doc) (c model.Content, err error) {
	err = read(w, func(u unlocked) error { c, err = u.Content(uid, d); return err })
	return c, err
}

// ResultHash is the hash of result/.
func (w *World) ResultHash(uid model.UID) (hash string, err error) {
	err = read(w, func(u unlocked) error { hash, err = u.ResultHash(uid); return err })
	return hash, err
}

// ResultFile is one file under result/; model.ErrNoContent when it is not there.
func (w *World) ResultFile(uid model.UID, name string) (body []byte, err error) {
	err = read(w, func(u unlocked) error { body, err = u.ResultFile(uid, name); return err })
	return body, err
}

// ReviewFile is a review file that hashes so.
func (w *World) ReviewFile(uid model.UID, known *model.CommentBook) (body []byte, err error) {
	err = read(w, func(u unlocked) error { body, err = u.ReviewFile(uid, known); return err })
	return body, err
}

// Revision is a recorded revision of a document; model.ErrNoContent when it is not there.
func (w *World) Revision(uid model.UID, d model.Doc, n int) (body []byte, err error) {
	err = read(w, func(u unlocked) error { body, err = u.Revision(uid, d, n); return err })
	return body, err
}

// StoreID names the store.
func (w *World) StoreID() string { return "store-of-tests" }

// Head stands for the hash of the last log entry.
func (w *World) Head() string { return read(w, func(u unlocked) string { return u.Head() }) }

func (u unlocked) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	if b, ok := u.w.files["tasks/"+string(uid)+"/approvals/"+name]; ok {
		return b, nil
	}
	return nil, model.ErrNoContent
}

func (u unlocked) HasBytes() bool            { return true }
func (u unlocked) Attestor() review.Attestor { return u.w.attestor }

// ApprovalFile is a file under approvals/.
func (w *World) ApprovalFile(uid model.UID, name string) (body []byte, err error) {
	err = read(w, func(u unlocked) error { body, err = u.ApprovalFile(uid, name); return err })
	return body, err
}

// HasBytes says that the world has those of approvals.
func (w *World) HasBytes() bool { return true }

// Attestor is who knows keys; nil: nobody.
func (w *World) Attestor() review.Attestor {
	return read(w, func(u unlocked) review.Attestor { return u.Attestor() })
}
