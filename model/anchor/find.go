package anchor

import (
	"slices"
	"strings"
)

// Limits of the search by likeness.
const (
	alike      = 0.6  // of the words of the quoted lines that a changed place must have
	inPlace    = 0.2  // the same, where the place is that of the quoted lines in as many others
	mostLikely = 2000 // places that are looked at
)

// shifted is where a line of the old text would be in the new one: its own place when both
// have it, else where the text begins that took its place. All count from 0.
func (f *Finder) shifted(line int) int {
	shift := 0
	for _, e := range f.edits {
		if line < e.Start {
			break
		}
		if line < e.End {
			return e.ReplStart
		}
		shift = e.ReplEnd - e.End
	}
	return line + shift
}

// carried follows the lines of an anchor that both texts have.
func (f *Finder) carried(a Anchor) (Place, bool) {
	first, last := -1, -1 // in the new text, of those that are left
	gone := false
	for line := a.From - 1; line < a.To; line++ {
		if at, ok := f.same(line); ok {
			if first < 0 {
				first = at
			}
			last = at
		} else {
			gone = true
		}
	}
	switch {
	case first >= 0 && !gone && last-first == a.To-a.From:
		return Place{first + 1, last + 1, Kept}, true
	case first < 0 || !f.worth(a):
		return f.rewritten(a)
	}
	// What replaced the first and the last lines of the anchor belongs to it, too.
	from, to := first, last
	for _, e := range f.edits {
		if e.Start < a.From-1 || e.End > a.To || e.ReplEnd == e.ReplStart {
			continue // it reaches beyond the anchor, or put nothing there
		}
		if e.End > e.Start { // a mere insertion at the edge is not the anchor's
			from, to = min(from, e.ReplStart), max(to, e.ReplEnd-1)
		}
	}
	return Place{from + 1, to + 1, Edited}, true
}

// worth reports whether among the anchor's lines that are left there is one that says
// something: a blank line or a rule is nobody's.
func (f *Finder) worth(a Anchor) bool {
	for line := a.From - 1; line < a.To; line++ {
		if _, ok := f.same(line); ok && len(words(f.old[line])) > 0 {
			return true
		}
	}
	return false
}

// same is where a line of the old text is in the new one.
func (f *Finder) same(line int) (int, bool) {
	for _, e := range f.edits {
		if line >= e.Start && line < e.End {
			return 0, false
		}
	}
	return f.shifted(line), true
}

// rewritten looks for the anchor in the text that took the place of its lines.
func (f *Finder) rewritten(a Anchor) (Place, bool) {
	for _, e := range f.edits {
		if e.Start > a.From-1 || e.End < a.To || e.ReplEnd == e.ReplStart {
			continue
		}
		if p, ok := f.moved(a); ok {
			return p, true // as a whole it is somewhere else, and this is other text
		}
		from, to, like := f.likest(a, e.ReplStart, e.ReplEnd)
		isThere := e.End-e.Start == e.ReplEnd-e.ReplStart && from-e.ReplStart == a.From-1-e.Start
		if like >= alike || isThere && like >= inPlace {
			return Place{from + 1, to + 1, Edited}, true
		}
	}
	return Place{}, false
}

// search looks for the quotation in the whole text; near is where it would have to be.
func (f *Finder) search(a Anchor, near int) Place {
	if p, ok := f.moved(a); ok {
		if p.From-1 == near {
			p.Fate = Kept
		}
		return p
	}
	if from, to, like := f.likest(a, 0, len(f.now)); like >= alike {
		return Place{from + 1, to + 1, Edited}
	}
	return Place{From: near + 1, To: near, Fate: Lost}
}

// moved finds the quoted lines, all of them, where the lines around them fit best.
func (f *Finder) moved(a Anchor) (Place, bool) {
	said := 0
	rare := -1 // the quoted line that is there least often
	for i, l := range a.Quote {
		said += len(words(l))
		if rare < 0 || len(f.at[l]) < len(f.at[a.Quote[rare]]) {
			rare = i
		}
	}
	best, bestFit, ties := -1, -1, 0
	for _, at := range f.at[a.Quote[rare]] {
		from := at - rare
		if from < 0 || from+len(a.Quote) > len(f.now) || !slices.Equal(f.now[from:from+len(a.Quote)], a.Quote) {
			continue
		}
		switch fit := f.fit(a, from); {
		case fit > bestFit:
			best, bestFit, ties = from, fit, 1
		case fit == bestFit:
			ties++
		}
	}
	if best < 0 || ties > 1 || said < 2 && bestFit == 0 {
		return Place{}, false // a line like "---" alone, or several that are equally good
	}
	return Place{best + 1, best + len(a.Quote), Moved}, true
}

// fit is how many of the lines around an anchor stand around a place, too.
func (f *Finder) fit(a Anchor, from int) int {
	n := 0
	for i := range a.Before {
		if at := from - 1 - i; at >= 0 && f.now[at] == a.Before[len(a.Before)-1-i] && len(words(f.now[at])) > 0 {
			n++
		}
	}
	for i := range a.After {
		if at := from + len(a.Quote) + i; at < len(f.now) && f.now[at] == a.After[i] && len(words(f.now[at])) > 0 {
			n++
		}
	}
	return n
}

// likest is the stretch of as many lines between two that is most like the quotation, and how
// much so; not at all when another is as much.
func (f *Finder) likest(a Anchor, begin, end int) (from, to int, like float64) {
	want := counted(a.Quote)
	total := 0
	for _, n := range want {
		total += n
	}
	if total == 0 || end-begin > mostLikely {
		return 0, 0, 0
	}
	best, ties := 0.0, 0
	size := min(len(a.Quote), end-begin)
	for at := begin; size > 0 && at+size <= end; at++ {
		switch l := likeness(want, total, f.now[at:at+size]); {
		case l > best:
			best, ties, from = l, 1, at
		case l == best:
			ties++
		}
	}
	if ties > 1 {
		best = 0
	}
	return from, from + size - 1, best
}

// likeness is the share of words that two texts have in common, as the Sørensen–Dice
// coefficient: from 0 to 1.
func likeness(want map[string]int, total int, lines []string) float64 {
	have := counted(lines)
	common, n := 0, 0
	for w, k := range have {
		n += k
		common += min(k, want[w])
	}
	return 2 * float64(common) / float64(total+n)
}

func counted(lines []string) map[string]int {
	out := map[string]int{}
	for _, l := range lines {
		for _, w := range words(l) {
			out[w]++
		}
	}
	return out
}

// words are the words of a line, in lower case, without Markdown's signs.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune(" \t#*_`~>|-+=()[]{}<>.,:;!?\"'/\\", r)
	})
}
