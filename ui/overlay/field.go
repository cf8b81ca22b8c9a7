package overlay

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// field is one line of text that is typed. The editing is a textinput's; it is drawn here,
// so that every frame is exact and hidden characters are visible.
type field struct {
	in          textinput.Model
	placeholder string
}

func newField(value, placeholder string) field {
	in := textinput.New()
	in.Prompt = ""
	in.SetVirtualCursor(false)
	// Its paste reads the clipboard of the machine; text comes in by HandlePaste instead.
	in.KeyMap.Paste = key.NewBinding()
	in.KeyMap.AcceptSuggestion = key.NewBinding()
	in.KeyMap.NextSuggestion = key.NewBinding()
	in.KeyMap.PrevSuggestion = key.NewBinding()
	in.SetValue(value)
	in.CursorEnd()
	in.Focus()
	return field{in: in, placeholder: placeholder}
}

func (f *field) value() string { return f.in.Value() }

func (f *field) set(s string) {
	f.in.SetValue(s)
	f.in.CursorEnd()
}

// key edits the line. used is false for a key that is neither text nor edits anything.
func (f *field) key(k tea.KeyPressMsg) (changed, used bool) {
	before, pos := f.in.Value(), f.in.Position()
	f.in, _ = f.in.Update(k)
	changed = f.in.Value() != before
	return changed, changed || f.in.Position() != pos || k.Text != ""
}

// paste inserts text as one line.
func (f *field) paste(s string) (changed bool) {
	before := f.in.Value()
	s = strings.TrimRight(s, "\r\n")
	f.in, _ = f.in.Update(tea.PasteMsg{Content: s})
	return f.in.Value() != before
}

// draw appends the line with its cursor in at most n cells.
func (f *field) draw(l *rows.Line, st *style.Styles, n int) {
	n = min(n, l.Left())
	if n <= 0 {
		return
	}
	value := []rune(f.in.Value())
	if len(value) == 0 {
		hint := text.Truncate(text.SafeLine(f.placeholder), n)
		if hint == "" {
			l.Add(cursorInk(st), " ")
			return
		}
		_, to := clusterAt(hint, 0)
		l.Add(cursorInk(st), hint[:to]).Add(st.Placeholder, hint[to:])
		return
	}
	whole := text.SafeLine(string(value))
	from, to := len(whole), len(whole)
	if pos := f.in.Position(); pos < len(value) {
		from, to = clusterAt(whole, len(text.SafeLine(string(value[:pos]))))
	}
	before, at, after := whole[:from], whole[from:to], whole[to:]
	if at == "" {
		at = " "
	}
	if text.Width(before)+text.Width(at) > n { // scrolled to the left
		before = tail(before, n-text.Width(at))
	}
	l.Add(st.Input, before)
	l.AddMax(cursorInk(st), at, max(0, n-text.Width(before)))
	l.AddMax(st.Input, after, max(0, n-text.Width(before)-text.Width(at)))
}

// clusterAt is the grapheme cluster of s that holds byte at; where a cursor is drawn, so
// that what is drawn in pieces is as wide as the whole. At the end of s it is empty.
func clusterAt(s string, at int) (from, to int) {
	for i := 0; i < len(s); {
		c, _ := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		if at < i+len(c) {
			return i, i + len(c)
		}
		i += len(c)
	}
	return len(s), len(s)
}

// cursorInk is the cell under the cursor of a text.
func cursorInk(st *style.Styles) style.Ink { return st.MatchNow }

// tail is the end of a plain line in at most n cells, with an ellipsis for what is before.
func tail(s string, n int) string {
	if n <= 0 {
		return ""
	}
	w := text.Width(s)
	if w <= n {
		return s
	}
	rest := ansi.TruncateLeft(s, w-n+1, "")
	for text.Width(rest) > n-1 { // a wide character lay across the cut
		first, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(first):]
	}
	return text.Ellipsis + rest
}
