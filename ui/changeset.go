package ui

import (
	"fmt"
	"slices"
	"strings"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/plantext"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// changeset is a task and those below it that are reviewed at once: one page with their texts, and
// what has been read of them.
type changeset struct {
	dialog.Frame
	a       *App
	page    *detail.Changeset
	sheets  map[model.UID]*taskdocs.Docs
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
		return verdict.ErrNoTask.Error()
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
		return st.Label() + ", " + text.FirstLine(t.Status.PauseReason)
	case t.Status.AcceptedPlan != nil && !verdict.HasEnded(t):
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
	c := &changeset{page: detail.NewChangeset(a.st), sheets: map[model.UID]*taskdocs.Docs{}, asked: map[model.UID]int{}}
	c.Frame, c.a = dialog.Frame{Box: c, Scope: keymap.Together}, a
	if was := a.lastTogether; was != nil && was.page.Root() == uid {
		c = was
		c.asked = map[model.UID]int{} // its texts may have changed
	}
	a.lastTogether = c
	c.page.SetNow(a.deps.Now())
	c.page.SetStyles(a.st)
	c.page.SetFocused(true)
	c.page.Update(a.snap, list)
	return tea.Batch(a.dialogs.Push(c), c.read())
}

// changesetOpen is the changeset on the screen, whatever lies on it; nil for none.
func (a *App) changesetOpen() *changeset {
	for _, d := range a.dialogs.All() {
		if c, ok := d.(*changeset); ok {
			return c
		}
	}
	return nil
}

// reviewing is the changeset that has the keys: it is open, and nothing lies on it.
func (a *App) reviewing() *changeset {
	c, _ := a.dialogs.Top().(*changeset)
	return c
}

// openMember goes to the task under the cursor of a changeset; what the cursor is on may be a comment.
func (a *App) openMember() tea.Cmd {
	c := a.reviewing()
	uid := c.page.Current()
	switch note, draft := c.page.OnNote(); {
	case draft != nil && a.noComment() == "":
		return a.composeComment(uid, *draft, "")
	case note != nil:
		c.page.FoldNote()
		return nil
	}
	a.dialogs.Drop(c)
	return tea.Batch(a.goTo(uid), a.showPlan(uid))
}

func (c *changeset) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: c.lacks(action) != ""}
}

// Do does an action on its page, or decides on it.
func (c *changeset) Do(action keymap.Action) (tea.Cmd, bool) {
	if why := c.lacks(action); why != "" {
		return c.a.remark(why), true
	}
	switch action {
	case keymap.Accept:
		return c.accept(), true
	case keymap.Reject, keymap.AskPlan, keymap.Pause:
		return c.a.verdictTogether(action, verdict.Included(c.page.Members(), nil), c.sheets), true
	case keymap.Diff:
		return c.showDiff(), true
	case keymap.Zoom:
		c.zoomed = !c.zoomed
		return nil, true
	case keymap.Contents:
		return c.openContents(), true
	}
	spec, _ := c.a.deps.Keymap.Spec(action)
	if (slices.Contains(spec.Scopes, keymap.Together) || slices.Contains(spec.Scopes, keymap.Matches)) && action != keymap.ChangesetClose {
		return c.a.run(action), true
	}
	return nil, false
}

// lacks says why an action has nothing to act on.
func (c *changeset) lacks(action keymap.Action) string {
	note, draft := c.page.OnNote()
	switch action {
	case keymap.Accept, keymap.Reject, keymap.AskPlan, keymap.Pause:
		if len(verdict.Included(c.page.Members(), nil)) == 0 {
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
		return c.a.noDrafts()
	case keymap.Diff:
		if s := c.sheets[c.page.Current()]; s == nil || s.Base == nil || s.Plan == nil {
			return "this plan has no earlier revision to compare with"
		}
	}
	return ""
}

// Place is that of the detail, or of both panes where that is small.
func (c *changeset) Place() dialog.Place {
	l := &c.a.screen.Layout
	if r := l.Right; !c.zoomed && r.W >= dialog.SheetWidth && !l.Stacked {
		return dialog.Place{Rect: r}
	}
	return dialog.Place{Rect: screen.Rect{Y: 1, W: c.a.screen.W, H: max(1, l.Footer.Y-1)}}
}

// Hosts keeps the rows in view that a text is about.
func (c *changeset) Hosts(box overlay.Overlay, _ int) screen.Rect {
	over := c.Place().Rect
	r := dialog.Within(over, box)
	if dialog.IsText(box) {
		from, to := c.page.CursorAt()
		y, h := dialog.BesideLine(1+from, 1+to, over.H, r.H)
		r.Y, r.H = over.Y+y, h
	}
	return r
}

func (c *changeset) searcher() view.Searcher { return c.page }

// Heard follows the tasks and their texts. It closes once nothing of it is left to decide.
func (c *changeset) Heard(news any) tea.Cmd {
	switch news.(type) {
	case view.Adopted:
		c.page.Update(c.a.snap, c.a.membersOf(c.page.Root()))
		return tea.Batch(c.read(), c.look())
	case pollNews:
		return c.look()
	case typedNews:
		for uid, s := range c.sheets {
			c.page.SetReview(uid, s.Review, c.a.typed.Of(uid))
		}
	case view.Applied:
		if !slices.ContainsFunc(c.page.Members(), func(m detail.Member) bool { return m.In }) {
			c.a.dialogs.Drop(c)
		}
	}
	return nil
}

// showDiff shows what changed in the plan under the cursor since it was decided on.
func (c *changeset) showDiff() tea.Cmd {
	a, s := c.a, c.sheets[c.page.Current()]
	return a.openDiff(diffInput{
		title: "Plan of " + a.name(s.UID), old: s.Base.Body, now: s.Plan.Body, plan: a.planOf(s),
		oldName: a.decidedName(s), nowName: verdict.RevisionName(s.Plan),
	})
}

// openContents lists its tasks and the sections of their plans, to go to one.
func (c *changeset) openContents() tea.Cmd {
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
		row := overlay.Choice{ID: string(m.UID), Title: lead + c.a.name(m.UID), Detail: "not part of the verdict"}
		if m.In {
			row.Detail = fmt.Sprintf("%d%% of it read", c.page.Read(m.UID))
		}
		choices = append(choices, row)
		if s.Plan == nil {
			continue
		}
		for _, sec := range plantext.Sections(string(s.Plan.Body)) {
			choices = append(choices, overlay.Choice{
				ID: fmt.Sprintf("%s %d", m.UID, sec.From), Title: lead + strings.Repeat("  ", sec.Level) + safeLine(sec.Title),
				Detail: fmt.Sprintf("line %d", sec.From),
			})
		}
	}
	return c.a.pick(overlay.PickerOptions{
		Title: "Contents", Placeholder: "type a task or a heading", Choices: choices, Current: current, Nothing: "No match.",
	}, func(id string) tea.Cmd {
		uid, rest, isLine := strings.Cut(id, " ")
		line := 0
		if _, err := fmt.Sscan(rest, &line); isLine && err == nil {
			c.page.GoToLine(model.UID(uid), line)
		} else {
			c.page.GoTo(model.UID(uid))
		}
		return nil
	})
}

var _ overlay.Overlay = (*changeset)(nil)

// SetStyles implements overlay.Overlay.
func (c *changeset) SetStyles(st *style.Styles)         { c.page.SetStyles(st) }
func (c *changeset) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }
func (c *changeset) Size(w, h int) (int, int)           { return w, h }

func (c *changeset) Wheel(d int) overlay.Outcome {
	c.page.Wheel(d)
	return overlay.Stayed{}
}

func (c *changeset) Click(_, y int) overlay.Outcome {
	c.page.Click(y - 1)
	return overlay.Stayed{}
}

func (c *changeset) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	p := c.page
	switch k.String() {
	case "esc":
		switch { // what is under way goes first
		case p.Marking():
			p.Unmark()
			return overlay.Stayed{}
		case c.a.find.in == view.Searcher(p):
			c.a.find.end()
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
func (c *changeset) View(w, h int) []string {
	p := c.page
	p.SetNow(c.a.deps.Now())
	body := p.View(max(0, w-2), max(0, h-2), c.a.reviewing() == c)
	in, read := p.Counts()
	extra := fmt.Sprintf("%d of %s read", read, plural(in, "plan"))
	title := text.Truncate(safeLine("Changeset of "+c.a.name(p.Root())), max(9, w-len(extra)-10))
	return c.a.st.Frame(style.Frame{Title: title, Extra: extra, Focused: true}, body, w, h)
}

// accept opens the sheet that accepts the plans.
func (c *changeset) accept() tea.Cmd {
	sheets, ok := sheetsOf(c.sheets, verdict.Included(c.page.Members(), nil))
	if !ok {
		return c.a.remark("the plans are still loading")
	}
	return c.a.bound(model.AcceptPlan, sheets, func(sheets []*taskdocs.Docs) tea.Cmd {
		return c.a.openTogetherSheet(c.page, verdict.ByTask(sheets), nil, nil)
	})
}
