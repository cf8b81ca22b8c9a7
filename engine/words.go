package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vespe/model"
	"vespe/store/statedir"
)

// A word is what another process asks of the loop: a file in words/, which the loop takes away once it
// has done it. Files need nothing that listens, outlive anyone who wrote them, and can be looked at.
const (
	wordDrain  = "drain"  // start no more runs, and end when those that run have ended
	wordStop   = "stop"   // ask the workers to stop, and end
	wordPause  = "pause"  // start no more runs; stays until it is taken away
	wordCancel = "cancel" // cancel-RUN
	wordWant   = "want"   // want-UID: run this task before others
)

// Info is what a running loop says of itself.
type Info struct {
	Format   int       `json:"format"`
	PID      int       `json:"pid"`
	Started  time.Time `json:"started_at"`
	Workers  int       `json:"workers"`
	Draining bool      `json:"draining"` // it starts no more runs, and ends with those that run
	Says     string    `json:"says"`     // what it does or waits for, in a sentence
	// Paused is no part of the file.
	Paused bool `json:"-"`
}

// Desk is what any process can see and ask of the loop of a store, whether or not it is in this process.
type Desk struct{ place place }

// NewDesk is the desk of a store.
func NewDesk(getenv func(string) string, storeID string) (*Desk, error) {
	p, err := placeOf(getenv, storeID)
	if err != nil {
		return nil, err
	}
	return &Desk{p}, nil
}

func (p place) infoFile() statedir.File {
	return statedir.File{Name: filepath.Join(p.dir, "loop.json"), MaxBytes: maxRecord, Format: recordFormat}
}

// Loop is what the loop says of itself; false when none runs.
func (d *Desk) Loop() (Info, bool) {
	var in Info
	if !d.place.held() {
		return Info{Paused: d.Paused()}, false
	}
	_ = d.place.infoFile().Read(&in) // of one that has only begun there is none yet
	in.Paused = d.Paused()
	return in, true
}

// Paused reports whether no more runs are to be started.
func (d *Desk) Paused() bool { return d.place.paused() }

func (p place) paused() bool {
	_, err := os.Lstat(filepath.Join(p.words(), wordPause))
	return err == nil
}

// Pause lets the loop start no more runs, or start them again. It counts for the next loop, too.
func (d *Desk) Pause(on bool) error {
	if on {
		return d.say(wordPause)
	}
	err := os.Remove(filepath.Join(d.place.words(), wordPause))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ErrNoLoop says that no loop runs that could be asked.
var ErrNoLoop = errors.New("no loop is running on this store")

// Stop asks the loop to end: when what runs has ended, or with now by asking the workers to stop.
func (d *Desk) Stop(now bool) error {
	if now {
		return d.ask(wordStop)
	}
	return d.ask(wordDrain)
}

// Cancel asks the loop to stop a run, unless no loop on this machine started it. A run whose record can't be read may be
// stopped.
func (d *Desk) Cancel(run string) error {
	var no *model.Refusal
	if _, err := d.place.startedHere(run); errors.As(err, &no) {
		return err
	}
	return d.ask(wordCancel + "-" + run)
}

// Want asks the loop to run a task as soon as it can.
func (d *Desk) Want(uid model.UID) error { return d.ask(wordWant + "-" + string(uid)) }

func (d *Desk) ask(word string) error {
	if !d.place.held() {
		return ErrNoLoop
	}
	return d.say(word)
}

func (d *Desk) say(word string) error {
	if word != filepath.Base(word) {
		return fmt.Errorf("%q is not a valid file name", word)
	}
	if err := d.Make(); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(d.place.words(), word), os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Make makes the directory of the desk.
func (d *Desk) Make() error { return os.MkdirAll(d.place.words(), 0o700) }

// Live are the runs of this machine that have not ended, as they were written down: by id.
func (d *Desk) Live() ([]Live, error) {
	ids, err := d.place.records()
	var out []Live
	for _, id := range ids {
		if r, ok, _ := d.place.read(id); ok && r.Step != stepOver {
			out = append(out, Live{Run: r.Run, Worktree: r.Path})
		}
	}
	return out, err
}

// Live is a run that has not ended, or that a crash left.
type Live struct {
	Run      string
	Worktree string // "" before there is one
}

// words are the words that were said, without those that stay.
func (p place) said() []string {
	entries, err := os.ReadDir(p.words())
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Name() != wordPause {
			out = append(out, e.Name())
		}
	}
	return out
}

// heard takes a word away.
func (p place) heard(word string) { _ = os.Remove(filepath.Join(p.words(), word)) }

// about is what a word like cancel-RUN is about.
func about(word, kind string) (string, bool) {
	return strings.CutPrefix(word, kind+"-")
}

// LogFile is where a loop that nobody watches says what it does.
func (d *Desk) LogFile() string { return filepath.Join(d.place.dir, "loop.log") }
