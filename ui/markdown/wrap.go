package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// run is a stretch of text in one style, in reading order, before it is broken into lines.
type run struct {
	text string
	sgr  string
	link string
	line int  // source line, relative to the first line of the unit
	brk  bool // a line break that the author asked for; text is empty
}

// cell is one grapheme cluster on its way into a line.
type cell struct {
	text  string
	w     int
	run   int32
	space bool
	brk   bool // nothing but a forced line break
}

// wrap breaks runs into lines of at most w cells: at spaces, between ideographs, and inside
// a word only when it is longer than a line. part is the index of the searchable text that
// the runs are. The result has at least one line.
func wrap(runs []run, w, part int) []line {
	w = max(1, w)
	cells := cut(runs)
	var out []line
	at := 0
	for i := 0; i < len(cells); {
		end, next := fill(cells[i:], w)
		var l line
		l, at = assemble(runs, cells[i:i+end], part, at)
		for _, c := range cells[i+end : i+next] {
			at += inked(c.text)
		}
		if len(l.spans) > 0 || len(out) > 0 || next < len(cells)-i {
			out = append(out, l)
		}
		i += next
	}
	if len(out) == 0 {
		out = []line{{}}
		if len(runs) > 0 {
			out[0].first, out[0].last = runs[0].line, runs[len(runs)-1].line
		}
	}
	return monotone(out)
}

// cut takes runs apart into clusters.
func cut(runs []run) []cell {
	n := 0
	for _, r := range runs {
		n += len(r.text) + 1
	}
	cells := make([]cell, 0, n)
	for i, r := range runs {
		if r.brk {
			cells = append(cells, cell{run: int32(i), brk: true})
			continue
		}
		for s := r.text; s != ""; {
			c, w := cluster(s)
			s = s[len(c):]
			cells = append(cells, cell{text: c, w: w, run: int32(i), space: c == " " || c == "\n"})
		}
	}
	return cells
}

// fill finds how many cells go on the first line (end) and where the next one starts.
func fill(cells []cell, w int) (end, next int) {
	for next < len(cells) && cells[next].space { // a line starts with a word
		next++
	}
	start, used := next, 0
	brk, brkNext := -1, -1
	for i := start; i < len(cells); i++ {
		c := &cells[i]
		if c.brk {
			return i, i + 1
		}
		if c.space {
			if i > start && !cells[i-1].space {
				brk = i
			}
			brkNext = i + 1
			used += c.w
			continue
		}
		if i > start && !cells[i-1].space && between(cells[i-1].text, c.text) {
			brk, brkNext = i, i
		}
		if used+c.w > w && i > start {
			if brk > start {
				return brk, brkNext
			}
			return i, i
		}
		used += c.w
	}
	end = len(cells)
	for end > start && cells[end-1].space {
		end--
	}
	return end, len(cells)
}

// Characters that must not start or end a line of Chinese or Japanese.
const (
	noStart = "、。，．・：；？！」』）】〉》〕］｝ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…‥"
	noEnd   = "「『（【〈《〔［｛"
)

// between reports whether a line may end between two clusters that no space separates.
func between(a, b string) bool {
	if a == "" || b == "" || a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf {
		return false
	}
	return (ideograph(a) || ideograph(b)) && !strings.Contains(noStart, b) && !strings.Contains(noEnd, a)
}

func ideograph(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xff00 && r <= 0xffef || r >= 0x20000 && r <= 0x3ffff
}

// assemble joins cells into a line. at is the number of inked runes before them; the count
// after them is returned. Leading spaces are dropped.
func assemble(runs []run, cells []cell, part, at int) (line, int) {
	var l line
	for len(cells) > 0 && cells[0].space {
		cells = cells[1:]
	}
	used := 0
	for i := 0; i < len(cells); {
		r := runs[cells[i].run]
		j := i
		n := 0
		if i > 0 && r.line > l.last {
			l.turns = append(l.turns, turn{r.line, used})
		}
		for j < len(cells) && cells[j].run == cells[i].run {
			n += len(cells[j].text)
			used += cells[j].w
			j++
		}
		var b strings.Builder
		b.Grow(n)
		for _, c := range cells[i:j] {
			b.WriteString(c.text)
		}
		s := strings.ReplaceAll(b.String(), "\n", " ")
		if i == 0 {
			l.first = r.line
		}
		l.last = max(l.last, r.line)
		l.add(span{text: s, sgr: r.sgr, link: r.link, part: part, at: at})
		at += inked(s)
		i = j
	}
	return l, at
}

// wrapCode breaks one line of code into rows of at most w cells, between words where it can, keeping every blank.
func wrapCode(runs []run, w, part, at int) ([]line, int) {
	w = max(1, w)
	cells := cut(runs)
	var out []line
	start, used := 0, 0
	flush := func(end int) {
		var l line
		for i := start; i < end; {
			j := i
			var b strings.Builder
			for j < end && cells[j].run == cells[i].run {
				b.WriteString(cells[j].text)
				j++
			}
			r := runs[cells[i].run]
			s := b.String()
			l.add(span{text: s, sgr: r.sgr, link: r.link, part: part, at: at})
			at += inked(s)
			i = j
		}
		if len(runs) > 0 {
			l.first, l.last = runs[0].line, runs[0].line
		}
		out = append(out, l)
		start, used = end, 0
	}
	for i := range cells {
		if used+cells[i].w > w && i > start {
			end := afterWord(cells[start:i+1]) + start
			flush(end)
			for _, c := range cells[end:i] {
				used += c.w
			}
		}
		used += cells[i].w
	}
	flush(len(cells))
	return out, at
}

// afterWord is where a row ends that has room for all of the cells but the last: behind the last blank after a word.
func afterWord(cells []cell) int {
	full := len(cells) - 1
	for end := full; end > 1 && cells[full].text != " "; end-- {
		if cells[end-1].text == " " && slices.ContainsFunc(cells[:end], func(c cell) bool { return c.text != " " }) {
			return end
		}
	}
	return full
}

// monotone makes the source lines of consecutive rows never go back, whatever the markers
// say, and fills the gaps between them.
func monotone(ls []line) []line {
	for i := range ls {
		l := &ls[i]
		if i > 0 {
			l.first = max(l.first, ls[i-1].last)
		}
		l.last = max(l.last, l.first)
	}
	return ls
}
