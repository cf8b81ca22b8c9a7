package chart

import (
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []int
		ascii  bool
		want   string
	}{
		{nil, false, ""},
		{[]int{0, 0}, false, "··"},
		{[]int{1, 2, 3, 4, 5, 6, 7}, false, "▁▂▃▄▅▆▇"},
		{[]int{0, 1, 1000}, false, "·▁▇"},
		{[]int{3, 0, 3}, true, "# #"},
	} {
		if got := Spark(c.values, c.ascii); got != c.want {
			t.Errorf("%v is %q, want %q", c.values, got, c.want)
		}
	}
}

func TestBins(t *testing.T) {
	bins, each := Bins([]int{1, 2, 3, 4, 5}, 2)
	if each != 3 || len(bins) != 2 || bins[0] != 3 || bins[1] != 12 {
		t.Errorf("%v of %d", bins, each)
	}
	if bins, each = Bins([]int{1, 2}, 9); each != 1 || len(bins) != 2 {
		t.Errorf("%v of %d", bins, each)
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{0: "", 0.001: "╸", 0.5: "━━━━━", 0.55: "━━━━━╸", 1: "━━━━━━━━━━", 7: "━━━━━━━━━━"} {
		if got := Bar(share, 10, false); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// The cells are all used, nothing that is there has none where there are enough, and more never gets
// less by more than rounding.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "ns"))
		}), 1, 30).Draw(t, "lengths")
		w := rapid.IntRange(0, 120).Draw(t, "w")
		sum, some := 0, 0
		cells := Split(lengths, w)
		for i, n := range cells {
			sum += n
			if lengths[i] > 0 {
				some++
			}
			if n < 0 || lengths[i] == 0 && n != 0 {
				t.Fatalf("%v of %d are %v", lengths, w, cells)
			}
		}
		if some > 0 && sum != w {
			t.Fatalf("%v of %d are %v: %d cells", lengths, w, cells, sum)
		}
		for i, n := range cells {
			if lengths[i] > 0 && n == 0 && some <= w {
				t.Fatalf("%v of %d are %v", lengths, w, cells)
			}
		}
		if s := Spark([]int{w, 1}, false); utf8.RuneCountInString(s) != 2 {
			t.Fatal(s)
		}
	})
}
