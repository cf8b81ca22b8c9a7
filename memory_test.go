package main

import (
	"runtime"
	"testing"
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
