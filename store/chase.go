package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vespe/model"
)

// chaser keeps a reading of the store in step with the log: it collects what entries name
// and reads it again through their after-images, so that it does not matter how far
// whoever committed them has come with projecting.
type chaser struct {
	s        *Store
	files    map[string]chased // by path, of every entry taken so far
	pending  []string          // paths of the entries taken since the last reading
	problems []model.Problem
	policy   bool // an entry wrote the policy
	// wanted are tasks that are read again though no entry names them: what is different
	// there was written past vespe.
	wanted map[model.UID]bool
	// fromLog: what entries wrote is taken from them, not from the files, so that an edit
	// of those is seen as one later.
	fromLog bool
}

// chased is a file that entries wrote, as the last of them did.
type chased struct {
	seq   uint64
	image fileImage
}

// settle reads again what the entries taken so far and those after at name, until no newer
// entry is there. again is called when something is pending, with the entry that has been
// reached.
func (c *chaser) settle(ctx context.Context, at tip, again func(at tip) error) (tip, error) {
	for range maxChases {
		if err := ctx.Err(); err != nil {
			return at, err
		}
		if len(c.pending) > 0 {
			if err := again(at); err != nil {
				return at, err
			}
			c.pending = c.pending[:0]
		}
		now, err := c.s.tail(at.seq)
		if err != nil {
			return at, err
		}
		if now <= at.seq {
			return at, nil
		}
		if at, err = c.takeUpTo(at, now); err != nil {
			return at, err
		}
	}
	return at, errRestless
}

var errRestless = errors.New("the store changes faster than it can be read: try again")

// takeFirst takes the last entry before a reading begins, unless its projection is known
// to be complete. An entry that cannot be read is a problem, not an end.
func (c *chaser) takeFirst(seq uint64) (tip, error) {
	s := c.s
	if seq == 0 {
		return tip{}, nil
	}
	s.mu.Lock()
	at, done := s.tip, s.projected >= seq
	s.mu.Unlock()
	if done && at.seq == seq {
		return at, nil
	}
	if h := s.readHint(); h.seq == seq {
		return h.tip, nil
	}
	return c.takeUpTo(tip{seq: seq - 1}, seq)
}

func (c *chaser) takeUpTo(at tip, now uint64) (tip, error) {
	for n := at.seq + 1; n <= now; n++ {
		b, err := c.s.fs.ReadFile(entryFile(n), maxEntry)
		if err != nil && isTransient(err) {
			return at, err
		}
		if missing(err) && c.s.wasCompacted(n) {
			return at, errCompacted
		}
		at = tip{n, ""}
		if err != nil {
			c.broken(n, err)
			continue
		}
		at.head = model.HashBytes(b)
		if e, err := decodeEntry(b, n); err != nil {
			c.broken(n, err)
		} else {
			c.take(e)
		}
	}
	return at, nil
}

func (c *chaser) broken(seq uint64, err error) {
	p := fileProblem(shown(entryFile(seq)), err)
	p.Code, p.Hint = "log-broken", "run `vespe doctor`; restore the file from a backup"
	if slices.Contains(c.problems, p) {
		return
	}
	c.problems = append(c.problems, p)
}

// take remembers the files of an entry.
func (c *chaser) take(e *entry) {
	if c.files == nil {
		c.files = map[string]chased{}
	}
	for i := range e.Files {
		f := &e.Files[i]
		c.files[f.Path] = chased{e.Seq, *f}
		if uid, _, ok := taskOf(f.Path); ok {
			delete(c.wanted, uid)
		}
		c.pending = append(c.pending, f.Path)
	}
}

// look reads what is pending: tasks, each once, and requests.
func (c *chaser) look() (tasks []*model.Task, gone []model.UID, requests []model.Request, err error) {
	projected := c.s.readHint().seq
	if c.fromLog {
		projected = 0
	}
	over := map[model.UID]images{}
	var order []model.UID
	for _, path := range slices.Compact(slices.Sorted(slices.Values(c.pending))) {
		uid, rest, isTask := taskOf(path)
		switch {
		case isTask:
			if _, ok := over[uid]; !ok {
				over[uid] = images{}
				order = append(order, uid)
			}
			if !readByLoad(rest) {
				continue
			}
			b, use, err := c.after(path, projected)
			if err != nil {
				return nil, nil, nil, err
			}
			if use {
				over[uid][rest] = b
			}
		case strings.HasPrefix(path, requestsDir+"/"):
			r, ok, err := c.request(path, projected)
			if err != nil {
				return nil, nil, nil, err
			}
			if ok {
				requests = append(requests, r)
			}
		case path == policyFile:
			c.policy = true
		}
	}
	if len(order) == 0 {
		return nil, nil, requests, nil
	}
	dir, err := c.s.fs.OpenDir(tasksDir)
	if err != nil {
		if isTransient(err) {
			return nil, nil, nil, err
		}
		return nil, nil, requests, nil // a load says what is wrong with it
	}
	defer dir.Close()
	read := make([]*model.Task, len(order))
	if err := sideBySide(context.Background(), len(order), func(i int) (err error) {
		im := over[order[i]]
		if len(im) == 0 {
			im = nil
		}
		read[i], err = readTask(dir, order[i], im)
		return err
	}); err != nil {
		return nil, nil, nil, err
	}
	for i, t := range read {
		if t == nil {
			gone = append(gone, order[i])
			continue
		}
		tasks = append(tasks, t)
	}
	return tasks, gone, requests, nil
}

// readByLoad says whether a load looks at this file of a task.
func readByLoad(rest string) bool {
	switch rest {
	case configFile, statusFile, dependenciesFile, specFile, "objective.md", "plan.md":
		return true
	}
	return false
}

// after is what a file will hold once every entry is projected, unless that is known to
// have been done: then what is on disk counts, whoever wrote it.
func (c *chaser) after(path string, projected uint64) (body []byte, use bool, err error) {
	k := c.files[path]
	if projected >= k.seq {
		return nil, false, nil
	}
	body, err = c.s.bodyOf(&k.image)
	if err != nil {
		if isTransient(err) {
			return nil, false, err
		}
		c.broken(k.seq, err)
		return nil, false, nil
	}
	return body, true, nil
}

func (c *chaser) request(path string, projected uint64) (model.Request, bool, error) {
	b, use, err := c.after(path, projected)
	if err != nil {
		return model.Request{}, false, err
	}
	if !use {
		if b, err = c.s.fs.ReadFile(path, maxJSON); err != nil {
			return model.Request{}, false, nil //nolint:nilerr // a load reports it
		}
	}
	r, ps := model.DecodeRequest(shown(path), b)
	r.ID = strings.TrimSuffix(strings.TrimPrefix(path, requestsDir+"/"), ".json")
	return r, !hasError(ps), nil
}

// replaceIn puts what was read again into the input of a snapshot.
func (c *chaser) replaceIn(in *model.Input) error {
	tasks, gone, requests, err := c.look()
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
	if len(gone) > 0 {
		in.Tasks = slices.DeleteFunc(in.Tasks, func(t *model.Task) bool { return slices.Contains(gone, t.UID) })
	}
	for _, r := range requests {
		if i := slices.IndexFunc(in.Requests, func(q model.Request) bool { return q.ID == r.ID }); i >= 0 {
			in.Requests[i] = r
		} else {
			in.Requests = append(in.Requests, r)
		}
	}
	if c.policy {
		c.policy = false
		var ps []model.Problem
		in.Policy, ps, err = c.s.readPolicy()
		in.Problems = append(in.Problems, ps...)
	}
	return err
}

// advance brings a snapshot from one entry to a newer one.
func (s *Store) advance(ctx context.Context, snap *model.Snapshot, from tip, now uint64) (*model.Snapshot, error) {
	c := chaser{s: s}
	at, err := c.takeUpTo(from, now)
	if errors.Is(err, errCompacted) {
		return s.load(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	at, err = c.settle(ctx, at, func(at tip) (err error) {
		snap, err = c.renew(snap, at)
		return err
	})
	if err != nil && !errors.Is(err, errCompacted) {
		return nil, err
	}
	if err != nil || len(c.problems) > 0 {
		return s.load(ctx, nil)
	}
	return s.keep(snap, at), nil
}
