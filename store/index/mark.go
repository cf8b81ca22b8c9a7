package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model/snapshot"
)

// Bounds of a snippet, in bytes, and of what is looked at for one.
const (
	snippetSize = 160
	snippetLead = 40
	mostMarks   = 200
)

// mark is where in a text a word was found.
type mark struct {
	from, to int
	word     int // which of those that are wanted
}

// marksIn are the first places in a text where words are.
func marksIn(text string, field snapshot.SearchField, want []wanted) (out []mark) {
	var here []int
	for i := range want {
		if len(want[i].fields) == 0 || slices.Contains(want[i].fields, field) {
			here = append(here, i)
		}
	}
	if len(here) == 0 {
		return nil
	}
	longest := 1
	for _, i := range here {
		longest = max(longest, len(want[i].terms))
	}
	window := make([]token, 0, longest)
	match := func(flush bool) {
		for len(window) > 0 && (flush || len(window) == longest) {
			for _, i := range here {
				if from, to, ok := want[i].at(window); ok && !strings.Contains(text[from:to], partMark) {
					out = append(out, mark{from, to, i})
					break
				}
			}
			window = append(window[:0], window[1:]...)
		}
	}
	eachToken(text, func(from, to int, term []byte) bool {
		if len(term) == 0 {
			return true
		}
		window = append(window, token{from, to, string(term)})
		match(false)
		return len(out) < mostMarks
	})
	match(true)
	return out
}

// at says whether tokens begin with a word, and where it lies.
func (w *wanted) at(window []token) (from, to int, ok bool) {
	n := len(w.terms)
	if len(window) < n {
		return 0, 0, false
	}
	for i, term := range w.terms {
		t := &window[i]
		switch {
		case t.term == term:
		case i == n-1 && w.prefix && strings.HasPrefix(t.term, term):
		case w.within:
			at := strings.Index(t.term, term)
			if at < 0 {
				return 0, 0, false
			}
			// A text whose folding changed no lengths is marked to the letter.
			if len(t.term) == t.to-t.from {
				return t.from + at, t.from + at + len(term), true
			}
			return t.from, t.to, true
		default:
			return 0, 0, false
		}
	}
	last := &window[n-1]
	to = last.to
	if w.prefix && len(last.term) == last.to-last.from {
		to = last.from + len(w.terms[n-1])
	}
	return window[0].from, to, true
}

// matchIn is where words are in a field; ok is false where they are not. distinct is how many of
// them are near each other there. Of several such places it is the one where they are nearest.
func matchIn(text string, field snapshot.SearchField, want []wanted) (m snapshot.SearchMatch, distinct int, ok bool) {
	marks := marksIn(text, field, want)
	if len(marks) == 0 {
		return m, 0, false
	}
	best, span, at := 0, 0, 0
	seen := map[int]bool{}
	for i := range marks {
		clear(seen)
		reach := 0
		for k := i; k < len(marks) && marks[k].to-marks[i].from <= snippetSize-snippetLead; k++ {
			if !seen[marks[k].word] {
				seen[marks[k].word], reach = true, marks[k].from-marks[i].from
			}
		}
		if len(seen) > best || len(seen) == best && reach < span {
			best, span, at = len(seen), reach, i
		}
		if best == len(want) && span == 0 {
			break
		}
	}
	part, name, line, from, to := partAt(text, marks[at].from)
	m = snapshot.SearchMatch{Field: field, Part: name, Line: line, Word: text[marks[at].from:marks[at].to]}
	m.Snippet, m.Marks = snippet(text[part:to], from-part, marks[at:], part)
	return m, best, true
}

// partAt is the part of a text that an offset is in: where it begins, its name, which of its lines that
// is, where that line begins, and where the part ends.
func partAt(text string, at int) (start int, name string, line, lineStart, end int) {
	named := false // it is the name that matches
	if i := strings.LastIndex(text[:at], partMark); i >= 0 {
		head, _, _ := strings.Cut(text[i+len(partMark):], "\n")
		name = head
		start = min(i+len(partMark)+len(head)+1, len(text))
		if named = at < start; named {
			start = i + len(partMark)
		}
	}
	end = len(text)
	if i := strings.Index(text[at:], partMark); i >= 0 {
		end = at + i
	}
	line = 1 + strings.Count(text[start:at], "\n")
	if named {
		line = 0
	}
	lineStart = start + strings.LastIndexByte(text[start:at], '\n') + 1
	return start, name, line, lineStart, end
}

// snippet is a piece of a part around its first mark. marks count from before the part by off bytes; the
// line with the first begins at line.
func snippet(part string, line int, marks []mark, off int) (string, [][2]int) {
	first := marks[0].from - off
	from := line
	if first-from > snippetLead {
		from = first - snippetLead
		for from < first && !utf8.RuneStart(part[from]) {
			from++
		}
		if i := strings.IndexByte(part[from:first], ' '); i >= 0 {
			from += i + 1
		}
	}
	to := min(len(part), from+snippetSize)
	if end := marks[0].to - off; to < end {
		to = min(len(part), end, first+2*snippetSize)
	}
	for to < len(part) && !utf8.RuneStart(part[to]) {
		to--
	}
	lead, tail := "", ""
	if from > line {
		lead = "…"
	}
	if strings.TrimSpace(part[to:]) != "" {
		tail = "…"
	}
	body := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, part[from:to])
	var at [][2]int
	for _, m := range marks {
		a, b := m.from-off-from, m.to-off-from
		if a < 0 || b > len(body) {
			break
		}
		if n := len(at); n > 0 && a+len(lead) < at[n-1][1] {
			continue
		}
		at = append(at, [2]int{a + len(lead), b + len(lead)})
	}
	return lead + strings.TrimRight(body, " ") + tail, clampMarks(at, len(lead)+len(strings.TrimRight(body, " ")))
}

func clampMarks(at [][2]int, most int) [][2]int {
	return slices.DeleteFunc(at, func(m [2]int) bool { return m[1] > most })
}
