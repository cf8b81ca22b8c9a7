package complexity

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The pieces of tests and criteria are those that looking through all pieces for each finds.
func TestHomesAreFoundAsBySearch(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "book", "books", "list", "sum", "x_test", "test_sum", "listTest", "pay", "tax", "log", "net", "day", "map"})
	file := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "path"), "/") + rapid.SampledFrom([]string{"", ".go"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		pieces := make([]Work, rapid.IntRange(1, 5).Draw(t, "pieces"))
		for i := range pieces {
			pieces[i].Create = rapid.SliceOfN(file, 0, 3).Draw(t, "create")
			pieces[i].Modify = rapid.SliceOfN(file, 0, 2).Draw(t, "modify")
		}
		at := homesIn(pieces)
		for range 5 {
			if test := file.Draw(t, "test"); at.of(test) != searched(test, pieces) {
				t.Fatalf("%s is in %d, want %d of\n%s", test, at.of(test), searched(test, pieces), drawn(&Work{}, pieces))
			}
		}
		w := Work{Criteria: []string{strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, "criterion"), " ")}}
		want := 0 // the first turn
		best, most, alike := 0, 0, 0
		for i := range pieces {
			n := 0
			for own, k := range ownWords(pieces) {
				if k == i && stems(wordsOf(w.Criteria[0]))[own] {
					n++
				}
			}
			switch {
			case n > most:
				best, most, alike = i, n, 1
			case n == most:
				alike++
			}
		}
		if most > 0 && alike == 1 {
			want = best
		}
		if dealCriteria(&w, pieces); len(pieces[want].Criteria) != 1 {
			t.Fatalf("%q is not in %d of\n%s", w.Criteria, want, drawn(&w, pieces))
		}
	})
}

func searched(test string, pieces []Work) int {
	clean := CleanPath(test)
	want := testedBy(clean)
	name := func(f string) string { return strings.TrimSuffix(path.Base(f), path.Ext(f)) }
	for _, is := range []func(file string) bool{
		func(f string) bool { return f == clean },
		func(f string) bool { return name(f) == want && path.Dir(f) == path.Dir(clean) },
		func(f string) bool { return name(f) == want },
		func(f string) bool { return path.Dir(f) == path.Dir(clean) },
	} {
		for i := range pieces {
			if slices.ContainsFunc(pieces[i].files(), func(f string) bool { return is(CleanPath(f)) }) {
				return i
			}
		}
	}
	return len(pieces) - 1
}

// A proposal and a score of a hundred times as many files take about a hundred times as long: times-slower is how much
// longer a file takes then.
func BenchmarkManyFiles(b *testing.B) {
	work := func(n int) Work {
		w := Work{Title: "Some work"}
		for i := range n {
			w.Create = append(w.Create, fmt.Sprintf("d%d/f%d", i, i%7))
			w.Tests = append(w.Tests, fmt.Sprintf("d%d/f%d_test", i, i%7))
			w.Criteria = append(w.Criteria, fmt.Sprintf("What d%d says is so", i))
		}
		return w
	}
	small, large := work(100), work(10_000)
	var fast, slow time.Duration
	for b.Loop() {
		for _, by := range []Way{ByFiles, ByCriteria} {
			t0 := time.Now()
			for range 100 {
				_, _ = Divide(small, by)
				Of(small, DefaultLimits())
			}
			t1 := time.Now()
			_, _ = Divide(large, by)
			Of(large, DefaultLimits())
			fast, slow = fast+t1.Sub(t0), slow+time.Since(t1)
		}
	}
	b.ReportMetric(slow.Seconds()/fast.Seconds(), "times-slower≤3")
}
