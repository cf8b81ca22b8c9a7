package store

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// reader is a file system of somebody who reads: it must not ask for the lock, nor write.
func reader(plain fsys.FS, complain func(format string, args ...any)) fsys.FS {
	return &hookFS{FS: plain, before: func(call, name string) error {
		if call == callLock || slices.Contains(changing, call) {
			complain("a reader did %s of %s", call, name)
		}
		return nil
	}}
}

// pollers read a store in several ways, for as long as others write to it.
type pollers struct {
	turns bool // they take turns, and leave the processors to those who write
	r     *linearRun
	done  <-chan struct{}
	mu    sync.Mutex
	more  *sync.Cond // a reading is complete
	reads map[string]int
}

func newPollers(r *linearRun, done <-chan struct{}) *pollers {
	p := &pollers{turns: r.groups < 8, r: r, done: done, reads: map[string]int{}}
	p.more = sync.NewCond(&p.mu)
	return p
}

func (p *pollers) total() (n int) {
	for _, k := range p.reads {
		n += k
	}
	return n
}

// start begins to poll, each poller in its own way.
func (p *pollers) start(wg *sync.WaitGroup) {
	ctx := context.Background()
	keep := p.open(true)
	looks := map[string]func() (*snapshot.Snapshot, error){
		"refresh": func() (*snapshot.Snapshot, error) { return keep.Refresh(ctx) },
		"load": func() (*snapshot.Snapshot, error) {
			s := p.open(true)
			defer s.Close()
			return s.Load(ctx, nil)
		},
		"warm": func() (*snapshot.Snapshot, error) {
			s := p.open(true)
			defer s.Close()
			return s.Refresh(ctx)
		},
		// One that may write finishes what a killed writer left, if nobody is writing.
		"load and recover": func() (*snapshot.Snapshot, error) {
			s := p.open(false)
			defer s.Close()
			return s.Load(ctx, nil)
		},
	}
	p.reads["files"] = 0
	for how := range looks {
		p.reads[how] = 0
	}
	polls := map[string]func() error{"files": p.files()}
	for how, look := range looks {
		polls[how] = p.snapshots(look)
	}
	if p.turns {
		wg.Go(func() { p.poll(polls) })
		return
	}
	for how, look := range polls {
		wg.Go(func() { p.poll(map[string]func() error{how: look}) })
	}
}

func (p *pollers) open(readOnly bool) *Store {
	opt := Options{ReadOnly: readOnly, FS: func(root string) (fsys.FS, error) {
		f, err := linFS(p.r.mode)(root)
		if readOnly {
			f = reader(f, p.r.t.Errorf)
		}
		return f, err
	}}
	s, err := Open(p.r.root, opt)
	if err != nil {
		p.r.t.Errorf("open: %v", err)
		panic(err)
	}
	return s
}

// poll looks in each of some ways, again and again, until everyone is done.
func (p *pollers) poll(looks map[string]func() error) {
	for {
		for how, look := range looks {
			select {
			case <-p.done:
				return
			default:
			}
			err := look()
			p.mu.Lock()
			p.reads[how]++
			p.more.Broadcast()
			p.mu.Unlock()
			if err != nil {
				p.r.t.Errorf("%s: %v", how, err)
				return
			}
		}
	}
}

// snapshots is a poller that is shown all that was acknowledged before it looked, and never an
// older store than before.
func (p *pollers) snapshots(look func() (*snapshot.Snapshot, error)) func() error {
	var before *snapshot.Snapshot
	return func() error {
		acked := p.r.acked.Load()
		snap, err := look()
		if err != nil {
			return err
		}
		if len(snap.Problems()) > 0 {
			return fmt.Errorf("problems %+v", snap.Problems())
		}
		if snap.Seq() < acked {
			return fmt.Errorf("entry %d was acknowledged before the store was read as of %d", acked, snap.Seq())
		}
		if before != nil {
			if snap.Seq() < before.Seq() {
				return fmt.Errorf("from entry %d back to %d", before.Seq(), snap.Seq())
			}
			for i := range before.Len() {
				was := before.At(i)
				now, ok := snap.Task(was.UID)
				if !ok || now.Status.Revision < was.Status.Revision {
					return fmt.Errorf("%s was at revision %d, and is not any more", was.UID, was.Status.Revision)
				}
			}
		}
		before = snap
		return nil
	}
}

// files is a poller that knows nothing of logs: each file is whole, and where writers wait for
// each other no revision goes back.
func (p *pollers) files() func() error {
	last := map[model.UID]int{}
	return func() error {
		for g := range p.r.groups {
			for i := range groupSize {
				uid := linUID(g, i)
				for _, name := range []string{layout.StatusFile, layout.SpecFile, layout.DependenciesFile, layout.ConfigFile} {
					b, err := os.ReadFile(p.r.root + "/" + layout.Name + "/" + layout.TaskFile(uid, name))
					if os.IsNotExist(err) && name == layout.DependenciesFile {
						continue
					}
					var v struct {
						Revision int `json:"revision"`
					}
					if err == nil {
						err = json.Unmarshal(b, &v)
					}
					if err != nil {
						return fmt.Errorf("%s of %s: %w: %q", name, uid, err, b)
					}
					if name == layout.StatusFile && p.r.mode == linLocked && v.Revision < last[uid] {
						return fmt.Errorf("%s: from revision %d to %d", uid, last[uid], v.Revision)
					}
					last[uid] = max(last[uid], v.Revision)
				}
			}
		}
		return nil
	}
}

// readUnderLock takes the lock and keeps it until every poller has read more: none of them
// waits for it.
func (p *pollers) readUnderLock() {
	t := p.r.t
	t.Helper()
	f := mustGet(fsys.OpenFS(p.r.root))(t)
	defer f.Close()
	s := onFS(f)
	s.uids.rand = entropy(9) // others may wait for the lock: it stands in line
	ctx, cancel := context.WithTimeout(context.Background(), stuck)
	defer cancel()
	defer context.AfterFunc(ctx, p.more.Broadcast)()
	release, err := s.writer.Lock(ctx, &model.Op{})
	if err != nil {
		t.Error(err)
		return
	}
	defer release()
	p.mu.Lock()
	defer p.mu.Unlock()
	for how, was := range p.reads {
		for p.reads[how] < was+3 && ctx.Err() == nil && !t.Failed() {
			p.more.Wait()
		}
		if p.reads[how] < was+3 {
			t.Errorf("%s: did not read while the lock was held", how)
		}
	}
}
