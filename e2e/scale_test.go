package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/store"
)

// The sizes that the budgets speak of.
const (
	few  = 100
	some = 10_000
	many = 100_000
)

// scaled are the generated stores of one run of the benchmarks: each is made once, and all
// are removed at the end.
var scaled struct {
	mu   sync.Mutex
	dir  string
	made map[int]string
}

func removeScaled() {
	if scaled.dir != "" {
		_ = storetest.Remove(scaled.dir)
	}
}

// firstName is the name of the first task of a generated store, which every frame shows.
const firstName = "Cornerstone"

// scaledStore is a store of n tasks as somebody has it who worked in it yesterday: with a
// log, and a checkpoint that knows how its files look. It lies in memory where that can be:
// what is ours is seen best where the disk costs nothing.
func scaledStore(b *testing.B, n int) string {
	b.Helper()
	scaled.mu.Lock()
	defer scaled.mu.Unlock()
	if dir, ok := scaled.made[n]; ok {
		return dir
	}
	if scaled.dir == "" {
		dir, err := os.MkdirTemp("/dev/shm", "vespe-scale-")
		if err != nil {
			dir, err = os.MkdirTemp("", "vespe-scale-")
		}
		if err != nil {
			b.Fatal(err)
		}
		scaled.dir, scaled.made = dir, map[int]string{}
	}
	dir := filepath.Join(scaled.dir, fmt.Sprint(n))
	s, err := store.Init(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := storetest.Write(filepath.Join(dir, store.Name), storetest.Project(n), 0); err != nil {
		b.Fatal(err)
	}
	snap, err := s.Load(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	if n > 0 {
		do(b, s, model.Op{Name: model.RenameTask, UID: storetest.UID(0), Args: model.NewName{Name: firstName}})
		accepted := 0
		for i := 0; i < snap.Len() && accepted < 10; i++ { // so that something can be ready
			op := model.Op{Name: model.AcceptPlan, UID: snap.UID(i), Actor: "human:ann"}
			if snap.Status(i) == model.StatusReviewPlan && lifecycle.Allowed(snap, op) == nil {
				do(b, s, op)
				accepted++
			}
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	// How files look is believed once they are no longer young.
	if out, err := exec.Command(binary(b), "-C", dir, "ls", "--fresh", "--limit", "1").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	scaled.made[n] = dir
	return dir
}

func do(b *testing.B, s *store.Store, op model.Op) {
	b.Helper()
	op.Actor = "human:ann"
	if _, err := s.Do(b.Context(), op); err != nil {
		b.Fatal(err)
	}
}

// median is the middle of some times.
func median(list []time.Duration) time.Duration { return quantile(list, 0.5) }

func quantile(list []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }
