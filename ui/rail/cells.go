package rail

import "slices"

// arms are the directions in which a cell's line leaves it.
type arms uint8

const (
	up arms = 1 << iota
	down
	left
	right
	// through marks a crossing: the vertical and the horizontal line do not meet.
	through
	// node marks the task's own cell.
	node
)

// cell is one screen cell of the rails: columns lie two cells apart.
type cell struct {
	arms arms
	lane int32 // whose color it has; -1 for none
	lit  bool  // belongs to an edge of the selected row
}

// glyphs are the characters of the rails. A crossing and a join never look alike: `┼`
// only crosses, the T shapes only join, and the rare join that goes on to both sides is
// `╋`. In ASCII a crossing is the vertical line drawn over the horizontal one.
type glyphs struct {
	vertical, horizontal, cross string
	downLeft, downRight         string // a lane that starts: ╮ ╭
	tee                         string // a lane that starts while the line continues: ┬
	joinLeft, joinRight         string // ┤ ├
	join                        string // ╋
	stub, stubIn                string // towards a dependent, from a dependency
	back                        string // a cycle
}

func unicodeGlyphs() glyphs {
	return glyphs{"│", "─", "┼", "╮", "╭", "┬", "┤", "├", "╋", "╌▸", "◂╌", "↺"}
}

func asciiGlyphs() glyphs {
	return glyphs{"|", "-", "|", ".", ".", "+", "+", "+", "+", "->", "<-", "@"}
}

func (g *glyphs) of(a arms) string {
	if a&through != 0 {
		return g.cross
	}
	switch a {
	case up | down:
		return g.vertical
	case left | right:
		return g.horizontal
	case down | left:
		return g.downLeft
	case down | right:
		return g.downRight
	case down | left | right:
		return g.tee
	case up | down | left:
		return g.joinLeft
	case up | down | right:
		return g.joinRight
	case up | down | left | right:
		return g.join
	}
	return " "
}

// light is the selected row and the lanes that carry its edges away.
type light struct {
	row int32 // -1 for none
	out []int32
}

// shine lights the edges of row r. A row has at most cap lanes to light, because all of
// them run side by side below it.
func (l *lanes) shine(r int32) light {
	li := light{row: r}
	if r < 0 {
		return li
	}
	first, end := l.out(r)
	for e := first; e < end; e++ {
		if l.drawn(e) {
			li.out = append(li.out, l.via[e])
		}
	}
	return li
}

// lit reports whether lane id carries an edge of the selected row where it passes row r.
func (l *lanes) lit(id, r int32, li light) bool {
	if li.row < 0 {
		return false
	}
	return l.all[id].target == li.row || r > li.row && slices.Contains(li.out, id)
}

// cells fills the cells of row r (2*cols-1 of them) from the lanes above it, and advances
// cols to those below.
func (l *lanes) cells(dst []cell, cols []int32, r int32, li light) []cell {
	n := max(0, 2*l.cols-1)
	dst = dst[:0]
	for range n {
		dst = append(dst, cell{lane: -1})
	}
	for c, id := range cols {
		if id >= 0 && int32(c) != l.col[r] {
			dst[2*c] = cell{arms: up | down, lane: id, lit: l.lit(id, r, li)}
		}
	}
	l.advance(cols, r)
	own := l.col[r]
	dst[2*own] = cell{arms: node, lane: -1}
	first, end := l.out(r)
	for e := first; e < end; e++ {
		if !l.drawn(e) {
			continue
		}
		id := l.via[e]
		ln := l.all[id]
		if ln.col == own {
			continue
		}
		on := r == li.row || ln.target == li.row
		l.horizontal(dst, own, ln.col, id, on)
		at := &dst[2*ln.col]
		at.arms = at.arms&^through | down
		if ln.start != r {
			at.arms |= up
		}
		at.lane = id
		at.lit = at.lit || on
	}
	for i := range dst { // what only passes by does not meet
		if a := dst[i].arms; a == up|down|left|right && !l.joins(r, int32(i/2)) {
			dst[i].arms |= through
		}
	}
	return dst
}

// horizontal draws the line from the node's column to the lane's.
func (l *lanes) horizontal(dst []cell, own, col, id int32, on bool) {
	step, back, ahead := int32(1), left, right
	if col < own {
		step, back, ahead = -1, right, left
	}
	for x := 2*own + step; ; x += step {
		at := &dst[x]
		at.arms |= back
		if x != 2*col {
			at.arms |= ahead
		}
		if at.lane < 0 || at.arms&(up|down) == 0 {
			at.lane = id
		}
		if at.arms&(up|down) == 0 || x == 2*col {
			at.lit = at.lit || on
		}
		if x == 2*col {
			return
		}
	}
}

// joins reports whether row r has an edge into the lane of column c.
func (l *lanes) joins(r, c int32) bool {
	first, end := l.out(r)
	for e := first; e < end; e++ {
		if l.drawn(e) && l.all[l.via[e]].col == c {
			return true
		}
	}
	return false
}
