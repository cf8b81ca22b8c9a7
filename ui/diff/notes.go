package diff

import (
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Note stands under a line of one of the two texts.
type Note struct {
	ID   string
	Old  bool
	Line int // from 1
	// Draw draws it in rows of at most w cells.
	Draw func(w int) []string
}

func (n *Note) key() [2]int {
	if n.Old {
		return [2]int{0, n.Line}
	}
	return [2]int{1, n.Line}
}

// Annotate puts notes under the lines of a layout, and a label over each difference that flagged
// says yes to. It is laid out anew.
func (d *Layout) Annotate(notes []Note, flagged func(Hunk) bool, label string) {
	d.notes, d.flagged, d.label = map[[2]int][]int{}, flagged, label
	d.list = notes
	for i := range notes {
		k := notes[i].key()
		d.notes[k] = append(d.notes[k], i)
	}
	d.lines = nil
}

// noteLines appends the notes on one side of a row.
func (d *Layout) noteLines(r int, old bool) {
	if len(d.notes) == 0 {
		return
	}
	row := &d.cmp.rows[r]
	key := [2]int{1, row.new.ref()}
	if old {
		key = [2]int{0, row.old.no}
		if row.old.at > 0 { // a patch is one text
			key = [2]int{1, row.old.at}
		}
	}
	if key[1] == 0 {
		return
	}
	for _, i := range d.notes[key] {
		for y, s := range d.list[i].Draw(d.noteRoom()) {
			d.lines = append(d.lines, layoutLine{row: r, old: nothing, new: nothing, note: s, head: y == 0, left: old, id: d.list[i].ID})
		}
	}
}

// noteRoom is the width of a note: that of the text of one side.
func (d *Layout) noteRoom() int { return max(1, d.room) }

// labelLine appends the label over a difference that is flagged.
func (d *Layout) labelLine(r, hunk int) {
	if d.flagged != nil && hunk < len(d.cmp.spans) && d.flagged(d.cmp.spans[hunk]) {
		d.lines = append(d.lines, layoutLine{row: r, old: nothing, new: nothing, isLabel: true})
	}
}

// drawExtra draws a note or a label.
func (d *Layout) drawExtra(at *layoutLine) string {
	l := rows.NewLine(d.width, style.Ink{})
	if at.free {
		return l.String()
	}
	if at.isLabel {
		return l.Add(d.st.Warn, text.Truncate(d.label, d.width)).String()
	}
	if !d.split {
		return text.Pad(text.Spaces(d.width-d.room)+text.Truncate(at.note, d.room), d.width)
	}
	half := (d.width - 3) / 2
	left, right := text.Spaces(half), text.Spaces(d.width-half-3)
	if at.left {
		left = text.Pad(text.Spaces(half-d.room)+text.Truncate(at.note, d.room), half)
	} else {
		right = text.Pad(text.Spaces(half-d.room)+text.Truncate(at.note, d.room), d.width-half-3)
	}
	return left + d.st.Border.Render(" "+d.bar()+" ") + right
}

// NextNote is the line at which the next (1) or the previous (-1) note begins, seen from a line.
func (d *Layout) NextNote(n, from int) (line int, ok bool) {
	for i := from + n; i >= 0 && i < len(d.lines); i += n {
		if d.lines[i].head {
			return i, true
		}
	}
	return 0, false
}
