package markdown

import (
	"strings"
	"testing"
)

// FuzzMarkdown: any bytes at any size give whole frames, a mapping that covers the source,
// and as many rows as their length allows.
func FuzzMarkdown(f *testing.F) {
	f.Add(sample(f, "sample.md"), uint8(60), uint8(10), "the")
	f.Add([]byte("- > 1. - [ ] a\n\n\t\tb\n<b hidden>\n\n|a|\n|-|\n|b|c|"), uint8(9), uint8(3), "a")
	f.Add([]byte("[a]: <b\u202e> 'c'\n[a]\n***x*\x1b]8;;y\a"), uint8(20), uint8(5), "x")
	f.Add([]byte("| a | b |\n|:-|-:|\n| \\| | `\\|` |\n"), uint8(3), uint8(2), "|")
	f.Add([]byte("a&#27;]7777;n9&#7;b ![x](y \"z\") ~~[q](w)~~"), uint8(40), uint8(4), "q")
	st := dark(f)
	f.Fuzz(func(t *testing.T, src []byte, w8, h8 uint8, q string) {
		if len(src) > 1<<14 {
			return
		}
		w, h := int(w8)%130+2, int(h8)%40+1
		d := New(src, st)
		checkFrame(t, d.View(w, h), w, h)
		if strings.TrimSpace(q) != "" {
			d.Search(q)
			checkFrame(t, d.View(w, h), w, h)
			d.PrevMatch()
		}
		d.SetRaw(true)
		checkFrame(t, d.View(w, h), w, h)
		d.SetRaw(false)
		if w >= 10 {
			checkMapping(t, d, w)
		}
		d.Bottom()
		checkFrame(t, d.View(w, h), w, h)
		// Rows are bounded by what there is to show: one stand-in character of the source is
		// at most a dozen cells.
		rows := 0
		for i := range d.doc.units {
			rows += d.flow().height(i)
		}
		if limit := 50 + 8*d.Lines() + 40*len(src); rows > limit {
			t.Errorf("%d bytes give %d rows", len(src), rows)
		}
	})
}
