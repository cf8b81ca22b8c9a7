package writing

import (
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/merge"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Merging two clones begins in git, which merges file by file, and ends here: the operations that a status.json
// names as unmerged are repeated on what stands. Like all that git writes the result is no vespe's word: it lies in
// the task's files, and is believed as an edit of them is (lifecycle.Believed).

// finishMerges does it in some tasks, under the lock, and first in the tasks below them: whether a task waits depends on
// these. It returns those that it merged.
func (s *Writer) finishMerges(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, uids []model.UID) (merged []model.UID, err error) {
	seen := map[model.UID]bool{}
	var finish func(uid model.UID) error
	finish = func(uid model.UID) error {
		t, ok := snap.Task(uid)
		if !ok || seen[uid] || len(t.Status.UnmergedOps) == 0 || model.HasError(t.Problems) {
			return nil
		}
		seen[uid] = true
		for _, c := range snap.ChildUIDs(uid) {
			if err := finish(c); err != nil {
				return err
			}
		}
		images, err := s.mergeOf(ctx, snap, uid)
		if err != nil || len(images) == 0 {
			return failure.About(uid, err)
		}
		if _, refused, err := s.Pending.Project(at.Seq, images); err != nil || len(refused) > 0 {
			return failure.About(uid, errors.Join(err, errMergeUnwritten))
		}
		merged = append(merged, uid)
		return nil
	}
	for _, uid := range uids {
		if err := finish(uid); err != nil {
			return merged, err
		}
	}
	return merged, nil
}

var errMergeUnwritten = errors.New("can't write the merge to the task's files")

const maxCauses = 100 // tasks in a row, each the cause of the next

// causes answers whether a task's history has an operation, which nothing set off or which another task's history has.
func (s *Writer) causes(ctx context.Context) func(by model.UID, op string) bool {
	known := map[model.UID]map[string]model.UID{} // what set an operation off in a task
	return func(by model.UID, op string) bool {
		for range maxCauses {
			if known[by] == nil {
				known[by] = map[string]model.UID{}
				events, _, err := s.History(ctx, by)
				if err != nil {
					return false
				}
				for _, e := range events {
					if cause, twice := known[by][e.OpID]; !twice || cause != "" {
						known[by][e.OpID] = e.Cause
					}
				}
			}
			cause, ok := known[by][op]
			if !ok || cause == "" {
				return ok
			}
			by = cause
		}
		return false
	}
}

// mergeOf are the files of a task as a merge leaves them, those that it changes.
func (s *Writer) mergeOf(ctx context.Context, snap *snapshot.Snapshot, uid model.UID) ([]*txlog.FileImage, error) {
	d, err := taskfiles.OpenAll(s.Disk.FS)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	now, err := s.Pending.ReadTaskUnless(d, uid, nil, func(err error) bool { return !fsys.IsAboutFile(err) })
	if err != nil || now == nil || model.HasError(now.Problems) {
		return nil, err
	}
	var below []*model.Task
	for _, c := range snap.ChildUIDs(uid) {
		switch t, err := s.Pending.ReadTask(d, c, nil); {
		case err != nil:
			return nil, err
		case t != nil:
			below = append(below, t)
		}
	}
	events, _, err := s.History(ctx, uid)
	if err != nil {
		return nil, err
	}
	texts, err := s.recordedTexts(uid)
	if err != nil {
		return nil, err
	}
	in := merge.Input{
		Task: now, Events: events, Below: below, Hash: map[model.Doc]string{},
		Text: func(doc model.Doc, hash string) ([]byte, int) {
			t := texts[docHash{doc, hash}]
			return t.body, t.n
		},
		Refused: func(id string) bool {
			_, err := s.Disk.FS.Stat(layout.RequestFile(id))
			return err == nil
		},
	}
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if in.Hash[doc], err = s.Disk.Hash(layout.TaskFile(uid, layout.DocFile(doc))); err != nil && !fsys.IsAboutFile(err) {
			return nil, err
		}
	}
	w := newReadView(snap, s)
	in.Allowed = func(now *model.Task, op model.Op) error {
		over := staged.New(w)
		over.Absorb(&model.Change{Tasks: append(slices.Clone(below), now)})
		return lifecycle.Allowed(over, op)
	}
	in.Caused = s.causes(ctx)
	in.Requests = func() (of []model.Request) {
		found, _, e := s.Requests.Files() // as the files are: what is believed of them is each clone's own
		err = errors.Join(err, e)
		for _, f := range found {
			if f.Valid && f.Request.TaskUID == uid {
				of = append(of, f.Request)
			}
		}
		return of
	}
	out, done := merge.Replay(in)
	if !done || err != nil {
		return nil, err
	}
	return s.mergedFiles(uid, now, &out, texts)
}

// mergedFiles are what Replay made of a task, as far as the files say something else.
func (s *Writer) mergedFiles(uid model.UID, was *model.Task, out *merge.Output, texts map[docHash]recordedText) (images []*txlog.FileImage, err error) {
	add := func(name string, body []byte) {
		hash, e := s.Disk.Hash(name)
		if e != nil && !fsys.Missing(e) {
			err = errors.Join(err, e)
		}
		if f := (&txlog.FileImage{Path: name, Was: hash, Hash: model.HashBytes(body), Bytes: body}); f.Was != f.Hash {
			images = append(images, f)
		}
	}
	for doc, body := range out.Docs {
		add(layout.TaskFile(uid, layout.DocFile(doc)), body)
	}
	for _, r := range out.Recorded {
		add(layout.TaskFile(uid, layout.RevisionFile(r.Doc, r.N, model.HashBytes(r.Body))), r.Body)
	}
	for _, r := range out.Requests {
		if _, err := s.Disk.FS.Stat(layout.RequestFile(r.ID)); fsys.Missing(err) {
			add(layout.RequestFile(r.ID), model.EncodeRequest(r))
		}
	}
	t := out.Task
	if len(out.Applied) > 0 || t.Status.Comments != nil {
		book, body, e := s.commentsAfter(uid, &t.Status, out.Plan, texts)
		if err = errors.Join(err, e); book != nil {
			t.Status.Comments = book
		}
		if body != nil {
			add(layout.ReviewFile(uid, book), body)
		}
	}
	next := taskfiles.Own(t)
	for i, f := range taskfiles.Own(was) {
		if string(f.Body) != string(next[i].Body) && next[i].Body != nil {
			add(layout.TaskFile(uid, f.Name), next[i].Body)
		}
	}
	return images, err
}

type docHash struct {
	doc  model.Doc
	hash string
}

type recordedText struct {
	body []byte
	n    int
}

// recordedTexts are the revisions of a task's documents by their hashes.
func (s *Writer) recordedTexts(uid model.UID) (map[docHash]recordedText, error) {
	texts := map[docHash]recordedText{}
	dir := layout.TaskFile(uid, layout.RevisionsDir)
	names, err := s.Loader.Projected().Names(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		doc, n, _, ok := model.ParseRevisionName(name)
		if !ok {
			continue
		}
		b, err := s.Disk.FS.ReadFile(dir+"/"+name, layout.MaxDocument)
		if err != nil && fsys.IsTransient(err) {
			return nil, err
		}
		key := docHash{doc, model.HashBytes(b)}
		if err == nil && n > texts[key].n {
			texts[key] = recordedText{b, n}
		}
	}
	return texts, nil
}

// Recorded says which texts of a task's document are recorded as revisions, by their hashes.
func (s *Writer) Recorded(uid model.UID, doc model.Doc) (func(hash string) bool, error) {
	texts, err := s.recordedTexts(uid)
	return func(hash string) bool { return texts[docHash{doc, hash}].n > 0 }, err
}
