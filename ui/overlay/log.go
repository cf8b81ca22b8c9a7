package overlay

import (
	"strconv"
	"time"

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
	scrolled
}

// NewLog makes a log of messages, oldest first.
func NewLog(st *style.Styles, entries []LogEntry) *Log {
	l := &Log{st: st, entries: entries, scrolled: scrolled{lineW: -1}}
	l.win.Top = 1 << 30
	return l
}

// SetStyles changes the theme.
func (g *Log) SetStyles(st *style.Styles) { g.st, g.lineW = st, -1 }

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
