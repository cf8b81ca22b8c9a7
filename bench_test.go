package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store"
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

// BenchmarkViews times views of a store of 100,000 tasks, whole processes, against the same
// of one of 100.
func BenchmarkViews(b *testing.B) {
	bin := binary(b)
	small, large := generated(b, 100), generated(b, 100_000)
	uid := string(generatedUID(50))
	for _, bm := range []struct {
		name string
		args []string
	}{
		{"next", []string{"next"}},
		{"ls", []string{"ls", "--limit", "50"}},
		{"show", []string{"show", uid}},
		{"history", []string{"history", uid}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			in := func(dir string) time.Duration {
				return timed(b, bin, append([]string{"-C", dir}, bm.args...)...)
			}
			in(small) // what the first one after a change has to do is not a view's
			in(large)
			var many, few time.Duration
			for b.Loop() {
				many += in(large)
				few += in(small)
			}
			b.ReportMetric(float64(many)/float64(few), "100k/100")
			b.ReportMetric(float64(many.Milliseconds())/float64(b.N), "ms/process")
		})
	}
}

// generated is a store of n tasks: a tree of tens, with dependencies, of all ages and with
// something in every state that an import may bring.
func generated(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	s, err := store.Init(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	const ann = model.Actor("human:ann")
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	ops := make([]model.Op, n)
	for i := range ops {
		uid := generatedUID(i)
		t := &model.Task{
			UID:    uid,
			Config: model.Config{UID: uid, Name: fmt.Sprintf("task %d", i), CreatedBy: ann, CreatedAt: at.Add(time.Duration(i) * time.Second)},
			Status: model.StatusFile{CurrentState: model.ObjectiveDefined, LastUpdatedAt: at},
			Spec:   &model.Spec{Description: strings.Repeat("words and words ", 20), Labels: []string{"generated"}},
		}
		if i >= 10 {
			t.Config.ParentUID = generatedUID(i / 10)
		}
		if i >= 20 && i%2 == 0 {
			t.DependsOn = []model.UID{generatedUID(i - 7)}
		}
		if i%3 == 0 {
			t.Status.CurrentState = model.PlanDefined
		}
		ops[i] = model.Op{Name: model.ImportTask, UID: uid, Actor: ann, Import: &model.Imported{
			Task: t, Objective: "An objective.\n", Plan: "A plan.\n",
			Events: []model.Event{{Name: "imported", UID: uid, At: at, Actor: ann, Summary: "generated"}},
		}}
	}
	if _, err := s.DoAll(b.Context(), ops); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

func generatedUID(i int) model.UID { return model.UID(fmt.Sprintf("tsk-%032x", i+1)) }
