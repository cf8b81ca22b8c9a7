package loading

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/parallel"
	"vespe/store/requests"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// replayer keeps a reading of the store in step with the log: it collects what entries name
// and reads it again through their after-images, so that it does not matter how far
// anyone who committed them has come with projecting.
type replayer struct {
	s        *Loader
	files    map[string]replayedFile // by path, of every entry taken so far
	pending  []string                // paths of the entries taken since the last reading
	mu       sync.Mutex              // guards problems
	problems []model.Problem
	policy   bool // an entry wrote the policy
	stones   bool // milestones.json
	// wanted are tasks that are read again though no entry names them: what is different
	// there was written past vespe.
	wanted map[model.UID]bool
}

// replayedFile is a file that entries wrote, as the last of them did.
type replayedFile struct {
	seq   uint64
	image txlog.FileImage
	began bool // one of the entries made it, or deleted it
}

// catchUp reads again what the entries taken so far and those after at name, until no newer
// entry is there. again is called when something is pending, with the entry that has been
// reached.
func (c *replayer) catchUp(ctx context.Context, at txlog.Tip, again func(at txlog.Tip) error) (txlog.Tip, error) {
	for range maxReplays {
		if err := ctx.Err(); err != nil {
			return at, err
		}
		if len(c.pending) > 0 {
			if err := again(at); err != nil {
				return at, err
			}
			c.pending = c.pending[:0]
		}
		now, err := c.s.Log.Tail(at.Seq)
		if err != nil {
			return at, err
		}
		if now <= at.Seq {
			return at, nil
		}
		if at, err = c.takeUpTo(at, now); err != nil {
			return at, err
		}
	}
	return at, failure.ErrRestless
}

// takeFirst takes the last entry before a reading begins, unless its projection is known
// to be complete. An entry that cannot be read is a problem, not an end.
func (c *replayer) takeFirst(seq uint64) (txlog.Tip, error) {
	s := c.s
	if seq == 0 {
		return txlog.Tip{}, nil
	}
	if at, projected := s.Current.Known(); projected >= seq && at.Seq == seq {
		return at, nil
	}
	if h := s.Pending.Hint(); h.Seq == seq {
		return h.Tip, nil
	}
	return c.takeUpTo(txlog.Tip{Seq: seq - 1}, seq)
}

func (c *replayer) takeUpTo(at txlog.Tip, now uint64) (txlog.Tip, error) {
	for n := at.Seq + 1; n <= now; n++ {
		in, _ := c.s.Disk.FS.Stat(layout.EntryFile(n)) // reading it says what is wrong with it
		b, err := c.s.Disk.FS.ReadFile(layout.EntryFile(n), layout.MaxEntry)
		if err != nil && fsys.IsTransient(err) {
			return at, err
		}
		at = txlog.Tip{Seq: n, Head: ""}
		if err != nil {
			c.broken(n, err)
			continue
		}
		at.Head = model.HashBytes(b)
		c.s.Log.Saw(at, in)
		if e, err := txlog.DecodeEntry(b, n); err != nil {
			c.broken(n, err)
		} else {
			c.take(e)
		}
	}
	return at, nil
}

func (c *replayer) broken(seq uint64, err error) {
	p := failure.OfFile(layout.Shown(layout.EntryFile(seq)), err)
	p.Code, p.Hint = "log-broken", failure.HintFor(err, "`vespe store doctor --fix` repairs the last entry; restore an earlier one from a backup")
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.problems, p) {
		return
	}
	c.problems = append(c.problems, p)
}

// take remembers the files of an entry.
func (c *replayer) take(e *txlog.Entry) {
	if c.files == nil {
		c.files = map[string]replayedFile{}
	}
	for i := range e.Files {
		f := &e.Files[i]
		c.files[f.Path] = replayedFile{e.Seq, *f, f.Was == "" || f.Hash == "" || c.files[f.Path].began}
		c.pending = append(c.pending, f.Path)
	}
	for i := range e.Ops {
		name := layout.TaskFile(e.Ops[i].UID, layout.ConfigFile)
		if k, ok := c.files[name]; ok && e.Ops[i].Appeared {
			k.began = true
			c.files[name] = k
		}
	}
}

// look reads what is pending: tasks, each once, and requests. What known has of a task is
// not read from its files but brought forward by what entries wrote: that is what the log
// knows, and whatever its files say instead was written past vespe. known may be nil.
func (c *replayer) look(known func(model.UID) *model.Task) (tasks []*model.Task, deleted []model.UID, requests []model.Request, err error) {
	g := gathered{projected: c.s.Pending.Hint().Seq, over: map[model.UID]taskfiles.Images{}, base: map[model.UID]*model.Task{}}
	if err := c.gather(&g, known); err != nil {
		return nil, nil, nil, err
	}
	if len(g.order) == 0 {
		return nil, nil, g.requests, nil
	}
	dir, err := taskfiles.OpenAll(c.s.Disk.FS)
	if err != nil {
		if tasks, err = c.unseen(&g, err); err != nil {
			return nil, nil, nil, err
		}
		return tasks, nil, g.requests, nil // a load says what is wrong with it
	}
	defer dir.Close()
	read := make([]*model.Task, len(g.order))
	left := make([]bool, len(g.order))
	if err := parallel.Each(context.Background(), len(g.order), func(i int) (err error) {
		read[i], left[i], err = c.task(dir, &g, g.order[i])
		return err
	}); err != nil {
		return nil, nil, nil, err
	}
	for i, t := range read {
		if left[i] {
			deleted = append(deleted, g.order[i])
		} else if t != nil {
			tasks = append(tasks, t)
		}
	}
	return tasks, deleted, g.requests, nil
}

// unseen are the tasks as the log knows them, where their directory cannot be looked at. What
// it does not know of would be passed over: then cause is the answer.
func (c *replayer) unseen(g *gathered, cause error) (tasks []*model.Task, err error) {
	for _, uid := range g.order {
		if g.base[uid] == nil || !c.knows(g, uid) {
			return nil, cause
		}
		if t := taskfiles.LaidOver(g.base[uid], g.over[uid]); t != g.base[uid] {
			c.s.Edits.ForgetEdit(uid)
			if t, err = c.counting(g.base[uid], t); err != nil {
				return nil, err
			}
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

// gathered is what pending paths are about.
type gathered struct {
	projected uint64
	order     []model.UID
	over      map[model.UID]taskfiles.Images
	base      map[model.UID]*model.Task // as the log knew them before, blank if not at all; nil: is not asked for
	requests  []model.Request
}

func (c *replayer) gather(g *gathered, known func(model.UID) *model.Task) error {
	for _, path := range slices.Compact(slices.Sorted(slices.Values(c.pending))) {
		uid, rest, isTask := layout.TaskOf(path)
		switch {
		case isTask:
			if _, ok := g.over[uid]; !ok {
				g.over[uid] = taskfiles.Images{}
				g.order = append(g.order, uid)
				if known != nil {
					g.base[uid] = known(uid)
				}
			}
			if !taskfiles.IsOwn(rest) {
				continue
			}
			take := c.after
			if c.knows(g, uid) {
				take = c.logged
			}
			b, use, err := take(path, g.projected)
			if err != nil {
				return err
			}
			if use {
				g.over[uid][rest] = b
			}
		case strings.HasPrefix(path, layout.RequestsDir+"/"):
			r, ok, err := c.request(path)
			if err != nil {
				return err
			}
			if ok {
				g.requests = append(g.requests, r)
			}
		case path == layout.PolicyFile:
			c.policy = true
		case path == layout.MilestonesFile:
			c.stones = true
		}
	}
	return nil
}

// task is one task as it is now; nil, and not gone, where nothing is different.
func (c *replayer) task(dir fsys.Dir, g *gathered, uid model.UID) (t *model.Task, deleted bool, err error) {
	if !c.knows(g, uid) && !(c.wanted[uid] && len(g.over[uid]) == 0) {
		if _, err := dir.Stat(string(uid)); fsys.Missing(err) && !c.files[layout.TaskFile(uid, layout.ConfigFile)].began {
			return nil, true, nil // somebody deleted it, and half of it is no task
		}
		t, err = c.s.Pending.ReadTask(dir, uid, g.over[uid].OrNil())
		if base := g.base[uid]; base != nil {
			c.s.Edits.ForgetEdit(uid)
			if err == nil && t != nil {
				t, err = c.counting(base, t)
			}
		}
		return t, t == nil, err
	}
	base := g.base[uid]
	if t = taskfiles.LaidOver(base, g.over[uid]); t != base {
		c.s.Edits.ForgetEdit(uid)
		if t, err = c.counting(base, t); err != nil {
			return nil, false, err
		}
	}
	_, err = dir.Stat(string(uid))
	switch config := c.files[layout.TaskFile(uid, layout.ConfigFile)]; {
	case fsys.Missing(err) && config.began && config.image.Hash != "" && !config.image.Edited && g.projected < config.seq:
		return t, false, nil // it is there once the entry is projected
	case fsys.Missing(err):
		c.s.Edits.SetDeleted(t)
		return nil, true, nil
	case c.wanted[uid], taskfiles.IsBlank(t):
		t, err = c.looked(dir, t, g.projected)
		return t, t == nil, err
	case t == base:
		return nil, false, nil
	}
	return c.s.Pending.With(t), false, nil
}

// counting is a task as entries left it, with the acceptances set apart that do not count here. Those that were known
// stay what they were, and what an entry wrote the approval of counts.
func (c *replayer) counting(was, now *model.Task) (*model.Task, error) {
	plan, work := model.News(was, now)
	a, r := now.Accepted()
	if plan && c.wrote(now.UID, a.Approval, a.ApprovalHash) {
		plan = false
	}
	if work && c.wrote(now.UID, r.Approval, r.ApprovalHash) {
		work = false
	}
	if !plan && !work {
		return now, nil
	}
	same, err := c.s.Comparer.SameAccepted(was, now)
	if err != nil || (same[0] || !plan) && (same[1] || !work) {
		return now, err
	}
	return c.s.Comparer.CountingByLog(now)
}

func (c *replayer) wrote(uid model.UID, approval, hash string) bool {
	k, ok := c.files[layout.TaskFile(uid, layout.ApprovalsDir+"/"+approval)]
	return ok && (hash == "" || k.image.Hash == hash)
}

// knows says whether what the log says of a task is all there is to know: it did so before,
// or tells of it as a whole. Else somebody knew it before there was a log of it.
func (c *replayer) knows(g *gathered, uid model.UID) bool {
	base := g.base[uid]
	if base == nil || !taskfiles.IsBlank(base) {
		return base != nil
	}
	return c.files[layout.TaskFile(uid, layout.ConfigFile)].began
}

// looked is a task that the log knows, as its files say now.
func (c *replayer) looked(dir fsys.Dir, known *model.Task, projected uint64) (*model.Task, error) {
	over := taskfiles.Images{}
	for _, name := range marks.Files {
		b, use, err := c.after(layout.TaskFile(known.UID, name), projected)
		if err != nil {
			return nil, err
		}
		if use {
			over[name] = b
		}
	}
	now, err := c.s.Pending.ReadTask(dir, known.UID, over.OrNil())
	if err != nil || now == nil {
		return nil, err
	}
	return c.s.noticed(known, now)
}

// after is what a file will hold once every entry is projected, unless that is known to
// have been done, or somebody else wrote it: then what is on disk counts.
func (c *replayer) after(path string, projected uint64) (body []byte, use bool, err error) {
	if k, ok := c.files[path]; !ok || projected >= k.seq || k.image.Edited {
		return nil, false, nil
	}
	return c.logged(path, 0)
}

// logged is what an entry says that a file holds; nil for one that was deleted.
func (c *replayer) logged(path string, _ uint64) (body []byte, use bool, err error) {
	k, ok := c.files[path]
	if !ok {
		return nil, false, nil
	}
	if k.image.Hash == "" {
		return nil, true, nil
	}
	body, err = c.s.Log.BodyOf(&k.image)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, false, err
		}
		c.broken(k.seq, err)
		return nil, false, nil
	}
	return body, true, nil
}

// request is a request as the log knows it: whatever its file says instead was not given to vespe.
func (c *replayer) request(path string) (model.Request, bool, error) {
	b, use, err := c.logged(path, 0)
	if err != nil || !use || b == nil {
		return model.Request{}, false, err
	}
	r, ok := requests.Decode(path, b)
	return r, ok, nil
}

// replaceIn puts what was read again into the input of a snapshot.
func (c *replayer) replaceIn(in *snapshot.Input) error {
	tasks, deleted, requests, err := c.look(nil)
	if err != nil {
		return err
	}
	at := make(map[model.UID]int, len(in.Tasks))
	for i, t := range in.Tasks {
		at[t.UID] = i
	}
	for _, t := range tasks {
		if i, ok := at[t.UID]; ok {
			in.Tasks[i] = t
			continue
		}
		at[t.UID] = len(in.Tasks)
		in.Tasks = append(in.Tasks, t)
	}
	if len(deleted) > 0 {
		in.Tasks = slices.DeleteFunc(in.Tasks, func(t *model.Task) bool { return slices.Contains(deleted, t.UID) })
	}
	putRequests(in, requests)
	if c.policy {
		c.policy = false
		var ps []model.Problem
		in.Policy, ps, err = storefiles.ReadPolicy(c.s.Disk)
		in.Problems = append(in.Problems, ps...)
	}
	if c.stones && err == nil {
		c.stones = false
		err = c.milestonesInto(in)
	}
	return err
}

// requestsIn is replaceIn for the requests and the milestones alone.
func (c *replayer) requestsIn(in *snapshot.Input) error {
	var requests []model.Request
	for _, path := range slices.Compact(slices.Sorted(slices.Values(c.pending))) {
		if path == layout.MilestonesFile {
			if err := c.milestonesInto(in); err != nil {
				return err
			}
		}
		if !strings.HasPrefix(path, layout.RequestsDir+"/") {
			continue
		}
		r, ok, err := c.request(path)
		if err != nil {
			return err
		}
		if ok {
			requests = append(requests, r)
		}
	}
	putRequests(in, requests)
	return nil
}

func putRequests(in *snapshot.Input, requests []model.Request) {
	for _, r := range requests {
		if i := slices.IndexFunc(in.Requests, func(q model.Request) bool { return q.ID == r.ID }); i >= 0 {
			in.Requests[i] = r
		} else {
			in.Requests = append(in.Requests, r)
		}
	}
}

// errBroken: there are entries that cannot be read, so a snapshot cannot be brought past them.
var errBroken = errors.New("the log can't be read")

// advance brings a snapshot from one entry to a newer one. It needs s.Looking.
func (s *Loader) advance(ctx context.Context, snap *snapshot.Snapshot, from txlog.Tip, now uint64) (*snapshot.Snapshot, error) {
	c := replayer{s: s}
	at, err := c.takeUpTo(from, now)
	if err != nil {
		return nil, err
	}
	at, err = c.catchUp(ctx, at, func(at txlog.Tip) (err error) {
		snap, err = c.renew(snap, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(c.problems) > 0 {
		return nil, errBroken
	}
	return s.Keep(snap, at), nil
}
