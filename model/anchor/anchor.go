// Package anchor keeps a place in a text while the text is rewritten: a comment stays with the
// lines that it is about.
//
// An Anchor holds the number of its first and last line, those lines themselves, and a few
// around them. Find looks for it in a later text. Where the text that it was made on is known,
// the two are compared, and lines that both have carry the anchor along however far they were
// shifted; without it, and for lines that were taken out in one place, the quoted lines are
// looked for, whole first and then by likeness, and the lines around them decide between equal
// places. What is found is said to be kept, moved, edited or lost. Nothing is ever guessed:
// two places that are equally good, or none that is alike enough, are lost, and the comment
// still has its quotation.
//
// It is the scheme of robust anchoring by position, quotation and context (W3C Web Annotation,
// TextQuoteSelector and TextPositionSelector), for lines.
package anchor

import (
	"slices"
	"strings"

	"znkr.io/diff"
)

// contextLines is how many lines on either side an anchor keeps.
const contextLines = 3

// Anchor is a range of lines of a text, and enough of the text to find it again.
type Anchor struct {
	From, To int      // lines, from 1, both of them in it
	Quote    []string // the lines themselves
	Before   []string // the lines before them, at most three, the nearest last
	After    []string // the lines after them, at most three, the nearest first
}

// Fate is what became of an anchor.
type Fate int

// The fates of an anchor.
const (
	Lost   Fate = iota // its lines no longer exist
	Kept               // the same lines, where they were or shifted
	Moved              // the same lines, among others
	Edited             // changed lines, in the place of those it had
)

// String is the fate as people read it.
func (f Fate) String() string { return [...]string{"lost", "kept", "moved", "edited"}[f] }

// Place is where an anchor is in a text. When it is lost, From is the line that now stands
// where it was, or the line after the last, and To is less than From.
type Place struct {
	From, To int
	Fate     Fate
}

// Make anchors lines from to to of a text; they are put in order and into the text.
func Make(text string, from, to int) Anchor {
	return makeOf(Lines(text), from, to)
}

func makeOf(lines []string, from, to int) Anchor {
	if from > to {
		from, to = to, from
	}
	from = min(max(from, 1), max(len(lines), 1))
	to = min(max(to, from), max(len(lines), 1))
	a := Anchor{From: from, To: to}
	if len(lines) == 0 {
		return a
	}
	a.Quote = lines[from-1 : to]
	a.Before = lines[max(0, from-1-contextLines) : from-1]
	a.After = lines[to:min(len(lines), to+contextLines)]
	return a
}

// Lines are the lines of a text, without what ends them. A line feed at the end of the text
// begins no further line.
func Lines(text string) []string {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// edit is lines of the old text and those that took their place, from 0, the ends not in it.
type edit struct{ Start, End, ReplStart, ReplEnd int }

// Finder looks for anchors of one text in a later one.
type Finder struct {
	old, now []string
	edits    []edit
	at       map[string][]int // a line → where it is in now, from 0
}

// Anchor anchors a place that was found where it is now.
func (f *Finder) Anchor(p Place) Anchor { return makeOf(f.now, p.From, p.To) }

// NewFinder compares two texts. old is the one that the anchors were made on.
func NewFinder(old, now string) *Finder {
	f := &Finder{old: Lines(old), now: Lines(now)}
	for _, h := range diff.Hunks(f.old, f.now, diff.Context(0)) {
		f.edits = append(f.edits, edit{h.PosX, h.EndX, h.PosY, h.EndY})
	}
	f.at = make(map[string][]int, len(f.now))
	for i, l := range f.now {
		f.at[l] = append(f.at[l], i)
	}
	return f
}

// Find is where an anchor is in the later text. An anchor whose quotation is not what the
// earlier text has at its lines was made on another: it is found by its quotation alone.
func (f *Finder) Find(a Anchor) Place {
	if len(a.Quote) == 0 {
		return Place{From: 1, Fate: Lost}
	}
	here := a.From <= a.To && a.To <= len(f.old) && a.From >= 1 && slices.Equal(f.old[a.From-1:a.To], a.Quote)
	if !here {
		return f.search(a, min(max(a.From-1, 0), len(f.now)))
	}
	if p, ok := f.carried(a); ok {
		return p
	}
	return f.search(a, f.shifted(a.From-1))
}
