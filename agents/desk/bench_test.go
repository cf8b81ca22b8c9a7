package desk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/store"
)

// BenchmarkDesk times the reads of an agent in a store of 10,000 tasks against the same in one of 100, and against
// reading the four files of one task bare, in turn.
func BenchmarkDesk(b *testing.B) {
	small, large := benched(b, 100), benched(b, 10_000)
	const quickly = "µs/call≤1000"
	uid := string(storetest.UID(50))
	files := func(d *Desk) []string {
		dir := filepath.Join(d.Store().Root(), store.Name, "tasks", uid)
		return []string{filepath.Join(dir, "config.json"), filepath.Join(dir, "status.json"), filepath.Join(dir, "spec.json"), filepath.Join(dir, "objective.md")}
	}(large)
	for _, bm := range []struct {
		name   string
		call   func(d *Desk) error
		budget string // of the ratio of 10,000 tasks to 100
		time   string
	}{
		{"task", func(d *Desk) error { _, err := d.Show(b.Context(), uid); return err }, "10k/100≤2", quickly},
		{"task-all", func(d *Desk) error { _, err := d.Show(b.Context(), uid, Includes()...); return err }, "10k/100≤2", quickly},
		{"next", func(d *Desk) error { _, err := d.Next(b.Context(), Want{}); return err }, "10k/100≤2", quickly},
		{"list", func(d *Desk) error { _, err := d.List(b.Context(), ListQuery{}); return err }, "10k/100≤2", quickly},
		{"list-filter", func(d *Desk) error {
			_, err := d.List(b.Context(), ListQuery{Filter: "is:open label:parser"})
			return err
		}, "10k/100≤100", "µs/call"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			timed := func(do func() error) time.Duration {
				began := time.Now()
				for range 20 {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
				return time.Since(began) / 20
			}
			var slow, quick, bare []time.Duration
			for b.Loop() {
				for range 5 {
					slow = append(slow, timed(func() error { return bm.call(large) }))
					quick = append(quick, timed(func() error { return bm.call(small) }))
					bare = append(bare, timed(func() error { return readAll(files) }))
				}
			}
			b.ReportMetric(float64(quarter(slow))/float64(quarter(quick)), bm.budget)
			b.ReportMetric(float64(quarter(slow))/float64(quarter(bare)), "call/bare-read")
			b.ReportMetric(float64(quarter(slow).Nanoseconds())/1e3, bm.time)
			b.ReportMetric(0, "ns/op")
		})
	}
}

func readAll(files []string) error {
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil {
			return err
		}
	}
	return nil
}

// quarter is the time that a quarter of them do not take: what others do on the machine is above it.
func quarter(all []time.Duration) time.Duration {
	all = slices.Clone(all)
	slices.Sort(all)
	return all[len(all)/4]
}

// benched is a desk at a store of n tasks.
func benched(b *testing.B, n int) *Desk {
	b.Helper()
	root := filepath.Join(b.TempDir(), fmt.Sprint(n))
	s, err := store.Init(root, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if err := storetest.Write(filepath.Join(root, store.Name), storetest.Project(n), 0); err != nil {
		b.Fatal(err)
	}
	return deskAt(b, s, Options{Actor: claude})
}
