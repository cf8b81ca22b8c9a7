package uitest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/runview"
)

func runPath(uid model.UID, run, name string) string {
	return "tasks/" + string(uid) + "/persistent/runs/" + run + "/" + name
}

// PutRun writes a file of a run, in place of one that is there.
func (s *Store) PutRun(uid model.UID, run, name, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[runPath(uid, run, name)] = []byte(body)
}

// LogRun appends events to the log of a run, as a worker's guard would.
func (s *Store) LogRun(uid model.UID, run string, events ...runlog.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := runPath(uid, run, "output.jsonl")
	b := slices.Clone(s.files[path])
	for _, e := range events {
		if e.At.IsZero() {
			e.At = s.now()
		}
		b = append(b, e.Line()...)
	}
	s.files[path] = b
}

// AppendRun appends to a file of a run.
func (s *Store) AppendRun(uid model.UID, run, name, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := runPath(uid, run, name)
	s.files[path] = append(slices.Clone(s.files[path]), body...)
}

// Runs implements runview.Runs.
func (s *Store) Runs(_ context.Context, uid model.UID) ([]model.Run, error) {
	if err := s.failing("Runs"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []model.Run
	prefix := runPath(uid, "", "")
	prefix = strings.TrimSuffix(prefix, "/")
	for path, b := range s.files {
		if rest, ok := strings.CutPrefix(path, prefix); ok && strings.HasSuffix(rest, "/run.json") {
			r, _ := model.DecodeRun(path, b)
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b model.Run) int { return a.Started.Compare(b.Started) })
	return out, nil
}

// ReadRunFile implements runview.Runs.
func (s *Store) ReadRunFile(_ context.Context, uid model.UID, run, name string, offset int64, limit int) (b []byte, size int64, err error) {
	if err := s.failing("ReadRunFile"); err != nil {
		return nil, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, ok := s.files[runPath(uid, run, name)]
	if !ok {
		return nil, 0, model.ErrNoContent
	}
	size = int64(len(body))
	if offset < 0 {
		offset += size
	}
	from := max(0, min(offset, size))
	s.runBytes += int(min(size, from+int64(limit)) - from)
	return slices.Clone(body[from:min(size, from+int64(limit))]), size, nil
}

// RunBytes is how much of the files of runs has been read.
func (s *Store) RunBytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runBytes
}

// Shell remembers where shells were opened.
type Shell struct {
	Fail   error
	Opened []string
}

var _ runview.Shell = (*Shell)(nil)

// In implements runview.Shell.
func (s *Shell) In(dir, _ string) (tea.ExecCommand, error) {
	if s.Fail != nil {
		return nil, s.Fail
	}
	return &session{e: &Editor{Before: func() { s.Opened = append(s.Opened, dir) }, Write: func(b string) (string, error) { return b, nil }, Kept: map[string]string{}}}, nil
}

// Loop is a loop that does nothing but remember what it was asked for.
type Loop struct {
	mu    sync.Mutex
	state runview.LoopState
	calls []string
	Fail  error             // of everything but State
	Trees map[string]string // worktrees by run
}

var _ runview.Loop = (*Loop)(nil)

// Set sets the state.
func (l *Loop) Set(s runview.LoopState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
}

// Calls are what the loop was asked for, and forgets them.
func (l *Loop) Calls() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.calls
	l.calls = nil
	return out
}

func (l *Loop) call(what string, change func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, what)
	if l.Fail == nil {
		change()
	}
	return l.Fail
}

// State implements runview.Loop.
func (l *Loop) State(context.Context) (runview.LoopState, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, nil
}

// Start implements runview.Loop.
func (l *Loop) Start(context.Context, runview.LoopOptions) error {
	return l.call("start", func() { l.state.Running, l.state.PID = true, 4711 })
}

// Stop implements runview.Loop.
func (l *Loop) Stop(_ context.Context, now bool) error {
	if now {
		return l.call("stop now", func() { l.state = runview.LoopState{Workers: l.state.Workers} })
	}
	return l.call("stop", func() { l.state.Stopping = true })
}

// RunTask implements runview.Loop.
func (l *Loop) RunTask(_ context.Context, uid model.UID) error {
	return l.call("run "+string(uid), func() {})
}

// Cancel implements runview.Loop.
func (l *Loop) Cancel(_ context.Context, run string) error { return l.call("cancel "+run, func() {}) }

// Pause implements runview.Loop.
func (l *Loop) Pause(_ context.Context, on bool) error {
	if on {
		return l.call("hold", func() { l.state.Paused = true })
	}
	return l.call("go on", func() { l.state.Paused = false })
}

// Worktree implements runview.Loop.
func (l *Loop) Worktree(_ context.Context, run string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if dir, ok := l.Trees[run]; ok {
		return dir, nil
	}
	return "", errors.New("it has been removed: its result is on the integration branch")
}
