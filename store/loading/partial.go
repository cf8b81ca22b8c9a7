package loading

import (
	"sync"

	"vespe/model"
	"vespe/model/snapshot"
)

// partial is what a load has read so far.
type partial struct {
	mu      sync.Mutex
	in      snapshot.Input
	batches [][]*model.Task // of these nothing changes anymore
	read    int             // tasks in batches
	built   int             // tasks in snap
	snap    *snapshot.Snapshot
}

// add is nothing on a nil partial.
func (p *partial) add(tasks []*model.Task) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batches = append(p.batches, tasks)
	p.read += len(tasks)
}

// snapshot builds one anew only when there are twice as many tasks as the last time, so
// that all of them together cost no more than twice the last.
func (p *partial) snapshot() *snapshot.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.snap != nil && p.read < 2*p.built || p.read == 0 {
		return p.snap
	}
	in := p.in
	in.Tasks = make([]*model.Task, 0, p.read)
	for _, b := range p.batches {
		in.Tasks = append(in.Tasks, b...)
	}
	p.snap, p.built = snapshot.New(in), p.read
	return p.snap
}

// Partial is a snapshot of the tasks that the load under way has read so far: for looking
// at while one waits. Its Seq is 0, and parents and dependencies that were not read yet are
// missing in it. nil when nothing is being loaded, or nothing was read yet. It may be asked
// for at every frame: it becomes another only when it has doubled.
func (s *Loader) Partial() *snapshot.Snapshot {
	p := s.partial.Load()
	if p == nil {
		return nil
	}
	return p.snapshot()
}

// begin makes a load's reading visible to Partial until done is called.
func (s *Loader) begin(in snapshot.Input) (p *partial, done func()) {
	in.Seq, in.Head = 0, ""
	p = &partial{in: in}
	s.partial.CompareAndSwap(nil, p)
	return p, func() { s.partial.CompareAndSwap(p, nil) }
}
