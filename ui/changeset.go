package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/plantext"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// changeset is a task and those below it that are reviewed at once: one page with their texts, and
// what has been read of them.
type changeset struct {
	page    *detail.Changeset
	sheets  map[model.UID]*sheet
	asked   map[model.UID]int // revisions of status.json that sheets were asked for at
	gen     int               // of the last question for sheets
	looking bool              // its texts are being looked at
	zoomed  bool
}

// mostTogether is how many plans are reviewed at once.
const mostTogether = 200

func changesetHandlers() map[keymap.Action]handler {
	next := func(n int, where string) handler {
		return handler{off: (*App).notReviewing, do: func(a *App) tea.Cmd {
			if !a.reviewing().page.NextTask(n) {
				return a.remark("no task of the changeset " + where)
			}
			return nil
		}}
	}
	return map[keymap.Action]handler{
		keymap.Changeset:     {do: (*App).openChangeset, off: (*App).noChangeset},
		keymap.ChangesetNext: next(1, "below"),
		keymap.ChangesetPrev: next(-1, "above"),
		keymap.ChangesetOpen: {do: (*App).openMember, off: (*App).notReviewing},
	}
}

func (a *App) notReviewing() string {
	if a.reviewing() == nil {
		return "no changeset is open"
	}
	return ""
}

// noChangeset says why there is nothing to review at once.
func (a *App) noChangeset() string {
	i, ok := a.currentIndex()
	switch {
	case !ok:
		return errNoTask.Error()
	case len(a.snap.Children(i)) == 0:
		return "the task has no subtasks"
	case !a.snap.Below(i, model.StatusReviewPlan):
		return "no subtask of it has a plan that waits for a verdict"
	}
	return ""
}

// membersOf are the tasks of a changeset: a task and all below it, parents first.
func (a *App) membersOf(uid model.UID) []detail.Member {
	i, ok := a.snap.Index(uid)
	if !ok {
		return nil
	}
	var out []detail.Member
	var add func(i, depth int)
	add = func(i, depth int) {
		m := detail.Member{UID: a.snap.UID(i), Depth: depth, In: a.snap.Status(i) == model.StatusReviewPlan}
		if !m.In {
			m.Why = a.notTogether(i)
		}
		out = append(out, m)
		for _, k := range a.snap.Children(i) {
			add(int(k), depth+1)
		}
	}
	add(i, 0)
	return out
}

// notTogether says why a task has no plan to decide on.
func (a *App) notTogether(i int) string {
	t, st := a.snap.At(i), a.snap.Status(i)
	switch {
	case !t.HasPlan && t.Status.PlanRevision == 0:
		return st.Label() + ", it has no plan yet"
	case t.Status.IsPaused && t.Status.PauseReason != "" && t.Status.PauseReason != st.String():
		return st.Label() + ", " + firstLine(t.Status.PauseReason)
	case t.Status.AcceptedPlan != nil && !hasEnded(t):
		return st.Label() + ", its plan is accepted"
	}
	return st.Label()
}

// openChangeset shows the task under the cursor and those below it on one page.
func (a *App) openChangeset() tea.Cmd {
	uid := a.selected()
	list := a.membersOf(uid)
	n := 0
	for _, m := range list {
		if m.In {
			n++
		}
	}
	if n > mostTogether {
		return a.remark(fmt.Sprintf("%d plans below it wait for a verdict; at most %d are reviewed at once: take one of its subtasks", n, mostTogether))
	}
	c := &changeset{page: detail.NewChangeset(a.st), sheets: map[model.UID]*sheet{}, asked: map[model.UID]int{}}
	if was := a.lastTogether; was != nil && was.page.Root() == uid {
		c = was
		c.asked = map[model.UID]int{} // its texts may have changed
	}
	a.lastTogether = c
	c.page.SetNow(a.deps.Now())
	c.page.SetStyles(a.st)
	c.page.SetFocused(true)
	c.page.Update(a.snap, list)
	open := a.push(&dialog{box: &changesetBox{a: a, c: c}, scope: keymap.Together, place: onRight, together: c, on: nothing})
	return tea.Batch(open, a.readChangeset(c))
}

// changesetOpen is the changeset on the screen, whatever lies on it; nil for none.
func (a *App) changesetOpen() *changeset {
	for _, d := range a.dialogs {
		if d.together != nil {
			return d.together
		}
	}
	return nil
}

// reviewing is the changeset that has the keys: it is open, and nothing lies on it.
func (a *App) reviewing() *changeset {
	if d := a.top(); d != nil {
		return d.together
	}
	return nil
}

// openMember goes to the task under the cursor of a changeset; what the cursor is on may be a comment.
func (a *App) openMember() tea.Cmd {
	d := a.top()
	c := d.together
	uid := c.page.Current()
	switch note, draft := c.page.OnNote(); {
	case draft != nil && a.noComment() == "":
		return a.composeComment(uid, *draft, "")
	case note != nil:
		c.page.FoldNote()
		return nil
	}
	a.drop(d)
	return tea.Batch(a.goTo(uid), a.showPlan(uid))
}

// changesetAct does an action on a changeset; false when it is none of its own.
func (a *App) changesetAct(d *dialog, action keymap.Action) (tea.Cmd, bool) {
	c := d.together
	if a.lacks(d, action) {
		return a.remark(a.lackedTogether(c, action)), true
	}
	switch action {
	case keymap.Accept:
		return a.acceptTogether(c), true
	case keymap.Reject, keymap.AskPlan, keymap.Pause:
		return a.verdictTogether(action, c.included(nil), c.sheets), true
	case keymap.Diff:
		return a.diffTogether(c), true
	case keymap.Zoom:
		c.zoomed = !c.zoomed
		return nil, true
	case keymap.Contents:
		return a.contentsTogether(c), true
	}
	spec, _ := a.deps.Keymap.Spec(action)
	if (slices.Contains(spec.Scopes, keymap.Together) || slices.Contains(spec.Scopes, keymap.Matches)) && action != keymap.ChangesetClose {
		return a.run(action), true
	}
	return nil, false
}

// lacksTogether reports whether an action has nothing to act on in a changeset.
func (a *App) lacksTogether(c *changeset, action keymap.Action) bool {
	return a.lackedTogether(c, action) != ""
}

func (a *App) lackedTogether(c *changeset, action keymap.Action) string {
	note, draft := c.page.OnNote()
	switch action {
	case keymap.Accept, keymap.Reject, keymap.AskPlan, keymap.Pause:
		if len(c.included(nil)) == 0 {
			return "no plan of it waits for a verdict"
		}
	case keymap.CommentAnswer:
		if note == nil {
			return noCommentHere
		}
	case keymap.CommentSettle:
		if note == nil && draft == nil {
			return noCommentHere
		}
	case keymap.CommentsSend:
		return a.noDrafts()
	case keymap.Diff:
		if s := c.sheets[c.page.Current()]; s == nil || s.base == nil || s.plan == nil {
			return "this plan has no earlier revision to compare with"
		}
	}
	return ""
}

// included are the tasks whose plans a verdict is on, parents first, without those that are left out:
// by name, or as part of one that is.
func (c *changeset) included(left []string) []model.UID {
	var out []model.UID
	gone := -1 // the depth of a task that is left out with all below it
	for _, m := range c.page.Members() {
		if gone >= 0 && m.Depth > gone {
			continue
		}
		gone = -1
		if slices.Contains(left, string(m.UID)) {
			gone = m.Depth
			continue
		}
		if m.In {
			out = append(out, m.UID)
		}
	}
	return out
}

// diffTogether shows what changed in the plan under the cursor since it was decided on.
func (a *App) diffTogether(c *changeset) tea.Cmd {
	s := c.sheets[c.page.Current()]
	return a.openDiff(diffInput{
		title: "Plan of " + a.name(s.uid), old: s.base.Body, now: s.plan.Body, plan: a.planOf(s),
		oldName: a.decidedName(s), nowName: revisionName(s.plan),
	})
}

// contentsTogether lists the tasks of a changeset and the sections of their plans, to go to one.
func (a *App) contentsTogether(c *changeset) tea.Cmd {
	var choices []overlay.Choice
	current := ""
	for _, m := range c.page.Members() {
		s := c.sheets[m.UID]
		if s == nil {
			continue
		}
		if m.UID == c.page.Current() {
			current = string(m.UID)
		}
		lead := strings.Repeat("  ", m.Depth)
		row := overlay.Choice{ID: string(m.UID), Title: lead + a.name(m.UID), Detail: "not part of the verdict"}
		if m.In {
			row.Detail = fmt.Sprintf("%d%% of it read", c.page.Read(m.UID))
		}
		choices = append(choices, row)
		if s.plan == nil {
			continue
		}
		for _, sec := range plantext.Sections(string(s.plan.Body)) {
			choices = append(choices, overlay.Choice{
				ID: fmt.Sprintf("%s %d", m.UID, sec.From), Title: lead + strings.Repeat("  ", sec.Level) + safeLine(sec.Title),
				Detail: fmt.Sprintf("line %d", sec.From),
			})
		}
	}
	box := overlay.NewPicker(a.st, overlay.PickerOptions{
		Title: "Contents", Placeholder: "type a task or a heading", Choices: choices, Current: current, Nothing: "No match.",
	})
	return a.push(&dialog{box: box, scope: keymap.Picker, on: func(_ *App, out overlay.Outcome) tea.Cmd {
		if p, ok := out.(overlay.Picked); ok {
			uid, rest, isLine := strings.Cut(p.ID, " ")
			line := 0
			if _, err := fmt.Sscan(rest, &line); isLine && err == nil {
				c.page.GoToLine(model.UID(uid), line)
			} else {
				c.page.GoTo(model.UID(uid))
			}
		}
		return nil
	}})
}

// changesetBox is the page of a changeset as an overlay.
type changesetBox struct {
	a *App
	c *changeset
}

var _ overlay.Overlay = (*changesetBox)(nil)

func (b *changesetBox) SetStyles(st *style.Styles)         { b.c.page.SetStyles(st) }
func (b *changesetBox) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }
func (b *changesetBox) Size(w, h int) (int, int)           { return w, h }

func (b *changesetBox) Wheel(d int) overlay.Outcome {
	b.c.page.Wheel(d)
	return overlay.Stayed{}
}

func (b *changesetBox) Click(_, y int) overlay.Outcome {
	b.c.page.Click(y - 1)
	return overlay.Stayed{}
}

func (b *changesetBox) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	p := b.c.page
	switch k.String() {
	case "esc":
		switch { // what is under way goes first
		case p.Marking():
			p.Unmark()
			return overlay.Stayed{}
		case b.a.find.in == searcher(p):
			b.a.searchEnd()
			return overlay.Stayed{}
		}
		return overlay.Cancelled{}
	case "down":
		p.Move(1)
	case "up":
		p.Move(-1)
	case "pgdown":
		p.Page(1)
	case "pgup":
		p.Page(-1)
	case "ctrl+d":
		p.HalfPage(1)
	case "ctrl+u":
		p.HalfPage(-1)
	case "home":
		p.Home()
	case "end":
		p.End()
	default:
		return overlay.Ignored{}
	}
	return overlay.Stayed{}
}

// View draws the page. What another overlay lies on is not read.
func (b *changesetBox) View(w, h int) []string {
	p := b.c.page
	p.SetNow(b.a.deps.Now())
	body := p.View(max(0, w-2), max(0, h-2), b.a.reviewing() == b.c)
	in, read := p.Counts()
	extra := fmt.Sprintf("%d of %s read", read, plural(in, "plan"))
	title := text.Truncate(safeLine("Changeset of "+b.a.name(p.Root())), max(9, w-len(extra)-10))
	return b.a.st.Frame(style.Frame{Title: title, Extra: extra, Focused: true}, body, w, h)
}
