package follow

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
)

const (
	watchStep  = 400                   // directories that are watched at a time
	watchPause = 40 * time.Millisecond // between two such times
	watchRush  = 2000                  // at a time, without a pause, while somebody waits for it
	maxWatches = 120_000               // directories at all; a system gives one user about 200,000
)

// The numbers of directories that are no task's.
const (
	logWatch int32 = -1 - iota
	tasksWatch
	requestsWatch
)

// watches are the directories that the system watches.
type watches struct {
	w     fsys.Watcher
	asked chan chan<- struct{} // closed once every directory is watched
	ended chan struct{}        // closed when the loop has ended

	roster   roster
	rostered *snapshot.Snapshot // that the roster is as of
	next     int32              // the next number to watch; numbers are gone down
	waiting  []chan<- struct{}
	came     bool // a directory came, or took the place of another: it is not watched
	full     bool // the system gives no more watches
	blind    bool // log/ is not watched
}

func (f *Follower) watchLog() {
	f.blind = false
	for dir, name := range map[int32]string{logWatch: layout.LogDir, tasksWatch: layout.TasksDir, requestsWatch: layout.RequestsDir} {
		if err := f.w.Add(f.path(name), dir); err != nil && dir == logWatch {
			f.blind = true
		}
	}
}

// call brings the roster up to date with a snapshot.
func (f *Follower) call(snap *snapshot.Snapshot) {
	if snap == f.rostered {
		return
	}
	f.roster.update(snap)
	f.rostered = snap
}

// Watch says which tasks somebody looks at: their directories are watched first, and where the
// system does not watch them, their files are looked at more often than others'.
func (f *Follower) Watch(uids []model.UID) {
	if f == nil {
		return
	}
	f.told.mu.Lock()
	defer f.told.mu.Unlock()
	f.told.seen = uids
}

// unwatched are the tasks that somebody looks at and the system does not watch.
func (f *Follower) unwatched() (uids []model.UID) {
	f.told.mu.Lock()
	defer f.told.mu.Unlock()
	for _, uid := range f.told.seen {
		if i, ok := f.roster.number(uid); ok && (f.blind || f.lost || !f.roster.watched[i]) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// onScreen are the tasks that somebody looks at. The watches on their directories tell nothing of what is
// below these, as their approvals are.
func (f *Follower) onScreen() (uids []model.UID) {
	f.told.mu.Lock()
	defer f.told.mu.Unlock()
	for _, uid := range f.told.seen {
		if _, ok := f.roster.number(uid); ok {
			uids = append(uids, uid)
		}
	}
	return uids
}

// WatchAll returns once every directory of a task is watched, as far as the system has
// watches. A sweep of all tasks that begins then need not be repeated for them: undone is
// to be called when it fails.
func (f *Follower) WatchAll(ctx context.Context) (undone func()) {
	if f == nil {
		return func() {}
	}
	done := make(chan struct{})
	select {
	case f.asked <- done:
	case <-f.ended:
		return func() {}
	case <-ctx.Done():
		return func() {}
	}
	select {
	case <-done:
	case <-f.ended:
	case <-ctx.Done():
	}
	return func() {
		f.told.mu.Lock()
		defer f.told.mu.Unlock()
		f.told.doubt = true
	}
}

// watchOn watches some more directories, and says when to come again.
func (f *Follower) watchOn() time.Duration {
	step := watchStep
	if len(f.waiting) > 0 {
		step = watchRush
	}
	switch more := f.watchMore(step); {
	case more && len(f.waiting) > 0:
		return 0
	case more:
		return watchPause
	}
	for _, done := range f.waiting {
		close(done)
	}
	f.waiting = nil
	return convergence
}

// watchMore watches some more directories of tasks, and says whether there are others yet.
func (f *Follower) watchMore(step int) bool {
	if f.blind {
		f.watchLog()
	}
	f.came = false
	snap, _ := f.Current()
	if snap == nil {
		return false
	}
	f.call(snap)
	if f.full = f.roster.nWatched >= maxWatches; f.full || f.roster.unwatched() == 0 {
		return false
	}
	if f.next < 0 {
		f.next = f.roster.len() - 1
	}
	for _, uid := range f.unwatched() {
		if i, ok := f.roster.number(uid); ok && !f.roster.watched[i] {
			if f.full = !f.watch(i); f.full {
				return false
			}
		}
	}
	// Then the newest: they are what is being worked on.
	for n := 0; n < step && f.next >= 0; f.next-- {
		if !f.roster.here[f.next] || f.roster.watched[f.next] {
			continue
		}
		if f.full = !f.watch(f.next); f.full {
			return false
		}
		n++
	}
	return f.roster.unwatched() > 0
}

// watch watches the directory of a task; false when the system gives no more watches.
func (f *Follower) watch(i int32) bool {
	uid := f.roster.uids[i]
	switch err := f.w.Add(f.path(layout.TaskDir(uid)), i); {
	case err == nil && len(f.waiting) == 0:
		f.dirty[uid] = true // what happened before the watch was there
	case err == nil: // that is seen by who waits
	case fsys.Missing(err), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, fs.ErrPermission):
		// No directory that could be read: a load tells of that, and the watch on tasks/ of
		// its becoming another.
	default:
		return false
	}
	f.roster.setWatched(i, true)
	return true
}
