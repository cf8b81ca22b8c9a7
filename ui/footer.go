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
	"vespe/ui/panes"
	"vespe/ui/request"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// footerRows is how many rows the footer wants: one of hints, those that a message takes
// beyond it, those of a failure that has not been read, and those of the tour.
func (f *frame) footerRows() int {
	if len(f.chord) > 0 {
		return len(f.chordLines(max(10, f.screen.W)))
	}
	rows := max(1, len(f.messageLines(max(10, f.screen.W)))) + len(tourLines(f.core, max(10, f.screen.W)))
	if n, _, ok := f.notices.Failure(); ok {
		rows += len(f.failureLines(n.Notice, 0, max(10, f.screen.W)))
	}
	return rows
}

// footer draws what can be done here; above it the failure that is to be read.
func (f *frame) footer(r screen.Rect) []string {
	if len(f.chord) > 0 {
		lines := f.chordLines(r.W)
		return append(slices.Repeat([]string{text.Spaces(r.W)}, max(0, r.H-len(lines))), lines[:min(r.H, len(lines))]...)
	}
	said := f.messageLines(r.W)
	said = said[:min(max(0, len(said)-1), r.H-1)] // its last line is that of the hints
	room := r.H - 1 - len(said)
	var failed []string
	if n, more, ok := f.notices.Failure(); ok {
		failed = f.failureLines(n.Notice, more, r.W)
		failed = failed[:min(len(failed), room)]
	}
	tour := tourLines(f.core, r.W)
	tour = tour[:min(len(tour), room-len(failed))]
	lines := slices.Repeat([]string{text.Spaces(r.W)}, room-len(failed)-len(tour))
	lines = append(append(lines, tour...), failed...)
	for _, l := range said {
		lines = append(lines, text.Pad(" "+l, r.W))
	}
	return append(lines, f.hintLine(r.W))
}

// tourLines are those of the tour, w cells wide.
func tourLines(c *core, w int) []string {
	if c.snap == nil {
		return nil
	}
	return c.tour.Lines(c.st, here(c), func(action keymap.Action) string {
		if v := slices.IndexFunc(c.panes.Lefts[:], func(l panes.Left) bool { return l.Tab == action }); v >= 0 {
			return c.viewKey(panes.View(v))
		}
		return c.deps.Keymap.Label(action)
	}, w)
}

// here is where the tour finds the person.
func here(c *core) (h tour.Here) {
	if c.snap == nil {
		return h
	}
	isText := func(k snapshot.InboxKind) bool { return k == snapshot.InboxPlan || k == snapshot.InboxWork }
	all := c.snap.Inbox()
	h.Waits = len(all) > 0
	h.Texts = slices.ContainsFunc(all, func(it snapshot.InboxItem) bool { return isText(it.Kind) })
	h.Inbox, h.Aside, h.Dialog = c.panes.View == panes.Inbox, c.panes.Right, c.dialogs.Top() != nil
	if item, ok := c.panes.Inbox.Item(); ok && h.Inbox {
		h.Plan = isText(item.Kind)
		q, _ := c.requests.With(item.Request)
		h.Approve = item.Request != "" && slices.Contains(q.Allowed(), model.DecideAccept)
	}
	if c.panes.TabOf(c.panes.View) == panes.Tree {
		h.Tasks = c.panes.Lefts[c.panes.View].Action
	}
	return h
}

// hintLine is the last row: the last message, hints beside it, and at the right end those that are always there.
func (f *frame) hintLine(w int) string {
	line := " " + f.message(w)
	for _, h := range f.placedHints(w) {
		line = text.Pad(line, h.from) + f.st.Hint(h.Hint)
	}
	return text.Pad(line, w)
}

// constant are the hints at the right end of the last row: the ways to everything else, or out of the dialog on top.
func (f *frame) constant(w int) (out []hint) {
	if w < 40 {
		return nil
	}
	list := []keymap.Action{keymap.Palette, keymap.Help}
	if f.dialogs.Top() != nil {
		list = f.wayOut()
	} else if f.snap == nil || w < widePalette {
		list = list[1:]
	}
	at := w - 1
	for _, action := range slices.Backward(list) {
		spec, _ := f.deps.Keymap.Spec(action)
		h := hint{Hint: style.Hint{Key: f.deps.Keymap.Label(action), Title: spec.Title}, action: action}
		if d := f.dialogs.Top(); d != nil {
			h.Title = cmp.Or(d.Can(action).Title, h.Title)
		}
		h.from, h.to = at-text.Width(h.Key)-1-text.Width(h.Title), at
		at = h.from - 2
		out = append([]hint{h}, out...)
	}
	if msg := f.message(w); len(out) > 0 && text.Width(msg)+3 > out[0].from {
		return nil // the message has the line
	}
	return out
}

// wayOut is the action that leaves the dialog on top with the key that goes back; none where a button does.
func (f *frame) wayOut() []keymap.Action {
	for _, s := range f.deps.Keymap.Footer(f.nav.scopes()) {
		if f.deps.Keymap.Label(s.Action) == f.deps.Keymap.Label(keymap.Back) && !isButton(s.Action) && !f.dialogs.Top().Can(s.Action).No {
			return []keymap.Action{s.Action}
		}
	}
	return nil
}

// widePalette is the width from which the palette has its own place beside the help.
const widePalette = 72

// messageRows is the most rows that a success or a remark takes.
const messageRows = 3

// hintRoom is what a message leaves to the hints beside it: enough for taking back what it
// tells of, and for the ways to everything else.
const hintRoom = 32

// messageLines are the success or remark that is to be read now; none without one. It is
// never cut by hints: they take what its last line leaves.
func (c *core) messageLines(w int) []string {
	n, ok := c.notices.Fading()
	if !ok || len(c.chord) > 0 {
		return nil
	}
	glyph, ink := "✓ ", c.st.Good
	if n.Level == view.Remark {
		glyph, ink = c.st.Glyph.Dot+" ", c.st.Info
	}
	if c.deps.ASCII {
		glyph = "* "
	}
	lines := text.WrapIndent(text.SafeLine(n.Text), max(4, w-2), glyph, text.Spaces(text.Width(glyph)))
	if len(lines) > messageRows {
		lines = lines[:messageRows]
		lines[messageRows-1] = text.Truncate(lines[messageRows-1]+" "+c.st.Glyph.Ellipsis, w-2)
	}
	for i := range lines {
		lines[i] = ink.Render(lines[i])
	}
	if w >= 40 && text.Width(lines[len(lines)-1])+hintRoom > w && len(lines) < c.screen.H/4 {
		lines = append(lines, "") // the hints take the last row
	}
	return lines
}

// message is the last line of the success or remark that is to be read now; "" for none.
func (f *frame) message(w int) string {
	lines := f.messageLines(w)
	n, _ := f.notices.Fading()
	if _, asked := f.requests.Shown(); len(lines) == 0 || f.dialogs.Top() != nil && (asked || !n.Always) {
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
func (f *frame) hints() []hint {
	f.few = judged
	defer func() { f.few = 0 }()
	specs := f.deps.Keymap.Footer(f.nav.scopes())
	onRuns, bare := f.snap != nil && f.panes.View == panes.Runs, f.dialogs.Top() == nil
	place := func(s keymap.Spec) int {
		if s.Group == "Run" && onRuns && bare && (s.Action != keymap.RunTakeOver || f.panes.Runs.OnLive()) {
			return s.Footer - 100 // before what can be done to any task
		}
		switch {
		case !bare || f.panes.Right:
		case f.panes.View == panes.History && slices.Contains([]string{"Review", "Lifecycle", "Create"}, s.Group) && s.Action != keymap.Diff:
			return s.Footer + 40 // who reads what happened decides on nothing
		case s.Action == keymap.Start && f.onFailed(): // it waits for that
			return 1
		case s.Action == keymap.Quit && f.nav.goesBack():
			return 13
		}
		return s.Footer
	}
	slices.SortStableFunc(specs, func(x, y keymap.Spec) int { return cmp.Compare(place(x), place(y)) })
	own := map[keymap.Action]bool{}
	for _, h := range f.constant(f.screen.W) {
		own[h.action] = true
	}
	var out []hint
	for _, s := range specs {
		var here dialog.Can
		if d := f.dialogs.Top(); d != nil {
			if here = d.Can(s.Action); here.No || isButton(s.Action) || own[s.Action] {
				continue
			}
		}
		if f.snap == nil && bare && s.Action != keymap.Quit {
			continue // there is nothing here yet that anything could be done to
		}
		if s.Action == keymap.Undo && bare && len(f.jobs.did.decided) == 0 {
			continue // an older decision is searched for when the key asks for it
		}
		fresh := false
		if h, ok := f.actions[s.Action]; ok && bare {
			why := h.Why()
			if fresh = why == request.TooFresh; own[s.Action] || why != "" && !fresh {
				continue // some have their own place; what cannot be done is in the palette, with its reason
			}
		}
		_, asked := f.requestLeft()
		switch {
		case bare && s.Action == keymap.RequestChoose && !f.requests.Offers(), // a number is a view
			bare && asked && (s.Action == keymap.Comment || s.Action == keymap.RequestOpen), // it is there, and no text to comment on
			bare && (s.Action == keymap.Accept || s.Action == keymap.Reject) && f.onDone(),  // a drafting phase could be judged, and waits for nobody
			bare && s.Action == keymap.New && f.panes.View == panes.Inbox && !f.panes.Right, // who clears a queue makes no tasks
			bare && f.opens(s.Action), // what was asked has its own
			bare && (s.Action == keymap.Left || s.Action == keymap.Right) && f.panes.Shown().ByAction[s.Action].Word == nil, // arrows do it
			(s.Action == keymap.LoopToggle || s.Action == keymap.LoopPause) && !onRuns:                                      // they work everywhere, and belong to the runs
			continue
		}
		h := hint{Hint: style.Hint{Key: f.deps.Keymap.Label(s.Action), Title: cmp.Or(here.Title, f.hintTitle(s)), Off: fresh || here.Later}, action: s.Action}
		if bare {
			h = f.together(h)
		}
		if keys, on := f.requests.OptionKeys(); on && s.Action == keymap.RequestChoose {
			h.Key = keys
		}
		out = append(out, h)
	}
	if n, ok := f.notices.Fading(); ok && n.Level == view.Success && bare { // what has just been done can be taken back
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
func (f *frame) onDone() bool {
	return !slices.ContainsFunc(f.targets(), func(uid model.UID) bool {
		i, ok := f.snap.Index(uid)
		return !ok || f.snap.Status(i) != model.StatusDone
	})
}

// onFailed reports that the inbox's cursor is on a failed attempt.
func (f *frame) onFailed() bool {
	item, ok := f.panes.Inbox.Item()
	return ok && f.panes.View == panes.Inbox && item.Kind == snapshot.InboxFailed
}

// together makes one hint of the keys of the views, and one of those of the tabs.
func (f *frame) together(h hint) hint {
	switch h.action {
	case keymap.ViewNumber:
		tabs := f.titled()
		first, last, between := f.viewKey(tabs[0]), f.viewKey(tabs[len(tabs)-1]), "-"
		if len(first)+len(last) > 2 { // a person bound views to other keys
			between = " "
		}
		h.Key = first + between + last
		h.Title, h.action = "views", f.panes.Lefts[tabs[(slices.Index(tabs, f.panes.TabOf(f.panes.View))+1)%len(tabs)]].Tab
	case keymap.TabNext:
		h.Key, h.Title = strings.TrimSpace(f.deps.Keymap.Label(keymap.TabPrev)+" "+h.Key), "tabs"
	}
	return h
}

// placedHints are the hints of the last row, with their columns.
func (f *frame) placedHints(w int) (out []hint) {
	constant, at, last := f.constant(w), 1, w-1
	if msg := f.message(w); msg != "" {
		at += text.Width(msg) + 2
	}
	if len(constant) > 0 {
		last = constant[0].from - 2
	}
	for _, h := range f.hints() {
		h.from, h.to = at, at+text.Width(h.Key)+1+text.Width(h.Title)
		if h.to > last {
			break
		}
		out = append(out, h)
		at = h.to + 2
	}
	return append(out, constant...)
}

// failureLines says a failure: what was not done, why, and what would help.
func (c *core) failureLines(n view.Notice, more, w int) []string {
	st := c.st
	mark := "✗ "
	if c.deps.ASCII {
		mark = "X "
	}
	tail := c.keyHint(keymap.Back, "dismiss")
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
func (f *frame) hintTitle(s keymap.Spec) string {
	if n := f.requests.Selected(); s.Action == keymap.RequestAccept && f.dialogs.Top() == nil && n > 0 {
		return fmt.Sprintf("approve %d", n)
	}
	if s.Action == keymap.RequestDeny && f.dialogs.Top() == nil && f.requests.Selected() > 0 {
		return "deny this one"
	}
	if c, d := f.comments.onNote(); s.Action == keymap.CommentSettle && d != nil {
		return "discard"
	} else if s.Action == keymap.Comment && c != nil && c.State != model.CommentOpen {
		return "reply"
	} else if s.Action == keymap.Comment && c != nil {
		return "answer"
	}
	if x, ok := f.panes.Shown().ByAction[s.Action]; ok && x.Word != nil {
		return x.Word()
	}
	if t, ok := f.current(); s.Action == keymap.New && ok && t.Config.ParentUID != "" {
		return "new sibling"
	}
	if s.Action == keymap.Quit && f.dialogs.Top() == nil && f.nav.goesBack() {
		return "back"
	}
	names := s.Transitions()
	if len(names) < 2 || names[0] == string(model.AnswerRequest) || f.dialogs.Top() != nil {
		return s.Title
	}
	if t, ok := f.current(); ok && s.Action == keymap.Pause {
		if _, waits := f.proposer().Asked(t.UID); waits {
			return "answer"
		}
	}
	if name, err := f.which(names, f.decider.targetsOf(s)); err == nil {
		group, word, _ := strings.Cut(name.CommandPath(), " ")
		if f.panes.View == panes.History && isVerdict(s.Action) { // on the task, and not on the event under the cursor
			word += " its " + group
		}
		return word
	}
	return s.Title
}
