//go:build torture

package proc

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// Anyone who is killed, and when: after Reap nothing of the run lives, and the State is free.
func TestTortureKills(t *testing.T) {
	for i := range 300 {
		seed := uint64(i)
		rnd := rand.New(rand.NewPCG(seed, 1))
		spec := program(t, "spawn=hang", "deaf", "pid", "daemon=hang", "deaf", "pid", "tree=2")
		spec.Limits.Grace = time.Duration(rnd.IntN(60)) * time.Millisecond
		cmd := starter(t, spec)
		<-time.After(time.Duration(rnd.IntN(80_000)) * time.Microsecond)
		r, _, _ := readRecord(spec.State, spec.Run)
		victims := []int{cmd.Process.Pid, r.Guard.PID, r.Worker.PID}
		rnd.Shuffle(len(victims), func(i, j int) { victims[i], victims[j] = victims[j], victims[i] })
		victims = append(victims[:1+rnd.IntN(3)], cmd.Process.Pid)
		for _, pid := range victims {
			if pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		_ = cmd.Wait()
		e, found, err := Reap(context.Background(), spec.State, spec.Run)
		if err != nil {
			t.Errorf("%d: %+v, %v, %v", seed, e, found, err)
		}
		if left := marked(spec.Run); len(left) > 0 {
			t.Errorf("%d: %v still live; killed %v of %+v", seed, left, victims, r)
		}
		if group := r.group(); len(group) > 0 || lives(r.Worker) || lives(r.Guard) {
			t.Errorf("%d: the group still lives: %v", seed, group)
		}
		lock, err := takeState(context.Background(), spec.State)
		if err != nil {
			t.Errorf("%d: %v", seed, err)
			continue
		}
		lock.Close()
	}
}
