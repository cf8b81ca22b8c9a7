package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/git"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

const (
	gitLockFile  = "cache/git.lock"
	gitHintFile  = "cache/git.json"
	gitLockWait  = 5 * time.Second  // for another process that is recording
	gitStartTime = 15 * time.Minute // for the first commit, which holds the whole store
	gitBatch     = 1000             // entries that are recorded before the reference moves

	// In a large store every commit writes a large tree of tasks/ anew, so that commits are
	// made several at once: not before gitPause per gitPauseTree bytes of that tree has
	// passed since the last ones, unless gitPauseMost entries wait.
	gitPause     = time.Second
	gitPauseTree = 256 << 10
	gitPauseMost = 250
)

// gitState is what a Store remembers about recording.
type gitState struct {
	turn   parallel.Turn
	repo   *git.Repo                // that was found; nil after any trouble. Guarded by turn
	batch  uint64                   // entries that are recorded before a reference moves
	pack   uint64                   // commits after which single objects become a pack
	move   func(func() error) error // moves the branch; tests act before it
	mu     sync.Mutex
	warned map[string]bool // kinds of trouble that were told
	late   []string        // warnings of what was recorded beside, not told yet
}

func newGitState() gitState {
	move := func(move func() error) error { return move() }
	return gitState{turn: parallel.NewTurn(), batch: gitBatch, pack: looseCommits, move: move}
}

// gitTrouble is why nothing is recorded for now. Of each kind one is told.
type gitTrouble struct {
	kind, text string
	err        error
}

func (t *gitTrouble) Error() string {
	if t.err != nil {
		return fmt.Sprintf("%s: %v", t.text, t.err)
	}
	return t.text
}

func (t *gitTrouble) Unwrap() error { return t.err }

func trouble(kind string, err error, format string, args ...any) error {
	return &gitTrouble{kind, fmt.Sprintf(format, args...), err}
}

// errStart says that there is nothing to go on from.
var errStart = errors.New("the history begins here")

// recordGit makes a commit of every entry of the log that has none yet, where git.mode asks
// for it. It is called after a transaction, without the store's lock: what goes wrong is a
// warning, and the next one catches up.
//
// In a store that is followed somebody waits for the screen, and a first commit takes half a
// minute where there are 100,000 tasks: commits are made beside, and what goes wrong is told
// with the next transaction.
func (s *Store) recordGit(ctx context.Context) []string {
	if !s.isFollowed() {
		return s.catchUp(ctx, false)
	}
	s.background.Go(func() {
		late := s.catchUp(context.WithoutCancel(ctx), false)
		s.git.mu.Lock()
		defer s.git.mu.Unlock()
		s.git.late = append(s.git.late, late...)
	})
	return s.git.takeLate()
}

func (g *gitState) takeLate() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	late := g.late
	g.late = nil
	return late
}

// RecordGit is for whoever will not write again soon: it also records what a large store
// leaves for later. The strings are warnings.
func (s *Store) RecordGit(ctx context.Context) []string {
	if s.ReadOnly() != "" {
		return nil
	}
	now := s.catchUp(ctx, true)
	return append(s.git.takeLate(), now...)
}

func (s *Store) catchUp(ctx context.Context, all bool) []string {
	p, _, err := s.readPolicy()
	if err != nil {
		return nil
	}
	if wrong := p.GitMistake(); wrong != "" {
		return s.warnGit(trouble("bad-mode", nil, "%s: %s: no commits are made until then", layout.Shown(layout.PolicyFile), wrong))
	}
	mode := p.GitMode()
	if mode == model.GitOff {
		return nil
	}
	if !s.Trusted() {
		return s.warnGit(trouble("untrusted", nil, `git.mode %q of %s is off, because this store is not trusted: run `+"`vespe trust`", mode, layout.Shown(layout.PolicyFile)))
	}
	if s.git.turn.Take(ctx) != nil {
		return nil
	}
	defer s.git.turn.Give()
	err = s.recordAs(ctx, mode, all)
	if err == nil || ctx.Err() != nil { // who gave up knows it
		return nil
	}
	return s.warnGit(err)
}

func (s *Store) recordAs(ctx context.Context, mode string, all bool) error {
	s.mu.Lock()
	from := s.tip.Seq
	s.mu.Unlock()
	last, err := s.log.Tail(from)
	if err != nil || last == 0 {
		return err
	}
	h := s.readGitHint(mode)
	if h.Seq == last || !all && h.wait(last, s.opt.Now()) {
		return nil
	}
	lock, err := s.gitLock(ctx)
	if err != nil {
		return err
	}
	if lock == nil {
		return nil // who has it comes to our entry, too, or the next one does
	}
	defer lock.Close()
	if h = s.readGitHint(mode); h.Seq == last {
		return nil
	}
	err = s.record(ctx, mode, h, gitTime, false)
	if errors.Is(err, errStart) {
		err = s.record(ctx, mode, h, gitStartTime, true)
	}
	return err
}

// record brings the history up to the end of the log, in a bounded time.
func (s *Store) record(ctx context.Context, mode string, h gitHint, limit time.Duration, start bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("git took too long; the rest is recorded later"))
	defer cancel()
	repo, err := s.git.repo, error(nil)
	if repo == nil {
		repo, err = git.Find(ctx, s.opt.Environ(), s.root)
	}
	s.git.repo = nil
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, git.ErrNoGit):
		return trouble("no-git", nil, "git.mode is %q, but there is no git on the PATH", mode)
	case errors.Is(err, git.ErrNoRepo):
		return trouble("no-repo", err, "git.mode is %q, but nothing can be recorded for %s", mode, s.root)
	case err != nil:
		return err
	}
	for range 5 {
		again := recorder{s: s, ctx: ctx, repo: repo, hint: h, base: repo.Prefix + layout.Name, start: start}
		if err = again.run(mode); !errors.Is(err, git.ErrMoved) {
			break
		}
		h = s.readGitHint(mode) // it may say what is half done
	}
	switch {
	case err == nil:
		s.git.repo = repo
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// warnGit is a warning, the first time that there is trouble of its kind.
func (s *Store) warnGit(err error) []string {
	kind := "failed"
	var t *gitTrouble
	if errors.As(err, &t) {
		kind = t.kind
	}
	s.git.mu.Lock()
	defer s.git.mu.Unlock()
	if s.git.warned[kind] {
		return nil
	}
	if s.git.warned == nil {
		s.git.warned = map[string]bool{}
	}
	s.git.warned[kind] = true
	text := err.Error()
	if t == nil {
		text = "the transaction is safe, but git did not record it: " + text
	}
	return []string{text}
}

// gitLock keeps the processes that record apart. Like the store's lock it is there for
// fairness: what moves a reference says what it was before.
func (s *Store) gitLock(ctx context.Context) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLockWait)
	defer cancel()
	for wait := time.Millisecond; ; wait = min(2*wait, 4*lockPoll) {
		c, err := s.fs.TryLock(gitLockFile)
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

// gitHint is cache/git.json: how far recording has come. In the mode "ref" it only saves
// time: the reference itself says. In the mode "branch" it says what is on no branch that
// is checked out now; an entry that it names must be one of this log.
type gitHint struct {
	Mode string  `json:"mode"`
	Seq  uint64  `json:"seq"`
	Head string  `json:"head,omitzero"` // of that entry
	OID  git.OID `json:"commit,omitzero"`
	// The commits after Packed are single objects, which are to become one pack.
	Packed    git.OID   `json:"packed,omitzero"`
	PackedSeq uint64    `json:"packed_seq,omitzero"`
	Loose     int       `json:"loose,omitzero"` // bytes, roughly
	Tree      int       `json:"tree,omitzero"`  // bytes of the largest directory
	At        time.Time `json:"at,omitzero"`
	// Commits of the mode "branch" that are under way: the lock of the index that is ours,
	// the commit that HEAD had, and the one it has when that lock is to become the index.
	Lock []string `json:"lock,omitzero"`
	From git.OID  `json:"from,omitzero"`
	Next git.OID  `json:"next,omitzero"`
	// Others that were to follow From: the git that was to move the branch there may do so
	// after whoever started it is dead.
	Past []git.OID `json:"past,omitzero"`
}

func (s *Store) readGitHint(mode string) gitHint {
	var h gitHint
	b, err := s.fs.ReadFile(gitHintFile, layout.MaxJSON)
	if err != nil || json.Unmarshal(b, &h) != nil || h.Mode != mode || (h.Seq == 0) != (h.Head == "") {
		return gitHint{Mode: mode, Lock: h.Lock, From: h.From, Next: h.Next, Past: h.Past}
	}
	return h
}

// writeGitHint is not durable, and need not be.
func (s *Store) writeGitHint(h gitHint) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	tmp := s.disk.TempName("git")
	if err := s.disk.WriteFile(tmp, append(b, '\n'), false); err != nil {
		return err
	}
	return s.fs.Rename(tmp, gitHintFile)
}

// wait: it is too early to write a tree as large as the last one again.
func (h gitHint) wait(last uint64, now time.Time) bool {
	pause := time.Duration(h.Tree/gitPauseTree) * gitPause
	since := now.Sub(h.At)
	return h.Seq > 0 && last > h.Seq && last-h.Seq < gitPauseMost && since >= 0 && since < pause
}

// recorder is one attempt to record.
type recorder struct {
	s     *Store
	ctx   context.Context //nolint:containedctx // one attempt
	repo  *git.Repo
	cat   *git.Cat
	hint  gitHint
	base  string // .vespe as git sees it
	start bool   // a first commit may be made
	meter *meter // of putAll; nil: nobody is told
}

func (r *recorder) run(mode string) (err error) {
	if r.cat, err = r.repo.Cat(r.ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.cat.Close()) }()
	if mode == model.GitBranch {
		return r.branch()
	}
	return r.ref()
}

// reflogReason is what the log of a reference says of a move.
const reflogReason = "vespe: entries of the log"

// who is named there.
func (r *recorder) who() git.Commit { return author(model.System+":vespe", r.s.now()) }

// has reports whether this store's log has an entry with this hash. missing: it has neither
// that entry nor the next, so that nothing can be said.
func (r *recorder) has(at txlog.Tip) (has, missing bool) {
	if at.Seq == 0 {
		return true, false
	}
	next, _, err := r.s.log.ReadEntry(at.Seq + 1)
	if err == nil {
		return next.Prev == at.Head, false
	}
	_, head, err2 := r.s.log.ReadEntry(at.Seq)
	return err2 == nil && head == at.Head, fsys.Missing(err) && fsys.Missing(err2)
}

// newWriter begins at a commit, with files as executable as they are in the worktree.
func (r *recorder) newWriter(base git.OID) (*git.Writer, error) {
	w, err := r.repo.NewWriter(r.ctx, r.cat, base)
	if err != nil {
		return nil, err
	}
	tells, asked := false, false
	w.Executable = func(path string) (is, known bool) {
		in, err := r.s.fs.Stat(strings.TrimPrefix(path, r.base+"/"))
		if err != nil || in.Type != 0 {
			return false, false
		}
		if !asked {
			tells, asked = r.repo.FileMode(r.ctx), true
		}
		return in.Exec, tells
	}
	return w, nil
}

// errGap says that the log does not go back as far as the history.
var errGap = errors.New("entries of the log are gone")

// replay commits the entries after at, as many as one batch has.
func (r *recorder) replay(w *git.Writer, at txlog.Tip, last uint64, skip func(path string) bool) (txlog.Tip, git.OID, error) {
	var oid git.OID
	for last = min(last, at.Seq+r.s.git.batch); at.Seq < last; {
		if err := r.ctx.Err(); err != nil {
			return at, oid, err
		}
		e, head, err := r.s.log.ReadEntry(at.Seq + 1)
		if fsys.Missing(err) {
			return at, oid, errGap
		}
		if err != nil {
			return at, oid, err
		}
		if at.Seq > 0 && e.Prev != at.Head {
			return at, oid, trouble("broken-log", nil, "git records nothing after entry %d: the next does not follow from it; run `vespe doctor`", at.Seq)
		}
		if err := r.put(w, e, skip); err != nil {
			return at, oid, err
		}
		at = txlog.Tip{Seq: e.Seq, Head: head}
		if oid, err = w.Commit(commitOf(e, at, r.s.storeID()), skip != nil); err != nil {
			return at, oid, err
		}
	}
	return at, oid, nil
}

// put lays the files of an entry into the tree.
func (r *recorder) put(w *git.Writer, e *txlog.Entry, skip func(path string) bool) error {
	for i := range e.Files {
		f := &e.Files[i]
		path := r.base + "/" + f.Path
		if skip != nil && skip(path) || git.CheckPath(path) != nil {
			continue
		}
		if f.Hash == "" {
			if err := w.Remove(path); err != nil {
				return err
			}
			continue
		}
		body, err := r.s.log.BodyOf(f)
		if err != nil {
			return err
		}
		if err := w.Put(path, body); err != nil {
			return err
		}
		f.Body, f.Bytes = nil, nil // it is in the pack now
	}
	return nil
}

// machinery is what of .vespe no commit holds.
func machinery(name string) bool {
	switch name {
	case layout.LogDir, layout.ObjectsDir, layout.TmpDir, layout.LockFile, layout.CacheDir:
		return true
	}
	return strings.Contains(name, layout.TheirsMark)
}
