package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/marks"
)

// Following keeps a store's snapshot in step with what others do. One watch on log/ tells
// of other processes' transactions, watches on the tasks' directories of edits past vespe.
// They are hints: the log is looked at every so often all the same, and all tasks are gone
// through piece by piece, so that everything is seen within convergence also where the
// system gives no watches, loses events, or does not tell of what another machine wrote.
const (
	convergence = 2 * time.Second
	burst       = 10 * time.Millisecond  // that belongs together after a first event
	lookWatched = time.Second            // between two looks at a log that is watched
	lookBlind   = 400 * time.Millisecond // at one that is not
	quietEdit   = time.Second            // an edit is taken over when nobody writes anymore

	sliceWatched = 64   // tasks that are gone through with each look, when all are watched
	maxSlice     = 2000 // and at most, when they are not: some percent of a core
)

// FollowOptions inject what following takes from outside. The zero value is right.
type FollowOptions struct {
	LookOnly bool // take over no edits: for who only looks on
	// Rest is called about once a second, between two looks, and says whether memory is to be given
	// back; may be nil.
	Rest  func() bool
	watch func() (fsys.Watcher, error) // newSystemWatcher when nil
}

// follower is a store being followed.
type follower struct {
	s    *Store
	w    fsys.Watcher
	only bool          // LookOnly
	rest func() bool   // Rest
	news chan struct{} // room for one: there is something for Wait

	asked chan chan<- struct{} // closed once every directory is watched
	ended chan struct{}        // closed when the loop has ended

	mu     sync.Mutex
	edited bool
	stale  string
	doubt  bool        // directories were watched for a sweep that did not come about
	seen   []model.UID // the tasks that somebody looks at

	// The rest belongs to the loop.
	dirty        map[model.UID]bool
	roster       roster
	rostered     *model.Snapshot // that the roster is as of
	next         int32           // the next number to watch; numbers are gone down
	waiting      []chan<- struct{}
	came         bool      // a directory came, or took the place of another: it is not watched
	at           int32     // the next number to go through
	passFrom     time.Time // when this pass began
	pass         time.Duration
	full         bool // the system gives no more watches
	blind        bool // log/ is not watched
	storeMissing bool // no store has the name of this one
	lost         bool // events were missed since the last whole pass
	since        map[model.UID]lastEdit
	failed       error
	held         error     // why edits cannot be taken over, though they can be seen
	outruled     *string   // hash of rules that tasks are not held against yet, at the last look
	tried        time.Time // when that was last tried
	tries        int       // how often, since it could not be done
	storeFiles   uint64    // how policy and requests looked when they were last read; 0: they were not
	queue        bool      // an event was about requests
	results      resultWatch

	namesTime time.Time // of tasks/ when its names were last compared; zero: not, or it was too young
}

// Follow begins to keep the store in step with what others write, until ctx ends or the store is closed. Wait
// tells of it. Edits past vespe are taken over once they have been quiet for a second,
// unless the store is for reading only.
func (s *Store) Follow(ctx context.Context, opt FollowOptions) {
	watch := opt.watch
	if watch == nil {
		watch = fsys.NewWatcher
	}
	w, err := watch()
	if err != nil {
		w = fsys.DeafWatcher{}
	}
	f := &follower{
		s: s, w: w, only: opt.LookOnly, rest: opt.Rest, news: make(chan struct{}, 1),
		asked: make(chan chan<- struct{}), ended: make(chan struct{}),
		dirty: map[model.UID]bool{}, since: map[model.UID]lastEdit{}, next: -1,
	}
	f.watchLog()
	ctx, end := context.WithCancel(ctx)
	s.mu.Lock()
	s.follower = f
	s.ends = append(s.ends, end)
	s.mu.Unlock()
	s.background.Go(func() {
		defer end()
		f.run(ctx)
	})
}

func (s *Store) isFollowed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.follower != nil
}

// Wait returns when something changed since the last Wait, and after d in any case. Without
// Follow it only waits. The error says that the log cannot be looked at.
func (s *Store) Wait(ctx context.Context, d time.Duration) (model.Update, error) {
	s.mu.Lock()
	f := s.follower
	s.mu.Unlock()
	var news chan struct{}
	if f != nil {
		news = f.news
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return model.Update{}, ctx.Err()
	case <-news:
	case <-t.C:
	}
	if err := s.fs.Named(); err != nil {
		_, at := s.kept()
		return model.Update{Seq: at.Seq, Stale: err.Error()}, nil
	}
	seq, err := s.Head(ctx)
	u := model.Update{Seq: seq}
	if f != nil {
		f.mu.Lock()
		u.Edited, u.Stale = f.edited, f.stale
		f.edited = false
		f.mu.Unlock()
	}
	return u, err
}

func (f *follower) tell(edited bool) {
	f.mu.Lock()
	f.edited = f.edited || edited
	f.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

func (f *follower) path(name string) string {
	return filepath.Join(f.s.root, layout.Name, filepath.FromSlash(name))
}

func (f *follower) run(ctx context.Context) {
	defer close(f.ended)
	defer f.w.Close() // only read from
	look, more := time.NewTimer(0), time.NewTimer(watchPause)
	defer look.Stop()
	defer more.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-f.w.Events():
			if !ok {
				f.miss(fsys.ErrDeaf, false)
				continue
			}
			f.note(e)
			f.drain(ctx)
			f.look(ctx, false)
			if f.came {
				f.watchMore(watchStep)
			}
		case err, ok := <-f.w.Lost():
			f.miss(err, ok)
			f.look(ctx, false)
		case <-look.C:
			f.look(ctx, true)
			look.Reset(f.every())
		case done := <-f.asked:
			f.waiting = append(f.waiting, done)
			more.Reset(0)
		case <-more.C:
			more.Reset(f.watchOn())
		}
	}
}

// miss remembers that the system did not tell of something, or has stopped telling.
func (f *follower) miss(err error, open bool) {
	f.lost = f.lost || err != nil || !open
	if f.lost {
		f.roster.unwatchAll() // that a directory is watched no longer may have been missed too
	}
	if !open {
		f.w, f.blind = fsys.DeafWatcher{}, true
	}
}

func (f *follower) every() time.Duration {
	if f.blind || len(f.unwatched()) > 0 {
		return lookBlind
	}
	return lookWatched
}

// drain gathers what belongs to the same burst.
func (f *follower) drain(ctx context.Context) {
	end := time.NewTimer(burst)
	defer end.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-end.C:
			return
		case err, ok := <-f.w.Lost():
			f.miss(err, ok)
		case e, ok := <-f.w.Events():
			if !ok {
				return
			}
			f.note(e)
		}
	}
}

// note remembers which task an event is about. One about the log needs no remembering: it
// is looked at anyway.
func (f *follower) note(c fsys.Change) {
	uid := model.UID(c.Name)
	switch {
	case c.Dir >= 0:
		if uid = f.roster.uid(c.Dir); c.Gone {
			f.roster.setWatched(c.Dir, false)
			f.came = true
		}
		f.dirty[uid] = true
	case c.Dir == requestsWatch && !c.Gone:
		f.queue = true
	case c.Gone:
		f.blind = true // another directory may take its place, with others in it
		f.roster.unwatchAll()
	case c.Dir == tasksWatch && uid.Valid():
		f.dirty[uid] = true
		if i, ok := f.roster.number(uid); !ok || !f.roster.watched.has(i) {
			f.came = true
		}
	}
}

// look brings the snapshot up to date: with the log, with the tasks that events were about,
// and, when it is time for that, with a piece of all the others.
func (f *follower) look(ctx context.Context, timed bool) {
	s := f.s
	if f.isStoreMissing() {
		return
	}
	before, at := s.kept()
	if before == nil { // nobody has loaded it: who waits reads the log
		f.tell(false)
		return
	}
	f.mu.Lock()
	f.lost, f.doubt = f.lost || f.doubt, false
	f.mu.Unlock()
	from := f.at
	err := f.sweep(ctx, before, timed)
	if err == nil {
		f.held = f.takeOver(ctx) // what was found stays known whatever becomes of that
		if timed {
			f.prioritize(ctx)
		}
	}
	if ctx.Err() != nil {
		return
	}
	if f.failed = err; err != nil { // nothing of this look counts: what it was for is gone through again
		f.lost, f.namesTime, f.storeFiles = true, time.Time{}, 0
		f.at = min(f.at, from)
	} else {
		clear(f.dirty)
	}
	if timed {
		f.checkResults(ctx)
		s.packSoon()
		if f.rest != nil && f.rest() {
			s.fs.Release()
		}
	}
	after, now := s.kept()
	f.judge()
	if after != before {
		f.tell(now.Seq == at.Seq)
	}
}

// sweep compares what there is to compare with the files.
func (f *follower) sweep(ctx context.Context, snap *model.Snapshot, timed bool) error {
	s := f.s
	uids := make([]model.UID, 0, len(f.dirty))
	for uid := range f.dirty {
		uids = append(uids, uid)
	}
	if timed {
		moved, err := f.moved(snap)
		if err != nil {
			return err
		}
		uids = slices.Concat(uids, moved, f.onScreen(), s.tamperedTasks(), f.piece(snap))
	}
	uids = append(uids, s.Edited()...)
	slices.Sort(uids)
	if err := s.sweep(ctx, slices.Compact(uids), nil); err != nil || !timed && !f.queue {
		return err
	}
	f.queue = false
	// Asked before they are read: what is written meanwhile looks other the next time.
	looks := s.storeFilesMark()
	if looks == f.storeFiles {
		return nil
	}
	if err := s.refreshStoreFiles(ctx); err != nil {
		return err
	}
	f.storeFiles = looks
	return nil
}

// moved are the tasks whose directories came or went.
func (f *follower) moved(snap *model.Snapshot) ([]model.UID, error) {
	in, err := f.s.fs.Stat(layout.TasksDir)
	if err != nil && !fsys.Missing(err) || err == nil && in.ModTime.Equal(f.namesTime) {
		return nil, err
	}
	uids, _, err := f.s.listTasks()
	if err != nil {
		return nil, err
	}
	f.namesTime = in.ModTime
	if time.Since(in.ModTime) < marks.Racy {
		f.namesTime = time.Time{}
	}
	return differentNames(snap, uids), nil
}

// piece is the next tasks to go through: few when they are all watched, else as many as it
// takes to be through in time.
func (f *follower) piece(snap *model.Snapshot) []model.UID {
	now := time.Now()
	if f.at >= f.roster.len() {
		if !f.passFrom.IsZero() {
			f.pass = now.Sub(f.passFrom)
			f.lost = false
		}
		f.call(snap)
		f.at, f.passFrom = 0, now
	}
	n := sliceWatched
	if f.lost || f.blind || f.roster.unwatched() > 0 {
		most := maxSlice
		if !f.blind { // what is not told of may come more often than the log is looked at
			most = most * int(f.every()) / int(lookWatched)
		}
		n = min(most, max(n, f.roster.nHere*int(f.every())/int(convergence-f.every())+1))
	}
	out := make([]model.UID, 0, n)
	for ; len(out) < n && f.at < f.roster.len(); f.at++ {
		if f.roster.here.has(f.at) {
			out = append(out, f.roster.uid(f.at))
		}
	}
	return out
}

// lastEdit is when a task was last seen to be written, and how its files looked then.
type lastEdit struct {
	at    time.Time
	looks uint64
}

// takeOver makes transactions of edits that nobody is writing anymore: half a text is no
// revision. It waits for a merge or rebase that git has not finished. While that fails, for a full disk say, one of them is tried every so often, which costs
// little, and all of them as soon as that works.
func (f *follower) takeOver(ctx context.Context) error {
	s := f.s
	if f.only || s.ReadOnly() != "" {
		return nil
	}
	edited := s.Edited()
	now := time.Now()
	for uid := range f.since {
		if !slices.Contains(edited, uid) {
			delete(f.since, uid)
		}
	}
	var quiet []model.UID
	for _, uid := range edited {
		last, known := f.since[uid]
		looks := s.looks(uid)
		switch {
		case !known || f.dirty[uid] || looks != last.looks:
			f.since[uid] = lastEdit{now, looks}
		case now.Sub(last.at) >= quietEdit:
			quiet = append(quiet, uid)
		}
	}
	switch {
	case len(edited) == 0 || git.BusyAround(s.root) != "": // in a rebase, files are not what they will be
		return nil
	case len(quiet) == 0 || f.held != nil && now.Sub(f.tried) < convergence:
		return f.held
	case f.held != nil:
		i := f.tries % len(quiet)
		if err := f.takeThese(ctx, quiet[i:i+1]); err != nil {
			return err
		}
	}
	return f.takeThese(ctx, quiet)
}

// prioritize holds the tasks against rules that are others than those that they were held against
// last, once these have not changed between two looks. No program is run for it. What keeps it from
// being done keeps nothing else: the next look tries again.
func (f *follower) prioritize(ctx context.Context) {
	s := f.s
	if f.only || s.ReadOnly() != "" {
		return
	}
	hash, is := s.outruled()
	if !is || git.BusyAround(s.root) != "" {
		f.outruled = nil
		return
	}
	if f.outruled == nil || *f.outruled != hash {
		f.outruled = &hash
		return
	}
	if _, err := s.Prioritize(ctx, PrioritizeOptions{}); err == nil {
		f.outruled = nil
	}
}

func (f *follower) takeThese(ctx context.Context, uids []model.UID) error {
	_, err := f.s.ImportEdits(ctx, uids)
	f.tried, f.tries = time.Now(), f.tries+1
	for _, uid := range uids { // what is left is tried again after as long
		f.since[uid] = lastEdit{f.tried, f.since[uid].looks}
	}
	return err
}

// judge says whether what is known may be older than it should.
func (f *follower) judge() {
	stale, pass := "", f.pass
	if !f.passFrom.IsZero() {
		pass = max(pass, time.Since(f.passFrom))
	}
	switch uncovered := f.roster.unwatched(); {
	case f.failed != nil:
		stale = fmt.Sprintf("the store cannot be followed: %s", strings.TrimSuffix(f.failed.Error(), "."))
	case f.held != nil:
		stale = fmt.Sprintf("can't record an edit made outside vespe: %s", strings.TrimSuffix(f.held.Error(), "."))
	case (f.lost || f.blind || f.full && uncovered > 0) && pass > convergence+lookWatched:
		stale = fmt.Sprintf("the system doesn't report every change, and checking all %d tasks takes %s",
			f.roster.nHere, pass.Round(time.Second))
	}
	f.mu.Lock()
	changed := f.stale != stale
	f.stale = stale
	f.mu.Unlock()
	if changed {
		f.tell(false)
	}
}
