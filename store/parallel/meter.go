package parallel

import (
	"sync"
	"time"
)

const progressTick = 16 * time.Millisecond // at most about sixty calls a second

// Meter reports progress at a bounded rate.
type Meter struct {
	report      func(done, total int)
	total, done int
	mu          sync.Mutex
	last        time.Time
}

// NewMeter makes a Meter, and reports that nothing is done yet. A nil report is told nothing.
func NewMeter(report func(done, total int), total int) *Meter {
	m := &Meter{report: report, total: total, last: time.Now()}
	if report != nil {
		report(0, total)
	}
	return m
}

// Add says that n more are done.
func (m *Meter) Add(n int) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	if now := time.Now(); now.Sub(m.last) >= progressTick && m.done < m.total {
		m.last = now
		m.report(m.done, m.total)
	}
}

// Finish says that all are done.
func (m *Meter) Finish() {
	if m.report != nil {
		m.report(m.total, m.total)
	}
}
