package markdown

// ChangeMark says in the gutter what became of a source line since an earlier text.
type ChangeMark struct {
	Sign Mark
	// Flag stands in the place of a mark where the line has none.
	Flag Mark
	// Below: it is about what followed the line, and stands at its end.
	Below bool
}

// SetChanges marks source lines as changed; nil marks none. Nothing moves.
func (d *Doc) SetChanges(marks map[int]ChangeMark) {
	d.changes = marks
	d.insetGen++
}

// changeOn is the mark of the first line with one that a row shows. Blank lines belong to the gap
// that stands for them, and where there is none to the row after them.
func (d *Doc) changeOn(unit, row int, s slot) ChangeMark {
	if len(d.changes) == 0 || s.kind == slotInset {
		return ChangeMark{}
	}
	f := d.flow()
	from, to := f.sourceOf(unit, row)
	first, _ := f.lines(unit)
	slots := f.laid(unit).slots
	switch {
	case s.kind == slotGap:
		to = min(to, first-1)
	case row == 0 || slots[row-1].kind != slotGap:
		if before := d.lastBefore(unit, s.at); before > 0 {
			from = min(from, before+1)
		}
	}
	for l := from; l <= to; l++ {
		m, ok := d.changes[l]
		if !ok || m.Below && s.kind == slotRow && d.goesOn(unit, s.at, l) {
			continue
		}
		return m
	}
	return ChangeMark{}
}

// goesOn reports whether the row after a row of a unit shows the same line.
func (d *Doc) goesOn(unit, at, line int) bool {
	f := d.flow()
	first, _ := f.lines(unit)
	rows := f.laid(unit).rows
	return at+1 < len(rows) && first+rows[at+1].first <= line
}
