package overlay

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/diff"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// sideBySide is from how many columns on the two texts stand beside each other.
const sideBySide = 120

// DiffOptions say what a Diff compares.
type DiffOptions struct {
	Title    string
	OldTitle string // "revision 2, accepted by ann"
	NewTitle string
	Old, New string
	Patch    string // in place of two texts: what changes files, as git writes it
	Empty    string // what is said where nothing differs; "" for the usual words
	Note     string // above everything: why this is shown
	// Head is drawn below Note: what was said of the change. nil for nothing.
	Head func(st *style.Styles, w int) []string
	// Notes stand under the lines that they are on; differences that Flagged says yes to have
	// Label over them.
	Notes   []diff.Note
	Flagged func(diff.Hunk) bool
	Label   string
}

// Diff shows what has changed between two texts: lines, and in lines that were changed the
// words. Lines are wrapped, never cut. The texts are compared by anyone who opens it, beside the
// keys; what is pressed until then is done when the comparison is there.
type Diff struct {
	themed
	o    DiffOptions
	full bool // equal lines are not left out
	one  bool // one column even where two would fit
	// flagged is how many differences have the label.
	flagged int
	shown   map[int]bool // its rows that have been on screen, as they are laid out

	all, folded *diff.Comparison // nil until the texts have been compared
	later       []func()         // what was pressed until then

	laid  diff.Layout
	boxW  int    // of the box that it was laid out for
	say   string // why the last key did nothing
	edge  string // the same where it would go to another difference
	split bool
	win   rows.Window
	cur   diffCursor
	top   int // rows of the last View above the first line
	over  int // rows that may stay empty below the last line, while something lies over them
}

// NewDiff is a difference of two texts that have not been compared yet.
func NewDiff(st *style.Styles, o DiffOptions) *Diff {
	d := &Diff{themed: themed{st}, o: o}
	d.laid.Annotate(o.Notes, o.Flagged, o.Label)
	return d
}

// Compare compares the two texts. It changes nothing: what it returns is for Show.
func (d *Diff) Compare() *diff.Comparison {
	if d.o.Patch != "" {
		return diff.Patch(d.o.Patch)
	}
	return diff.Compare(d.o.Old, d.o.New)
}

// Show takes the comparison, and does what was pressed until then.
func (d *Diff) Show(c *diff.Comparison) {
	d.all, d.folded = c, c.Folded(d.o.Notes...)
	d.one = d.one || d.o.Patch != "" && c.Lopsided()
	for _, h := range c.Hunks() {
		if d.o.Flagged != nil && d.o.Flagged(h) {
			d.flagged++
		}
	}
	later := d.later
	d.later = nil
	for _, do := range later {
		d.fit(d.boxW)
		d.edge = ""
		do()
	}
}

// cmp is what is drawn; nil until the texts have been compared.
func (d *Diff) cmp() *diff.Comparison {
	if d.full {
		return d.all
	}
	return d.folded
}

// Noted reports whether there are notes.
func (d *Diff) Noted() bool { return len(d.o.Notes) > 0 }

// NextNote goes to the next (1) or the previous (-1) note.
func (d *Diff) NextNote(n int) Outcome {
	return d.once(func() {
		if line, ok := d.laid.NextNote(n, d.here()); ok { // the line it is on stays above
			d.goTo(line)
		}
	})
}

// once does something with the comparison: now, or when it is there.
func (d *Diff) once(do func()) Outcome {
	if d.over = 0; d.all == nil {
		d.later = append(d.later, do)
	} else {
		do()
	}
	return Stayed{}
}

// Move scrolls by n rows, or moves the cursor.
func (d *Diff) Move(n int) Outcome {
	return d.once(func() {
		if d.cur.on {
			d.moveCursor(n)
			return
		}
		d.win.Scroll(n, d.laid.Len())
	})
}

// Home goes to the beginning.
func (d *Diff) Home() Outcome { return d.leapBy(-1 << 30) }

// End goes to the end.
func (d *Diff) End() Outcome { return d.leapBy(1 << 30) }

func (d *Diff) leapBy(n int) Outcome { return d.once(func() { d.leap(n) }) }

// Hunk goes to the next (1) or the previous (-1) difference.
func (d *Diff) Hunk(n int) Outcome {
	return d.once(func() {
		from := d.here()
		if d.cur.on && n < 0 {
			from = d.laid.Line(d.laid.Row(from)) // a label may stand above
		}
		line, ok := d.laid.Hunk(n, from)
		if ok && d.cur.on && n < 0 && d.laid.Words(line) == d.cur.at { // that is the one it is in
			line, ok = d.laid.Hunk(n, line)
		}
		if !ok {
			d.edge = "no change above  "
			if n > 0 {
				d.edge = "no change below  "
			}
			return
		}
		if d.goTo(line); d.cur.on {
			d.settle(d.laid.Words(line), 1)
		}
	})
}

// ToggleFull shows all equal lines, or leaves them out again.
func (d *Diff) ToggleFull() Outcome {
	if d.o.Patch != "" {
		d.say = "A patch shows only the lines around its changes."
		return Stayed{}
	}
	return d.once(func() { d.full = !d.full })
}

// ToggleSplit sets the texts beside each other or one above the other, where there is room
// for both.
func (d *Diff) ToggleSplit() Outcome {
	if d.o.Old == "" && d.o.Patch == "" {
		d.say = "There is nothing to compare it with."
		return Stayed{}
	}
	if d.boxW < sideBySide {
		d.say = fmt.Sprintf("Too narrow to show both side by side: it needs %d columns.", sideBySide)
		return Stayed{}
	}
	d.one = !d.one
	return Stayed{}
}

// HandleKey implements Overlay.
func (d *Diff) HandleKey(k tea.KeyPressMsg) Outcome {
	d.say, d.edge = "", ""
	switch k.String() {
	case "esc":
		if d.Unmark() {
			return Stayed{}
		}
	case "n":
		return d.Hunk(1)
	case "N":
		return d.Hunk(-1)
	case ")":
		return d.NextNote(1)
	case "(":
		return d.NextNote(-1)
	case "x":
		return d.ToggleFull()
	case "s":
		return d.ToggleSplit()
	case "up":
		return d.Move(-1)
	case "down":
		return d.Move(1)
	}
	return pagerKey(k, d.win.Page(), d.leapBy)
}

// HandlePaste implements Overlay.
func (d *Diff) HandlePaste(string) Outcome { return Ignored{} }

// Click implements Overlay.
func (d *Diff) Click(_, y int) Outcome {
	if line := d.win.Top + y - d.top; d.cur.on && y >= d.top && line < d.laid.Len() {
		d.settle(line, -1)
	}
	return Stayed{}
}

// Wheel implements Overlay.
func (d *Diff) Wheel(n int) Outcome {
	return d.once(func() {
		d.win.Scroll(n, d.laid.Len())
		d.inView()
	})
}

// Size implements Overlay.
func (d *Diff) Size(w, h int) (int, int) {
	bw := min(w, 180)
	iw, _ := inner(bw, h)
	d.fit(bw)
	if d.all == nil { // what takes long to compare is long
		return bw, h
	}
	note := len(d.note(iw, h))
	return bw, min(h, max(8, d.laid.Len()+1+note+marginH, 3*note+marginH)) // a third of it is for the note
}

// fit lays the texts out for a box of w columns.
func (d *Diff) fit(w int) {
	d.boxW = w
	iw, _ := inner(w, 0)
	d.split = w >= sideBySide && !d.one && (d.o.Old != "" || d.o.Patch != "")
	if d.all == nil {
		return
	}
	if d.laid.IsLaid(d.cmp(), iw, d.split) {
		d.laid.Lay(d.st, d.cmp(), iw, d.split) // the theme may be another
		return
	}
	d.shown = map[int]bool{}
	keep, row := d.laid.Row(d.win.Top), d.cur.at-d.win.Top // what is at the top of the window stays there
	d.laid.Lay(d.st, d.cmp(), iw, d.split)
	if d.cur.on { // or what the cursor is on
		first := d.cur.spot == diff.Spot{}
		if d.relaid(); first {
			d.win.Follow(d.cur.at, d.laid.Len())
		} else {
			d.win.Put(d.cur.at, row, d.laid.Len()+d.over)
		}
		return
	}
	if d.laid.Row(d.win.Top) != keep {
		d.win.Top = d.laid.Line(keep)
	}
}

// titles names the two texts.
func (d *Diff) titles(w int) string {
	l := oneLine(w)
	minus, plus := text.SafeLine(d.o.OldTitle), text.SafeLine(d.o.NewTitle)
	if d.o.Patch != "" {
		return l.Add(d.st.Muted, plus).String()
	}
	if d.split {
		half := (w - 3) / 2
		l.AddMax(d.st.Bad, "- "+minus, half)
		return l.To(half+3).Add(d.st.Good, "+ "+plus).String()
	}
	return l.AddMax(d.st.Bad, "- "+minus, max(0, w/2-1)).Space(2).Add(d.st.Good, "+ "+plus).String()
}

// counts says how much differs, and how much of it has the label.
func (d *Diff) counts() string {
	if d.all == nil {
		return ""
	}
	added, taken := d.all.Changes()
	s := fmt.Sprintf("%s+%d -%d", d.edge, added, taken)
	if d.flagged > 0 {
		s = fmt.Sprintf("%d of %d unasked  ", d.flagged, len(d.all.Hunks())) + s
	}
	return s
}

// note is what stands above everything, at most most rows of it.
func (d *Diff) note(w, most int) []string {
	out := append(wrapped(d.st.Warn, d.o.Note, w), wrapped(d.st.Warn, d.say, w)...)
	if d.o.Head != nil {
		out = append(out, d.o.Head(d.st, w)...)
		if more := len(out) - most + 1; more > 1 && most > 0 {
			out[most-1] = d.st.Muted.Render(text.Truncate(d.st.Glyph.Ellipsis+" "+text.Plural(more, "more row")+" in the result tab", w))
		}
	}
	return out[:min(len(out), most)]
}

// Shown reports whether each of its rows has been on screen.
func (d *Diff) Shown() bool { return d.all != nil && len(d.shown) >= d.laid.Len() }

// Whole reports whether that is all of the texts: no equal lines are left out.
func (d *Diff) Whole() bool { return d.Shown() && d.cmp().Rows() == d.all.Rows() }

// View implements Overlay.
func (d *Diff) View(w, h int) []string {
	iw, ih := inner(w, h)
	body := d.note(iw, ih/3)
	d.fit(w)
	body = append(body, d.titles(iw))
	room := max(0, ih-len(body))
	if d.top = 1 + len(body); d.cur.on {
		d.win.Resize(room, d.cur.at, d.laid.Len()+d.over)
	}
	d.win.Height = room
	d.win.Clamp(d.laid.Len() + d.over)
	for y := range room {
		if r := d.win.Top + y; r < d.laid.Len() {
			d.shown[r] = true
			body = append(body, d.underCursor(r, d.laid.Draw(r), iw))
		}
	}
	switch {
	case d.all == nil:
		body = append(body, d.st.Muted.Render("Comparing the two texts…"))
	case d.all.Same() && d.o.Empty != "":
		body = append(body, wrapped(d.st.Muted, d.o.Empty, iw)...)
	case d.all.Same():
		body = append(body, d.st.Muted.Render("The two texts are the same."))
	}
	return box{
		title: d.o.Title, extra: d.counts(),
		scroll: style.Scroll{Top: d.win.Top, Visible: room, Total: d.laid.Len()},
	}.draw(d.st, body, w, h)
}
