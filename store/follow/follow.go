// Package follow keeps a store's snapshot in step with what others do. One watch on log/ tells
// of other processes' transactions, and watches on the tasks' directories of edits by hand.
// Watches are hints: a timer also checks the log and scans all tasks in pieces. So changes are
// seen without watches too, or when the system loses events or doesn't report those of another
// machine.
//
// A Follower is one goroutine (Run) with state of its own. What others tell it, and it them, has a mutex (told).
// It knows the store as a Source. Start with look.
package follow

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

const (
	convergence = 2 * time.Second
	burst       = 10 * time.Millisecond  // that belongs together after a first event
	lookWatched = time.Second            // between two looks at a log that is watched
	lookBlind   = 400 * time.Millisecond // at one that is not
	quietEdit   = time.Second            // an edit is taken over when nobody writes anymore

	sliceWatched = 64   // tasks that are gone through with each look, when all are watched
	maxSlice     = 2000 // and at most, when they are not: some percent of a core
)

// Options inject what following takes from outside. The zero value is right.
type Options struct {
	LookOnly bool // take over no edits: for who only looks on
	// Rest is called about once a second, between two looks, and says whether memory is to be given
	// back; may be nil.
	Rest  func() bool
	Watch func() (fsys.Watcher, error) // fsys.NewWatcher when nil
}

// Source is what a follower needs of the store that it keeps in step.
type Source struct {
	Root  string
	Disk  *durable.Files
	Edits *edits.Table

	Current  func() (*snapshot.Snapshot, txlog.Tip)
	ReadOnly func() string // why nothing can be written; "" when it can be
	View     func() view.View
	Names    func() ([]model.UID, error) // the names in tasks/, sorted
	// Sweep compares the files of tasks with what is known, and puts what differs into the current snapshot.
	Sweep func(ctx context.Context, uids []model.UID) error
	// RefreshFiles reads again what belongs to no task.
	RefreshFiles func(ctx context.Context) error
	Import       func(ctx context.Context, uids []model.UID) (snapshot.Applied, error)
	Do           func(ctx context.Context, ops []model.Op) (snapshot.Applied, error)
	// Outruled is the hash of rules that tasks were not held against yet; false where there are none.
	Outruled   func() (hash string, is bool)
	Prioritize func(ctx context.Context) error
	// Reopen continues with another store that stands in the place of this one, unless a transaction is under way.
	Reopen func() (another bool)
	Pack   func() // what is loose in memory, where that is worth it
}

// Follower is a store being followed. A nil one is a store that nobody follows.
type Follower struct {
	Source
	only bool          // LookOnly
	rest func() bool   // Rest
	news chan struct{} // room for one: there is something for Wait
	told told

	// The rest belongs to the loop.
	watches
	pass
	imports
	results resultWatch

	dirty        map[model.UID]bool
	storeMissing bool // no store has the name of this one
	failed       error
	outruled     *string   // hash of rules that tasks are not held against yet, at the last look
	files        uint64    // how policy and requests looked when they were last read; 0: they were not
	requests     bool      // an event was about requests
	namesTime    time.Time // of tasks/ when its names were last compared; zero: not, or it was too young
}

// told is what others tell the loop, and it them.
type told struct {
	mu     sync.Mutex
	edited bool
	stale  string
	doubt  bool        // directories were watched for a sweep that did not come about
	seen   []model.UID // the tasks that somebody looks at
}

// pass is where the loop is in going through all tasks.
type pass struct {
	at   int32     // the next number to go through
	from time.Time // when this pass began
	took time.Duration
	lost bool // events were missed since the last whole pass
}

// New is a follower that does nothing before Run.
func New(of Source, opt Options) *Follower {
	watch := opt.Watch
	if watch == nil {
		watch = fsys.NewWatcher
	}
	w, err := watch()
	if err != nil {
		w = fsys.DeafWatcher{}
	}
	f := &Follower{
		Source: of, only: opt.LookOnly, rest: opt.Rest, news: make(chan struct{}, 1), dirty: map[model.UID]bool{},
		watches: watches{w: w, asked: make(chan chan<- struct{}), ended: make(chan struct{}), next: -1},
		imports: imports{since: map[model.UID]lastEdit{}},
	}
	f.watchLog()
	return f
}

// News is told something when there is something for Wait; nil where nobody follows.
func (f *Follower) News() <-chan struct{} {
	if f == nil {
		return nil
	}
	return f.news
}

// Told says whether tasks were edited since it was last asked, and why what is known may be older than it should.
func (f *Follower) Told() (edited bool, stale string) {
	if f == nil {
		return false, ""
	}
	f.told.mu.Lock()
	defer f.told.mu.Unlock()
	edited, f.told.edited = f.told.edited, false
	return edited, f.told.stale
}

func (f *Follower) tell(edited bool) {
	f.told.mu.Lock()
	f.told.edited = f.told.edited || edited
	f.told.mu.Unlock()
	select {
	case f.news <- struct{}{}:
	default:
	}
}

func (f *Follower) path(name string) string {
	return filepath.Join(f.Root, layout.Name, filepath.FromSlash(name))
}

// Run follows until ctx ends.
func (f *Follower) Run(ctx context.Context) {
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
func (f *Follower) miss(err error, open bool) {
	f.lost = f.lost || err != nil || !open
	if f.lost {
		f.roster.unwatchAll() // that a directory is watched no longer may have been missed too
	}
	if !open {
		f.w, f.blind = fsys.DeafWatcher{}, true
	}
}

func (f *Follower) every() time.Duration {
	if f.blind || len(f.unwatched()) > 0 {
		return lookBlind
	}
	return lookWatched
}

// drain gathers what belongs to the same burst.
func (f *Follower) drain(ctx context.Context) {
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
func (f *Follower) note(c fsys.Change) {
	uid := model.UID(c.Name)
	switch {
	case c.Dir >= 0:
		if uid = f.roster.uids[c.Dir]; c.Gone {
			f.roster.setWatched(c.Dir, false)
			f.came = true
		}
		f.dirty[uid] = true
	case c.Dir == requestsWatch && !c.Gone:
		f.requests = true
	case c.Gone:
		f.blind = true // another directory may take its place, with others in it
		f.roster.unwatchAll()
	case c.Dir == tasksWatch && uid.Valid():
		f.dirty[uid] = true
		if i, ok := f.roster.number(uid); !ok || !f.roster.watched[i] {
			f.came = true
		}
	}
}

// look brings the snapshot up to date: with the log, with the tasks that events were about,
// and, when it is time for that, with a piece of all the others.
func (f *Follower) look(ctx context.Context, timed bool) {
	if f.isStoreMissing() {
		return
	}
	before, at := f.Current()
	if before == nil { // nobody has loaded it: who waits reads the log
		f.tell(false)
		return
	}
	f.told.mu.Lock()
	f.lost, f.told.doubt = f.lost || f.told.doubt, false
	f.told.mu.Unlock()
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
		f.lost, f.namesTime, f.files = true, time.Time{}, 0
		f.at = min(f.at, from)
	} else {
		clear(f.dirty)
	}
	if timed {
		f.checkResults(ctx)
		f.Pack()
		if f.rest != nil && f.rest() {
			f.Disk.FS.Release()
		}
	}
	after, now := f.Current()
	f.judge()
	if after != before {
		f.tell(now.Seq == at.Seq)
	}
}

// sweep compares what there is to compare with the files.
func (f *Follower) sweep(ctx context.Context, snap *snapshot.Snapshot, timed bool) error {
	uids := make([]model.UID, 0, len(f.dirty))
	for uid := range f.dirty {
		uids = append(uids, uid)
	}
	if timed {
		moved, err := f.moved(snap)
		if err != nil {
			return err
		}
		uids = slices.Concat(uids, moved, f.onScreen(), f.tampered(), f.piece(snap))
	}
	uids = append(uids, f.Edits.Edited()...)
	slices.Sort(uids)
	if err := f.Sweep(ctx, slices.Compact(uids)); err != nil || !timed && !f.requests {
		return err
	}
	f.requests = false
	// Asked before they are read: what is written meanwhile looks other the next time.
	looks := f.filesMark()
	if looks == f.files {
		return nil
	}
	if err := f.RefreshFiles(ctx); err != nil {
		return err
	}
	f.files = looks
	return nil
}

// moved are the tasks whose directories came or went.
func (f *Follower) moved(snap *snapshot.Snapshot) ([]model.UID, error) {
	in, err := f.Disk.FS.Stat(layout.TasksDir)
	if err != nil && !fsys.Missing(err) || err == nil && in.ModTime.Equal(f.namesTime) {
		return nil, err
	}
	uids, err := f.Names()
	if err != nil {
		return nil, err
	}
	f.namesTime = in.ModTime
	if time.Since(in.ModTime) < marks.Racy {
		f.namesTime = time.Time{}
	}
	return taskfiles.DifferentNames(snap, uids), nil
}

// piece is the next tasks to go through: few when they are all watched, else as many as it
// takes to be through in time.
func (f *Follower) piece(snap *snapshot.Snapshot) []model.UID {
	now := time.Now()
	if f.at >= f.roster.len() {
		if !f.from.IsZero() {
			f.took = now.Sub(f.from)
			f.lost = false
		}
		f.call(snap)
		f.at, f.from = 0, now
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
		if f.roster.here[f.at] {
			out = append(out, f.roster.uids[f.at])
		}
	}
	return out
}

// prioritize holds the tasks against rules that are others than those that they were held against
// last, once these have not changed between two looks. No program is run for it. What keeps it from
// being done keeps nothing else: the next look tries again.
func (f *Follower) prioritize(ctx context.Context) {
	if f.only || f.ReadOnly() != "" {
		return
	}
	hash, is := f.Outruled()
	if !is || git.BusyAround(f.Root) != "" {
		f.outruled = nil
		return
	}
	if f.outruled == nil || *f.outruled != hash {
		f.outruled = &hash
		return
	}
	if err := f.Prioritize(ctx); err == nil {
		f.outruled = nil
	}
}

// judge says whether what is known may be older than it should.
func (f *Follower) judge() {
	stale, pass := "", f.took
	if !f.from.IsZero() {
		pass = max(pass, time.Since(f.from))
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
	f.told.mu.Lock()
	changed := f.told.stale != stale
	f.told.stale = stale
	f.told.mu.Unlock()
	if changed {
		f.tell(false)
	}
}
