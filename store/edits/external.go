package edits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/merge"
	"vespe/store/taskfiles"
)

// Who an edit is taken over from: HEAD has the same bytes, or nobody knows.
const (
	ActorExternal = model.Actor("system:external")
	ActorGit      = model.Actor("system:git")
)

// ErrShifted: a file is no longer what was found to be edited.
var ErrShifted = errors.New("someone is editing the task's files")

// External is the difference between what the log knows of a task and its files now. It
// has no files where nothing was edited, or nothing of it can be taken over.
func (c *Comparer) External(known map[model.UID]Edit, uid model.UID) (x *model.External, err error) {
	e, ok := known[uid]
	if !ok || !e.Importable() {
		return &model.External{}, nil
	}
	if e.Deleted {
		return c.taken(e.Was)
	}
	x = &model.External{Was: e.Was, Now: e.Now, Appeared: taskfiles.IsBlank(e.Was)}
	if e.Against != nil {
		x.Was = e.Against
	}
	if x.Continues, err = c.continues(e.Was, e.Now); err != nil {
		return nil, err
	}
	now := taskfiles.Own(e.Now)
	for i, f := range taskfiles.Own(e.Was) {
		if bytes.Equal(f.Body, now[i].Body) {
			continue
		}
		old := ""
		if f.Body != nil {
			old = model.HashBytes(f.Body)
		}
		if err := c.addEdit(x, f.Name, old); err != nil {
			return nil, err
		}
	}
	for _, d := range []struct {
		doc      model.Doc
		n        int
		had, has bool
	}{
		{model.Objective, e.Was.Status.ObjectiveRevision, e.Was.HasObjective, e.Now.HasObjective},
		{model.Plan, e.Was.Status.PlanRevision, e.Was.HasPlan, e.Now.HasPlan},
	} {
		if d.had == d.has && !slices.Contains(e.Docs, d.doc) {
			continue
		}
		old := ""
		switch r, err := c.View().Revision(uid, d.doc, d.n); {
		case err == nil && d.had:
			old = r.Hash
		case err != nil && !fsys.IsAboutFile(err) && !errors.Is(err, model.ErrNoContent):
			return nil, err
		}
		if err := c.addEdit(x, layout.DocFile(d.doc), old); err != nil {
			return nil, err
		}
	}
	return x, c.addApprovals(x, e.Was)
}

// addApprovals adds the approvals of acceptances that came with an edit and count.
func (c *Comparer) addApprovals(x *model.External, was *model.Task) error {
	believed, _ := lifecycle.Believed(x.Was, x.Now)
	var names []string
	a, r := believed.Accepted()
	if plan, work := model.News(was, believed); plan || work {
		if plan {
			names = append(names, a.Approval)
		}
		if work && r.Approval != "" {
			names = append(names, r.Approval)
		}
	}
	for _, name := range names {
		body, err := c.View().ApprovalIfAny(x.Now.UID, name)
		if err != nil {
			return err
		}
		if body != nil {
			x.Approvals = append(x.Approvals, model.FileEdit{Name: layout.ApprovalsDir + "/" + name, New: model.HashBytes(body), Body: body})
		}
	}
	return nil
}

// addEdit adds a file as it is now. What it says must be what was weighed: only the bytes go into the
// log, and count there as what vespe knows.
func (c *Comparer) addEdit(x *model.External, name, old string) error {
	uid := x.Now.UID
	b, err := c.Disk.FS.ReadFile(layout.TaskFile(uid, name), layout.MaxDocument)
	switch {
	case fsys.Missing(err):
		b = nil
	case err != nil && fsys.IsAboutFile(err):
		if path.Ext(name) == ".json" {
			return ErrShifted // it was read when it was found
		}
		return nil // it is a problem of the task, and nothing of it can be taken over yet
	case err != nil:
		return fmt.Errorf("read what was edited: %w", err)
	case b == nil:
		b = []byte{}
	}
	if !taskfiles.Agrees(x.Now, name, b) {
		return ErrShifted
	}
	f := model.FileEdit{Name: name, Old: old, Body: b}
	if b != nil {
		f.New = model.HashBytes(b)
	}
	x.Files = append(x.Files, f)
	return nil
}

// taken is what is to be known of a task that was deleted.
func (c *Comparer) taken(was *model.Task) (*model.External, error) {
	if _, err := c.Disk.FS.Stat(layout.TaskDir(was.UID)); !fsys.Missing(err) {
		return &model.External{}, err // it is back
	}
	x := &model.External{Was: was, Gone: true}
	for _, f := range taskfiles.Own(was) {
		if f.Body != nil {
			x.Files = append(x.Files, model.FileEdit{Name: f.Name, Old: model.HashBytes(f.Body)})
		}
	}
	if was.HasObjective {
		x.Files = append(x.Files, model.FileEdit{Name: layout.DocFile(model.Objective)})
	}
	if was.HasPlan {
		x.Files = append(x.Files, model.FileEdit{Name: layout.DocFile(model.Plan)})
	}
	return x, nil
}

// continues says whether a task's files are what another clone made of what is known here.
func (c *Comparer) continues(was, now *model.Task) (bool, error) {
	st := &now.Status
	if taskfiles.IsBlank(was) || len(st.LastOps) == 0 || len(st.UnmergedOps) > 0 || slices.Equal(st.LastOps, was.Status.LastOps) ||
		st.Revision < was.Status.Revision {
		return false, nil
	}
	if book := st.Comments; book != nil { // git may have merged the comments of others into what it speaks of
		if hash, err := c.Disk.Hash(layout.ReviewFile(now.UID, book)); err != nil || hash != book.Hash {
			return false, err
		}
	}
	names, err := c.View().EventFiles(now.UID)
	if err != nil {
		return false, durable.IgnoreMissing(err)
	}
	h := history.Reader{Read: c.View().ReadFile, UID: now.UID}
	if err := h.Files(context.Background(), layout.PersistentDir, names); err != nil {
		return false, err
	}
	return merge.Continues(h.Events, was.Status, *st), nil
}
