package ui

import (
	"fmt"

	"vespe/keymap"
	"vespe/ui/text"
)

// unread is what the pane of w×h cells shows before the store has been read: nothing for a
// moment, then how far the reading has come, or that it failed.
func (a *App) unread(w, h int, main bool) []string {
	st := a.st
	var say []string
	done, total := 0, 0
	if g := a.loading.gauge; g != nil {
		done, total = int(g.done.Load()), int(g.total.Load())
	}
	switch {
	case a.loading.err != nil && main:
		say = []string{st.Muted.Render("Can't read the store.")}
		if hint := a.keyHint(keymap.Refresh, "tries again"); hint != "" {
			say = append(say, st.Faint.Render(hint))
		}
	case !a.loading.shown:
	case !main:
		say = []string{st.Faint.Render("The task under the cursor will be shown here.")}
	case total > 0:
		say = []string{
			st.Muted.Render(fmt.Sprintf("Reading %s of %s tasks", text.Count(done), text.Count(total))), "",
			st.Progress(done, total, max(1, min(30, w-4))),
		}
	default:
		say = []string{st.Muted.Render("Reading the store" + st.Glyph.Ellipsis)}
	}
	out := make([]string, max(0, (h-len(say))/3), h+len(say))
	for _, l := range say {
		out = append(out, text.Center(l, w))
	}
	return text.Fit(out, w, h)
}
