package markdown

// Seen says which source lines of a document have been on the screen, of each whether its first row was and its last.
type Seen []byte

const begun, ended = 1, 2

// See adds what is in the window, with the lines between its rows that no row shows.
func (d *Doc) See(s Seen) Seen {
	n := d.Lines()
	if len(s) != n+1 { // the lines count from 1
		s = make(Seen, n+1)
	}
	_, above := d.flow().sourceAt(-1)
	for y := range d.h {
		first, last := d.SourceAt(y)
		if first == 0 {
			break
		}
		next, _ := d.SourceAt(y + 1)
		if next == 0 {
			last, next = n, n+1
		}
		for l := above + 1; l < first; l++ {
			s[l] = begun | ended
		}
		for l := first; l <= min(last, n); l++ {
			if l > above {
				s[l] |= begun
			}
			if next > l {
				s[l] |= ended
			}
		}
		above = max(above, last)
	}
	return s
}

// Percent is how much of the document that is; 100 only for the whole.
func (s Seen) Percent() int {
	whole := 0
	for _, l := range s {
		if l == begun|ended {
			whole++
		}
	}
	return 100 * whole / max(1, len(s)-1)
}
