package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkProcess times whole processes against the smallest Go program, which is the
// floor of every command line written in Go.
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
	for _, bm := range []struct {
		name string
		args []string
	}{
		{"version", []string{"version"}},
		{"next", []string{"-C", demo, "next"}},
		{"tree", []string{"-C", demo}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var ours, least time.Duration
			for b.Loop() {
				ours += timed(b, bin, bm.args...)
				least += timed(b, floor)
			}
			b.ReportMetric(float64(ours)/float64(least), "x-empty-process")
			b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/process")
		})
	}
}

func timed(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	start := time.Now()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return time.Since(start)
}
