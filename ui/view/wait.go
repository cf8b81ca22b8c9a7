package view

import (
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The times of what is read beside the keys.
const (
	FlickerFree = 150 * time.Millisecond // nothing is shown as busy before this
	LoadTick    = 66 * time.Millisecond  // between two looks at a load's progress
)

// After sends a message a while later.
func After(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// Gauge is how far a load has come. The store writes it from its own goroutines.
type Gauge struct{ Done, Total atomic.Int64 }

// Set says how far it has come.
func (g *Gauge) Set(done, total int) {
	g.Done.Store(int64(done))
	g.Total.Store(int64(total))
}
