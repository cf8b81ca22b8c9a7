package overlay

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Level is how serious a message is.
type Level int

// The levels.
const (
	Info Level = iota
	Success
	Warning
	Failure
)

func (v Level) look(st *style.Styles) (glyph string, ink style.Ink) {
	switch v {
	case Success:
		return st.Glyph.Bullet, st.Good
	case Warning:
		return st.Glyph.Warning, st.Warn
	case Failure:
		return st.Glyph.Warning, st.Bad
	}
	return st.Glyph.Dot, st.Muted
}

// LogEntry is one message.
type LogEntry struct {
	At    time.Time
	Level Level
	Text  string // what happened
	Why   string // what is so
	Hint  string // what to do
}

// Log lists messages, the newest at the bottom, where it starts.
type Log struct {
	st      *style.Styles
	entries []LogEntry
	win     rows.Window
	lines   []string // wrapped for lineW
	lineW   int
}

// NewLog makes a log of messages, oldest first.
func NewLog(st *style.Styles, entries []LogEntry) *Log {
	l := &Log{st: st, entries: entries, lineW: -1}
	l.win.Top = 1 << 30
	return l
}

// SetStyles changes the theme.
func (g *Log) SetStyles(st *style.Styles) { g.st, g.lineW = st, -1 }

// Move scrolls by d rows.
func (g *Log) Move(d int) Outcome { g.win.Scroll(d, len(g.lines)); return Stayed{} }

// Page scrolls by n pages.
func (g *Log) Page(n int) Outcome { return g.Move(n * g.win.Page()) }

// HalfPage scrolls by n half pages.
func (g *Log) HalfPage(n int) Outcome { return g.Move(n * max(1, g.win.Page()/2)) }

// Home goes to the oldest message.
func (g *Log) Home() Outcome { return g.Move(-1 << 30) }

// End goes to the newest message.
func (g *Log) End() Outcome { return g.Move(1 << 30) }

// HandleKey implements Overlay.
func (g *Log) HandleKey(k tea.KeyPressMsg) Outcome { return pagerKey(g, k) }

// pager is what scrolls through a text.
type pager interface {
	Move(d int) Outcome
	Page(n int) Outcome
	HalfPage(n int) Outcome
	Home() Outcome
	End() Outcome
}

func pagerKey(p pager, k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc", "q":
		return Cancelled{}
	case "up", "k":
		return p.Move(-1)
	case "down", "j":
		return p.Move(1)
	case "pgup", "ctrl+b":
		return p.Page(-1)
	case "pgdown", "ctrl+f", "space":
		return p.Page(1)
	case "ctrl+u":
		return p.HalfPage(-1)
	case "ctrl+d":
		return p.HalfPage(1)
	case "home", "g":
		return p.Home()
	case "end", "G":
		return p.End()
	}
	return Ignored{}
}

// HandlePaste implements Overlay.
func (g *Log) HandlePaste(string) Outcome { return Ignored{} }

// Click implements Overlay.
func (g *Log) Click(int, int) Outcome { return Stayed{} }

// Wheel implements Overlay.
func (g *Log) Wheel(d int) Outcome { return g.Move(d) }

// Size implements Overlay.
func (g *Log) Size(w, h int) (int, int) {
	bw := min(w, 100)
	iw, _ := inner(bw, h)
	g.layout(iw)
	return bw, min(h, max(8, min(h*3/4, len(g.lines)+marginH)))
}

func (g *Log) layout(w int) {
	if w == g.lineW {
		return
	}
	g.lineW = w
	g.lines = g.lines[:0]
	day := ""
	for _, e := range g.entries {
		if d := e.At.Format("Monday, 2 January 2006"); d != day {
			day = d
			g.lines = append(g.lines, g.st.Faint.Render(d))
		}
		glyph, ink := e.Level.look(g.st)
		const lead = len("15:04:05 x ")
		for k, line := range text.Wrap(text.Safe(e.Text), max(1, w-lead)) {
			if k == 0 {
				g.lines = append(g.lines, g.st.Faint.Render(e.At.Format("15:04:05"))+" "+ink.Render(glyph)+" "+g.st.Text.Render(line))
			} else {
				g.lines = append(g.lines, text.Spaces(lead)+g.st.Text.Render(line))
			}
		}
		for _, more := range []string{e.Why, e.Hint} {
			for _, line := range wrapped(g.st.Muted, more, w-lead) {
				g.lines = append(g.lines, text.Spaces(lead)+line)
			}
		}
	}
	g.win.Clamp(len(g.lines))
}

// View implements Overlay.
func (g *Log) View(w, h int) []string {
	iw, ih := inner(w, h)
	g.layout(iw)
	g.win.Height = ih
	g.win.Clamp(len(g.lines))
	body, top := window(g.lines, g.win.Top, ih)
	if len(g.lines) == 0 {
		body = []string{g.st.Muted.Render(text.Truncate("No activity yet.", iw))}
	}
	return box{
		title: "Log", extra: strconv.Itoa(len(g.entries)),
		scroll: style.Scroll{Top: top, Visible: ih, Total: len(g.lines)},
	}.draw(g.st, body, w, h)
}
