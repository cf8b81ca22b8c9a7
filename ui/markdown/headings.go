package markdown

// Heading is one heading of a document.
type Heading struct {
	Level int // 1 to 6
	Text  string
	Line  int // 1-based source line
}

// Headings lists the headings in order.
func (d *Doc) Headings() []Heading {
	var out []Heading
	for i := range d.doc.units {
		u := &d.doc.units[i]
		if u.kind == kindHeading {
			d.doc.prepare(u, d.look.flag)
			out = append(out, Heading{u.level, u.leaf.plain, u.first})
		}
	}
	return out
}

// NextHeading brings the next heading below the top of the window to its top, or the one
// above when dir is negative. It reports whether the window has moved.
func (d *Doc) NextHeading(dir int) bool {
	top, _ := d.SourceAt(0)
	if at, _ := d.Cursor(); at > 0 {
		top = at
	}
	best := 0
	for _, h := range d.Headings() {
		if dir > 0 && h.Line > top {
			best = h.Line
			break
		}
		if dir < 0 && h.Line < top {
			best = h.Line
		}
	}
	if best == 0 {
		return false
	}
	f := d.flow()
	unit, row, at := f.unit, f.row, d.cursor
	d.ScrollTo(best)
	return f.unit != unit || f.row != row || d.cursor != at
}
