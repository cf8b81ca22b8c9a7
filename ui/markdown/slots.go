package markdown

import (
	"slices"
	"sort"

	"vespe/ui/text"
)

// slot is one row of the screen that a unit takes.
type slot struct {
	kind  slotKind
	at    int // slotRow: which row of the unit; slotInset: which row of the inset
	inset int // slotInset: index in Doc.insets
	under int // slotInset: the source line that it stands under
}

type slotKind uint8

const (
	slotRow slotKind = iota
	slotGap
	slotInset
)

// laid is a unit as it stands on the screen: its own rows, and where they are among a blank
// row before them and what the reader has put between them.
type laid struct {
	rows  []line
	slots []slot
}

// Inset is something of a reader's own that stands under a line of a document.
type Inset struct {
	ID    string
	Under int  // the source line; 0: above everything
	Mark  Mark // in the gutter beside it
	// Draw draws it, in rows of at most w cells.
	Draw func(w int) []string
}

// Mark is a sign in the gutter beside a source line.
type Mark struct{ Glyph, SGR string }

// SetInsets puts other insets between the lines, and other marks beside them, by source line.
// What is at the top of the window and under the cursor stays there; at the very top, what comes
// above it is seen.
func (d *Doc) SetInsets(list []Inset, marks map[int]Mark) {
	top, cur := d.ref(d.flow().unit, d.flow().row), d.ref(d.cursor.unit, d.cursor.row)
	atTop := d.AtTop()
	first := atTop && d.cursor.unit == 0 && d.cursor.row == 0
	d.insets = slices.Clone(list)
	sort.SliceStable(d.insets, func(i, j int) bool { return d.insets[i].Under < d.insets[j].Under })
	d.marks, d.insetRows = marks, map[string][]string{}
	d.insetGen++
	f := d.flow()
	if f.n == 0 {
		return
	}
	f.unit, f.row = d.locate(top)
	if atTop { // what comes above everything is seen
		f.unit, f.row = 0, 0
	}
	f.clamp()
	if d.cursor.unit, d.cursor.row = d.locate(cur); first {
		d.Top()
	}
	if d.cursor.on {
		d.settleLine()
	}
	d.follow()
}

// ref names a row of the screen by what it shows, whatever stands around it.
type ref struct {
	unit, at int
	kind     slotKind
	inset    string
	under    int // the line that the inset stands under
}

func (d *Doc) ref(unit, row int) ref {
	f := d.flow()
	if unit >= f.n {
		return ref{}
	}
	slots := f.laid(unit).slots
	if row >= len(slots) {
		return ref{unit: unit}
	}
	r := ref{unit: unit, kind: slots[row].kind, at: slots[row].at}
	if r.kind == slotInset {
		r.inset, r.under = d.insets[slots[row].inset].ID, slots[row].under
	}
	return r
}

// locate is where a row is now: an inset that is gone, at the line that it stood under.
func (d *Doc) locate(r ref) (unit, row int) {
	f := d.flow()
	if r.unit >= f.n {
		return 0, 0
	}
	if r.kind == slotInset {
		if u, at, ok := d.insetAt(r.inset); ok {
			return u, min(at+r.at, f.height(u)-1)
		}
		return f.find(max(1, r.under))
	}
	for i, s := range f.laid(r.unit).slots {
		if s.kind == r.kind && s.at == r.at {
			return r.unit, i
		}
	}
	return r.unit, 0
}

// insetAt is the first row of an inset.
func (d *Doc) insetAt(id string) (unit, row int, ok bool) {
	f := d.flow()
	i := slices.IndexFunc(d.insets, func(in Inset) bool { return in.ID == id })
	if i < 0 || f.n == 0 {
		return 0, 0, false
	}
	unit = d.unitOf(d.insets[i].Under)
	for k, s := range f.laid(unit).slots {
		if s.kind == slotInset && s.inset == i {
			return unit, k, true
		}
	}
	return 0, 0, false
}

// unitOf is the unit that what stands under a line belongs to: the last that begins there or
// before, with the blank lines that the gap before it stands for. There is one for every line.
func (d *Doc) unitOf(line int) int {
	f := d.flow()
	n := sort.Search(f.n, func(i int) bool { return d.begins(i) > line })
	return max(0, n-1)
}

// begins is the first line of a unit, with those of the gap before it.
func (d *Doc) begins(i int) int {
	f := d.flow()
	a, _ := f.lines(i)
	if i == 0 || d.raw || !d.gapOf(i) {
		return a
	}
	before, b := f.lines(i - 1)
	return max(before, min(a, b+1))
}

// between are the insets that belong to a unit, as indices.
func (d *Doc) between(i int) (lo, hi int) {
	if len(d.insets) == 0 {
		return 0, 0
	}
	f := d.flow()
	under := func(line int) int {
		return sort.Search(len(d.insets), func(k int) bool { return d.insets[k].Under >= line })
	}
	if i > 0 {
		lo = under(d.begins(i))
	}
	hi = len(d.insets)
	if i+1 < f.n {
		hi = max(lo, under(d.begins(i+1)))
	}
	return lo, hi
}

// layOut sets the rows of a unit among a gap and the insets.
func (d *Doc) layOut(i int, rows []line, gap bool) laid {
	lo, hi := d.between(i)
	first, _ := d.flow().lines(i)
	slots := make([]slot, 0, len(rows)+1)
	put := func(k int) {
		for y := range d.drawnInset(k) {
			slots = append(slots, slot{kind: slotInset, at: y, inset: k, under: d.insets[k].Under})
		}
	}
	for lo < hi && d.insets[lo].Under < 1 {
		put(lo)
		lo++
	}
	if gap {
		slots = append(slots, slot{kind: slotGap})
		for i > 0 && lo < hi && d.insets[lo].Under < first {
			put(lo)
			lo++
		}
	}
	for y := range rows {
		slots = append(slots, slot{at: y})
		for lo < hi && (y == len(rows)-1 || first+rows[y+1].first > d.insets[lo].Under) {
			put(lo)
			lo++
		}
	}
	return laid{rows, slots}
}

// drawnInset are the rows of an inset at the current width.
func (d *Doc) drawnInset(k int) []string {
	in := &d.insets[k]
	if rows, ok := d.insetRows[in.ID]; ok {
		return rows
	}
	w := max(1, d.w-d.gutter())
	rows := in.Draw(w)
	if len(rows) == 0 {
		rows = []string{""}
	}
	for i := range rows {
		rows[i] = text.Pad(rows[i], w)
	}
	d.insetRows[in.ID] = rows
	return rows
}
