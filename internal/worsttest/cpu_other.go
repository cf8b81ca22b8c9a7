//go:build !linux

package worsttest

import "time"

// CPU is the time that do takes: no processor time of a thread is to be had here.
func CPU(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}
