package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// BenchmarkLoop is what the loop takes for a task, one at a time, with a worker that writes one file and
// `make test` as the check, on a disk and in memory: ms-task in all, ms-git while a git ran, ms-work what
// the worker and the check take by themselves, measured in turn, and own-ms what comes on top of these:
// records, transactions, guards, events.
func BenchmarkLoop(b *testing.B) {
	const tasks = 8
	for name, dir := range map[string]string{"disk": "/var/tmp", "memory": "/dev/shm"} {
		b.Run(name, func(b *testing.B) {
			b.Setenv("TMPDIR", dir)
			d := newDesk(b)
			d.opt.Workers = 1
			var all, git, work []float64
			n := 0
			for b.Loop() {
				for range tasks {
					n++
					d.task(fmt.Sprint("task ", n), fmt.Sprintf("do write f%03d.txt good", n), nil)
				}
				l := d.loop()
				began := time.Now()
				sum, err := l.Run(context.Background(), context.Background())
				if err != nil || sum.Completed != tasks {
					b.Fatal(err, sum, d.lines())
				}
				all = append(all, perTask(time.Since(began), tasks))
				git = append(git, perTask(l.repo.InGit(), tasks))
				for range tasks {
					work = append(work, perTask(d.bare(), 1))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(middle(all), "ms-task")
			b.ReportMetric(middle(git), "ms-git")
			b.ReportMetric(middle(work), "ms-work")
			b.ReportMetric(middle(all)-middle(git)-middle(work), "own-ms≤300")
		})
	}
}

func perTask(d time.Duration, n int) float64 { return float64(d) / float64(n) / 1e6 }

func middle(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// bare is how long the worker and the check take that nobody looks after.
func (d *desk) bare() time.Duration {
	d.t.Helper()
	dir := d.t.TempDir()
	for name, text := range map[string]string{"Makefile": makefile, "check.sh": checkScript, "prompt": "do write f.txt good\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
	began := time.Now()
	for _, argv := range [][]string{d.opt.Settings.Worker.Argv, {"make", "test"}} {
		c := exec.Command(argv[0], argv[1:]...)
		c.Dir, c.Env = dir, append(slices.Clone(d.env), "VESPE_PROMPT_FILE="+filepath.Join(dir, "prompt"), "VESPE_TASK=bare")
		if out, err := c.CombinedOutput(); err != nil {
			d.t.Fatalf("%s: %v\n%s", argv, err, out)
		}
	}
	return time.Since(began)
}

// BenchmarkRound is what the loop does by each snapshot that is new to it, for 100 and for 100,000 tasks: another
// process has changed a task while nothing is to be done, and while two runs are under way. Deadlocks, which are
// looked for every two seconds at most, are no part of it. Unchanged is what it
// does every 200 ms otherwise, whatever is in the store, as a share of a core.
func BenchmarkRound(b *testing.B) {
	b.Run("unchanged", func(b *testing.B) {
		const rounds = 1000
		l := idleLoop(b)
		for b.Loop() {
			for range rounds {
				if over, err := l.round(b.Context()); over || err != nil {
					b.Fatal(over, err)
				}
			}
		}
		each := float64(b.Elapsed()) / float64(b.N) / rounds
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(each/1e3, "µs-round")
		b.ReportMetric(each/float64(tick)*100, "%-of-a-core≤2")
	})
	for _, n := range []int{100, 100_000} {
		in := snapshot.Input{Seq: 1}
		empty := snapshot.New(snapshot.Input{})
		for _, op := range storetest.Project(n) {
			c, err := lifecycle.Apply(empty, op)
			if err != nil {
				b.Fatal(err)
			}
			in.Tasks = append(in.Tasks, c.Tasks...)
		}
		snap := snapshot.New(in)
		for _, live := range []int{0, 2} {
			b.Run(fmt.Sprintf("%d/%d-live", n, live), func(b *testing.B) {
				l := idleLoop(b)
				for k := range live {
					l.runs.live[fmt.Sprint("run-", k)] = &run{record: record{Run: fmt.Sprint("run-", k), Task: storetest.UID(k)}, stop: func(error) {}}
				}
				for b.Loop() {
					b.StopTimer()
					t := *snap.At(n / 2)
					t.Status.Revision++
					snap = snap.With(snap.Seq()+1, "", []*model.Task{&t}, nil)
					b.StartTimer()
					l.act(b.Context(), snap)
				}
			})
		}
	}
}

// idleLoop is a loop of two workers that has nothing to do.
func idleLoop(b *testing.B) *Loop {
	d := newDesk(b)
	l := d.loop()
	l.opt.Idle, l.soft, l.hard = false, b.Context(), b.Context()
	b.Cleanup(l.target.moving.Wait)
	for range 2 {
		if _, err := l.round(b.Context()); err != nil {
			b.Fatal(err)
		}
		l.target.moving.Wait()
	}
	return l
}
