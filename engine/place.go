package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vespe/model"
	"vespe/store/statedir"
)

// place is where this machine keeps what only it can know of a store's runs: which processes they are,
// where their worktrees lie and how far each has come. It is the person's own state directory, never
// the store, which others write to and which travels.
//
//	runs/<store id>/loop.lock   held by the loop that runs
//	runs/<store id>/loop.json   what it says of itself
//	runs/<store id>/words/      what other processes ask of it
//	runs/<store id>/<run>/      run.json: how far the run is, and what engine/proc keeps
type place struct{ dir string }

// errNoState says that there is no place to remember runs in.
var errNoState = errors.New("no directory for runs: neither HOME nor XDG_STATE_HOME is set")

// placeOf is the place of a store.
func placeOf(getenv func(string) string, storeID string) (place, error) {
	dir := statedir.Path(getenv)
	switch {
	case dir == "":
		return place{}, errNoState
	case storeID == "" || storeID != filepath.Base(storeID) || strings.HasPrefix(storeID, "."):
		return place{}, fmt.Errorf("the store's id %q is not a valid directory name: see .vespe/store.json", storeID)
	}
	return place{filepath.Join(dir, "runs", storeID)}, nil
}

func (p place) run(id string) string { return filepath.Join(p.dir, id) }
func (p place) lockFile() string     { return filepath.Join(p.dir, "loop.lock") }
func (p place) words() string        { return filepath.Join(p.dir, "words") }

// ErrRuns says that a loop runs on the store already.
var ErrRuns = errors.New("a loop is already running on this store")

// lockWait is how long the lock of the loop is tried for: anyone who only looks whether one runs holds it
// for a moment.
const lockWait = time.Second

// lock makes this process the one loop of the store. The lock goes with the process, however it ends.
func (p place) lock() (unlock func(), err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := openLock(p.lockFile())
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(10 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(end) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrRuns
	}
	return nil, errors.Join(err, f.Close())
}

func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
}

// held reports whether a living process has the lock of the loop.
func (p place) held() bool {
	f, err := os.OpenFile(p.lockFile(), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// step is how far a run has come: what is certain to have happened. A crash leaves it at the last one
// that was written down, and what comes next is done again or found to be done.
type step string

const (
	stepHand      step = "hand"      // no run yet: a worktree in which a person works, for the next run
	stepClaim     step = "claim"     // the task may be claimed: `start` was fired, or was about to be
	stepSetup     step = "setup"     // it is claimed; the worktree may be there
	stepWork      step = "work"      // the worker was started, or was about to be
	stepWorked    step = "worked"    // the worker has ended by itself
	stepSnapshot  step = "snapshot"  // Result is a commit with all that it did
	stepVerified  step = "verified"  // Result has passed
	stepIntegrate step = "integrate" // it may be on the integration branch
	stepOver      step = "over"      // it is over, and its worktree could not be removed yet
	stepWaiting   step = "waiting"   // it waits for a person: After says what comes then
)

// record is what is written down of a run before each step.
type record struct {
	Format  int       `json:"format"`
	Run     string    `json:"run"`
	Task    model.UID `json:"task"`
	Worker  string    `json:"worker"` // the template
	Attempt int       `json:"attempt"`
	Step    step      `json:"step"`
	After   step      `json:"after,omitzero"` // what a waiting run continues with
	Started time.Time `json:"started_at"`
	runCommits
	Session string `json:"session,omitzero"`
	Turn    int    `json:"turn"`              // how often the worker was started in this run
	Hand    bool   `json:"by_hand,omitzero"`  // a person does the work
	Parts   bool   `json:"by_parts,omitzero"` // its subtasks did
	runWait
	runChecks
	runOutcome
}

// runCommits are where a run works and what came of it.
type runCommits struct {
	Path   string `json:"worktree,omitzero"`
	Base   string `json:"base,omitzero"`
	Result string `json:"result,omitzero"`
	Empty  bool   `json:"empty,omitzero"` // Result changes nothing
	// Integrated is the commit on the integration branch.
	Integrated string `json:"integrated,omitzero"`
}

// runWait is what a run waits for, or waited for.
type runWait struct {
	Asked    []string `json:"asked,omitzero"`    // requests that the worker has been given the answers to, or waits for
	Deferred string   `json:"deferred,omitzero"` // key of the request for a call that a hook put off, and answers when the session is resumed
	Question string   `json:"question,omitzero"` // the key of the escalation that a waiting run waits for
	Changed  bool     `json:"changed,omitzero"`  // a waiting run waits until what was accepted holds again
}

// runChecks is what is known of the checks of a run.
type runChecks struct {
	Patch    string `json:"patch_sha256,omitzero"`    // of changes.patch as the loop wrote it (model.HashBytes)
	Evidence string `json:"evidence_sha256,omitzero"` // of verify.json, the same
	Tested   bool   `json:"tested,omitzero"`
	Verified bool   `json:"verified,omitzero"`
}

// runOutcome is how the worker's last turn ended, and what the run took.
type runOutcome struct {
	Exit int     `json:"exit,omitzero"`
	Cost float64 `json:"cost_usd,omitzero"`
	In   int64   `json:"input_tokens,omitzero"`
	Out  int64   `json:"output_tokens,omitzero"`
	Said string  `json:"said,omitzero"` // the worker's last words; nobody has checked them
}

const (
	recordFormat = 1
	maxRecord    = 1 << 20
)

func (p place) recordFile(run string) statedir.File {
	return statedir.File{Name: filepath.Join(p.run(run), "run.json"), MaxBytes: maxRecord, Format: recordFormat}
}

func (p place) write(r *record) error {
	r.Format = recordFormat
	return p.recordFile(r.Run).Write(r)
}

// read is the record of a run; false when there is none that can be read.
func (p place) read(run string) (record, bool, error) {
	var r record
	err := p.recordFile(run).Read(&r)
	return r, err == nil && r.Run == run && r.Task.Valid(), err
}

// records are the runs that something is written down of, by their ids.
func (p place) records() ([]string, error) {
	entries, err := os.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != filepath.Base(p.words()) {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, err
}

// forget removes what is written down of a run.
func (p place) forget(run string) error {
	if run == "" || run != filepath.Base(run) {
		return fmt.Errorf("unknown run %q", run)
	}
	return os.RemoveAll(p.run(run))
}
