package tty

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// stuck is how long a test waits before it reports that something never came.
const stuck = 3 * time.Minute

var garbage []byte

// Memory is given back once nothing more is allocated, and not again and again.
func TestScavengerGivesMemoryBack(t *testing.T) {
	collected := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	var s Scavenger
	s.Rest()
	s.Rest() // whatever the tests before have left
	before := collected()
	for range 64 {
		garbage = make([]byte, leastGarbage/8)
	}
	garbage = nil
	s.Rest()
	if collected() != before {
		t.Error("memory was given back while somebody was at work")
	}
	if !s.Rest() {
		t.Error("memory was given back without a word")
	}
	if got := collected() - before; got != 1 {
		t.Errorf("memory was given back %d times, want once", got)
	}
	if s.Rest() {
		t.Error("it says that memory was given back")
	}
	if got := collected() - before; got != 1 {
		t.Errorf("memory was given back %d times, want once", got)
	}
}

// What was read of files is let go before there is anything to collect.
func TestScavengerLetsFilesGo(t *testing.T) {
	var s Scavenger
	s.Rest()
	s.Rest() // whatever the tests before have left
	garbage = make([]byte, leastReading+leastReading/2)
	garbage = nil
	if !s.Rest() {
		t.Error("files stay")
	}
	if s.Rest() {
		t.Error("they are let go again, and nothing was read")
	}
}

// Until a verb has used some memory nothing is collected; then the collector is as it would be anyhow.
func TestDelayGCEndsWithTheFirstCollection(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	none := func(string) string { return "" }
	end := DelayGC(none)
	if got := debug.SetGCPercent(-1); got != -1 {
		t.Errorf("garbage is collected at %d %%", got)
	}
	if got := debug.SetMemoryLimit(-1); got != firstCollection {
		t.Errorf("the first collection is at %d bytes", got)
	}
	runtime.GC()
	for deadline := time.Now().Add(stuck); debug.SetMemoryLimit(-1) != math.MaxInt64 && time.Now().Before(deadline); {
		runtime.Gosched() // what is to be done after a collection runs beside it
	}
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d after a collection", got)
	}
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("garbage is collected at %d %%", got)
	}
	end() // again: nothing
	said := DelayGC(func(string) string { return "off" })
	if said(); debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Error("what the person said does not count")
	}
}
