package markdown

import (
	"strconv"
	"strings"

	"vespe/ui/style"
	"vespe/ui/text"
)

// Doc is a document in a window: a scrolled view of rendered Markdown or of its source. It
// is not safe for concurrent use; New may run on any goroutine.
type Doc struct {
	doc  *document
	look *look
	pen  *pen

	w, h int
	raw  bool

	flows  [2]flow // rendered, source
	search search
	warm   int            // units before this one have been pre-rendered
	near   map[int][]line // units as rendered at the current width and theme

	cursor    cursor
	marked    [2]int // lines that are marked, 0 for none
	insets    []Inset
	insetRows map[string][]string // as drawn at the current width
	insetGen  int
	marks     map[int]Mark
	changes   map[int]ChangeMark

	memo    []string
	memoKey memoKey
}

// memoKey is the state that a frame depends on.
type memoKey struct {
	w, h, unit, row int
	raw             bool
	query           string
	match           int
	cursor          cursor
	marked          [2]int
	insets          int
}

// Parsed is a document that was parsed and is in no window yet.
type Parsed struct{ doc *document }

// Parse parses a document, on any goroutine. It costs about 40 ms a megabyte, of the worst text ten times
// as much, so that what may be large is parsed beside the keys. src is not kept.
func Parse(src []byte) *Parsed { return &Parsed{parse(src)} }

// NewWith parses a document and puts it into a window, as NewFrom does.
func NewWith(src []byte, st *style.Styles) *Doc { return NewFrom(Parse(src), st) }

// NewFrom puts a document into a window; nothing is rendered before it is seen.
func NewFrom(p *Parsed, st *style.Styles) *Doc {
	d := &Doc{doc: p.doc, w: 80, h: 24, insetRows: map[string][]string{}}
	d.SetStyles(st)
	d.flows[0] = flow{
		n:     len(d.doc.units),
		laid:  func(i int) laid { return d.layOut(i, d.rows(i), d.gapOf(i)) },
		lines: func(i int) (int, int) { u := &d.doc.units[i]; return u.first, d.lastOf(i, u.last) },
		h:     d.h,
	}
	d.flows[1] = flow{
		n:     d.doc.src.lines(),
		laid:  func(i int) laid { return d.layOut(i, d.source(i), false) },
		lines: func(i int) (int, int) { return i + 1, i + 1 },
		h:     d.h,
	}
	return d
}

// SetStyles changes theme or profile.
func (d *Doc) SetStyles(st *style.Styles) {
	d.look = newLook(st)
	d.pen = newPen(d.look)
	d.warm, d.near = 0, nil
	d.insetRows = map[string][]string{}
	d.insetGen++
}

// lastOf is the last source line of a unit; blank lines at the end belong to the last one.
func (d *Doc) lastOf(i, last int) int {
	if i == len(d.doc.units)-1 {
		return max(last, d.doc.src.lines())
	}
	return last
}

func (d *Doc) flow() *flow {
	if d.raw {
		return &d.flows[1]
	}
	return &d.flows[0]
}

// SetSize sets the window, in cells. The source line at its top stays there.
func (d *Doc) SetSize(w, h int) {
	w, h = max(1, w), max(1, h)
	if w == d.w && h == d.h {
		return
	}
	f := d.flow()
	line := 0
	if w != d.w && f.n > 0 && (f.unit > 0 || f.row > 0) {
		line, _ = f.sourceAt(0)
	}
	at, inset := d.Cursor()
	if w != d.w {
		d.warm, d.near = 0, nil
		d.insetRows = map[string][]string{}
	}
	narrower := w != d.w
	d.w, d.h = w, h
	d.flows[0].h, d.flows[1].h = h, h
	if line > 0 {
		f.unit, f.row = f.find(line)
	}
	f.clamp()
	if !d.cursor.on || f.n == 0 {
		return
	}
	if narrower {
		if u, r, ok := d.insetAt(inset); ok {
			d.cursor.unit, d.cursor.row = u, r
		} else {
			d.cursor.unit, d.cursor.row = f.find(at)
			d.cursor.line = at
		}
	}
	d.follow()
}

// View draws the window: exactly h lines of exactly w cells.
func (d *Doc) View(w, h int) []string {
	if w <= 0 || h <= 0 {
		return text.Fit(nil, w, h)
	}
	d.SetSize(w, h)
	f := d.flow()
	key := memoKey{w, h, f.unit, f.row, d.raw, d.search.query, d.search.now, d.cursor, d.marked, d.insetGen}
	if d.memo == nil || d.memoKey != key {
		d.memo, d.memoKey = d.draw(f), key
	}
	return append([]string(nil), d.memo...)
}

func (d *Doc) draw(f *flow) []string {
	out := make([]string, 0, d.h)
	row := f.row
	for i := f.unit; i < f.n && len(out) < d.h; i++ {
		lines := d.composed(i)
		lines = lines[min(row, len(lines)):]
		out = append(out, lines[:min(len(lines), d.h-len(out))]...)
		row = 0
	}
	return text.Fit(out, d.w, d.h)
}

// composed draws the rows of one unit of the current flow, with what stands between them.
func (d *Doc) composed(i int) []string {
	l := d.flow().laid(i)
	rows := d.search.mark(d, i, l.rows)
	g := d.gutter()
	out := make([]string, len(l.slots))
	for k, s := range l.slots {
		var r *line
		var body string
		lead := 0
		switch {
		case s.kind == slotInset:
			body = d.drawnInset(s.inset)[s.at]
		case d.raw:
			r = &rows[s.at]
			var b strings.Builder
			r.write(&b)
			body = text.Pad(b.String(), d.w-g)
		default:
			if s.kind == slotRow {
				r = &rows[s.at]
			}
			body, lead = d.composeUnit(i, s, r)
		}
		beside := d.gutterText(i, k, s)
		if d.here(i, k) {
			beside, body = d.besideCursor(beside), d.underCursor(body, r, lead)
		}
		out[k] = beside + body
	}
	return out
}

// composeUnit draws one row of a rendered unit, or the blank one before it; lead is how many
// cells its indentation takes.
func (d *Doc) composeUnit(i int, s slot, r *line) (body string, lead int) {
	u := &d.doc.units[i]
	w := d.textW()
	if s.kind == slotGap {
		prefix, pw := d.pen.prefix(u.path[:u.gapDepth], 0, false)
		return d.pen.compose(prefix, pw, nil, w, w-min(pw, w)), 0
	}
	room := d.pen.room(u, w)
	prefix, pw := d.pen.prefix(u.path, u.fresh, s.at == 0)
	return d.pen.compose(prefix, pw, r, w, room), min(pw, w-room)
}

// textW is the width beside the gutter.
func (d *Doc) textW() int { return max(1, d.w-d.gutter()) }

// mostNear is how many rendered units a document keeps: a few thousand lines.
const mostNear = 6000

func (d *Doc) rows(i int) []line {
	if l, ok := d.near[i]; ok {
		return l
	}
	u := &d.doc.units[i]
	if u.table != nil {
		u.table.measure(&d.doc.src)
	}
	l := d.pen.render(d.doc, u, measure(u, d.pen.room(u, d.textW())))
	if len(d.near) >= mostNear || d.near == nil {
		d.near = map[int][]line{}
	}
	d.near[i] = l
	return l
}

func (d *Doc) gapOf(i int) bool { return d.doc.units[i].gap }

// gutter is the width of the line numbers: beside the source, and where there is a cursor.
func (d *Doc) gutter() int {
	if !d.raw && !d.cursor.on {
		return 0
	}
	n := max(3, len(strconv.Itoa(d.doc.src.lines()))) + 1
	if d.cursor.on { // which stands before the number; a mark and a blank come after it
		n = max(4, 2+len(strconv.Itoa(d.doc.src.lines()))) + 2
	}
	if d.w < n+8 {
		return 0
	}
	return n
}

// gutterOf draws the gutter: a number, 0 for none, and with a cursor the sign of a change, a mark and
// a blank, so that none of them reads as part of the text.
func (d *Doc) gutterOf(n, g int, sgr string, sign, m Mark) string {
	var b strings.Builder
	s := ""
	if n > 0 {
		s = strconv.Itoa(n)
	}
	if !d.cursor.on {
		writeSpan(&b, deco(sgr, text.PadLeft(s, g-1)+" "))
		return b.String()
	}
	if sign.Glyph == "" {
		writeSpan(&b, deco(sgr, text.PadLeft(s, g-3)+" "))
	} else {
		writeSpan(&b, deco(sgr, text.PadLeft(s, g-3)))
		writeSpan(&b, deco(sign.SGR, sign.Glyph))
	}
	if m.Glyph == "" {
		m.Glyph = " "
	}
	writeSpan(&b, deco(m.SGR, m.Glyph))
	b.WriteString(" ")
	return b.String()
}

// source is one line of the source, wrapped.
func (d *Doc) source(i int) []line {
	s := text.Safe(d.doc.src.line(i + 1))
	rows, _ := wrapCode([]run{{text: s, sgr: d.look.text}}, d.w-d.gutter(), 0, 0)
	return rows
}

// ScrollBy moves the window by rows; negative is up.
func (d *Doc) ScrollBy(n int) {
	d.flow().scroll(n)
	d.enter()
}

// Top goes to the beginning.
func (d *Doc) Top() {
	f := d.flow()
	f.unit, f.row = 0, 0
	if d.cursor.on && f.n > 0 {
		d.cursor.unit, d.cursor.row, d.cursor.line = 0, 0, 1
		d.settleLine()
	}
}

// Bottom goes to the end. Only what is seen there is rendered.
func (d *Doc) Bottom() {
	f := d.flow()
	f.unit, f.row = f.lastTop()
	if d.cursor.on && f.n > 0 {
		d.cursor.unit, d.cursor.row, d.cursor.line = f.n-1, f.height(f.n-1)-1, d.Lines()
		d.settleLine()
	}
}

// ScrollTo brings a 1-based source line to the top of the window, or as near as the end of
// the document allows.
func (d *Doc) ScrollTo(line int) {
	f := d.flow()
	f.unit, f.row = f.find(line)
	f.clamp()
	if d.cursor.on && f.n > 0 {
		d.cursor.unit, d.cursor.row = f.find(line)
		d.cursor.line = line
		d.settleLine()
	}
}

// SetRaw switches between the rendered document and its source. The source line at the top
// stays there, and a search continues.
func (d *Doc) SetRaw(raw bool) {
	if raw == d.raw {
		return
	}
	line, _ := d.SourceAt(0)
	top := d.AtTop()
	at, _ := d.Cursor()
	d.raw = raw
	d.insetRows = map[string][]string{}
	if top {
		d.Top()
	} else {
		d.ScrollTo(line)
	}
	if f := d.flow(); at > 0 && f.n > 0 {
		d.cursor.unit, d.cursor.row = f.find(at)
		d.cursor.line = at
		d.settleLine()
		d.follow()
	}
	d.search.run(d, d.search.query)
}

// Raw reports whether the source is shown.
func (d *Doc) Raw() bool { return d.raw }

// SourceAt is the range of 1-based source lines that a row of the window shows; 0, 0 below
// the end of the document.
func (d *Doc) SourceAt(row int) (first, last int) {
	if row < 0 {
		return 0, 0
	}
	return d.flow().sourceAt(row)
}

// AtTop and AtBottom report whether an end of the document is in the window.
func (d *Doc) AtTop() bool {
	f := d.flow()
	return f.unit == 0 && f.row == 0
}

// AtBottom reports whether the end of the document is in the window.
func (d *Doc) AtBottom() bool { return d.flow().atEnd() }

// Percent is how far the bottom of the window is through the document, by source lines:
// 100 when its end is in view.
func (d *Doc) Percent() int {
	if d.AtBottom() {
		return 100
	}
	_, last := d.SourceAt(d.h - 1)
	return min(99, 100*last/max(1, d.doc.src.lines()))
}

// Scroll is where the window is in the document, in source lines.
func (d *Doc) Scroll() style.Scroll {
	top, _ := d.SourceAt(0)
	_, last := d.SourceAt(d.h - 1)
	if d.AtTop() {
		top = 1
	}
	if d.AtBottom() {
		last = d.Lines()
	}
	return style.Scroll{Top: top - 1, Visible: last - top + 1, Total: d.Lines()}
}

// Lines is the number of source lines.
func (d *Doc) Lines() int { return d.doc.src.lines() }

// Empty reports whether there is nothing to show.
func (d *Doc) Empty() bool { return len(d.doc.units) == 0 }

// Hidden lists the source lines that a rendering would not show and that are flagged here.
// It looks at the whole document once.
func (d *Doc) Hidden() []int {
	var out []int
	for i := range d.doc.units {
		u := &d.doc.units[i]
		switch {
		case u.kind == kindRaw:
			if u.raw.hidden && u.lo == 0 {
				out = append(out, u.first)
			}
		case u.kind == kindText || u.kind == kindHeading || u.kind == kindRow:
			if !d.doc.mayHide(u) {
				continue
			}
			d.doc.prepare(u, d.look.flag)
			if u.hides() || d.doc.swallowed(u) {
				out = append(out, u.first)
			}
		}
	}
	return out
}

// Prerender renders up to budget units that have not been looked at at the current width,
// for idle moments: scrolling then costs next to nothing. It reports whether any are left.
func (d *Doc) Prerender(budget int) (more bool) {
	for ; budget > 0 && d.warm < len(d.doc.units) && d.warm < mostNear; budget-- {
		d.rows(d.warm)
		d.warm++
	}
	return d.warm < min(len(d.doc.units), mostNear)
}

// Place is where a window stands. It belongs to one document, width and view of it.
type Place struct {
	unit, row int
	raw       bool
	cursor    cursor
}

// Place returns where the window stands, for Return.
func (d *Doc) Place() Place {
	f := d.flow()
	return Place{f.unit, f.row, d.raw, d.cursor}
}

// Return goes back to a place. One that was taken in the other view is not gone to.
func (d *Doc) Return(p Place) {
	if p.raw == d.raw {
		f := d.flow()
		f.unit, f.row = p.unit, p.row
		f.clamp()
		if d.cursor.on && f.n > 0 {
			d.cursor.unit, d.cursor.row, d.cursor.line = p.cursor.unit, p.cursor.row, p.cursor.line
			d.enter()
		}
	}
}
