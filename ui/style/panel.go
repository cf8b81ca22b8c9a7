package style

import (
	"strings"

	"vespe/ui/text"
)

// Scroll says where a panel's lines are in a longer whole. The zero value draws no
// scrollbar, and neither does a whole that is in view.
type Scroll struct {
	Top     int // index of the first line in view
	Visible int // lines in view
	Total   int // lines there are
}

// Frame is what a panel's border shows. Title, Extra and Foot may hold anything, names from
// files too: they are made safe here, where no caller can forget to.
type Frame struct {
	Title   string // in the top border, left
	Tabs    string // in the place of Title: drawn as it is, so safe and styled already
	Extra   string // in the top border, right; dropped when the title needs the room
	Foot    string // in the bottom border, right
	Focused bool
	Raised  bool // an overlay: on a ground of its own
	Scroll  Scroll
}

// frameLook is what a border is made of, styled once.
type frameLook struct {
	ink         Ink
	title       Ink
	left, right string // one styled vertical
	thumb       string // one styled piece of scrollbar
}

type borderSet struct{ tl, tr, bl, br, h, v string }

func (s *Styles) borders() borderSet {
	if s.Options.ASCII {
		return borderSet{"+", "+", "+", "+", "-", "|"}
	}
	return borderSet{"╭", "╮", "╰", "╯", "─", "│"}
}

func (s *Styles) buildFrame() {
	b := s.borders()
	for i := range s.frame {
		ink, title := s.Border, s.Title
		if i == 1 {
			ink, title = s.BorderFocus, s.TitleFocus
		}
		v := ink.Render(b.v)
		s.frame[i] = frameLook{ink: ink, title: title, left: v, right: v, thumb: s.Scroll.Render(s.Glyph.Thumb)}
		if i == 1 {
			s.frame[i].thumb = s.Accent.Render(s.Glyph.Thumb)
		}
	}
}

// Frame draws lines in a border: exactly w×h cells. Fewer than 2×2 cells leave no room for
// a border; the result is then blank.
func (s *Styles) Frame(f Frame, lines []string, w, h int) []string {
	if w < 2 || h < 2 {
		return text.Fit(nil, w, h)
	}
	look := &s.frame[0]
	if f.Focused {
		look = &s.frame[1]
	}
	b := s.borders()
	out := make([]string, h)
	title, ink := f.Tabs, Ink{}
	if title == "" {
		title, ink = text.SafeLine(f.Title), look.title
	}
	out[0] = s.edge(look, b.tl, b.tr, b.h, ink, title, text.SafeLine(f.Extra), w)
	out[h-1] = s.edge(look, b.bl, b.br, b.h, ink, "", text.SafeLine(f.Foot), w)
	from, to := thumb(f.Scroll, h-2)
	blank := text.Spaces(w - 2)
	for y := range h - 2 {
		body := blank
		if y < len(lines) {
			body = text.Pad(lines[y], w-2)
		}
		right := look.right
		if y >= from && y < to {
			right = look.thumb
		}
		out[y+1] = look.left + body + right
	}
	if f.Raised {
		for y := range out {
			out[y] = text.Paint(out[y], w, s.Raised.Open())
		}
	}
	return out
}

// edge is one horizontal border of exactly w cells, with a title in an ink after its first
// cell and more at its end.
func (s *Styles) edge(look *frameLook, l, r, h string, ink Ink, title, extra string, w int) string {
	room := w - 4 // corners, and one cell of border beside each of them
	if title != "" && room > 2 {
		title = " " + text.Truncate(title, room-2) + " "
	} else {
		title = ""
	}
	tw := text.Width(title)
	if extra != "" {
		extra = " " + extra + " "
	}
	ew := text.Width(extra)
	if ew > 0 && tw+ew+1 > room && tw > 0 || ew > room {
		extra, ew = "", 0
	}
	fill := w - 2 - tw - ew
	lead, tail := "", ""
	if tw > 0 {
		lead, fill = h, fill-1
	}
	if ew > 0 {
		tail, fill = h, fill-1
	}
	mid := strings.Repeat(h, max(0, fill))
	if ink.open == "" && title != "" {
		title += reset // it brings its own styles
	}
	return look.ink.Render(l+lead) + ink.Render(title) + look.ink.Render(mid) +
		s.Muted.Render(extra) + look.ink.Render(tail+r)
}

// thumb is the rows [from, to) of a scrollbar h rows high; none when everything is in view.
// The thumb touches an end only when the view does.
func thumb(sc Scroll, h int) (from, to int) {
	if sc.Total <= sc.Visible || sc.Visible <= 0 || h <= 0 {
		return 0, 0
	}
	size := max(1, min(h, h*sc.Visible/sc.Total))
	last := sc.Total - sc.Visible
	top := min(max(0, sc.Top), last)
	from = top * (h - size) / last
	if h-size >= 2 {
		switch {
		case top > 0 && from == 0:
			from = 1
		case top < last && from == h-size:
			from = h - size - 1
		}
	}
	return from, from + size
}

// Row says how a row of a list is drawn.
type Row struct {
	Cursor   bool // the cursor is on it
	Focused  bool // … and its pane has the focus
	Selected bool // it is one of several that a verdict will apply to
}

// Row draws one row of a list in exactly w cells: a gutter of one cell (cursor, selection)
// and the line, on the selection's background when the cursor is on it. The line has w-1
// cells.
func (s *Styles) Row(line string, w int, r Row) string {
	if w <= 0 {
		return ""
	}
	gutter := " "
	switch {
	case r.Selected:
		gutter = s.Marker.Render(s.Glyph.Selected)
	case r.Cursor && r.Focused:
		gutter = s.Marker.Render(s.Glyph.Cursor)
	case r.Cursor:
		gutter = s.Faint.Render(s.Glyph.Cursor)
	}
	switch {
	case r.Cursor && r.Focused && s.Select.Sole():
		return text.Paint(text.Strip(gutter+line), w, s.Select.Open())
	case r.Cursor && r.Focused:
		return text.Paint(gutter+line, w, s.Select.Open())
	case r.Cursor:
		return text.Paint(gutter+line, w, s.SelectDim.Open())
	}
	return text.Pad(gutter+line, w)
}

// Progress is a bar of exactly w cells for done of total.
func (s *Styles) Progress(done, total, w int) string {
	if w <= 0 {
		return ""
	}
	n := 0
	if total > 0 {
		n = min(w, max(0, w*done/total))
		if n == 0 && done > 0 {
			n = 1
		}
		if n == w && done < total {
			n = w - 1
		}
	}
	return s.Accent.Render(strings.Repeat(s.Glyph.Bar, n)) + s.Border.Render(strings.Repeat(s.Glyph.BarEmpty, w-n))
}
