package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
)

// filled is a store of n imported tasks.
func filled(b testing.TB, dir string, n int) *Store {
	b.Helper()
	s, err := Init(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	ops := make([]model.Op, n)
	for i := range ops {
		ops[i] = importOp(i)
	}
	if _, err := s.DoAll(context.Background(), ops); err != nil {
		b.Fatal(err)
	}
	return s
}

// bareRead reads the files that a load reads, four at once, and nothing else.
func bareRead(b testing.TB, dirs []string) (files int64) {
	var next atomic.Int64
	var count atomic.Int64
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(dirs) {
					return
				}
				for _, f := range []string{configFile, statusFile, specFile} {
					if _, err := os.ReadFile(filepath.Join(dirs[i], f)); err != nil {
						b.Error(err)
						return
					}
					count.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return count.Load()
}

// BenchmarkStore measures stores of two sizes, in memory where that can be: what is ours is
// seen best where the disk costs nothing. Figures are ratios to the same work done bare,
// in turn with it.
func BenchmarkStore(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := filled(b, fastDir(b), n)
			b.Run("load", func(b *testing.B) { benchLoad(b, s, n) })
			b.Run("transition", func(b *testing.B) { benchTransition(b, s, n, fastDir(b)) })
			b.Run("refresh", func(b *testing.B) { benchRefresh(b, s) })
		})
	}
}

// benchLoad compares a load with a bare parallel read of the same files.
func benchLoad(b *testing.B, s *Store, n int) {
	dirs, err := filepath.Glob(vespe(s, "tasks/*"))
	if err != nil || len(dirs) != n {
		b.Fatal(len(dirs), err)
	}
	var bare, loaded, read time.Duration
	for b.Loop() {
		t0 := time.Now()
		bareRead(b, dirs)
		t1 := time.Now()
		r, err := Open(s.Root(), Options{ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		uids, _, err := r.listTasks()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.readTasks(b.Context(), uids, nil, nil); err != nil {
			b.Fatal(err)
		}
		t2 := time.Now()
		snap, err := r.Load(b.Context(), nil)
		if err != nil || snap.Len() != n {
			b.Fatal(snap.Len(), err)
		}
		_ = r.Close()
		t3 := time.Now()
		bare += t1.Sub(t0)
		read += t2.Sub(t1)
		loaded += t3.Sub(t2)
	}
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N)/1000, "bare-ms")
	b.ReportMetric(float64(loaded)/float64(bare), "load/bare")
	b.ReportMetric(float64(read)/float64(bare), "tasks/bare")
}

// BenchmarkTransition is one durable transition on the disk.
func BenchmarkTransition(b *testing.B) {
	benchTransition(b, filled(b, b.TempDir(), 10), 10, b.TempDir())
}

// benchTransition compares one transition with the writes and fsyncs that it cannot do
// without: the entry and its directory, each file with its rename, and their directory.
func benchTransition(b *testing.B, s *Store, n int, dir string) {
	load(b, s)
	uid := importOp(n / 2).UID
	var bare, done time.Duration
	i := 0
	for b.Loop() {
		i++
		t0 := time.Now()
		a, err := s.Do(b.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: fmt.Sprintf("plan %d of %d\n", i, time.Now().UnixNano())})
		if err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		bareSequence(b, s, a.Seq, dir)
		t2 := time.Now()
		done += t1.Sub(t0)
		bare += t2.Sub(t1)
	}
	b.ReportMetric(float64(done.Microseconds())/float64(b.N), "do-µs")
	b.ReportMetric(float64(done)/float64(bare), "do/bare")
}

// benchRefresh is what a reader pays for another process's transition.
func benchRefresh(b *testing.B, s *Store) {
	r := open(b, s.Root(), Options{})
	load(b, r)
	uid := importOp(7).UID
	var spent time.Duration
	i := 0
	for b.Loop() {
		i++
		do(b, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, NewName: fmt.Sprint("name ", i, time.Now().UnixNano())})
		t0 := time.Now()
		if _, err := r.Refresh(b.Context()); err != nil {
			b.Fatal(err)
		}
		spent += time.Since(t0)
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "refresh-µs")
}

// bareSequence writes what entry seq wrote, with the same fsyncs, elsewhere.
func bareSequence(b *testing.B, s *Store, seq uint64, dir string) {
	raw, err := os.ReadFile(vespe(s, entryFile(seq)))
	if err != nil {
		b.Fatal(err)
	}
	e, err := decodeEntry(raw, seq)
	if err != nil {
		b.Fatal(err)
	}
	put := func(name string, body []byte) {
		tmp := filepath.Join(dir, "tmp")
		f, err := os.Create(tmp)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Write(body); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		if err := os.Rename(tmp, filepath.Join(dir, name)); err != nil {
			b.Fatal(err)
		}
	}
	put("entry", raw)
	sync := func() {
		d, err := os.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Sync(); err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
	sync()
	for i := range e.Files {
		put(fmt.Sprint("file", i), e.Files[i].body)
	}
	sync()
}

// BenchmarkImport imports 3,003 tasks in one transaction, against making the same files
// and directories one after the other with nothing synced.
func BenchmarkImport(b *testing.B) {
	ops := make([]model.Op, 3003)
	for i := range ops {
		ops[i] = importOp(i)
	}
	var bare, done time.Duration
	for b.Loop() {
		s, err := Init(fastDir(b), Options{})
		if err != nil {
			b.Fatal(err)
		}
		t0 := time.Now()
		a, err := s.DoAll(b.Context(), ops)
		if err != nil {
			b.Fatal(err)
		}
		t1 := time.Now()
		e, _, err := s.readEntry(a.Seq)
		if err != nil {
			b.Fatal(err)
		}
		dir := fastDir(b)
		t2 := time.Now()
		for i := range e.Files {
			name := filepath.Join(dir, e.Files[i].Path)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(name, e.Files[i].body, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		bare += time.Since(t2)
		done += t1.Sub(t0)
		_ = s.Close()
	}
	b.ReportMetric(float64(done.Milliseconds())/float64(b.N), "import-ms")
	b.ReportMetric(float64(done)/float64(bare), "import/bare")
}
