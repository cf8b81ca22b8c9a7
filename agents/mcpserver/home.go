package mcpserver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/store"
	"vespe/store/index"
)

// home is the store that the server is of. It is opened when the first call needs it, and looked for at each:
// it may not be there yet, may have been moved away, and may come back as another.
type home struct {
	open   func() (*store.Store, error)
	layOut func(*place, model.Actor) (*desk.Desk, error) // makes a desk
	state  string                                        // the person's state directory

	mu   sync.Mutex
	here *place
	over bool
}

// place is a store that was opened, for as long as somebody uses it.
type place struct {
	store *store.Store
	dir   fs.FileInfo // of .vespe
	users int
	gone  bool // it is not where it was: anyone who comes gets another
	index *index.Live
	desks map[model.Actor]*desk.Desk
}

var errOver = errors.New("the server is shutting down")

// enter is the store as it is there now; leave gives it back.
func (h *home) enter() (p *place, leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return nil, nil, errOver
	}
	if h.here != nil && !h.here.stands() {
		h.retire()
	}
	if h.here == nil {
		s, err := h.open()
		if err != nil {
			return nil, nil, err
		}
		dir, err := os.Lstat(filepath.Join(s.Root(), store.Name))
		if err != nil {
			_ = s.Close() // nothing was done with it
			return nil, nil, err
		}
		h.here = &place{store: s, dir: dir, index: liveIndex(s, h.state), desks: map[model.Actor]*desk.Desk{}}
	}
	p = h.here
	p.users++
	return p, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if p.users--; p.gone && p.users == 0 {
			_ = p.close() // what was written is durable; a checkpoint is left to the next
		}
	}), nil
}

// stands says whether the store is where it was opened, and the same.
func (p *place) stands() bool {
	now, err := os.Lstat(filepath.Join(p.store.Root(), store.Name))
	return err == nil && os.SameFile(p.dir, now)
}

// retire gives up the store that is here, once nobody uses it anymore. The caller holds mu.
func (h *home) retire() {
	p := h.here
	h.here, p.gone = nil, true
	if p.users == 0 {
		_ = p.close() // as in enter
	}
}

// close ends all of it; the error is that of closing the store.
func (h *home) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	p := h.here
	if p == nil {
		return nil
	}
	h.here, p.gone = nil, true
	if p.users > 0 {
		return nil // anyone who uses it closes it
	}
	return p.close()
}

// close gives back the store, and what the desks at it opened.
func (p *place) close() error {
	all := p.index.Close()
	for _, d := range p.desks {
		all = errors.Join(all, d.Close())
	}
	return errors.Join(all, p.store.Close())
}

// desk is the desk of an actor at the store that is here.
func (h *home) desk(p *place, actor model.Actor) (*desk.Desk, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d, ok := p.desks[actor]; ok {
		return d, nil
	}
	d, err := h.layOut(p, actor)
	if err != nil {
		return nil, err
	}
	if len(p.desks) < mostActors {
		p.desks[actor] = d
	}
	return d, nil
}

// mostActors is how many desks are kept: since 2026-07-28 each request may come from another client.
const mostActors = 64
