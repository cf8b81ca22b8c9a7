package markdown

// Seen is what of a document has been on the screen: units as they are rendered, lines of its source,
// and of others some rows. It may outlive the Doc, for another one of the same text.
type Seen struct {
	units, lines []bool
	parts        map[int]stretch // of which some rows have been seen, as they are drawn now
	known        int             // the last percent
	dirty        bool
}

// stretch is some rows of a unit.
type stretch struct{ lo, hi int }

// add notes that rows from to to of a unit of n rows are on the screen.
func (k *Seen) add(d *Doc, unit, from, to, n int) {
	if k.units == nil {
		k.units, k.lines = make([]bool, d.flows[0].n), make([]bool, d.flows[1].n)
	}
	have := k.units
	if d.raw {
		have = k.lines
	}
	if from >= to || unit >= len(have) || have[unit] {
		return
	}
	r, ok := k.parts[unit]
	if !ok || to < r.lo || from > r.hi {
		r = stretch{from, to}
	} else {
		r = stretch{min(r.lo, from), max(r.hi, to)}
	}
	if r.lo == 0 && r.hi >= n {
		have[unit], k.dirty = true, true
		delete(k.parts, unit)
		return
	}
	if k.parts == nil {
		k.parts = map[int]stretch{}
	}
	k.parts[unit] = r
}

// forget forgets what has been seen in part: the rows have changed.
func (k *Seen) forget() { k.parts = nil }

// has reports whether a unit has been seen, rendered or as its source.
func (k *Seen) has(d *Doc, unit int) bool {
	if k.units[unit] {
		return true
	}
	a, b := d.flows[0].lines(unit)
	for l := a; l <= b; l++ {
		if l < 1 || l > len(k.lines) || !k.lines[l-1] {
			return false
		}
	}
	return true
}

// percent is how many of the lines that show anything have been seen; 100 only for all of them.
func (k *Seen) percent(d *Doc) int {
	if !k.dirty {
		return k.known
	}
	k.dirty = false
	total, have := 0, 0
	for i := range d.doc.units {
		a, b := d.flows[0].lines(i)
		total += b - a + 1
		if k.has(d, i) {
			have += b - a + 1
		}
	}
	if k.known = 100; have < total {
		k.known = 100 * have / max(1, total)
	}
	return k.known
}

// SetSeen says what of the text has been on screen before, and where to note what is from now on.
func (d *Doc) SetSeen(s *Seen) {
	s.forget()
	d.seen, d.memo = s, nil
}

// forgetParts forgets what of units has been seen in part: their rows have changed.
func (d *Doc) forgetParts() {
	if d.seen != nil {
		d.seen.forget()
	}
}

// ReadPercent is how much of the text has been on screen, in percent of its lines: 100 when all of
// it has.
func (d *Doc) ReadPercent() int {
	switch {
	case d.Empty():
		return 100
	case d.seen == nil:
		return 0
	}
	return d.seen.percent(d)
}

// ReadOf is the same for what begins on the lines from a to b.
func (d *Doc) ReadOf(a, b int) int {
	if d.seen == nil || d.seen.units == nil {
		return 0
	}
	total, have := 0, 0
	for i := d.flows[0].unitAt(a); i < len(d.doc.units); i++ {
		first, last := d.flows[0].lines(i)
		if first > b {
			break
		}
		if first < a {
			continue
		}
		total += last - first + 1
		if d.seen.has(d, i) {
			have += last - first + 1
		}
	}
	if have >= total {
		return 100
	}
	return 100 * have / total
}
