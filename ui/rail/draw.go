package rail

import (
	"strconv"

	"vespe/model"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

const (
	showWord  = 60 // columns from which on the status stands as a word at the right edge
	wordWidth = model.ColumnWidth
	leastName = 12 // cells that a name gets before stubs do
	stubName  = 14 // cells of a name in a stub
	mostStubs = 16 // stubs of one row that are named
)

// View draws the rows in view: h lines of w cells, which are not to be changed.
func (r *Rail) View(w, h int) []string {
	if r.lay != nil && w > 0 {
		if laneCap(w) != r.lay.cap {
			r.lay.recap(laneCap(w))
		}
		r.width = w
	}
	return r.List.View(w, h)
}

func (r *Rail) paint(lines []string, w int) {
	if r.Len() == 0 {
		rows.Notice(lines, w, r.Styles, r.nothing())
	} else {
		r.draw(lines, w)
	}
}

func (r *Rail) nothing() []string {
	switch {
	case r.snap == nil:
		return nil
	case r.snap.Len() == 0:
		return r.Empty
	case r.Test != nil:
		return r.Unmatched
	}
	return []string{"Every task is done.", "Done tasks are hidden."}
}

func (r *Rail) draw(lines []string, w int) {
	var cols []int32
	li := light{row: -1}
	if r.Cur < r.lay.len() {
		li = r.lay.shine(int32(r.Cur))
	}
	if r.Win.Top < r.lay.len() {
		cols = r.lay.above(int32(r.Win.Top))
	}
	for y := range lines {
		row := r.Win.Top + y
		switch {
		case row < r.lay.len():
			r.cells = r.lay.cells(r.cells, cols, int32(row), li)
			lines[y] = r.drawRow(row, w)
		case row < r.Len():
			lines[y] = r.drawLoose(row, w)
		default:
			lines[y] = text.Spaces(w)
		}
	}
}

// textColumn is where the names begin: the same on every row, beyond the widest rails.
func (r *Rail) textColumn() int { return 2 + 2*r.lay.cols }

func (r *Rail) drawRow(row, w int) string {
	l := &r.line
	l.Reset(w, r.Base(row == r.Cur))
	rows.Gutter(l, r.Styles, row == r.Cur, r.Focused, r.isMarked(row))
	for _, c := range r.cells {
		if c.arms&node != 0 {
			glyph, ink := r.Styles.StatusNode(r.snap.Status(int(r.lay.task[row])))
			l.Add(ink, glyph)
			continue
		}
		// The cells beside a node that no line touches stay blank.
		if c.arms == 0 {
			l.Space(1)
			continue
		}
		l.Add(r.edgeInk(row, c), r.marksAt.of(c.arms))
	}
	l.To(min(r.textColumn(), w))
	pieces, _ := r.text(row, w)
	for _, p := range pieces {
		l.To(p.x)
		if p.name {
			hit := r.Styles.Match
			if row == r.Cur {
				hit = r.Styles.MatchNow
			}
			l.AddMatches(p.ink, hit, p.text, rows.Occurrences(p.text, r.Query()))
			continue
		}
		l.Add(p.ink, p.text)
	}
	return l.String()
}

func (r *Rail) edgeInk(row int, c cell) style.Ink {
	switch {
	case c.lit && row < r.Cur:
		return r.Styles.EdgeUp
	case c.lit:
		return r.Styles.EdgeDown
	case c.lane < 0:
		return r.Styles.Edge
	}
	return r.Styles.Lanes[int(r.lay.task[r.lay.all[c.lane].target])%len(r.Styles.Lanes)]
}

// piece is some text of a row from column x on; a stub leads to row to.
type piece struct {
	x, width int
	ink      style.Ink
	text     string
	name     bool
	to       int // -1 for no stub, or one that stands for several
	skip     int // of one that stands for several: how many are before them
	up       bool
}

// text lays out what stands beside the rails: the name, the stubs and the status.
func (r *Rail) text(row, w int) (pieces, stubs []piece) {
	i := int(r.task(row))
	st := r.snap.Status(i)
	x, end := r.textColumn(), w
	nameInk := r.Styles.Text
	_, wordInk := r.Styles.Status(st)
	switch {
	case st == model.StatusDone || st == model.StatusAborted:
		nameInk = r.Styles.Muted
	case row == r.Cur && r.Focused:
		nameInk = r.Styles.Bold
	}
	if w >= showWord {
		end = w - wordWidth - 3
		pieces = append(pieces, piece{x: w - wordWidth - 1, ink: wordInk, text: r.snap.StatusShort(i), to: -1})
	}
	if row < r.lay.len() && r.snap.InCycle(i) {
		pieces = append(pieces, piece{x: x, ink: r.Styles.EdgeCycle, text: r.marksAt.back, to: -1})
		x += 2
	}
	t := r.snap.At(i)
	name := text.SafeLine(t.Config.Name)
	if name == "" {
		name = string(t.UID)
	}
	var all []piece
	total := 0
	if row < r.lay.len() {
		all, total = r.stubs(row)
	}
	name = text.Truncate(name, nameRoom(end-x, text.Width(name), all, total))
	pieces = append(pieces, piece{x: x, width: text.Width(name), ink: nameInk, text: name, name: true, to: -1})
	x += text.Width(name)
	for _, s := range all[:fitting(all, total, end-x)] {
		s.x = x + 2
		x = s.x + s.width
		stubs = append(stubs, s)
	}
	if rest := total - len(stubs); rest > 0 {
		count := text.Truncate("+"+strconv.Itoa(rest), end-x-1)
		stubs = append(stubs, piece{x: x + 1, width: text.Width(count), ink: all[0].ink, text: count, to: -1, skip: len(stubs)})
	}
	// Pieces are drawn from left to right.
	word := pieces[:0:0]
	if w >= showWord {
		word, pieces = pieces[:1], pieces[1:]
	}
	pieces = append(append(append([]piece(nil), pieces...), stubs...), word...)
	return pieces, stubs
}

// nameRoom is how many of room's cells a name of that width gets beside its stubs: what those
// leave that fit beside a short name.
func nameRoom(room, name int, all []piece, total int) int {
	if total == 0 {
		return room
	}
	short := min(room, name, leastName)
	n := fitting(all, total, room-short)
	left := room
	for _, s := range all[:n] {
		left -= 2 + s.width
	}
	if rest := total - n; rest > 0 {
		left -= 2 + len(strconv.Itoa(rest))
	}
	return max(short, left)
}

// fitting is how many of the stubs have room in so many cells, with the number of the others.
func fitting(all []piece, total, room int) int {
	for k, s := range all {
		need := 2 + s.width
		if rest := total - k - 1; rest > 0 {
			need += 2 + len(strconv.Itoa(rest))
		}
		if need > room {
			return k
		}
		room -= 2 + s.width
	}
	return len(all)
}

// stubs are the edges of a row that no line shows, in the order of elided. A hub may have
// thousands: only the first mostStubs are made, and total counts them all.
func (r *Rail) stubs(row int) (out []piece, total int) {
	r.elided(row, func(to int, up, back bool) {
		if total++; total > mostStubs {
			return
		}
		t := r.snap.At(int(r.task(to)))
		name := text.Truncate(text.SafeLine(t.Config.Name), stubName)
		s := piece{ink: r.Styles.Edge, to: to, up: up}
		sign := r.marksAt.stub
		if up {
			sign = r.marksAt.stubIn
		}
		if back {
			s.ink, sign = r.Styles.EdgeCycle, r.marksAt.back+sign
		}
		if row == r.Cur && !back {
			s.ink = r.Styles.EdgeDown
			if up {
				s.ink = r.Styles.EdgeUp
			}
		}
		s.text = sign + name
		s.width = text.Width(s.text)
		out = append(out, s)
	})
	return out, total
}

// elided goes through the edges of a row that no line shows: those of a cycle first, then to
// dependents, then from dependencies (up).
func (r *Rail) elided(row int, add func(to int, up, back bool)) {
	for _, back := range []bool{true, false} {
		first, end := r.lay.out(int32(row))
		for e := first; e < end; e++ {
			if !r.lay.drawn(e) && back == (r.lay.via[e] == backEdge) {
				add(int(r.lay.to[e]), false, back)
			}
		}
		for _, e := range r.lay.into(int32(row)) {
			if !r.lay.drawn(e) && back == (r.lay.via[e] == backEdge) {
				add(int(r.lay.from[e]), true, back)
			}
		}
	}
}

// drawLoose draws the tasks without edges and their head.
func (r *Rail) drawLoose(row, w int) string {
	l := &r.line
	l.Reset(w, r.Base(row == r.Cur))
	rows.Gutter(l, r.Styles, row == r.Cur, r.Focused, r.isMarked(row))
	if row == r.lay.len() {
		mark := r.Styles.Glyph.Folded
		if r.looseOpen {
			mark = r.Styles.Glyph.Unfolded
		}
		say := mark + " " + text.Plural(len(r.loose), "task") + " without dependencies"
		if shown, all := r.Shown(); shown < all {
			say += " among the tasks shown"
		}
		return l.Add(r.Styles.Muted, say).String()
	}
	glyph, ink := r.Styles.Status(r.snap.Status(int(r.task(row))))
	l.Space(2).Add(ink, glyph)
	l.To(min(max(r.textColumn(), 5), w))
	pieces, _ := r.text(row, w)
	for _, p := range pieces {
		l.To(max(p.x, 5))
		if p.name {
			l.AddMatches(p.ink, r.Styles.Match, p.text, rows.Occurrences(p.text, r.Query()))
			continue
		}
		l.Add(p.ink, p.text)
	}
	return l.String()
}
