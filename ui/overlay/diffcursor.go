package overlay

import (
	"vespe/ui/diff"
	"vespe/ui/text"
)

// diffCursor is the line of a Diff that a reader is at, where its lines can be chosen.
type diffCursor struct {
	on    bool
	at    int       // line of the comparison
	spot  diff.Spot // what it shows
	begun bool      // a range begins at from
	from  diff.Spot
}

// Lines lets the lines of a difference be chosen: it has a cursor then.
func (d *Diff) Lines() { d.cur.on = true }

// settle puts the cursor on the line nearest to one, seen in a direction.
func (d *Diff) settle(line, n int) {
	if d.cur.at = d.laid.Stop(line, n); d.cur.at >= 0 {
		d.cur.spot, _ = d.laid.Spot(d.cur.at)
	}
	d.remark()
}

// relaid puts the cursor where it was after the comparison has been laid out anew, and at first on the first difference.
func (d *Diff) relaid() {
	if d.cur.spot == (diff.Spot{}) {
		line, _ := d.laid.Hunk(1, -1)
		d.settle(d.laid.Words(line), 1)
		return
	}
	line := d.laid.Find(d.cur.spot)
	if d.cur.spot.Note != "" && !d.laid.Shows(line, d.cur.spot) { // it is gone
		d.settle(d.cur.at, -1)
		return
	}
	d.settle(max(0, line), 1)
}

// remark shows the range of lines.
func (d *Diff) remark() {
	if !d.cur.begun {
		d.laid.Mark(-1, -1)
		return
	}
	d.laid.Mark(d.laid.Find(d.cur.from), d.cur.at)
}

// stop is the first line from one on, in a direction, at which the cursor can stop; -1, or the number of
// lines, where there is none.
func (d *Diff) stop(line, step int) int {
	for line >= 0 && line < d.laid.Len() {
		if _, ok := d.laid.Spot(line); ok {
			return line
		}
		line += step
	}
	return max(-1, min(line, d.laid.Len()))
}

// moveCursor moves the cursor by n lines at which it can stop. Where a line is longer than the window,
// the window goes through its rows first; at an end it moves on to what stands beyond.
func (d *Diff) moveCursor(n int) {
	step := 1
	if n < 0 {
		step = -1
	}
	for ; n != 0; n -= step {
		next := d.stop(d.cur.at+step, step)
		from, to := d.win.Span(d.laid.Len())
		switch {
		case step > 0 && next > to && d.cur.at < to, step < 0 && d.cur.at < from:
			d.win.Scroll(step, d.laid.Len())
		case step < 0 && next >= 0 && next < from && d.cur.at-next > to-from:
			d.win.Scroll(step, d.laid.Len())
			d.inView()
		case next >= 0 && next < d.laid.Len():
			d.settle(next, step)
			d.win.Follow(d.stop(d.cur.at+1, 1)-1, d.laid.Len()) // its last row, if there is room for all
			d.win.Follow(d.cur.at, d.laid.Len())
		default:
			d.win.Scroll(n, d.laid.Len())
			d.inView()
			return
		}
	}
}

// leap moves window and cursor by n lines.
func (d *Diff) leap(n int) {
	if !d.cur.on {
		d.win.Scroll(n, d.laid.Len())
		return
	}
	way, from := 1, d.cur.at
	if n < 0 {
		way = -1
	}
	if !d.win.Sees(from) {
		from = d.win.Top
	}
	at := max(0, min(from+n, d.laid.Len()-1)) // n may be as large as it gets
	d.win.Scroll(n, d.laid.Len())
	if i := d.stop(at, way); d.win.Sees(i) && i < d.laid.Len() {
		d.settle(i, way)
		d.win.Follow(d.cur.at, d.laid.Len())
		return
	}
	d.settle(max(0, d.stop(at, -way)), -way)
	d.inView()
}

// onlyRowsOf is the line of which the window shows other rows than the first, and nothing else; -1 where
// something begins in it.
func (d *Diff) onlyRowsOf() int {
	from, to := d.win.Span(d.laid.Len())
	if from == to || d.stop(from, 1) < to {
		return -1
	}
	return d.stop(from, -1)
}

// inView brings the cursor into the window.
func (d *Diff) inView() {
	if !d.cur.on || d.cur.at < 0 || d.win.Sees(d.cur.at) {
		return
	}
	if i := d.onlyRowsOf(); i >= 0 {
		d.settle(i, 1)
		return
	}
	from, to := d.win.Span(d.laid.Len())
	if d.cur.at < from {
		d.settle(from, 1)
	} else {
		d.settle(to-1, -1)
	}
}

// goTo puts the cursor on the first line from one on where it can stop, and the one before that
// at the top of the window.
func (d *Diff) goTo(line int) {
	d.win.Top = line - 1
	d.win.Clamp(d.laid.Len())
	if d.cur.on {
		d.settle(line, 1)
	}
}

// here is the line that the next difference or note is looked for from.
func (d *Diff) here() int {
	if !d.cur.on {
		return d.win.Top + 1 // one line of context stays above
	}
	return d.cur.at
}

// MarkLines begins a range of lines at the cursor, or gives up the one that was begun.
func (d *Diff) MarkLines() {
	d.once(func() {
		d.cur.begun = !d.cur.begun
		d.cur.from = d.cur.spot
		d.remark()
	})
}

// Marking reports whether a range of lines has been begun.
func (d *Diff) Marking() bool { return d.cur.begun }

// Unmark gives up the range of lines; false when there is none.
func (d *Diff) Unmark() bool {
	was := d.cur.begun
	d.cur.begun = false
	d.remark()
	return was
}

// Note is the id of the note that the cursor is on; "" for none.
func (d *Diff) Note() string { return d.cur.spot.Note }

// Picked are the lines that the cursor is on, or that are marked; ok is false where there are none.
func (d *Diff) Picked() (p diff.Picked, ok bool) {
	if d.all == nil || !d.cur.on || d.cur.at < 0 {
		return p, false
	}
	from := d.cur.at
	if d.cur.begun {
		from = d.laid.Find(d.cur.from)
	}
	p = d.laid.Pick(from, d.cur.at)
	return p, p.From > 0 || len(p.Gone) > 0
}

// SetNotes puts other notes beside the lines. What the cursor is on stays.
func (d *Diff) SetNotes(notes []diff.Note) {
	d.o.Notes = notes
	d.laid.Annotate(notes, d.o.Flagged, d.o.Label)
	if d.all != nil {
		d.folded = d.all.Folded(notes...)
	}
	d.fit(d.boxW)
}

// GoToNote puts the cursor on a note, where there is one with the id.
func (d *Diff) GoToNote(id string) {
	d.once(func() {
		want := diff.Spot{Note: id}
		if line := d.laid.Find(want); d.cur.on && d.laid.Shows(line, want) {
			d.settle(line, 1)
			d.win.Follow(d.cur.at, d.laid.Len())
		}
	})
}

// Reveal brings the cursor into the upper part of the window, so that something can lie over the
// rest of it.
func (d *Diff) Reveal() {
	d.once(func() {
		if third := d.win.Page() / 3; d.cur.on && d.cur.at-d.win.Top > third {
			d.win.Top, d.over = d.cur.at-third, d.win.Page()-third
		}
	})
}

// underCursor draws a line with the cursor on it.
func (d *Diff) underCursor(line int, s string, w int) string {
	if !d.cur.on || line != d.cur.at {
		return s
	}
	return text.Paint(text.Pad(s, w), w, d.st.Select.Open())
}
