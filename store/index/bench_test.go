package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model/snapshot"
	"vespe/store"
)

const (
	fewTasks  = 1_000
	manyTasks = 100_000
)

// large is a generated store with its index, made once a run.
type large struct {
	d          *desk
	snap       *snapshot.Snapshot
	load, made time.Duration
}

var larges struct {
	mu sync.Mutex
	of map[int]*large
}

func largeStore(b *testing.B, n int) *large {
	b.Helper()
	larges.mu.Lock()
	defer larges.mu.Unlock()
	if l := larges.of[n]; l != nil {
		return l
	}
	dir, state := tempDir(b), tempDir(b)
	s, err := store.Init(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := storetest.Write(filepath.Join(dir, store.Name), storetest.Project(n), 0); err != nil {
		b.Fatal(err)
	}
	l := &large{d: &desk{t: b, dir: dir, state: state, s: s}}
	start := time.Now()
	l.snap = l.d.snap()
	l.load = time.Since(start)
	l.d.open()
	start = time.Now()
	if err := l.d.x.Update(context.Background(), l.snap, UpdateOptions{}); err != nil {
		b.Fatal(err)
	}
	l.made = time.Since(start)
	if larges.of == nil {
		larges.of = map[int]*large{}
	}
	larges.of[n] = l
	return l
}

// tempDir outlives the benchmark: TestMain removes it.
func tempDir(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp(scratch, "")
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

var scratch string // where benchmarks keep what several of them need

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "vespe-index-"); err != nil {
		panic(err)
	}
	code := m.Run()
	for _, l := range larges.of {
		_, _ = l.d.x.Close(), l.d.s.Close() // before they are removed
	}
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkSearch asks 100,000 tasks, beside 1,000 in the same run. Some words are in a quarter of all names.
func BenchmarkSearch(b *testing.B) {
	few, many := largeStore(b, fewTasks), largeStore(b, manyTasks)
	for _, query := range []string{
		"77", "99999", "parser 54321", "parser", "arse", "p", "pa", "name:cache plan:tests", `"carefully it"`, "release -login", "read change run",
		"status:ready parser", "history:imported", "zzzz", "配置",
	} {
		b.Run(query, func(b *testing.B) {
			var here, least []time.Duration
			for b.Loop() {
				for range 7 {
					here, least = append(here, ask(b, many, query)), append(least, ask(b, few, query))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(median(here)), "ms≤20")
			b.ReportMetric(ms(median(least)), "ms-1000")
		})
	}
}

func ask(b *testing.B, l *large, query string) time.Duration {
	b.Helper()
	start := time.Now()
	if _, err := l.d.x.Search(context.Background(), l.snap, snapshot.SearchQuery{Text: query}); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
