package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var garbage []byte

// Memory is given back once nothing more is allocated, and not again and again.
func TestThriftGivesMemoryBack(t *testing.T) {
	collected := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	var th thrift
	th.rest()
	th.rest() // whatever the tests before have left
	before := collected()
	for range 64 {
		garbage = make([]byte, leastGarbage/8)
	}
	garbage = nil
	th.rest()
	if collected() != before {
		t.Error("memory was given back while somebody was at work")
	}
	if !th.rest() {
		t.Error("memory was given back without a word")
	}
	if got := collected() - before; got != 1 {
		t.Errorf("memory was given back %d times, want once", got)
	}
	if th.rest() {
		t.Error("it says that memory was given back")
	}
	if got := collected() - before; got != 1 {
		t.Errorf("memory was given back %d times, want once", got)
	}
}

// What was read of files is let go before there is anything to collect.
func TestThriftLetsFilesGo(t *testing.T) {
	var th thrift
	th.rest()
	th.rest() // whatever the tests before have left
	garbage = make([]byte, leastReading+leastReading/2)
	garbage = nil
	if !th.rest() {
		t.Error("files stay")
	}
	if th.rest() {
		t.Error("they are let go again, and nothing was read")
	}
}

// Until a verb has used some memory nothing is collected; then the collector is as it would be anyhow.
func TestPatienceEndsWithTheFirstCollection(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	none := func(string) string { return "" }
	end := patience(none)
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
	said := patience(func(string) string { return "off" })
	if said(); debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Error("what the person said does not count")
	}
}
