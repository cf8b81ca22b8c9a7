package loading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/project"
	"vespe/store/storefiles"
	"vespe/store/taskcache"
	"vespe/store/txlog"
)

const maxReplays = 1000 // transactions that may overtake one load

// Load reads the whole store. A transaction that was committed but not projected is
// finished first; when that cannot be (someone is writing right now, the store is for
// reading only), its after-images are taken from the log instead. What other processes
// commit meanwhile is read again, so that the snapshot is the store as of one entry of the
// log. progress may be nil; it is called from one goroutine at a time.
//
// Whatever is wrong with a file is a problem in the snapshot; an error means that the
// store as a whole could not be read.
func (s *Loader) Load(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error) {
	if s.ReadOnly() == "" {
		s.Recover(ctx)
	}
	if snap, err := s.loadSwept(ctx, progress); snap != nil || err != nil {
		return snap, err
	}
	return s.loadWith(ctx, s.Cache(), progress)
}

// Refresh is the snapshot as of the last entry of the log: the one there is, or what Warm
// begins with, with the tasks that newer entries name read again. What was edited without a transaction is not
// looked for; Load does that.
func (s *Loader) Refresh(ctx context.Context) (*snapshot.Snapshot, error) {
	snap, err := s.refresh(ctx)
	switch {
	case errors.Is(err, errBroken):
		return s.LoadFiles(ctx)
	case err == nil && snap == nil:
		return s.Load(ctx, nil)
	}
	return snap, err
}

// refresh is nil when there is nothing to begin with.
func (s *Loader) refresh(ctx context.Context) (*snapshot.Snapshot, error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	snap, _ := s.Current.Get()
	if snap == nil {
		return s.warm(ctx)
	}
	now, err := s.agree()
	if err != nil {
		return snap, err
	}
	snap, at := s.Current.Get()
	if snap == nil {
		return s.warm(ctx)
	}
	if now == at.Seq {
		return snap, nil
	}
	snap, err = s.advance(ctx, snap, at, now)
	s.Checkpoints.Soon()
	return snap, err
}

// Head is the number of the last committed entry on disk; 0 in a new store. It costs a
// few stats.
func (s *Loader) Head(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := s.Disk.FS.Named(); err != nil {
		return 0, err
	}
	at, _ := s.Current.Known()
	return s.Log.Tail(at.Seq)
}

// LoadFiles reads everything and makes it the current snapshot.
func (s *Loader) LoadFiles(ctx context.Context) (*snapshot.Snapshot, error) {
	return s.loadWith(ctx, nil, nil)
}

// loadWith reads everything. It takes a task from the cache, which may be nil, if its files look unchanged.
func (s *Loader) loadWith(ctx context.Context, cache *taskcache.Cache, progress func(done, total int)) (*snapshot.Snapshot, error) {
	start, err := s.AgreeAlone()
	if err != nil {
		return nil, err
	}
	// Asked before anything is read: a projection that ends meanwhile was read half.
	c := replayer{s: s}
	first, err := c.takeFirst(start)
	if err != nil {
		return nil, err
	}
	in := snapshot.Input{Seq: start, StoreID: s.StoreID()}
	if err := s.readStoreInput(&in); err != nil {
		return nil, err
	}
	names := project.NamesTime(s.Disk.FS)
	uids, more, err := s.ListTasks()
	if err != nil {
		return nil, err
	}
	in.Problems = append(in.Problems, more...)
	part, done := s.begin(in)
	defer done()
	var cached int
	if in.Tasks, cached, err = s.readTasks(ctx, uids, cache, part, progress); err != nil {
		return nil, err
	}
	if n := len(in.Tasks); cache != nil && n >= s.Checkpoints.Least && n-cached > n/manySuspects {
		cache.Keep(s.Background, uids, in.Tasks)
	}

	// The last entry may be half projected, and others may have been committed since: what
	// they name is read again, through their after-images.
	at, err := c.catchUp(ctx, first, func(txlog.Tip) error { return c.replaceIn(&in) })
	if err != nil {
		return nil, err
	}
	in.Problems = append(in.Problems, c.problems...)
	in.Problems = append(in.Problems, claims(in.Tasks)...)
	in.Seq, in.Head = at.Seq, at.Head
	doubted, err := s.Comparer.FirstLook(ctx, in.Tasks, at.Seq)
	if err != nil {
		return nil, err
	}
	snap, err := s.keepLoaded(ctx, snapshot.New(in), at, names, doubted)
	if err != nil {
		return nil, err
	}
	s.Checkpoints.PackSoon()
	return snap, nil
}

// readStoreInput reads what belongs to the store as a whole.
func (s *Loader) readStoreInput(in *snapshot.Input) (err error) {
	var more []model.Problem
	if in.Requests, more, err = s.Requests.Read(s.Pending.Hint().Seq); err != nil {
		return err
	}
	in.Problems = append(in.Problems, more...)
	if in.Policy, more, err = storefiles.ReadPolicy(s.Disk); err != nil {
		return err
	}
	in.Problems = append(in.Problems, more...)
	if in.Milestones, more, err = storefiles.ReadMilestones(s.Disk); err != nil {
		return err
	}
	in.Problems = append(in.Problems, more...)
	if _, more, _, err = s.Rules.Read(); err != nil {
		return err
	}
	in.Problems = append(in.Problems, more...)
	in.Problems = append(in.Problems, s.Pending.Problem()...)
	return nil
}

// Keep makes a snapshot, as it is for the person (forPerson), the current one unless a newer one is there already.
func (s *Loader) Keep(snap *snapshot.Snapshot, at txlog.Tip) *snapshot.Snapshot {
	return s.Current.Put(s.forPerson(snap), at)
}

// ListTasks is the uids in tasks/, and what is there that is no task.
func (s *Loader) ListTasks() ([]model.UID, []model.Problem, error) {
	es, err := fsys.List(s.Disk.FS, layout.TasksDir)
	if fsys.Missing(err) {
		last, err := s.Log.Tail(0)
		if err != nil || last == 0 {
			return nil, nil, err
		}
		return nil, []model.Problem{failure.NoTasks("every task; the log knows what was there")}, nil
	}
	if err != nil {
		if p, ok := failure.NotTheStores(layout.TasksDir, err); ok {
			return nil, p, nil
		}
		return nil, nil, err
	}
	var ps []model.Problem
	uids := make([]model.UID, 0, len(es))
	for _, e := range es {
		uid := model.UID(e.Name)
		if uid.Valid() && e.Type == fs.ModeDir {
			uids = append(uids, uid)
			continue
		}
		p := model.Problem{Path: layout.Shown(layout.TasksDir + "/" + e.Name), Severity: model.Warning}
		fold := strings.ToLower(e.Name)
		switch {
		case strings.HasPrefix(e.Name, "."), fsys.IsEditors(e):
			continue
		case e.Type == 0:
			p.Code, p.Reason, p.Hint = "stray-file", "is a file among the tasks' directories", "move it away"
		case e.Type != fs.ModeDir:
			p.Severity, p.Code = model.Error, "not-regular"
			p.Reason = "is " + fsys.Describe(e.Type) + " where the directory of a task belongs, so it is ignored"
			p.Hint = "replace it with a plain directory, or remove it"
		case e.Name != fold && isListed(es, fold):
			p.Severity, p.Code = model.Error, "case-collision"
			p.Reason = fmt.Sprintf("differs from the task %s only in upper and lower case", fold)
			p.Hint = "some file systems treat both as one: rename or remove one"
		default:
			p.Severity, p.Code = model.Error, "bad-uid"
			p.Reason = "isn't a valid name for a task: use at most 64 lowercase letters, digits and dashes"
			p.Hint = "rename the directory and the uid in its config.json, or remove it"
		}
		ps = append(ps, p)
	}
	return uids, ps, nil
}

// TaskNames are the uids alone.
func (s *Loader) TaskNames() ([]model.UID, error) {
	uids, _, err := s.ListTasks()
	return uids, err
}

// isListed looks for a name in a listing.
func isListed(es []fsys.Entry, name string) bool {
	_, is := slices.BinarySearchFunc(es, name, func(e fsys.Entry, name string) int { return strings.Compare(e.Name, name) })
	return is
}

// readTasks reads tasks side by side, and takes those that look unchanged from the cache: cached counts them. Tasks
// that vanish meanwhile are left out.
func (s *Loader) readTasks(
	ctx context.Context, uids []model.UID, cache *taskcache.Cache, part *partial, progress func(done, total int),
) (tasks []*model.Task, cached int, err error) {
	out := make([]*model.Task, len(uids))
	if len(uids) == 0 {
		return nil, 0, nil
	}
	dir, err := s.Disk.FS.OpenDir(layout.TasksDir)
	if err != nil {
		return nil, 0, err
	}
	defer dir.Close()
	var hits atomic.Int64
	if cache != nil {
		cache.Begin(len(uids))
	}
	read := func(i int) (*model.Task, error) {
		uid := uids[i]
		if cache != nil && s.Edits.Pending(uid) == 0 {
			if t := cache.Task(dir, i, uid); t != nil {
				hits.Add(1)
				return t, nil
			}
		}
		return s.Pending.ReadTask(dir, uid, nil)
	}
	meter := parallel.NewMeter(progress, len(uids))
	batch := max(1, min(32, len(uids)/(8*parallel.Readers))) // of a few tasks each reader has its share, too
	if err := parallel.Each(ctx, (len(uids)+batch-1)/batch, func(b int) (err error) {
		lo, hi := b*batch, min((b+1)*batch, len(uids))
		for i := lo; i < hi; i++ {
			if out[i], err = read(i); err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
		}
		part.add(out[lo:hi:hi])
		meter.Add(hi - lo)
		return nil
	}); err != nil {
		return nil, 0, err
	}
	meter.Finish()
	// A Partial may still look at out.
	return slices.DeleteFunc(slices.Clone(out), func(t *model.Task) bool { return t == nil }), int(hits.Load()), nil
}

// claims finds directories whose config.json names a task that has a directory of its own
// or that yet another directory names too.
func claims(tasks []*model.Task) []model.Problem {
	claimed := map[model.UID][]*model.Task{}
	dirs := map[model.UID]bool{}
	for _, t := range tasks {
		dirs[t.UID] = true
		if u := t.Config.UID; u != "" && u != t.UID {
			claimed[u] = append(claimed[u], t)
		}
	}
	var ps []model.Problem
	for uid, ts := range claimed {
		if len(ts) < 2 && !dirs[uid] {
			continue
		}
		for _, t := range ts {
			why := fmt.Sprintf("claims the uid %s, which belongs to the directory of that name", uid)
			if !dirs[uid] {
				why = fmt.Sprintf("claims the uid %s, which another directory also claims", uid)
			}
			ps = append(ps, model.Problem{
				UID: t.UID, Path: layout.Shown(layout.TaskFile(t.UID, layout.ConfigFile)), Severity: model.Error, Code: "duplicate-uid",
				Reason: why, Hint: "give the copy its own uid in config.json and in the name of its directory",
			})
		}
	}
	return ps
}
