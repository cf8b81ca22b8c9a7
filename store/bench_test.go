package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vespe/internal/storetest"
	"vespe/model"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

// filled is a store of n imported tasks.
func filled(b testing.TB, dir string, n int) *Store {
	b.Helper()
	s := initIn(b, dir, Options{})
	ops := make([]model.Op, n)
	for i := range ops {
		ops[i] = importOp(i)
	}
	mustGet(s.DoAll(context.Background(), ops))(b)
	return s
}

// bareRead reads files, four at once, and nothing else.
func bareRead(b testing.TB, files []string) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range parallel.Readers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if _, err := os.ReadFile(files[i]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkStore measures stores of several sizes, in memory where that can be: what is
// ours is seen best where the disk costs nothing. Figures are ratios to the same work done
// bare, in turn with it.
func BenchmarkStore(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := fastDir(b)
			s := generated(b, dir, n)
			b.Cleanup(func() { _ = storetest.Remove(dir) })
			b.Run("load", func(b *testing.B) { benchLoad(b, s, n) })
			b.Run("refresh", func(b *testing.B) { benchRefresh(b, s) })
		})
	}
}

var benchSizes = []int{100, 10_000, 100_000}

// generated is a store of n generated tasks in a directory of dir.
func generated(b *testing.B, dir string, n int) *Store {
	b.Helper()
	s := initIn(b, filepath.Join(dir, fmt.Sprint(n)), Options{})
	must(b, storetest.Write(vespe(s, "."), storetest.Project(n), 0))
	load(b, s)
	return s
}

// benchLoad compares a load with a bare parallel read of the same files.
func benchLoad(b *testing.B, s *Store, n int) {
	files, err := filepath.Glob(vespe(s, "tasks/*/*.json"))
	if err != nil || len(files) < 3*n {
		b.Fatal(len(files), err)
	}
	var bare, loaded []time.Duration
	for b.Loop() {
		for range max(1, 3000/n) {
			t0 := time.Now()
			bareRead(b, files)
			t1 := time.Now()
			r := open(b, s.Root(), Options{ReadOnly: true})
			// What Load does where there is no checkpoint.
			snap, err := r.loader.LoadFiles(b.Context())
			if err != nil || snap.Len() != n {
				b.Fatal(snap.Len(), err)
			}
			t2 := time.Now()
			_ = r.Close()
			bare, loaded = append(bare, t1.Sub(t0)), append(loaded, t2.Sub(t1))
		}
	}
	b.ReportMetric(ms(quarter(bare)), "bare-ms")
	b.ReportMetric(ms(quarter(loaded)), "load-ms")
	b.ReportMetric(float64(quarter(loaded))/float64(quarter(bare)), "load/bare≤1.5")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFirstLook is the first load of a process that has a log and no checkpoint, which compares
// the verdicts of the files with the log: against a bare parallel read of the tasks' files, and of
// those and the entries.
func BenchmarkFirstLook(b *testing.B) {
	const n, entries = 10_000, 20_000
	dir := fastDir(b)
	s := generated(b, dir, n)
	b.Cleanup(func() { _ = storetest.Remove(dir) })
	for i := range entries {
		do(b, s, model.Op{Name: model.RenameTask, UID: storetest.UID(i % n), Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	removeCheckpoints(b, s)
	tasks := mustGet(filepath.Glob(vespe(s, "tasks/*/*.json")))(b)
	log, err := filepath.Glob(vespe(s, "log/0*"))
	if err != nil || len(log) < entries {
		b.Fatal(len(log), err)
	}
	var bare, both, loaded []time.Duration
	for b.Loop() {
		t0 := time.Now()
		bareRead(b, tasks)
		t1 := time.Now()
		bareRead(b, log)
		t2 := time.Now()
		r := open(b, s.Root(), Options{ReadOnly: true})
		if snap, err := r.Load(b.Context(), nil); err != nil || snap.Len() != n {
			b.Fatal(snap.Len(), err)
		}
		t3 := time.Now()
		_ = r.Close()
		bare, both, loaded = append(bare, t1.Sub(t0)), append(both, t2.Sub(t0)), append(loaded, t3.Sub(t2))
	}
	b.ReportMetric(ms(quarter(loaded)), "load-ms")
	b.ReportMetric(float64(quarter(loaded))/float64(quarter(bare)), "load/tasks")
	b.ReportMetric(float64(quarter(loaded))/float64(quarter(both)), "load/bare")
	b.ReportMetric(0, "ns/op")
}

// quarter is the time that a quarter of the others stay below: what else the machine does
// adds to the times above it.
func quarter(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/4]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// BenchmarkTransition is one durable transition, and a hundred in one transaction, on the
// disk, in stores of several sizes. All of them are there before anything is timed, and go
// when everything is: a file system that has just forgotten a million files is slow to make
// new ones, ext4 for five minutes.
func BenchmarkTransition(b *testing.B) {
	dir := diskDir(b)
	stores := map[int]*Store{}
	for _, n := range benchSizes {
		stores[n] = generated(b, dir, n)
	}
	unix.Sync() // what the disk owes for the stores is no transition's
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, planned := stores[n], plannedTasks(b, stores[n])
			b.Run("one", func(b *testing.B) {
				benchTransition(b, s, dir, func(i int) model.Op {
					return model.Op{Name: model.DefinePlan, UID: planned[i%len(planned)], Args: model.NewPlan{Text: fmt.Sprintf("plan %d of %d\n", i, time.Now().UnixNano())}}
				})
			})
			b.Run("new", func(b *testing.B) {
				benchTransition(b, s, dir, func(i int) model.Op {
					return model.Op{Name: model.CreateTask, Args: model.NewTask{Name: fmt.Sprint("new ", i), Parent: planned[i%len(planned)]}}
				})
			})
			b.Run("batch", func(b *testing.B) { benchBatch(b, s, n) })
		})
	}
}

// diskDir is a directory that survives a restart, and so is on a disk.
func diskDir(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "vespe-bench-")
	if err != nil {
		return b.TempDir()
	}
	b.Cleanup(func() { _ = storetest.Remove(dir) })
	return dir
}

// plannedTasks are tasks in the middle of a store that take a plan, and subtasks.
func plannedTasks(b *testing.B, s *Store) (uids []model.UID) {
	b.Helper()
	snap, _ := s.loader.Current.Get()
	for i := snap.Len() / 2; i < snap.Len() && len(uids) < 1000; i++ {
		if snap.At(i).Status.CurrentState == model.PlanDefined {
			uids = append(uids, snap.UID(i))
		}
	}
	if len(uids) == 0 {
		b.Fatal("no task takes a plan")
	}
	return uids
}

// benchTransition compares one transition with the writes and fsyncs that it cannot do
// without: the entry and its directory, each file with its rename, and their directory.
func benchTransition(b *testing.B, s *Store, dir string, op func(i int) model.Op) {
	var bare, done []time.Duration
	i := 0
	for b.Loop() {
		for range 10 {
			i++
			one := op(i)
			one.Actor = robot
			t0 := time.Now()
			a := mustGet(s.Do(b.Context(), one))(b)
			t1 := time.Now()
			bareSequence(b, s, a.Seq, dir)
			done, bare = append(done, t1.Sub(t0)), append(bare, time.Since(t1))
		}
	}
	b.ReportMetric(ms(quarter(done)), "do-ms")
	b.ReportMetric(float64(quarter(done))/float64(quarter(bare)), "do/bare≤1.5")
	b.ReportMetric(0, "ns/op")
}

// benchBatch compares a hundred transitions in one transaction with twenty single ones.
func benchBatch(b *testing.B, s *Store, n int) {
	var batch, single []time.Duration
	i := 0
	for b.Loop() {
		i++
		ops := make([]model.Op, 100)
		for k := range ops {
			ops[k] = model.Op{Name: model.RenameTask, UID: storetest.UID(k * n / 100), Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i, " ", k)}}
		}
		t0 := time.Now()
		mustGet(s.DoAll(b.Context(), ops))(b)
		t1 := time.Now()
		for k := range 20 {
			do(b, s, model.Op{Name: model.RenameTask, UID: storetest.UID((5*k + i%5) * n / 100), Actor: ann, Args: model.NewName{Name: fmt.Sprint("alone ", i, " ", k)}})
		}
		batch, single = append(batch, t1.Sub(t0)), append(single, time.Since(t1))
	}
	b.ReportMetric(ms(quarter(batch)), "batch-ms")
	b.ReportMetric(float64(quarter(batch))/float64(quarter(single)), "100-at-once/20≤1")
	b.ReportMetric(0, "ns/op")
}

// benchRefresh is what a reader pays for another process's transition.
func benchRefresh(b *testing.B, s *Store) {
	r := open(b, s.Root(), Options{})
	load(b, r)
	uid := storetest.UID(7)
	var spent time.Duration
	i := 0
	for b.Loop() {
		i++
		do(b, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i, time.Now().UnixNano())}})
		t0 := time.Now()
		mustGet(r.Refresh(b.Context()))(b)
		spent += time.Since(t0)
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "refresh-µs")
}

// bareSequence writes what entry seq wrote, with the same fsyncs, elsewhere.
func bareSequence(b *testing.B, s *Store, seq uint64, dir string) {
	raw := mustGet(os.ReadFile(vespe(s, layout.EntryFile(seq))))(b)
	e, err := txlog.DecodeEntry(raw, seq)
	if err != nil {
		b.Fatal(err)
	}
	put := func(name string, body []byte) {
		tmp := filepath.Join(dir, "tmp")
		f := mustGet(os.Create(tmp))(b)
		mustGet(f.Write(body))(b)
		must(b, f.Sync())
		must(b, f.Close())
		must(b, os.Rename(tmp, filepath.Join(dir, name)))
	}
	put("entry", raw)
	sync := func() {
		d := mustGet(os.Open(dir))(b)
		must(b, d.Sync())
		must(b, d.Close())
	}
	sync()
	for i := range e.Files {
		put(fmt.Sprint("file", i), e.Files[i].Bytes)
	}
	sync()
}
