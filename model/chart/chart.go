// Package chart draws numbers with characters: a sparkline for a row of them, a bar for one. Every
// character is one cell wide by every rule of width.
package chart

import (
	"strings"
	"time"
)

const (
	blocks = "▁▂▃▄▅▆▇" // a whole block would touch the row above
	signs  = "_.:-=+*#"
	whole  = "━"
	half   = "╸"
)

// Spark is a row of values as characters, one a value, the greatest as high as can be. 0 is a dot on
// the ground, whatever the others are.
func Spark(values []int, ascii bool) string {
	levels, none := []rune(blocks), '·'
	if ascii {
		levels, none = []rune(signs), ' '
	}
	most := 0
	for _, v := range values {
		most = max(most, v)
	}
	var out strings.Builder
	for _, v := range values {
		if v <= 0 {
			out.WriteRune(none)
			continue
		}
		out.WriteRune(levels[min(len(levels)-1, (v*len(levels)-1)/most)])
	}
	return out.String()
}

// Stretch draws every character n times.
func Stretch(s string, n int) string {
	var out strings.Builder
	for _, r := range s {
		out.WriteString(strings.Repeat(string(r), max(1, n)))
	}
	return out.String()
}

// Bins sums values up into at most n bins of the same size, the last values in the last bin. It returns
// how many values a bin has.
func Bins(values []int, n int) (bins []int, each int) {
	if n < 1 || len(values) == 0 {
		return nil, 1
	}
	each = (len(values) + n - 1) / n
	bins = make([]int, (len(values)+each-1)/each)
	for i, v := range values {
		bins[len(bins)-1-(len(values)-1-i)/each] += v
	}
	return bins, each
}

// Bar is a share of w cells, 0 to 1, without the blanks after it. What is more than nothing shows.
func Bar(share float64, w int, ascii bool) string {
	if share <= 0 || w <= 0 {
		return ""
	}
	n := max(1, int(min(share, 1)*float64(w*2)+0.5)) // half cells
	if ascii {
		return strings.Repeat("=", (n+1)/2)
	}
	out := strings.Repeat(whole, n/2)
	if n%2 > 0 {
		out += half
	}
	return out
}

// Split shares w cells out among lengths in their proportion, one cell at least to each that is not
// zero as long as there are enough.
func Split(lengths []time.Duration, w int) []int {
	out := make([]int, len(lengths))
	var total time.Duration
	some := 0
	for _, d := range lengths {
		if d > 0 {
			total += d
			some++
		}
	}
	if total <= 0 || w <= 0 {
		return out
	}
	least := 0
	if some <= w {
		least = 1
	}
	free := w - least*some
	var sum time.Duration
	used := 0
	for i, d := range lengths {
		if d <= 0 {
			continue
		}
		sum += d
		at := int(float64(free) * (float64(sum) / float64(total)))
		if sum == total {
			at = free
		}
		out[i] = least + at - used
		used = at
	}
	return out
}
