package ui

import (
	"fmt"
	"strings"

	"vespe/ui/text"
)

// header is the top line: the store, where the cursor is, what narrows the view, and what
// waits for the person. What has to give way first is the path in the middle.
func (a *App) header(w int) string {
	st := a.st
	left := st.Accent.Render(" " + text.SafeLine(a.storeName()))
	right := a.counts()
	room := w - text.Width(left) - text.Width(right) - 4
	middle := ""
	switch {
	case a.loading.shown && a.snap != nil: // before that, the panes say so
		middle = a.progress(room)
	case room > 8:
		middle = a.where(room)
	}
	line := left
	if middle != "" {
		line += "  " + middle
	}
	gap := w - text.Width(line) - text.Width(right)
	if gap < 1 {
		right = text.Truncate(right, max(0, w-text.Width(line)-1))
		gap = w - text.Width(line) - text.Width(right)
	}
	return text.Paint(line+text.Spaces(max(0, gap))+right, w, st.Bar.Open())
}

func (a *App) storeName() string {
	if a.snap != nil && a.snap.Policy().Name != "" {
		return a.snap.Policy().Name
	}
	return a.deps.Name
}

// counts says how many tasks there are and how many things wait for the person.
func (a *App) counts() string {
	st := a.st
	var parts []string
	if a.stale {
		parts = append(parts, st.Warn.Render("STALE"))
	}
	if a.deps.ReadOnly != "" {
		parts = append(parts, st.Warn.Render("READ ONLY"))
	}
	if n := len(a.jobs); n > 0 && len(a.pending()) > 0 {
		parts = append(parts, st.Info.Render("saving"+st.Glyph.Ellipsis))
	}
	if n := len(a.panes.selection()) + len(a.panes.asks); n > 0 {
		parts = append(parts, st.Accent.Render(fmt.Sprintf("%d selected", n)))
	}
	for _, chip := range []string{a.find.chip(), a.feedChip()} {
		if chip != "" {
			parts = append(parts, st.Chip.Render(" "+chip+" "))
		}
	}
	if s := a.loopChip(); s != "" {
		parts = append(parts, st.Info.Render(s))
	}
	if a.snap != nil {
		if n := a.snap.InboxLen(); n > 0 {
			parts = append(parts, st.Accent.Render("needs you "+text.Count(n)))
		}
		parts = append(parts, st.Muted.Render(plural(a.snap.Len(), "task")))
	}
	return strings.Join(parts, st.Faint.Render("  ")) + " "
}

// progress is the bar of a load that takes its time.
func (a *App) progress(room int) string {
	done, total := int(a.loading.gauge.done.Load()), int(a.loading.gauge.total.Load())
	if total <= 0 {
		return a.st.Muted.Render(text.Truncate("reading the store"+a.st.Glyph.Ellipsis, room))
	}
	label := fmt.Sprintf(" reading %s of %s", text.Count(done), text.Count(total))
	bar := min(30, room-text.Width(label))
	if bar < 5 {
		return a.st.Muted.Render(text.Truncate(strings.TrimSpace(label), room))
	}
	return a.st.Progress(done, total, bar) + a.st.Muted.Render(label)
}

// where is the path from the root of the tree to the selected task, shortened from the
// left: the task itself is what matters.
func (a *App) where(room int) string {
	if a.snap == nil {
		return ""
	}
	i, ok := a.snap.Index(a.selected())
	if !ok {
		return ""
	}
	sep := " " + a.st.Glyph.Crumb + " "
	path := text.SafeLine(a.name(a.snap.UID(i)))
	path = text.Truncate(path, room)
	width := text.Width(path)
	for p := a.snap.Parent(i); p >= 0; p = a.snap.Parent(int(p)) {
		name := text.SafeLine(a.name(a.snap.UID(int(p))))
		need := text.Width(name) + text.Width(sep)
		if width+need > room {
			if width+text.Width(sep)+1 <= room {
				path = a.st.Glyph.Ellipsis + sep + path
			}
			break
		}
		path, width = name+sep+path, width+need
	}
	return a.st.Muted.Render(path)
}

// Words as they are written all over the workbench.
func plural(n int, word string) string { return text.Plural(n, word) }
func capital(s string) string          { return text.Capital(s) }
func safeLine(s string) string         { return text.SafeLine(s) }
