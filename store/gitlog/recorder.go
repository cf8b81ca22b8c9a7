// Package gitlog makes a git commit of every entry of a store's log.
//
// Commits come from the after-images in the log, never from the worktree, and without the store's lock. The
// last commit names the entry to continue from, so a failure costs only time, and is a warning. There are two
// modes: a reference of its own (ref.go), or the branch that is checked out (branch.go), by paths below .vespe
// alone. Start reading with Recorder.Record.
package gitlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

const (
	lockFile  = "cache/git.lock"
	lockWait  = 5 * time.Second      // for another process that is recording
	lockPoll  = 8 * time.Millisecond // between two tries to lock, at most
	startTime = 15 * time.Minute     // for the first commit, which holds the whole store

	// In a large store every commit writes a large tree of tasks/ anew, so that commits are
	// made several at once: not before pauseEach per pauseTree bytes of that tree has
	// passed since the last ones, unless pauseMost entries wait.
	pauseEach = time.Second
	pauseTree = 256 << 10
	pauseMost = 250
)

// Source is the store that is recorded.
type Source struct {
	Root    string
	Disk    *durable.Files
	Log     *txlog.Log
	Now     func() time.Time // in milliseconds
	StoreID func() string
	Policy  func() (model.Policy, error)
	Trusted func() bool   // git may be run
	Last    func() uint64 // an entry that is known to be there; 0 for none
	Tasks   func() (int, error)
	Environ func() []string
	Working func(what string, done, total int) // is told of a first commit; may be nil
}

// Recorder records one store. It is safe for concurrent use.
type Recorder struct {
	Source
	Batch uint64                   // entries that are recorded before a reference moves
	Limit time.Duration            // that git may take for what is not a first commit
	Move  func(func() error) error // moves the branch
	Turn  parallel.Turn            // held while something is recorded

	repo   *git.Repo // that was found; nil after any trouble. Guarded by Turn
	mu     sync.Mutex
	warned map[string]bool // kinds of trouble that were told
	late   []string        // warnings of what was recorded in the background, not told yet
}

// New makes a Recorder.
func New(of Source) *Recorder {
	move := func(move func() error) error { return move() }
	return &Recorder{Source: of, Batch: 1000, Limit: git.Time, Move: move, Turn: parallel.NewTurn()}
}

// troubleError says why recording is off for now. Each kind is reported once.
type troubleError struct {
	kind, text string
	err        error
}

func (t *troubleError) Error() string {
	if t.err != nil {
		return fmt.Sprintf("%s: %v", t.text, t.err)
	}
	return t.text
}

func (t *troubleError) Unwrap() error { return t.err }

func trouble(kind string, err error, format string, args ...any) error {
	return &troubleError{kind, fmt.Sprintf(format, args...), err}
}

// errStart says that there is nothing to continue from.
var errStart = errors.New("the history begins here")

// RecordLater is Record in the background, as part of a group. What goes wrong TakeLate tells.
func (s *Recorder) RecordLater(ctx context.Context, group *sync.WaitGroup) {
	group.Go(func() {
		late := s.Record(context.WithoutCancel(ctx), false)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.late = append(s.late, late...)
	})
}

// TakeLate are the warnings of RecordLater that were not told yet.
func (s *Recorder) TakeLate() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.late
	s.late = nil
	return late
}

// Record makes a commit of every entry of the log that has none yet, where git.mode asks for it. What goes
// wrong is a warning, and the next call catches up. all: also what a large store leaves for later.
func (s *Recorder) Record(ctx context.Context, all bool) []string {
	p, err := s.Policy()
	if err != nil {
		return nil
	}
	if wrong := p.GitMistake(); wrong != "" {
		return s.warn(trouble("bad-mode", nil, "%s: %s: vespe makes no commits until then", layout.Shown(layout.PolicyFile), wrong))
	}
	mode := p.GitMode()
	if mode == model.GitOff {
		return nil
	}
	if !s.Trusted() {
		return s.warn(trouble("untrusted", nil, `git.mode %q of %s is off, because this store is not trusted: run `+"`vespe store trust`", mode, layout.Shown(layout.PolicyFile)))
	}
	if s.Turn.Take(ctx) != nil {
		return nil
	}
	defer s.Turn.Give()
	err = s.recordAs(ctx, mode, all)
	if err == nil || ctx.Err() != nil { // who gave up knows it
		return nil
	}
	return s.warn(err)
}

func (s *Recorder) recordAs(ctx context.Context, mode string, all bool) error {
	last, err := s.Log.Tail(s.Last())
	if err != nil || last == 0 {
		return err
	}
	h := s.readHint(mode)
	if h.Seq == last || !all && h.wait(last, s.Now()) {
		return nil
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	if lock == nil {
		return nil // who has it comes to our entry, too, or the next one does
	}
	defer lock.Close()
	if h = s.readHint(mode); h.Seq == last {
		return nil
	}
	err = s.record(ctx, mode, h, s.Limit, false)
	if errors.Is(err, errStart) {
		err = s.record(ctx, mode, h, startTime, true)
	}
	return err
}

// record brings the history up to the end of the log, in a bounded time.
func (s *Recorder) record(ctx context.Context, mode string, h hint, limit time.Duration, start bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("git took too long; vespe records the rest later"))
	defer cancel()
	repo, err := s.repo, error(nil)
	if repo == nil {
		repo, err = git.Find(ctx, s.Environ(), s.Root)
	}
	s.repo = nil
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, git.ErrNoGit):
		return trouble("no-git", nil, "git.mode is %q, but git is not on the PATH", mode)
	case errors.Is(err, git.ErrNoRepo):
		return trouble("no-repo", err, "git.mode is %q, but nothing can be recorded for %s", mode, s.Root)
	case err != nil:
		return err
	}
	for range 5 {
		again := attempt{s: s, ctx: ctx, repo: repo, hint: h, base: repo.Prefix + layout.Name, start: start}
		if err = again.run(mode); !errors.Is(err, git.ErrMoved) {
			break
		}
		h = s.readHint(mode) // it may say what is half done
	}
	switch {
	case err == nil:
		s.repo = repo
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// warn is a warning, the first time that there is trouble of its kind.
func (s *Recorder) warn(err error) []string {
	kind := "failed"
	var t *troubleError
	if errors.As(err, &t) {
		kind = t.kind
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warned[kind] {
		return nil
	}
	if s.warned == nil {
		s.warned = map[string]bool{}
	}
	s.warned[kind] = true
	text := err.Error()
	if t == nil {
		text = "the transaction is safe, but isn't in git yet: " + text
	}
	return []string{text}
}

// lock keeps the processes that record apart. Like the store's lock it is there for
// fairness: what moves a reference says what it was before.
func (s *Recorder) lock(ctx context.Context) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, lockPoll) {
		c, err := s.Disk.FS.TryLock(lockFile)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, fsys.ErrLocked) {
			return nil, err
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil, nil
		case <-t.C:
		}
	}
}
