package overlay

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// list is rows to choose from, narrowed by what is typed above them.
type list struct {
	field field
	texts []string                       // what a row is matched by
	rest  []int                          // the order of rows while nothing is typed
	heads map[int]string                 // a heading before a row, while nothing is typed
	class func(i int, query string) int  // matches of a lower class come first; nil for one class
	also  func(i int, query string) bool // the row is about a text, whatever it is called; nil: none is

	shown []shownRow
	asked string  // what candidates were looked for with
	among []int32 // rows that match it: those that a longer text can match
	cur   int     // in shown
	win   rows.Window
}

// shownRow is one row that matches; hits are bytes of its text.
type shownRow struct {
	index int
	hits  [][2]int
}

func (l *list) filter() {
	query := strings.TrimSpace(l.field.value())
	l.shown = l.shown[:0]
	if query == "" {
		for _, i := range l.rest {
			l.shown = append(l.shown, shownRow{index: i})
		}
	} else {
		l.match(strings.ReplaceAll(query, " ", "")) // blanks separate words that must all be there, in any place
		if l.class != nil {
			slices.SortStableFunc(l.shown, func(a, b shownRow) int { return l.class(a.index, query) - l.class(b.index, query) })
		}
		if l.also != nil {
			l.addMeant(query)
		}
	}
	l.cur = 0
	l.win.Top = 0
}

// addMeant adds the rows that are about what was typed without being called so.
func (l *list) addMeant(query string) {
	called := make(map[int]bool, len(l.shown))
	for _, r := range l.shown {
		called[r.index] = true
	}
	for i := range l.texts {
		if !called[i] && l.also(i, query) {
			l.shown = append(l.shown, shownRow{index: i})
		}
	}
}

// mostRanked is how many rows are put in order by how well they match. Of more the text is
// not telling yet, and the first are shown: a letter typed into a list of every task must
// not take longer than a letter.
const mostRanked = 2000

// match fills shown with the rows that match a text. What a text matches, its beginning
// has matched, so that only those rows are looked at again.
func (l *list) match(query string) {
	if l.asked == "" || !strings.HasPrefix(query, l.asked) {
		l.among = make([]int32, len(l.texts))
		for i := range l.texts {
			l.among[i] = int32(i)
		}
	}
	l.asked = query
	kept := l.among[:0]
	letters := []rune(strings.ToLower(query))
	for _, i := range l.among {
		if inOrder(l.texts[i], letters) {
			kept = append(kept, i)
		}
	}
	l.among = kept
	if len(kept) > mostRanked { // what has the text as it stands is looked at first
		whole, parts := make([]int32, 0, len(kept)), make([]int32, 0, len(kept))
		for _, i := range kept {
			if strings.Contains(l.texts[i], query) {
				whole = append(whole, i)
			} else {
				parts = append(parts, i)
			}
		}
		kept = append(whole, parts...)
	}
	some := kept[:min(len(kept), mostRanked)]
	texts := make([]string, len(some))
	for k, i := range some {
		texts[k] = l.texts[i]
	}
	for _, m := range fuzzy.Find(query, texts) {
		l.shown = append(l.shown, shownRow{int(some[m.Index]), bytesOf(m.Str, m.MatchedIndexes)})
	}
	for _, i := range kept[len(some):] {
		l.shown = append(l.shown, shownRow{index: int(i)})
	}
}

// inOrder reports whether the letters, in lower case, come in a text one after the other.
func inOrder(s string, letters []rune) bool {
	for _, r := range s {
		if len(letters) == 0 {
			break
		}
		if r == letters[0] || unicode.ToLower(r) == letters[0] {
			letters = letters[1:]
		}
	}
	return len(letters) == 0
}

// bytesOf turns the starts of matched runes into ranges of bytes, neighbors joined.
func bytesOf(s string, at []int) [][2]int {
	var out [][2]int
	for _, i := range at {
		if i < 0 || i >= len(s) {
			continue
		}
		end := i + 1
		for end < len(s) && s[end]&0xc0 == 0x80 {
			end++
		}
		if n := len(out); n > 0 && out[n-1][1] == i {
			out[n-1][1] = end
		} else {
			out = append(out, [2]int{i, end})
		}
	}
	return out
}

// at is the row under the cursor.
func (l *list) at() (index int, ok bool) {
	if l.cur >= len(l.shown) {
		return 0, false
	}
	return l.shown[l.cur].index, true
}

func (l *list) move(d int) bool {
	was := l.cur
	l.cur = max(0, min(l.cur+d, len(l.shown)-1))
	l.win.Follow(l.line(l.cur), l.height())
	if l.cur == 0 {
		l.win.Top = 0
	}
	return l.cur != was
}

// headed reports whether headings are drawn.
func (l *list) headed() bool {
	return len(l.heads) > 0 && strings.TrimSpace(l.field.value()) == ""
}

// line is the drawn line of a row, headings counted; height is how many there are.
func (l *list) line(row int) int {
	if !l.headed() {
		return row
	}
	n := row
	for k := 0; k <= row && k < len(l.shown); k++ {
		if l.heads[l.shown[k].index] != "" {
			n++
		}
	}
	return n
}

func (l *list) height() int {
	if len(l.shown) == 0 {
		return 0
	}
	return l.line(len(l.shown)-1) + 1
}

// rowAt is the row drawn at line y of the window; -1 for a heading or nothing.
func (l *list) rowAt(y int) int {
	if y < 0 || y >= l.win.Height {
		return -1
	}
	want := l.win.Top + y
	if !l.headed() && want < len(l.shown) {
		return want
	}
	for k := range l.shown {
		if l.line(k) == want {
			return k
		}
	}
	return -1
}

// key moves the cursor or types. moved says that another row is under the cursor.
func (l *list) key(k tea.KeyPressMsg) (moved, used bool) {
	if d, ok := steps(k, true, l.win.Page()); ok {
		return l.move(d), true
	}
	changed, used := l.field.key(k)
	if changed {
		l.filter()
	}
	return changed, used
}

func (l *list) paste(s string) (changed bool) {
	if changed = l.field.paste(s); changed {
		l.filter()
	}
	return changed
}

// draw fills the lines beneath the field: h of them, each w cells. row draws one row.
func (l *list) draw(st *style.Styles, w, h int, row func(line *rows.Line, r shownRow, cursor bool), nothing string) []string {
	l.win.Resize(h, l.line(l.cur), l.height())
	out := make([]string, 0, h)
	if len(l.shown) == 0 {
		out = append(out, oneLine(w).Add(st.Muted, text.Truncate(text.SafeLine(nothing), w)).String())
		return text.Fit(out, w, h)
	}
	first := l.win.Top
	for headed := l.headed(); headed && first > 0 && l.line(first-1) >= l.win.Top; {
		first--
	}
	for k := first; k < len(l.shown) && len(out) < h; k++ {
		at := l.line(k)
		if head := l.heads[l.shown[k].index]; head != "" && l.headed() && at > l.win.Top {
			if out = append(out, oneLine(w).Add(st.Faint, text.SafeLine(head)).String()); len(out) == h {
				break
			}
		}
		if at < l.win.Top {
			continue
		}
		base := style.Ink{}
		if k == l.cur {
			base = st.Select
		}
		line := rows.NewLine(w, base)
		rows.Gutter(line, st, k == l.cur, true, false)
		row(line, l.shown[k], k == l.cur)
		out = append(out, line.String())
	}
	return text.Fit(out, w, h)
}

func (l *list) scroll() style.Scroll {
	return style.Scroll{Top: l.win.Top, Visible: l.win.Height, Total: l.height()}
}
