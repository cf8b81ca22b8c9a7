package engine

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
)

// events is output.jsonl of a run, as far as it is written by this process. What cannot be written is
// lost to those who look on, and stops nothing: the run's outcome is in the log of the store.
type events struct {
	mu sync.Mutex
	to io.WriteCloser // nil before the run has a file, and after it could not be written
}

func (e *events) write(line []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.to == nil {
		return
	}
	if _, err := e.to.Write(line); err != nil {
		_ = e.to.Close()
		e.to = nil
	}
}

func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.to != nil {
		_ = e.to.Close()
		e.to = nil
	}
}

// log writes an event down.
func (r *run) log(e runlog.Event) {
	r.mu.Lock()
	r.view.Add(e)
	r.mu.Unlock()
	r.events.write(e.Line())
}

func (r *run) phase(at time.Time, p runlog.Phase, text string) {
	r.log(runlog.Event{At: at, Kind: runlog.KindPhase, Phase: p, Text: text})
}

func (r *run) note(at time.Time, text string) {
	r.log(runlog.Event{At: at, Kind: runlog.KindNote, Text: text})
}

func (r *run) error(at time.Time, text string) {
	r.log(runlog.Event{At: at, Kind: runlog.KindError, Text: text})
}

// seen is what the run's events come to so far.
func (r *run) seen() (v runlog.View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.view
}

// lines reads what a growing file has got since the last time, line by line.
type lines struct {
	name string
	at   int64
	rest []byte
}

// maxPiece is the longest line that is not cut in two: a client may print an image in one.
const maxPiece = 16 << 20

// next gives every whole line that has come; with all, what is left of the file, too.
func (l *lines) next(all bool, each func([]byte)) {
	if in, err := os.Stat(l.name); err != nil || in.Size() <= l.at && !all {
		return
	}
	f, err := os.Open(l.name)
	if err != nil {
		return
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := f.ReadAt(buf, l.at)
		l.at += int64(n)
		piece := buf[:n]
		for len(piece) > 0 {
			line, after, ok := bytes.Cut(piece, []byte("\n"))
			l.rest = append(l.rest, line...)
			if ok || len(l.rest) >= maxPiece {
				each(l.rest)
				l.rest = l.rest[:0]
			}
			piece = after
		}
		if err != nil || n == 0 {
			break
		}
	}
	if all && len(l.rest) > 0 {
		each(l.rest)
		l.rest = nil
	}
}

// told keeps track of what a worker did to the store by itself: questions and subtasks.
type told struct {
	asked, made map[string]bool
	at          *snapshot.Snapshot // the last that was looked at
}

// look writes an event for each question and each subtask that is new.
func (w *told) look(r *run, snap *snapshot.Snapshot, now time.Time) {
	if w.asked == nil {
		w.asked, w.made = map[string]bool{}, map[string]bool{}
		for _, id := range r.Asked {
			w.asked[id] = true
		}
	}
	if snap == w.at {
		return
	}
	w.at = snap
	for _, q := range snap.Requests() {
		if q.TaskUID == r.Task && !w.asked[q.ID] && q.CreatedBy.Kind() != model.System && !q.CreatedAt.Before(r.Started.Truncate(time.Second)) {
			w.asked[q.ID] = true
			r.log(runlog.Event{At: now, Kind: runlog.KindAsk, ID: q.ID, Text: q.Title})
		}
	}
	for _, uid := range snap.ChildUIDs(r.Task) {
		t, ok := snap.Task(uid)
		if ok && !w.made[string(uid)] && !t.Config.CreatedAt.Before(r.Started.Truncate(time.Second)) {
			w.made[string(uid)] = true
			r.log(runlog.Event{At: now, Kind: runlog.KindSpawn, ID: string(uid), Text: t.Config.Name})
		}
	}
}
