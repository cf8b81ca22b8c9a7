package markdown

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// search is a query and everywhere that it matches.
type search struct {
	query   string
	matches []match
	byUnit  map[int][]match
	now     int // index in matches; -1 when there is none
}

// match is one occurrence, in inked runes of a part of a unit.
type match struct {
	unit, part int
	from, to   int
}

// Search finds every occurrence of q and goes to the first at or below the top of the
// window. Small letters match capitals too; a capital in q matches only itself. An empty
// query ends the search. n is the number of matches.
func (d *Doc) Search(q string) (n int) {
	d.search.run(d, q)
	if len(d.search.matches) == 0 {
		return 0
	}
	f := d.flow()
	d.search.now = 0
	row := d.rowsIn(f.unit)
	for i, m := range d.search.matches {
		if m.unit > f.unit || m.unit == f.unit && row(m) >= f.row {
			d.search.now = i
			break
		}
	}
	d.showMatch()
	return len(d.search.matches)
}

// Find finds every occurrence of q, as Search does, and goes nowhere.
func (d *Doc) Find(q string) (n int) {
	d.search.run(d, q)
	d.search.now = -1
	return len(d.search.matches)
}

// NextMatch goes to the next match, and from the last to the first.
func (d *Doc) NextMatch() { d.step(1) }

// PrevMatch goes to the match before, and from the first to the last.
func (d *Doc) PrevMatch() { d.step(-1) }

// Match is the current match, counted from 1, and how many there are; 0, 0 without any.
func (d *Doc) Match() (i, n int) {
	if len(d.search.matches) == 0 {
		return 0, 0
	}
	return d.search.now + 1, len(d.search.matches)
}

// Query is what is searched for; "" when nothing is.
func (d *Doc) Query() string { return d.search.query }

func (d *Doc) step(n int) {
	s := &d.search
	if len(s.matches) == 0 {
		return
	}
	s.now = (s.now + n + len(s.matches)) % len(s.matches)
	d.showMatch()
}

func (d *Doc) showMatch() {
	m := d.search.matches[d.search.now]
	row := d.rowOf(m)
	d.flow().show(m.unit, row)
	if d.cursor.on {
		d.cursor.unit, d.cursor.row = m.unit, row
		d.settleLine()
	}
}

// rowOf is the row of a unit that a match begins in, its gap counted.
func (d *Doc) rowOf(m match) int { return d.rowsIn(m.unit)(m) }

// rowsIn is rowOf for many matches of one unit.
func (d *Doc) rowsIn(unit int) func(m match) int {
	type end struct{ ink, row int } // where the text of a part ends that stands in a row
	l := d.flow().laid(unit)
	first, ends := 0, map[int][]end{}
	for i, slot := range l.slots {
		if slot.kind != slotRow {
			continue
		}
		for _, s := range l.rows[slot.at].spans {
			ends[s.part] = append(ends[s.part], end{s.at + inked(s.text), i})
		}
		if slot.at == 0 {
			first = i
		}
	}
	return func(m match) int {
		of := ends[m.part]
		k := sort.Search(len(of), func(k int) bool { return of[k].ink > m.from })
		if k == len(of) {
			return first
		}
		return of[k].row
	}
}

// run looks through the whole document, as it is shown at the moment.
func (s *search) run(d *Doc, q string) {
	*s = search{query: q, now: -1}
	if q == "" {
		return
	}
	s.byUnit = map[int][]match{}
	fold := strings.IndexFunc(q, unicode.IsUpper) < 0
	for i := range d.flow().n {
		var parts []string
		if d.raw {
			parts = []string{d.doc.src.line(i + 1)}
		} else {
			parts = d.doc.texts(&d.doc.units[i], d.look)
		}
		for p, t := range parts {
			for _, m := range occurrences(t, q, fold) {
				m.unit, m.part = i, p
				s.matches = append(s.matches, m)
				s.byUnit[i] = append(s.byUnit[i], m)
			}
		}
	}
	if len(s.matches) > 0 {
		s.now = 0
	}
}

// occurrences finds q in t. Places are counted in inked runes, because those are the same
// however the text is broken into rows.
func occurrences(t, q string, fold bool) []match {
	var out []match
	at, from := 0, 0
	for i := 0; i < len(t); {
		n, ok := prefixFold(t[i:], q, fold)
		if !ok {
			_, size := utf8.DecodeRuneInString(t[i:])
			i += size
			continue
		}
		at += inked(t[from:i])
		ink := inked(t[i : i+n])
		from = i + n
		if ink > 0 {
			out = append(out, match{from: at, to: at + ink})
		}
		at += ink
		i += n
	}
	return out
}

// prefixFold reports whether t begins with q, and how many bytes of t that takes.
func prefixFold(t, q string, fold bool) (n int, ok bool) {
	if !fold {
		return len(q), strings.HasPrefix(t, q)
	}
	i := 0
	for _, want := range q {
		if i >= len(t) {
			return 0, false
		}
		r, size := utf8.DecodeRuneInString(t[i:])
		if r != want && unicode.ToLower(r) != want {
			return 0, false
		}
		i += size
	}
	return i, true
}

// mark lays the highlights over the rows of a unit.
func (s *search) mark(d *Doc, unit int, rows []line) []line {
	ms := s.byUnit[unit]
	if len(ms) == 0 {
		return rows
	}
	var now match
	if s.now >= 0 {
		now = s.matches[s.now]
	}
	out := make([]line, len(rows))
	for y, l := range rows {
		out[y] = l
		out[y].spans = nil
		for _, sp := range l.spans {
			out[y].spans = append(out[y].spans, markSpan(d.look, sp, ms, now)...)
		}
	}
	return out
}

// markSpan splits a span at the edges of matches.
func markSpan(lk *look, sp span, ms []match, now match) []span {
	if sp.part < 0 {
		return []span{sp}
	}
	end := sp.at + inked(sp.text)
	var out []span
	for _, m := range ms {
		if m.part != sp.part || m.to <= sp.at || m.from >= end {
			continue
		}
		i := skipInked(sp.text, m.from-sp.at)
		for i < len(sp.text) && sp.text[i] == ' ' && m.from >= sp.at {
			i++
		}
		j := skipInked(sp.text, m.to-sp.at)
		if i > 0 {
			out = append(out, span{text: sp.text[:i], sgr: sp.sgr, link: sp.link, part: sp.part, at: sp.at})
		}
		sgr := lk.match
		if m == now {
			sgr = lk.matchNow
		}
		out = append(out, span{text: sp.text[i:j], sgr: sp.sgr + sgr, link: sp.link, part: sp.part, at: max(sp.at, m.from)})
		sp.text, sp.at = sp.text[j:], m.to
	}
	if sp.text != "" {
		out = append(out, sp)
	}
	return out
}

// skipInked is the offset in s after n inked runes.
func skipInked(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i, r := range s {
		if n == 0 {
			return i
		}
		if !unicode.IsSpace(r) {
			n--
		}
	}
	return len(s)
}
