package diff

// LineKind is what became of a line of the new text.
type LineKind uint8

// What can have become of a line.
const (
	Kept    LineKind = iota
	Added            // nothing like it was there
	Changed          // another line was in its place
	Removed          // it is as it was, and what followed it is gone
	Cut              // it is another, and lines beside it are gone
)

// Change is a difference as the new text alone shows it.
type Change struct {
	Hunk
	// Lines are the lines of the new text that it is seen at, from 1: those that differ, or the one
	// that what was taken away stood under. What stood above everything is seen at the first.
	From, To int
	Kinds    []LineKind // of each of them
	Gone     int        // how many lines of the old text have none in their place
}

// InNew are the differences as the new text alone shows them, in order.
func (c *Comparison) InNew() []Change {
	out := make([]Change, 0, len(c.spans))
	for i, h := range c.spans {
		at := Change{Hunk: h, From: h.NewFrom, To: h.NewTo}
		if h.NewTo < h.NewFrom {
			at.From, at.Gone = max(1, h.NewTo), h.OldTo-h.OldFrom+1
			at.To, at.Kinds = at.From, []LineKind{Removed}
		} else {
			at.Kinds, at.Gone = c.kinds(c.hunks[i], h)
		}
		out = append(out, at)
	}
	return out
}

// kinds are what became of the lines of a difference that begins at a row, and how many lines of
// the old text are gone in it.
func (c *Comparison) kinds(r int, h Hunk) (out []LineKind, gone int) {
	out = make([]LineKind, h.NewTo-h.NewFrom+1)
	n := 0 // of the new lines that have been seen
	for ; r < len(c.rows) && c.rows[r].kind != equal; r++ {
		switch {
		case c.rows[r].kind == deleted:
			gone++
			out[max(0, n-1)] = Cut
			continue
		case out[n] == Cut: // what is gone stood before it
		case c.rows[r].kind == inserted:
			out[n] = Added
		default:
			out[n] = Changed
		}
		n++
	}
	return out, gone
}
