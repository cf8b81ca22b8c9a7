package diff

import (
	"sort"
	"strings"
	"unicode"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"vespe/ui/text"
)

// side is one text of a diff.
type side struct {
	no    int // line number, from 1; 0 for none
	at    int // of a patch: which line of it this is, from 1; 0 elsewhere
	text  string
	words [][2]int // bytes that differ from the line on the other side
}

// diffRow is one line of the comparison: on one side, on the other, or on both.
type diffRow struct {
	old, new side
	kind     rowKind
	hidden   int // gap: how many equal lines are left out; heading: an index in files
}

type rowKind uint8

const (
	equal   rowKind = iota
	changed         // both sides, different
	deleted
	inserted
	gap
	heading // of a patch: a file begins; hidden is its index
	part    // of a patch: a hunk begins
)

// stands reports whether a row says where the others belong, and is no line of a text.
func (k rowKind) stands() bool { return k == gap || k == heading || k == part }

// Comparison is two texts line by line.
type Comparison struct {
	rows         []diffRow
	hunks        []int // rows at which something begins to differ
	spans        []Hunk
	added, taken int // lines
	work         int // pairs of tokens that may still be compared

	patch bool   // it is a patch: lines are those of it
	files []File // of a patch
}

// Hunk is lines of the old text, from 1, and those in their place: To is less than From where
// there are none.
type Hunk struct{ OldFrom, OldTo, NewFrom, NewTo int }

// Hunks are the differences, in order.
func (c *Comparison) Hunks() []Hunk { return c.spans }

// Changes is how many lines were added and taken away.
func (c *Comparison) Changes() (added, taken int) { return c.added, c.taken }

// Rows is how many rows there are: equal, changed, on one side, gaps.
func (c *Comparison) Rows() int { return len(c.rows) }

// Head is the comparison as far as its first n rows; the counts are of all of it.
func (c *Comparison) Head(n int) *Comparison {
	if n >= len(c.rows) {
		return c
	}
	head := *c
	head.rows = c.rows[:n]
	head.hunks = c.hunks[:sort.SearchInts(c.hunks, n)]
	head.spans = c.spans[:len(head.hunks)]
	return &head
}

// Same reports whether the texts do not differ.
func (c *Comparison) Same() bool { return len(c.hunks) == 0 }

// ref is what a reader calls a line of a side: its number, and in a patch the line of that; 0 for none.
func (s *side) ref() int {
	if s.at > 0 {
		return s.at
	}
	return s.no
}

// contextLines is how many equal lines stay around a difference.
const contextLines = 3

// Compare finds the differences of two texts: lines first, then the words of lines that
// stand for each other. A line feed at the end is no difference. Long texts take long.
func Compare(old, now string) *Comparison {
	old, now = lines(old), lines(now)
	c := &Comparison{work: mostWork}
	oldLines, newLines := split(old), split(now)
	i, j := 0, 0
	keep := func(upTo int) {
		for ; i < upTo; i, j = i+1, j+1 {
			c.rows = append(c.rows, diffRow{old: side{no: i + 1, text: oldLines[i]}, new: side{no: j + 1, text: newLines[j]}})
		}
	}
	for _, h := range textdiff.Hunks(joined(oldLines), joined(newLines), diff.Context(0), textdiff.IndentHeuristic()) {
		keep(h.LineNoX)
		c.hunks = append(c.hunks, len(c.rows))
		c.spans = append(c.spans, Hunk{i + 1, h.EndLineNoX, j + 1, h.EndLineNoY})
		c.replace(oldLines[i:h.EndLineNoX], newLines[j:h.EndLineNoY], i, j)
		c.taken += h.EndLineNoX - i
		c.added += h.EndLineNoY - j
		i, j = h.EndLineNoX, h.EndLineNoY
	}
	keep(len(oldLines))
	return c
}

// lines ends a text with a line feed, so that a last line without one is no difference.
func lines(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.TrimSuffix(s, "\n")
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	out := strings.Split(s, "\n")
	for i := range out {
		out[i] = text.Safe(out[i])
	}
	return out
}

// joined is the text of lines, each with its line feed.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Limits of the search for lines that are alike: how far ahead it looks, and from how many
// pairs of lines on it does not look ahead at all.
const (
	lookAhead = 12
	manyPairs = 40000
)

// replace pairs the lines of one difference: those that are alike stand beside each other,
// and what lies between them begins on the same row.
func (c *Comparison) replace(old, now []string, i, j int) {
	ahead := lookAhead
	if len(old) == len(now) || len(old)*len(now) > manyPairs {
		ahead = 1
	}
	olds, nows := tokenized(old), tokenized(now)
	from, b := 0, 0 // of old and now: what has not been laid out yet
	for a := range old {
		for k := b; k < len(now) && k < b+ahead; k++ {
			at := k
			if ahead == 1 {
				at = a
			}
			if at < b || at >= len(now) {
				break
			}
			x, y, alike := c.words(olds.at(a), nows.at(at))
			if !alike {
				continue
			}
			c.facing(old[from:a], now[b:at], i+from, j+b)
			c.rows = append(c.rows, diffRow{old: side{no: i + a + 1, text: old[a], words: x}, new: side{no: j + at + 1, text: now[at], words: y}, kind: changed})
			from, b = a+1, at+1
			break
		}
	}
	c.facing(old[from:], now[b:], i+from, j+b)
}

// facing lays out lines that have nothing in common, each side from the top.
func (c *Comparison) facing(old, now []string, i, j int) {
	for k := range max(len(old), len(now)) {
		switch {
		case k >= len(now):
			c.rows = append(c.rows, diffRow{old: side{no: i + k + 1, text: old[k]}, kind: deleted})
		case k >= len(old):
			c.rows = append(c.rows, diffRow{new: side{no: j + k + 1, text: now[k]}, kind: inserted})
		default:
			c.rows = append(c.rows, diffRow{old: side{no: i + k + 1, text: old[k]}, new: side{no: j + k + 1, text: now[k]}, kind: changed})
		}
	}
}

// Folded is the comparison with a gap in place of each long stretch of equal lines that nobody
// has a note on.
func (c *Comparison) Folded(notes ...Note) *Comparison {
	if c.patch { // it leaves out what is equal by itself
		return c
	}
	keep := make([]bool, len(c.rows))
	around := func(r, n int) {
		for k := max(0, r-n); k <= min(len(keep)-1, r+n); k++ {
			keep[k] = true
		}
	}
	noted := map[[2]int]bool{}
	for _, n := range notes {
		noted[n.key()] = true
	}
	for r := range c.rows {
		row := &c.rows[r]
		switch {
		case row.kind != equal:
			around(r, contextLines)
		case noted[[2]int{0, row.old.no}] || noted[[2]int{1, row.new.no}]:
			around(r, 1)
		}
	}
	var out []diffRow
	var hunks []int
	next := 0 // of c.hunks
	for r := 0; r < len(c.rows); {
		end := r
		for end < len(c.rows) && !keep[end] {
			end++
		}
		if end-r > 1 {
			out = append(out, diffRow{kind: gap, hidden: end - r})
			r = end
			continue
		}
		if next < len(c.hunks) && c.hunks[next] == r {
			hunks = append(hunks, len(out))
			next++
		}
		out = append(out, c.rows[r])
		r++
	}
	folded := *c
	folded.rows, folded.hunks = out, hunks
	return &folded
}

// Limits of the comparison by words: the longest line, in tokens, and how many pairs of
// tokens are compared in all. Lines beyond stand beside each other without marks; what a
// person looks at one by one lies far below.
const (
	mostWords = 2000
	mostWork  = 1 << 25
)

// line is a line cut into tokens.
type line struct {
	text   string
	tokens []string
	counts map[string]int // of each token, beside blanks
	cut    bool
}

// tokenized are lines that are cut into tokens when they are looked at.
type tokenizedLines []line

func tokenized(lines []string) tokenizedLines {
	out := make(tokenizedLines, len(lines))
	for i, s := range lines {
		out[i].text = s
	}
	return out
}

func (t tokenizedLines) at(i int) *line {
	l := &t[i]
	if !l.cut {
		l.cut, l.tokens = true, tokens(l.text)
		l.counts = make(map[string]int, len(l.tokens))
		for _, w := range l.tokens {
			l.counts[w]++
		}
	}
	return l
}

// common is the most bytes that two lines can have in common, whatever the order of their
// tokens.
func common(a, b *line) (n int) {
	for w, k := range a.counts {
		n += min(k, b.counts[w]) * len(w)
	}
	return n
}

// words are the ranges of bytes of two lines that differ. alike reports whether enough is
// the same for the two to be one line that was changed.
func (c *Comparison) words(a, b *line) (x, y [][2]int, alike bool) {
	ta, tb := a.tokens, b.tokens
	c.work -= len(ta)
	blank := len(a.text) - len(strings.TrimSpace(a.text))
	longer := max(len(a.text), len(b.text))
	if c.work < 0 || len(ta) > mostWords || len(tb) > mostWords || (common(a, b)-blank)*3 < longer {
		return nil, nil, false
	}
	c.work -= len(ta) * len(tb)
	sa, sb := starts(ta), starts(tb)
	same := len(a.text) - blank
	for _, h := range diff.Hunks(ta, tb, diff.Context(0)) {
		if sa[h.EndX] > sa[h.PosX] {
			x = append(x, [2]int{sa[h.PosX], sa[h.EndX]})
			same -= sa[h.EndX] - sa[h.PosX]
		}
		if sb[h.EndY] > sb[h.PosY] {
			y = append(y, [2]int{sb[h.PosY], sb[h.EndY]})
		}
	}
	if same*3 < longer {
		return nil, nil, false
	}
	return x, y, true
}

// tokens cuts a line into words, runs of blanks, and single other characters.
func tokens(s string) []string {
	var out []string
	class := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsMark(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, was := 0, -1
	for i, r := range s {
		k := class(r)
		if i > 0 && (k != was || k == 0) {
			out = append(out, s[start:i])
			start = i
		}
		was = k
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// starts are the bytes at which the tokens begin, and the length of all at the end.
func starts(tokens []string) []int {
	out := make([]int, len(tokens)+1)
	for i, t := range tokens {
		out[i+1] = out[i] + len(t)
	}
	return out
}
