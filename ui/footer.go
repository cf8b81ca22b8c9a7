package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/request"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// footerRows is how many rows the footer wants: one of hints, those that a message takes
// beyond it, those of a failure that has not been read, and those of the tour.
func (a *App) footerRows() int {
	if len(a.chord) > 0 {
		return len(a.chordLines(max(10, a.screen.W)))
	}
	rows := max(1, len(a.messageLines(max(10, a.screen.W)))) + len(tourLines(a, max(10, a.screen.W)))
	if n, _, ok := a.notices.Failure(); ok {
		rows += len(a.failureLines(n.Notice, 0, max(10, a.screen.W)))
	}
	return rows
}

// footer draws what can be done here; above it the failure that is to be read.
func (a *App) footer(r screen.Rect) []string {
	if len(a.chord) > 0 {
		lines := a.chordLines(r.W)
		return append(slices.Repeat([]string{text.Spaces(r.W)}, max(0, r.H-len(lines))), lines[:min(r.H, len(lines))]...)
	}
	said := a.messageLines(r.W)
	said = said[:min(max(0, len(said)-1), r.H-1)] // its last line is that of the hints
	room := r.H - 1 - len(said)
	var failed []string
	if n, more, ok := a.notices.Failure(); ok {
		failed = a.failureLines(n.Notice, more, r.W)
		failed = failed[:min(len(failed), room)]
	}
	tour := tourLines(a, r.W)
	tour = tour[:min(len(tour), room-len(failed))]
	lines := slices.Repeat([]string{text.Spaces(r.W)}, room-len(failed)-len(tour))
	lines = append(append(lines, tour...), failed...)
	for _, l := range said {
		lines = append(lines, text.Pad(" "+l, r.W))
	}
	return append(lines, a.hintLine(r.W))
}

// tourLines are those of the tour, w cells wide.
func tourLines(a *App, w int) []string {
	if a.snap == nil {
		return nil
	}
	return a.tour.Lines(a.st, here(a), func(action keymap.Action) string {
		if v := slices.IndexFunc(a.panes.lefts[:], func(l left) bool { return l.tab == action }); v >= 0 {
			return a.viewKey(leftView(v))
		}
		return a.deps.Keymap.Label(action)
	}, w)
}

// here is where the tour finds the person.
func here(a *App) (h tour.Here) {
	if a.snap == nil {
		return h
	}
	isText := func(k snapshot.InboxKind) bool { return k == snapshot.InboxPlan || k == snapshot.InboxWork }
	all := a.snap.Inbox()
	h.Waits = len(all) > 0
	h.Texts = slices.ContainsFunc(all, func(it snapshot.InboxItem) bool { return isText(it.Kind) })
	h.Inbox, h.Aside = a.panes.view == viewInbox, a.panes.right
	if item, ok := a.panes.inbox.Item(); ok && h.Inbox {
		h.Plan = isText(item.Kind)
		q, _ := a.requests.With(item.Request)
		h.Approve = item.Request != "" && slices.Contains(q.Allowed(), model.DecideAccept)
	}
	if a.panes.tabOf(a.panes.view) == viewTree {
		h.Tasks = a.panes.lefts[a.panes.view].action
	}
	return h
}

// hintLine is the last row: a search being typed, a chord that continues, or hints with the
// last message beside them.
func (a *App) hintLine(w int) string {
	line := " "
	if msg := a.message(w); msg != "" {
		line += msg
		if text.Width(line)+3 > w {
			return text.Pad(line, w)
		}
		line += "  "
	}
	always := a.always(w)
	room := w - text.Width(line) - 1
	if always != "" {
		room -= text.Width(always) + 2
	}
	var hints []style.Hint
	for _, h := range a.hints() {
		hints = append(hints, h.Hint)
	}
	line += a.st.Hints(hints, max(0, room))
	if always != "" {
		line = text.Pad(line, w-text.Width(always)-1) + always
	}
	return text.Pad(line, w)
}

// constant are the hints at the right end of the last row: the ways to everything else.
func (a *App) constant(w int) []hint {
	if a.dialogs.Top() != nil || w < 40 {
		return nil
	}
	list := []keymap.Action{keymap.Palette, keymap.Help}
	if a.snap == nil || w < widePalette {
		list = list[1:]
	}
	var out []hint
	at := w - 1
	for i := len(list) - 1; i >= 0; i-- {
		spec, _ := a.deps.Keymap.Spec(list[i])
		h := hint{Hint: style.Hint{Key: a.deps.Keymap.Label(list[i]), Title: spec.Title}, action: list[i]}
		h.from, h.to = at-text.Width(h.Key)-1-text.Width(h.Title), at
		at = h.from - 2
		out = append([]hint{h}, out...)
	}
	if msg := a.message(w); text.Width(msg)+3 > out[0].from {
		return nil // the message has the line
	}
	return out
}

// widePalette is the width from which the palette has its own place beside the help.
const widePalette = 72

func (a *App) always(w int) string {
	var out []string
	for _, h := range a.constant(w) {
		out = append(out, a.st.Hint(h.Hint))
	}
	return strings.Join(out, "  ")
}

// messageRows is the most rows that a success or a remark takes.
const messageRows = 3

// hintRoom is what a message leaves to the hints beside it: enough for taking back what it
// tells of, and for the ways to everything else.
const hintRoom = 32

// messageLines are the success or remark that is to be read now; none without one. It is
// never cut by hints: they take what its last line leaves.
func (a *App) messageLines(w int) []string {
	n, ok := a.notices.Fading()
	if !ok || len(a.chord) > 0 {
		return nil
	}
	glyph, ink := "✓ ", a.st.Good
	if n.Level == view.Remark {
		glyph, ink = a.st.Glyph.Dot+" ", a.st.Info
	}
	if a.deps.ASCII {
		glyph = "* "
	}
	lines := text.WrapIndent(text.SafeLine(n.Text), max(4, w-2), glyph, text.Spaces(text.Width(glyph)))
	if len(lines) > messageRows {
		lines = lines[:messageRows]
		lines[messageRows-1] = text.Truncate(lines[messageRows-1]+" "+a.st.Glyph.Ellipsis, w-2)
	}
	for i := range lines {
		lines[i] = ink.Render(lines[i])
	}
	if w >= 40 && text.Width(lines[len(lines)-1])+hintRoom > w && len(lines) < a.screen.H/4 {
		lines = append(lines, "") // the hints take the last row
	}
	return lines
}

// message is the last line of the success or remark that is to be read now; "" for none.
func (a *App) message(w int) string {
	lines := a.messageLines(w)
	if len(lines) == 0 || a.dialogs.Top() != nil {
		return ""
	}
	return lines[len(lines)-1]
}

// hint is a hint with the action that a click on it does.
type hint struct {
	style.Hint
	action   keymap.Action
	from, to int // its columns, when it is placed
}

// judged is how many of the selected tasks decide which hints are shown: every frame asks,
// and a key asks again of all of them.
const judged = 50

// hints are the actions that can be done here, in the order of the keymap's footer places.
func (a *App) hints() []hint {
	a.few = judged
	defer func() { a.few = 0 }()
	specs := a.deps.Keymap.Footer(a.scopes())
	onRuns := a.snap != nil && a.panes.view == viewRuns
	place := func(s keymap.Spec) int {
		if s.Group == "Run" && onRuns && a.dialogs.Top() == nil && (s.Action != keymap.RunTakeOver || a.panes.runs.OnLive()) {
			return s.Footer - 100 // before what can be done to any task
		}
		return s.Footer
	}
	slices.SortStableFunc(specs, func(x, y keymap.Spec) int { return cmp.Compare(place(x), place(y)) })
	own := map[keymap.Action]bool{}
	for _, h := range a.constant(a.screen.W) {
		own[h.action] = true
	}
	var out []hint
	for _, s := range specs {
		var here dialog.Can
		if d := a.dialogs.Top(); d != nil {
			if here = d.Can(s.Action); here.No || isButton(s.Action) {
				continue
			}
		}
		if a.snap == nil && a.dialogs.Top() == nil && s.Action != keymap.Quit {
			continue // there is nothing here yet that anything could be done to
		}
		fresh := false
		if h, ok := a.actions[s.Action]; ok && a.dialogs.Top() == nil {
			why := h.Why()
			if fresh = why == request.TooFresh; own[s.Action] || why != "" && !fresh {
				continue // some have their own place; what cannot be done is in the palette, with its reason
			}
		}
		if s.Action == keymap.RequestChoose && a.dialogs.Top() == nil && !a.requests.Offers() {
			continue // a number is a view
		}
		if _, on := a.requestLeft(); on && a.dialogs.Top() == nil && (s.Action == keymap.Comment || s.Action == keymap.RequestOpen) {
			continue // it is there, and no text to comment on
		}
		if (s.Action == keymap.Accept || s.Action == keymap.Reject) && a.dialogs.Top() == nil && a.onDone() {
			continue // a drafting phase could be judged, and waits for nobody
		}
		if a.dialogs.Top() == nil && a.opens(s.Action) {
			continue // what was asked has its own
		}
		if (s.Action == keymap.LoopToggle || s.Action == keymap.LoopPause) && !onRuns {
			continue // they work everywhere, and belong to the runs
		}
		h := hint{Hint: style.Hint{Key: a.deps.Keymap.Label(s.Action), Title: cmp.Or(here.Title, a.hintTitle(s)), Off: fresh || here.Later}, action: s.Action}
		if a.dialogs.Top() == nil {
			h = a.together(h)
		}
		if keys, on := a.requests.OptionKeys(); on && s.Action == keymap.RequestChoose {
			h.Key = keys
		}
		out = append(out, h)
	}
	if n, ok := a.notices.Fading(); ok && n.Level == view.Success && a.dialogs.Top() == nil && a.panes.other == "" { // what has just been done can be taken back
		if k := slices.IndexFunc(out, func(h hint) bool { return h.action == keymap.Undo }); k > 0 {
			undo := out[k]
			out = slices.Insert(slices.Delete(out, k, k+1), 0, undo)
		}
	}
	return out
}

// isButton reports that a question has an action as a button, with its key.
func isButton(a keymap.Action) bool {
	return a == keymap.ConfirmYes || a == keymap.ConfirmSure || a == keymap.ConfirmNo
}

// onDone reports that all is done that an action applies to.
func (a *App) onDone() bool {
	return !slices.ContainsFunc(a.targets(), func(uid model.UID) bool {
		i, ok := a.snap.Index(uid)
		return !ok || a.snap.Status(i) != model.StatusDone
	})
}

// together makes one hint of the keys of the views, and one of those of the tabs.
func (a *App) together(h hint) hint {
	switch h.action {
	case keymap.ViewNumber:
		tabs := a.titled()
		first, last, between := a.viewKey(tabs[0]), a.viewKey(tabs[len(tabs)-1]), "-"
		if len(first)+len(last) > 2 { // a person bound views to other keys
			between = " "
		}
		h.Key = first + between + last
		h.Title, h.action = "views", a.panes.lefts[tabs[(slices.Index(tabs, a.panes.tabOf(a.panes.view))+1)%len(tabs)]].tab
	case keymap.TabNext:
		h.Key, h.Title = strings.TrimSpace(a.deps.Keymap.Label(keymap.TabPrev)+" "+h.Key), "tabs"
	}
	return h
}

// placedHints are the hints with the columns that hintLine gives them.
func (a *App) placedHints(w int) []hint {
	at := 1
	if msg := a.message(w); msg != "" {
		at += text.Width(msg) + 2
	}
	out := a.constant(w)
	last := w
	if len(out) > 0 {
		last = out[0].from - 2
	}
	for _, h := range a.hints() {
		h.from, h.to = at, at+text.Width(h.Key)+1+text.Width(h.Title)
		if h.to > last {
			break
		}
		out = append(out, h)
		at = h.to + 2
	}
	return out
}

// failureLines says a failure: what was not done, why, and what would help.
func (a *App) failureLines(n view.Notice, more, w int) []string {
	st := a.st
	mark := "✗ "
	if a.deps.ASCII {
		mark = "X "
	}
	tail := a.keyHint(keymap.Back, "dismiss")
	if more > 0 {
		tail = fmt.Sprintf("%d more  %s", more, tail)
	}
	head := st.Bad.Render(mark + text.SafeLine(n.Text))
	room := w - text.Width(tail) - 4
	line := " " + text.Truncate(head, max(4, room))
	if gap := w - text.Width(line) - text.Width(tail) - 1; gap > 0 {
		line += text.Spaces(gap) + st.Muted.Render(tail)
	}
	lines := []string{text.Pad(line, w)}
	add := func(ink style.Ink, lead, body string) {
		if body == "" {
			return
		}
		for i, l := range text.Wrap(text.SafeLine(body), max(4, w-4-text.Width(lead))) {
			if i == 3 {
				break
			}
			if i > 0 {
				lead = text.Spaces(text.Width(lead))
			}
			lines = append(lines, text.Pad("   "+st.Faint.Render(lead)+ink.Render(l), w))
		}
	}
	add(st.Text, "", n.Why)
	add(st.Muted, st.Glyph.Arrow+" ", n.Hint)
	return lines
}

// hintTitle is what an action is called for what it would act on.
func (a *App) hintTitle(s keymap.Spec) string {
	if n := a.requests.Selected(); s.Action == keymap.RequestAccept && a.dialogs.Top() == nil && n > 0 {
		return fmt.Sprintf("approve %d", n)
	}
	if c, d := a.onNote(); s.Action == keymap.CommentSettle && d != nil {
		return "discard"
	} else if s.Action == keymap.Comment && c != nil && c.State != model.CommentOpen {
		return "reply"
	} else if s.Action == keymap.Comment && c != nil {
		return "answer"
	}
	if x, ok := a.panes.shown().actions[s.Action]; ok && x.Word != nil {
		return x.Word()
	}
	if t, ok := a.current(); s.Action == keymap.New && ok && t.Config.ParentUID != "" {
		return "new sibling"
	}
	names := s.Transitions()
	if len(names) < 2 || names[0] == string(model.AnswerRequest) || a.dialogs.Top() != nil {
		return s.Title
	}
	if t, ok := a.current(); ok && s.Action == keymap.Pause {
		if _, waits := a.proposer().Asked(t.UID); waits {
			return "answer"
		}
	}
	if name, err := a.which(names, a.targetsOf(s)); err == nil {
		return name.Command()[strings.LastIndex(name.Command(), " ")+1:]
	}
	return s.Title
}
