package tty

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// firstCollection is how much a verb may use before garbage is collected for the first time, in
// bytes. Most verbs end before that, and a collection is a good part of their few milliseconds.
const firstCollection = 48 << 20

// DelayGC has the collector wait for firstCollection, unless the person has said how often it is to
// run, and returns what ends that: from the first collection on it runs as it usually does.
func DelayGC(getenv func(string) string) (end func()) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	end = sync.OnceFunc(func() {
		debug.SetGCPercent(usual) // first, so that something makes it run at any moment
		debug.SetMemoryLimit(math.MaxInt64)
	})
	sentinel := new([64]byte) // nothing else refers to it
	runtime.AddCleanup(sentinel, func(end func()) { end() }, end)
	return end
}

// Scavenger gives memory back to the system. Go's own collector runs when the memory in use
// has doubled, or after two minutes; a workbench that has read a large store and is looked
// at from then on would keep what the reading took for as long.
type Scavenger struct {
	allocated uint64 // in all, when memory was last given back
	released  uint64 // the same when files were last let go
	seen      uint64 // the same when it was last asked
	sample    [1]metrics.Sample
}

const (
	allocatedBytes = "/gc/heap/allocs:bytes" // since the program began

	gcPercent     = 50        // of the memory in use that may be garbage before it is collected
	leastGarbage  = 1 << 20   // bytes allocated that are worth a collection
	leastActivity = 512 << 10 // and that say, since the last look, that somebody is at work
	leastReading  = 256 << 10 // that say that files were read which need not stay in memory
)

// NewScavenger has the collector run more often, too, unless the person has said how often: what
// lies about between two runs is half as much, and a key waits no longer for it.
func NewScavenger(getenv func(string) string) *Scavenger {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	return &Scavenger{}
}

// Rest is called about once a second. It gives memory back once enough was allocated and no more is,
// and says whether files that are mapped may be let go, too: that costs less, and is worth it sooner.
func (t *Scavenger) Rest() bool {
	now := t.total()
	still := now-t.seen < leastActivity
	if t.seen = now; !still || now-t.released < leastReading {
		return false
	}
	if now-t.allocated >= leastGarbage {
		debug.FreeOSMemory()
		t.allocated = t.total()
	}
	t.released = t.total()
	return true
}

func (t *Scavenger) total() uint64 {
	t.sample[0].Name = allocatedBytes
	metrics.Read(t.sample[:])
	return t.sample[0].Value.Uint64()
}
