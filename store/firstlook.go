package store

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/past"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Who has no checkpoint, which is only a cache, has nothing in mind that files could be compared
// with. But the log has: what the status.json of a task says is what is known of the task at a first look only
// where the log last made the file so, or never wrote it, as after a clone. Else it is an edit, in
// which no verdict counts, and no answer to what the task is paused for. An acceptance in it counts by the rule that
// holds everywhere (vouched.go).

// logged is what the log last made the status.json of a task.
type logged struct {
	seq   uint64 // the entry; 0 where only the base knows
	hash  string // "": it was deleted
	given string // what vespe itself last wrote there; "" for nothing
}

// firstLook compares tasks with the log, and returns those that differ as the log knows them. In tasks it sets the
// acceptances apart that do not count here.
func (s *Store) firstLook(ctx context.Context, tasks []*model.Task, last uint64) (was []*model.Task, err error) {
	known, err := s.setApart(ctx, tasks, last)
	if err != nil || last == 0 {
		return nil, err
	}
	differs := make([]bool, len(tasks))
	if err := parallel.Each(ctx, len(tasks), func(i int) error {
		l, ok := known[tasks[i].UID]
		if !ok {
			return nil
		}
		same, err := s.isAsLogged(tasks[i], l)
		differs[i] = !same
		return err
	}); err != nil {
		return nil, err
	}
	compacted := sync.OnceValues(s.statuses.pastFiles)
	for i, now := range tasks {
		if !differs[i] {
			continue
		}
		t, err := s.asLogged(now, known[now.UID], compacted)
		if err != nil {
			return nil, err
		}
		if !taskfiles.Same(t, now) {
			was = append(was, t)
		}
	}
	return was, nil
}

// setApart sets the acceptances of tasks apart that do not count here by what the log says until an entry, and returns what
// it last made their status.json.
func (s *Store) setApart(ctx context.Context, tasks []*model.Task, last uint64) (map[model.UID]logged, error) {
	uids, want := make(map[model.UID]bool, len(tasks)), approvals{}
	for _, t := range tasks {
		uids[t.UID] = true
		want.wantedOf(t)
	}
	known, err := s.statuses.lastStatuses(ctx, uids, last, true, want)
	if err != nil {
		return nil, err
	}
	return known, parallel.Each(ctx, len(tasks), func(i int) (err error) {
		l := known[tasks[i].UID]
		tasks[i], err = s.counting(tasks[i], want, l.given != "" && l.given == model.HashBytes(model.EncodeStatus(tasks[i].Status)))
		return err
	})
}

// isAsLogged says whether a task's status is what the log wrote. What vespe writes has one form, so
// the task tells, whatever has become of the file since it was read; what came as a whole, and was
// left as it was, may have another.
func (s *Store) isAsLogged(t *model.Task, l logged) (bool, error) {
	hash := model.HashBytes(model.EncodeStatus(t.Status))
	if hash == l.hash || hash == l.given {
		return true, nil
	}
	hash, err := s.statusHash(t)
	if err != nil {
		return false, err
	}
	return hash != "" && (hash == l.hash || hash == l.given), nil
}

// keepLoaded makes a snapshot of everything the current one, unless a newer one is. All of it is
// believed but for tasks that the log knows otherwise, which are given as it knows them.
func (s *Store) keepLoaded(ctx context.Context, snap *model.Snapshot, at txlog.Tip, names int64, doubted []*model.Task) (*model.Snapshot, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	known, deleted := s.knownTo(ctx, snap, at, doubted)
	s.mu.Lock()
	s.names, s.unswept = names, false
	newest := s.snap == nil || s.tip.Seq <= at.Seq
	s.mu.Unlock()
	if newest {
		s.edits.Reset()
	}
	if newest && len(known) > 0 {
		tasks := make([]*model.Task, len(known))
		for i, was := range known {
			now, _ := snap.Task(was.UID)
			var err error
			if tasks[i], err = s.compared(was, now); err != nil {
				return nil, err
			}
		}
		snap = snap.With(at.Seq, at.Head, tasks, nil)
	}
	if newest {
		for _, now := range flawed(snap) {
			s.edits.Unmark(now, true)
		}
		for _, was := range deleted {
			s.edits.SetDeleted(was)
		}
	}
	return s.keep(snap, at), nil
}

// knownTo is the tasks of a snapshot whose files this process knows the log to have otherwise, as
// the log has them: those of doubted, and those that the current snapshot tells of. What was found
// to be an edit must not become what is known because everything was read anew. deleted are those that
// it knows and that were not there when everything was read.
func (s *Store) knownTo(ctx context.Context, snap *model.Snapshot, at txlog.Tip, doubted []*model.Task) (known, deleted []*model.Task) {
	old, there := s.kept()
	if old != nil && there.Seq < at.Seq {
		if _, err := s.advance(ctx, old, there, at.Seq); err == nil {
			old, there = s.kept()
		}
	}
	if old == nil || there != at {
		return doubted, nil // it is of another log, or cannot be brought up to this entry
	}
	known = slices.Clone(doubted)
	uids := make([]model.UID, snap.Len())
	for i := range uids {
		now := snap.At(i)
		uids[i] = now.UID
		if slices.ContainsFunc(doubted, func(t *model.Task) bool { return t.UID == now.UID }) {
			continue
		}
		if was := s.edits.KnownOrBlank(old, now.UID); !taskfiles.IsBlank(was) && !taskfiles.Same(was, now) {
			known = append(known, was)
		}
	}
	for _, uid := range differentNames(old, uids) {
		if _, there := snap.Index(uid); !there {
			if was := s.edits.KnownOrBlank(old, uid); !taskfiles.IsBlank(was) {
				deleted = append(deleted, was)
			}
		}
	}
	for _, was := range s.edits.Deleted() {
		if _, there := snap.Index(was.UID); !there {
			deleted = append(deleted, was)
		}
	}
	return known, deleted
}

// asLogged is a task with the status that the log last gave it; without any verdict where its
// bytes are no longer kept. compacted are the files as compaction left them.
func (s *Store) asLogged(now *model.Task, l logged, compacted func() (map[string]past.File, error)) (*model.Task, error) {
	if l.hash == "" {
		return taskfiles.Blank(now.UID), nil
	}
	name := layout.TaskFile(now.UID, layout.StatusFile)
	if l.seq > 0 {
		e, _, err := s.log.ReadEntry(l.seq)
		if err != nil {
			return nil, err
		}
		for i := range e.Files {
			if f := &e.Files[i]; f.Path == name {
				if b, err := s.log.BodyOf(f); err == nil {
					return s.countingByLog(taskfiles.LaidOver(now, taskfiles.Images{layout.StatusFile: b}))
				}
			}
		}
	}
	if l.seq == 0 {
		files, err := compacted()
		if err != nil {
			return nil, err
		}
		if f := files[name]; f.Body != nil && f.Hash == l.hash {
			return s.countingByLog(taskfiles.LaidOver(now, taskfiles.Images{layout.StatusFile: f.Body}))
		}
	}
	was := now.Clone()
	was.Status.AcceptedPlan, was.Status.Review, was.Status.Undo, was.Status.Elsewhere = nil, nil, nil, nil
	return was, nil
}

// pastFiles are the files as compaction left them; none where it has left nothing.
func (x *statuses) pastFiles() (map[string]past.File, error) {
	b, err := x.log.OpenBase()
	if err != nil {
		var damage *txlog.BaseError
		if errors.As(err, &damage) {
			err = nil // Doctor says so
		}
		return nil, err
	}
	files, _, err := past.Read(x.log.FS, b.Base)
	return files, err
}

// scanAtOnce is how many entries are read, at most, before it is asked whether more are needed.
const scanAtOnce = 256

// lastStatuses goes back through the log from an entry, and to its base, as far as it takes to find the
// tasks, and, where that is asked, what vespe itself gave them. Those that a broken entry may have written
// are left out, like those that none wrote. Of want the approvals go that an entry wrote.
func (x *statuses) lastStatuses(
	ctx context.Context, uids map[model.UID]bool, last uint64, given bool, want approvals,
) (map[model.UID]logged, error) {
	found := map[model.UID]logged{}
	left := maps.Clone(uids)
	step := uint64(1) // who knows where to begin is mostly right
	for hi := last; hi > 0 && len(left)+len(want) > 0; {
		n := min(hi, step)
		step = min(4*step, scanAtOnce)
		parts, errs := x.scanStatuses(ctx, left, want, hi, n)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range n {
			seq := hi - i
			switch err := errs[i]; {
			case fsys.Missing(err) && x.log.WasCompacted(seq):
				return found, x.lastInBase(uids, found, want)
			case err != nil && fsys.IsTransient(err):
				return nil, err
			case err != nil && fsys.IsWithheld(err): // without it files would be believed that it knows otherwise
				return nil, failure.New(model.CodeRefused, failure.GuardStore, nil, err, "check its permissions and the disk; `vespe verify` names it",
					"the tasks can't be compared with the log")
			case err != nil:
				return found, nil //nolint:nilerr // Doctor says so
			}
			for _, name := range parts[i].approvals {
				delete(want, name)
			}
			for uid, f := range parts[i].statuses {
				l, seen := found[uid]
				if !seen {
					l = logged{seq: seq, hash: f.Hash}
				}
				if l.given == "" && !f.Edited {
					l.given = f.Hash
				}
				if l.given != "" || !given {
					delete(left, uid)
				}
				found[uid] = l
			}
		}
		hi -= n
	}
	return found, nil
}

// scannedPart is what an entry wrote to the status.json of tasks, and which approvals.
type scannedPart struct {
	statuses  map[model.UID]txlog.ScannedFile
	approvals []string
}

// scanStatuses is that of n entries down from one.
func (x *statuses) scanStatuses(ctx context.Context, uids map[model.UID]bool, want approvals, from, n uint64) (parts []scannedPart, errs []error) {
	parts, errs = make([]scannedPart, n), make([]error, n)
	_ = parallel.Each(ctx, int(n), func(i int) error { //nolint:gosec // at most scanAtOnce
		log, err := x.log.FS.OpenDir(layout.LogDir)
		if err != nil {
			errs[i] = err
			return nil
		}
		defer log.Close()
		parts[i].statuses = map[model.UID]txlog.ScannedFile{}
		if !mayWrite(log, from-uint64(i), uids, want) { //nolint:gosec // it counts up from 0
			return nil
		}
		_, errs[i] = txlog.ScanEntry(ctx, log, from-uint64(i), func(f txlog.ScannedFile) { //nolint:gosec // it counts up from 0
			if uid, rest, ok := layout.TaskOf(f.Path); ok && rest == layout.StatusFile && uids[uid] {
				parts[i].statuses[uid] = f
			} else if ok && want.has(f.Path, f.Hash) {
				parts[i].approvals = append(parts[i].approvals, f.Path)
			}
		})
		return nil
	})
	return parts, errs
}

// mayWrite says whether an entry may write the status.json of one of the tasks, or one of the approvals. Looking for the name
// takes a fraction of what decoding the entry does, and most entries are of other tasks, or older
// than what was found.
func mayWrite(log fsys.Dir, seq uint64, uids map[model.UID]bool, want approvals) bool {
	b, err := log.ReadFile(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.SmallFile)
	if err != nil || !bytes.HasPrefix(b, []byte("{")) || !bytes.HasSuffix(b, []byte("}\n")) {
		return true // too large to be looked through like this, or torn: whoever decodes it says so
	}
	for rest := b; len(want) > 0; {
		at := bytes.Index(rest, []byte(`"`+layout.TasksDir+"/"))
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if end := bytes.IndexByte(rest, '"'); end > 0 {
			if _, is := want[string(rest[:end])]; is {
				return true
			}
		}
	}
	for {
		at := bytes.Index(b, []byte("/"+layout.StatusFile+`"`))
		if at < 0 {
			return false
		}
		uid := b[bytes.LastIndexByte(b[:at], '/')+1 : at]
		if uids[model.UID(uid)] {
			return true
		}
		b = b[at+1:]
	}
}

// lastInBase adds what only the base knows.
func (x *statuses) lastInBase(uids map[model.UID]bool, found map[model.UID]logged, want approvals) error {
	b, err := x.log.OpenBase()
	if err != nil {
		var damage *txlog.BaseError
		if errors.As(err, &damage) {
			return nil // Doctor says so
		}
		return err
	}
	if len(want) > 0 {
		deleted, err := past.DeletedTable(b.Deleted).Files()
		if err != nil {
			return err
		}
		for path, f := range deleted {
			if want.has(path, f.Hash) {
				delete(want, path)
			}
		}
	}
	return b.Paths.Each(func(path string, im txlog.LastImage) {
		if want.has(path, im.Hash) {
			delete(want, path)
		}
		uid, rest, ok := layout.TaskOf(path)
		if !ok || rest != layout.StatusFile || !uids[uid] {
			return
		}
		l, seen := found[uid]
		if !seen {
			l.hash = im.Hash
		}
		if l.given == "" {
			l.given = im.Hash
		}
		found[uid] = l
	})
}
