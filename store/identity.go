package store

import (
	"context"
	"sync"
	"sync/atomic"

	"vespe/model/review"
	"vespe/store/follow"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Approvals name the store that they were given in, so a store whose store.json is deleted must
// not become another: then none of them would hold anymore.

// formerID is the identity that a store without store.json had: as the newest checkpoint knows it,
// else the last approval in the log, else one that came with the files. "" where nobody knows.
func (s *Store) formerID() (string, error) {
	if id, err := s.checkpoints.ID(); id != "" || err != nil {
		return id, err
	}
	last, err := s.log.Tail(0)
	if err != nil {
		return "", err
	}
	for seq := last; seq > 0; seq-- {
		e, _, err := s.log.ReadEntry(seq)
		if fsys.Missing(err) {
			break
		}
		if err != nil {
			if fsys.IsTransient(err) {
				return "", err
			}
			continue // Doctor says so
		}
		for i := range e.Files {
			if f := &e.Files[i]; layout.IsApproval(f.Path) && f.Bytes != nil {
				if a, err := review.DecodeApproval(f.Bytes); err == nil && a.StoreID != "" {
					return a.StoreID, nil
				}
			}
		}
	}
	return s.idOfFiles()
}

// idOfFiles is the identity in the first approval that lies beside a task.
func (s *Store) idOfFiles() (string, error) {
	uids, _, err := s.loader.ListTasks()
	if err != nil {
		return "", err
	}
	for _, uid := range uids {
		dir, err := s.disk.FS.OpenDir(layout.TaskFile(uid, layout.ApprovalsDir))
		if err != nil {
			if fsys.IsTransient(err) {
				return "", err
			}
			continue
		}
		es, err := dir.Entries()
		_ = dir.Close() // only read from
		if err != nil {
			return "", err
		}
		for _, e := range es {
			name := layout.TaskFile(uid, layout.ApprovalsDir+"/"+e.Name)
			if !layout.IsApproval(name) {
				continue
			}
			b, err := s.disk.FS.ReadFile(name, layout.MaxJSON)
			if err != nil {
				if fsys.IsTransient(err) {
					return "", err
				}
				continue
			}
			if a, err := review.DecodeApproval(b); err == nil && a.StoreID != "" {
				return a.StoreID, nil
			}
		}
	}
	return "", nil
}

// identity is whose store it is. It is safe for concurrent use.
type identity struct {
	root  string        // the directory that holds .vespe
	owner atomic.Uint32 // the user that .vespe belongs to

	mu     sync.Mutex
	format int
	id     string
}

// ID is the store's identity, store_id; "" in a store that has none yet. See Identify.
func (i *identity) ID() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.id
}

// StoreID is ID, as the model calls it.
func (i *identity) StoreID() string { return i.ID() }

func (i *identity) setID(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.id = id
}

func (i *identity) formatOf() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.format
}

func (i *identity) setFormat(format int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.format = format
}

// background is what continues beside the calls of a store, until it is closed.
type background struct {
	sync.WaitGroup
	follower atomic.Pointer[follow.Follower] // nil until Follow

	mu   sync.Mutex
	ends []context.CancelFunc
}

// until has end called when the store is closed.
func (b *background) until(end context.CancelFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends = append(b.ends, end)
}

// end ends all of it, and waits.
func (b *background) end() {
	b.mu.Lock()
	ends := b.ends
	b.mu.Unlock()
	for _, end := range ends {
		end()
	}
	b.Wait()
}
