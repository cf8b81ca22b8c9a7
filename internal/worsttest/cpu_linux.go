package worsttest

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the processor time that the calling goroutine spends in do. What else the machine does is not in it, and
// neither is what do leaves to other goroutines.
func CPU(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime()
	do()
	return threadTime() - began
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // there is no such error for a valid argument
	}
	return time.Duration(t.Nano())
}
