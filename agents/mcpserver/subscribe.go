package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/store"
)

const (
	// mostWatched is how many resources are watched at once.
	mostWatched = 256
	// lookEvery is the time between two looks at what is watched where the log says nothing: editors and agents
	// write files past it.
	lookEvery = 2 * time.Second
)

// subscriptions are the resources that clients want to know about, and the one goroutine that looks at them: it
// runs while there are any.
type subscriptions struct {
	mu     sync.Mutex
	of     map[string]*watched
	cancel context.CancelFunc // of the goroutine; nil where it does not run
	looks  sync.WaitGroup
	over   bool // the server is ending: nothing is looked at anymore
}

// watched is one resource.
type watched struct {
	clients int
	state   string // what it was when it was last looked at
}

func (s *Server) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	var state string
	err := s.reading(ctx, req, func(ctx context.Context, d *desk.Desk) (err error) {
		state, err = stateOf(ctx, d, uri)
		return err
	})
	if err != nil {
		return resourceError(uri, err)
	}
	return s.subs.add(uri, state, func(ctx context.Context) { s.watch(ctx) })
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subs.remove(req.Params.URI)
	return nil
}

// add notes a client of a resource, and begins to look.
func (w *subscriptions) add(uri, state string, look func(context.Context)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.of[uri]; one != nil {
		one.clients++
		return nil
	}
	if len(w.of) >= mostWatched {
		return resourceError(uri, &desk.Error{
			Code: desk.CodeRefused, Message: fmt.Sprintf("%d resources are watched, which is the limit", mostWatched),
			Next: "Unsubscribe from one of them.",
		})
	}
	if w.of == nil {
		w.of = map[string]*watched{}
	}
	w.of[uri] = &watched{clients: 1, state: state}
	if w.cancel == nil && !w.over {
		ctx, cancel := context.WithCancel(context.Background())
		w.cancel = cancel
		w.looks.Go(func() { look(ctx) })
	}
	return nil
}

func (w *subscriptions) remove(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[uri]
	if one == nil {
		return
	}
	if one.clients--; one.clients > 0 {
		return
	}
	delete(w.of, uri)
	if len(w.of) == 0 && w.cancel != nil {
		w.cancel()
		w.cancel = nil
	}
}

// stop ends the looking for good, and waits until it has ended.
func (w *subscriptions) stop() {
	w.mu.Lock()
	cancel := w.cancel
	w.cancel, w.over = nil, true
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	w.looks.Wait() // also for one that ended with its last subscription: it gives the store back
}

// uris are those that are watched.
func (w *subscriptions) uris() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]string, 0, len(w.of))
	for uri := range w.of {
		out = append(out, uri)
	}
	return out
}

// news notes what a resource is now, and says whether that is something else.
func (w *subscriptions) news(uri, state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[uri]
	if one == nil || one.state == state {
		return false
	}
	one.state = state
	return true
}

// watch tells clients what becomes of the resources that they watch, until ctx ends.
func (s *Server) watch(ctx context.Context) {
	for ctx.Err() == nil {
		var seq uint64
		for _, uri := range s.subs.uris() {
			now, at := s.stateNow(ctx, uri)
			seq = max(seq, at)
			if ctx.Err() == nil && s.subs.news(uri, now) {
				// It goes to sessions; one that has ended takes none.
				_ = s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
			}
		}
		s.await(ctx, seq)
	}
}

// stateNow is what a resource is now, "" where it cannot be read, and the last entry of the log.
func (s *Server) stateNow(ctx context.Context, uri string) (state string, seq uint64) {
	p, leave, err := s.home.enter()
	if err != nil {
		return "", 0
	}
	defer leave()
	d, err := s.deskOf(p, nil)
	if err != nil {
		return "", 0
	}
	if _, snap, err := d.View(ctx); err == nil {
		seq = snap.Seq()
	}
	if state, err = stateOf(ctx, d, uri); err != nil {
		return "", seq
	}
	return state, seq
}

// await waits for something new in the log, and no longer than until the next look.
func (s *Server) await(ctx context.Context, seq uint64) {
	p, leave, err := s.home.enter()
	if err == nil {
		defer leave()
		if _, err = p.store.Await(ctx, seq, lookEvery); err == nil {
			return
		}
	}
	again := time.NewTimer(lookEvery)
	defer again.Stop()
	select {
	case <-ctx.Done():
	case <-again.C:
	}
}

// stateOf is a word that is another when a resource is. The error is that it cannot be read; that it is not
// there yet is a state.
func stateOf(ctx context.Context, d *desk.Desk, uri string) (string, error) {
	if uri == tasksURI {
		_, snap, err := d.View(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(snap.Seq()), nil
	}
	ref, part, path, ok := addressed(uri)
	if !ok {
		return "", unknown(uri)
	}
	s, _, t, err := d.ViewTask(ctx, ref)
	if err != nil {
		return "", err
	}
	switch part {
	case "objective", "plan":
		c, err := s.Content(ctx, t.UID, map[string]model.Doc{"objective": model.Objective, "plan": model.Plan}[part])
		if errors.Is(err, model.ErrNoContent) {
			return "none", nil
		}
		return c.Hash, err
	case "history":
		return fmt.Sprint(t.Status.Revision, " ", t.Status.LastUpdatedAt.UnixNano()), nil
	case "result":
		return resultState(ctx, s, t.UID, path)
	}
	return "", unknown(uri)
}

func resultState(ctx context.Context, s *store.Store, uid model.UID, path string) (string, error) {
	files, err := s.Results(ctx, uid)
	if err != nil {
		return "", err
	}
	state := "none"
	for _, f := range files {
		if path == "" || path == f.Path {
			state += " " + f.Path + " " + f.Hash
		}
	}
	return state, nil
}
