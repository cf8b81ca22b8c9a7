// Package asof reads the store as it was: it folds entries of the log up to one, and takes what these do not tell from what
// later ones replaced, from events and from the disk. Start with Reader.At and fold.
package asof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Past is the store as it was at an earlier time. It never changes.
//
// What the log has entries of is exact. A task that was there before the log is pieced together: its state from its events,
// its documents from its revisions, and what neither tells from its files as they are now.
type Past struct {
	Snapshot *snapshot.Snapshot
	At       time.Time       // the moment; of the entry, where one was asked for
	Seq      uint64          // the last entry of the log until then; 0 where it has none
	Pieced   []model.UID     // tasks that are pieced together, ascending
	Problems []model.Problem // entries that cannot be read, and may have been made until then

	from  *Reader
	now   bool            // it is the present
	files map[string]File // by path below .vespe
}

// Reader reads the store as it was.
type Reader struct {
	Disk     *durable.Files
	Log      *txlog.Log
	Table    *edits.Table
	Comparer *edits.Comparer

	StoreID func() string
	View    func() view.View // of what is projected
	Content func(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error)
	History func(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error)
	Head    func(ctx context.Context) (uint64, error)
	Refresh func(ctx context.Context) (*snapshot.Snapshot, error)
	Now     func() time.Time
}

// At is the store as it was at a time: as of the last entry of the log that is not younger.
func (s *Reader) At(ctx context.Context, when time.Time) (*Past, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	seq, unread, err := s.entryAt(ctx, when, head)
	if err != nil {
		return nil, err
	}
	p, err := s.past(ctx, when, seq, now)
	if err == nil {
		p.Problems = unread
	}
	return p, err
}

// AtSeq is the store as it was after an entry of the log.
func (s *Reader) AtSeq(ctx context.Context, seq uint64) (*Past, error) {
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	when, err := s.Log.EntryTime(seq)
	if fsys.Missing(err) {
		head, err := s.Log.Tail(0)
		if err != nil {
			return nil, err
		}
		if 0 < seq && seq < head {
			return nil, entryMissing(seq)
		}
		return nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, nil, "`vespe task history` shows the last ones",
			"the log has no entry %d: it has 1 to %d", seq, head)
	}
	if err != nil {
		return nil, err
	}
	return s.past(ctx, when, seq, now)
}

// entryAt is the last entry that is not younger than a time; 0 when there is none. Clocks
// may go back, so entries are asked from the last one on. Of those that cannot be read nobody
// knows; they are problems.
func (s *Reader) entryAt(ctx context.Context, when time.Time, head uint64) (seq uint64, unread []model.Problem, err error) {
	for seq := head; seq > 0; seq-- {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		at, err := s.Log.EntryTime(seq)
		switch {
		case err == nil && !at.After(when):
			return seq, unread, nil
		case err != nil && fsys.IsTransient(err):
			return 0, nil, err
		case err != nil:
			unread = append(unread, history.EntryProblem(seq, err))
		}
	}
	return 0, unread, nil
}

// Present is the store as it is: what was written past vespe and is not in the log yet counts.
func (s *Reader) Present(ctx context.Context) (*Past, error) {
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return &Past{Snapshot: now, At: s.Now(), Seq: now.Seq(), from: s, now: true}, nil
}

// past is the store after an entry, which is the last one until a time.
func (s *Reader) past(ctx context.Context, when time.Time, seq uint64, now *snapshot.Snapshot) (*Past, error) {
	f, err := s.foldTo(ctx, when, seq, now)
	if err != nil {
		return nil, err
	}
	p := &Past{At: when, Seq: seq, from: s, files: f.files}
	in := snapshot.Input{Seq: seq, Head: f.head, StoreID: s.StoreID()}
	if in.Policy, in.Problems, err = s.pastPolicy(f.files); err != nil {
		return nil, err
	}
	ms, more, err := f.pastMilestones()
	if err != nil {
		return nil, err
	}
	in.Milestones, in.Problems = ms, append(in.Problems, more...)
	for name, file := range f.files {
		if id, ok := strings.CutPrefix(name, layout.RequestsDir+"/"); ok && file.Body != nil {
			if r, ps := model.DecodeRequest(layout.Shown(name), file.Body); !model.HasError(ps) {
				r.ID = strings.TrimSuffix(id, ".json")
				in.Requests = append(in.Requests, r)
			}
		}
	}
	for uid, files := range f.tasks {
		in.Tasks = append(in.Tasks, files.Task(uid))
	}
	if err := s.setPastApart(ctx, in.Tasks, f.pieced, seq); err != nil {
		return nil, err
	}
	p.Pieced = slices.Sorted(maps.Keys(f.pieced))
	p.Snapshot = snapshot.New(in)
	return p, nil
}

// setPastApart sets the acceptances of tasks apart that did not count here after an entry. What is pieced together is told by
// events, which have no approvals.
func (s *Reader) setPastApart(ctx context.Context, tasks []*model.Task, pieced map[model.UID]bool, seq uint64) error {
	var at []int
	var accepted []*model.Task
	for i, t := range tasks {
		if plan, work := t.Accepted(); !pieced[t.UID] && (plan != nil || work != nil) {
			at, accepted = append(at, i), append(accepted, t)
		}
	}
	if _, err := s.Comparer.SetApart(ctx, accepted, seq); err != nil {
		return err
	}
	for k, i := range at {
		tasks[i] = accepted[k]
	}
	return nil
}

func (s *Reader) pastPolicy(files map[string]File) (model.Policy, []model.Problem, error) {
	if f, ok := files[layout.PolicyFile]; ok && f.Body != nil {
		p, ps := model.DecodePolicy(layout.Shown(layout.PolicyFile), f.Body)
		return p, ps, nil
	}
	return storefiles.ReadPolicy(s.Disk) // nobody wrote down what it was
}

// Content is a document as it was then; errors.Is finds model.ErrNoContent when there was
// none, or nobody kept it.
func (p *Past) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
	if err := view.CheckDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	t, ok := p.Snapshot.Task(uid)
	if !ok {
		return model.Content{}, model.ErrNoContent
	}
	n := t.Status.PlanRevision
	if doc == model.Objective {
		n = t.Status.ObjectiveRevision
	}
	if p.now {
		return p.from.Content(ctx, uid, doc)
	}
	file, known := p.files[layout.TaskFile(uid, layout.DocFile(doc))]
	if has := doc == model.Objective && t.HasObjective || doc == model.Plan && t.HasPlan; !has {
		return model.Content{}, model.ErrNoContent
	}
	if !known || file.Hash == "" { // nobody wrote down which bytes it held
		c, err := p.from.View().Revision(uid, doc, n)
		if errors.Is(err, model.ErrNoContent) {
			if c, err = p.from.Content(ctx, uid, doc); err == nil && c.Revision != n {
				err = notKept(uid, doc)
			}
		}
		return c, err
	}
	c := model.Content{Doc: doc, Hash: file.Hash}
	for k := n; k > 0; k-- { // what a file held is a revision, nearly always the one that counts
		r, err := p.from.View().Revision(uid, doc, k)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return c, err
		}
		if err == nil && r.Hash == file.Hash {
			if c.Body = r.Body; k == n {
				c.Revision = n
			}
			return c, nil
		}
	}
	if file.Seq > 0 {
		e, _, err := p.from.Log.ReadEntry(file.Seq)
		if err != nil && !fsys.Missing(err) {
			return c, err
		}
		if err == nil {
			for i := range e.Files {
				if im := &e.Files[i]; im.Path == layout.TaskFile(uid, layout.DocFile(doc)) && im.Hash == file.Hash {
					c.Body, err = p.from.Log.BodyOf(im)
					return c, err
				}
			}
		}
	}
	b, err := taskfiles.Bytes(p.from.Disk, layout.TaskFile(uid, layout.DocFile(doc)), file.Hash)
	if c.Body = b; err == nil && b == nil {
		err = notKept(uid, doc)
	}
	return c, err
}

func notKept(uid model.UID, doc model.Doc) error {
	return fmt.Errorf("the %s of %s as it was then is no longer saved: %w", doc, uid, model.ErrNoContent)
}

// History is what had happened to a task until then.
func (p *Past) History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	events, ps, err := p.from.History(ctx, uid)
	if p.now {
		return events, ps, err
	}
	return slices.DeleteFunc(events, func(e model.Event) bool {
		if p.Seq > 0 && e.Seq > 0 {
			return e.Seq > p.Seq
		}
		return e.At.After(p.At)
	}), ps, err
}
