package diff

import "strings"

// Spot names what a line of a layout shows, however the layout is laid out: a line of either text, or
// a note.
type Spot struct {
	Old, New int    // line numbers from 1; 0 where that text has none there
	Note     string // the id of a note
}

// Spot is what a line shows. ok is false where a reader does not stop: at a gap, a label, a line
// that continues from the one above.
func (d *Layout) Spot(line int) (s Spot, ok bool) {
	if line < 0 || line >= len(d.lines) {
		return Spot{}, false
	}
	at := &d.lines[line]
	if at.head {
		return Spot{Note: at.id}, true
	}
	row := &d.cmp.rows[at.row]
	if row.kind == heading && !at.isLabel && at.note == "" {
		return Spot{New: row.new.at}, true
	}
	if at.isLabel || at.note != "" || row.kind.stands() || at.old.From != 0 && at.new.From != 0 {
		return Spot{}, false
	}
	s = Spot{Old: row.old.ref(), New: row.new.ref()}
	if d.cmp.patch && row.kind == equal { // one line of the patch
		s.Old = 0
	}
	if !d.split && row.kind == changed {
		if at.old.From == 0 {
			s.New = 0
		} else {
			s.Old = 0
		}
	}
	return s, true
}

// Find is the line that shows a spot, or else the nearest that a reader can stop at: by the new
// text where the spot is in it. -1 where there is none.
func (d *Layout) Find(s Spot) int {
	best, nearest := -1, 1<<30
	for i := range d.lines {
		at, ok := d.Spot(i)
		if !ok {
			continue
		}
		away := 1 << 29
		switch {
		case at == s:
			return i
		case s.Note != "" || at.Note != "":
		case s.New > 0 && at.New > 0:
			away = 2 * max(s.New-at.New, at.New-s.New)
		case s.New == 0 && s.Old > 0 && at.Old > 0:
			away = 2 * max(s.Old-at.Old, at.Old-s.Old)
		}
		if away < nearest {
			best, nearest = i, away
		}
	}
	return best
}

// Shows reports whether a line shows a spot.
func (d *Layout) Shows(line int, s Spot) bool {
	at, ok := d.Spot(line)
	return ok && at == s
}

// Stop is the nearest line at which a reader stops from a line on, in the direction of n, that line
// included; where there is none, from the other side. -1 where there is none at all.
func (d *Layout) Stop(line, n int) int {
	line = min(max(line, 0), len(d.lines)-1)
	for _, way := range []int{n, -n} {
		for i := line; i >= 0 && i < len(d.lines); i += way {
			if _, ok := d.Spot(i); ok {
				return i
			}
		}
	}
	return -1
}

// Words is the first line with words of a difference, from one of its lines on; that line where it has none.
func (d *Layout) Words(line int) int {
	for i := line; i < len(d.lines); i++ {
		row := &d.cmp.rows[d.lines[i].row]
		switch {
		case d.lines[i].isLabel:
		case row.kind == equal || row.kind.stands():
			return line
		case strings.TrimSpace(row.old.text+row.new.text) != "":
			return i
		}
	}
	return line
}

// Picked are lines that were chosen: of the new text where any of it is among them, and else such
// as are gone.
type Picked struct {
	From, To int // lines of the new text; 0 for none
	Gone     []string
	// Under is a line of the new text beside what is gone; 0 where nothing is left.
	Under int
}

// Pick are the lines between two lines of the layout, both included. A note stands for the line
// that it is under.
func (d *Layout) Pick(from, to int) Picked {
	var p Picked
	for _, end := range []*int{&from, &to} {
		for s, ok := d.Spot(*end); *end > 0 && (!ok || s.Note != ""); s, ok = d.Spot(*end) {
			*end--
		}
	}
	var gone []string
	first := -1 // the row of the first line that is gone
	for i := max(0, min(from, to)); i <= max(from, to) && i < len(d.lines); i++ {
		s, ok := d.Spot(i)
		switch {
		case !ok || s.Note != "":
		case d.cmp.patch && s.New == 0:
			if p.From == 0 {
				p.From = s.Old
			}
			p.From, p.To = min(p.From, s.Old), max(p.To, s.Old)
		case s.New > 0:
			if p.From == 0 {
				p.From = s.New
			}
			p.From, p.To = min(p.From, s.New), max(p.To, s.New)
		default:
			if first < 0 {
				first = d.lines[i].row
			}
			gone = append(gone, d.cmp.rows[d.lines[i].row].old.text)
		}
	}
	if p.From > 0 || first < 0 {
		return p
	}
	p.Gone, p.Under = gone, d.cmp.beside(first)
	return p
}

// beside is the line of the new text that what is gone in a row stood under, or the one in its
// place, or what followed: one with words, so that it can be found again. 0 where there is none.
func (c *Comparison) beside(row int) int {
	for _, way := range []int{-1, 1} {
		for r := row; r >= 0 && r < len(c.rows); r += way {
			if s := &c.rows[r].new; s.no > 0 && strings.TrimSpace(s.text) != "" {
				return s.no
			}
		}
	}
	return 0
}

// Mark marks the lines between two lines of the layout, both included; -1 for none.
func (d *Layout) Mark(from, to int) {
	d.marked = [2]int{}
	if from >= 0 && to >= 0 {
		d.marked = [2]int{min(from, to) + 1, max(from, to) + 1}
	}
}

func (d *Layout) isMarked(line int) bool {
	if d.marked[0] == 0 || line+1 < d.marked[0] || line+1 > d.marked[1] {
		return false
	}
	s, stops := d.Spot(line)
	return stops && s.Note == ""
}
