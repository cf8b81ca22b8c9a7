package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vespe/engine/proc"
	"vespe/internal/storetest"
)

// BenchmarkProcess measures the processor time of whole processes against that of the smallest Go program, which is
// the floor of every command line written in Go.
func BenchmarkProcess(b *testing.B) {
	bin := binary(b)
	dir := b.TempDir()
	source := filepath.Join(dir, "floor.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	floor := filepath.Join(dir, "floor")
	if out, err := exec.Command("go", "build", "-o", floor, source).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	demo := filepath.Join(dir, "demo")
	if out, err := exec.Command(bin, "demo", demo, "--no-open").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	large := scaledStore(b, some)
	for _, bm := range []struct {
		name   string
		args   []string
		budget int // times the floor, in processor time
	}{
		{"version", []string{"--version"}, 6},
		{"tree", []string{"-C", demo}, 8},
		{"next", []string{"-C", large, "next"}, 8},
		{"inbox", []string{"-C", large, "inbox"}, 16},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var ours, least []time.Duration
			for b.Loop() {
				for range 10 {
					ours = append(ours, processTime(b, bin, bm.args...))
					least = append(least, processTime(b, floor))
				}
			}
			b.ReportMetric(ratio(median(ours), median(least)), fmt.Sprint("x-empty-process≤", bm.budget))
			b.ReportMetric(ms(median(ours)), "cpu-ms/process")
		})
	}
}

// processTime is what a process took of the processors.
func processTime(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func timed(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	start := time.Now()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return time.Since(start)
}

// BenchmarkViews times views of a store of 100,000 tasks, whole processes, against the same
// of one of 100.
func BenchmarkViews(b *testing.B) {
	bin := binary(b)
	small, large := scaledStore(b, few), scaledStore(b, many)
	uid := string(storetest.UID(50))
	for _, bm := range []struct {
		name   string
		args   []string
		budget int // times the small store
	}{
		{"next", []string{"next"}, 2},
		{"ls", []string{"ls", "--limit", "50"}, 2},
		{"inbox", []string{"inbox"}, 5}, // orders all 25,000 items, to show 100
		{"show", []string{"show", uid}, 2},
		{"history", []string{"history", uid}, 2},
	} {
		b.Run(bm.name, func(b *testing.B) {
			in := func(dir string) time.Duration {
				return timed(b, bin, append([]string{"-C", dir}, bm.args...)...)
			}
			in(small) // what the first one after a change has to do is not a view's
			in(large)
			var slow, quick []time.Duration
			for b.Loop() {
				for range 4 {
					slow = append(slow, in(large))
					quick = append(quick, in(small))
				}
			}
			b.ReportMetric(ratio(median(slow), median(quick)), fmt.Sprint("100k/100≤", bm.budget))
			b.ReportMetric(ms(median(slow)), "ms/process")
		})
	}
}

// BenchmarkGuard is what the guard, which is vespe run once more, adds to a program of a run.
func BenchmarkGuard(b *testing.B) {
	bin, dir := binary(b), b.TempDir()
	spec := proc.Spec{
		Run: "run-bench", Argv: []string{"true"}, Dir: dir, Env: os.Environ(), State: filepath.Join(dir, "state"),
		Out: filepath.Join(dir, "out"), Err: filepath.Join(dir, "err"), Guard: []string{bin, proc.GuardVerb},
	}
	var guarded, bare time.Duration
	for b.Loop() {
		began := time.Now()
		p, err := proc.Start(b.Context(), spec)
		if err != nil {
			b.Fatal(err)
		}
		if e := p.Exit(); !e.OK() {
			b.Fatalf("%+v", e)
		}
		guarded += time.Since(began)
		bare += timed(b, "true")
	}
	b.ReportMetric(float64(guarded)/float64(bare), "x-bare")
	b.ReportMetric(float64((guarded-bare).Microseconds())/float64(b.N)/1000, "ms-more")
}
