package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/notices"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

func (a *App) commentActions() map[keymap.Action]view.Action {
	notes := func(do func(*detail.Detail)) view.Action {
		return view.Action{Do: func() tea.Cmd { do(a.panes.detail); return nil }, Off: a.noNotes}
	}
	return map[keymap.Action]view.Action{
		keymap.Comment:        {Do: a.comment, Off: a.noNewComment},
		keymap.CommentsSend:   {Do: a.sendDrafts, Off: a.noDrafts},
		keymap.CommentAnswer:  {Do: a.answerComment, Off: a.noAnswer},
		keymap.CommentSettle:  {Do: a.settleComment, Off: a.noSettle},
		keymap.CommentNext:    notes(func(d *detail.Detail) { d.NextNote(1) }),
		keymap.CommentPrev:    notes(func(d *detail.Detail) { d.NextNote(-1) }),
		keymap.CommentFold:    {Do: func() tea.Cmd { a.panes.detail.FoldNote(); return nil }, Off: a.noFold},
		keymap.CommentsFold:   notes(func(d *detail.Detail) { d.FoldNotes(true) }),
		keymap.CommentsUnfold: notes(func(d *detail.Detail) { d.FoldNotes(false) }),
		keymap.ChangeNext:     {Do: func() tea.Cmd { return a.nextChange(1) }, Off: a.noChange},
		keymap.ChangePrev:     {Do: func() tea.Cmd { return a.nextChange(-1) }, Off: a.noChange},
		keymap.Contents:       {Do: a.openContents, Off: a.noContents},
	}
}

const noCommentHere = "no comment under the cursor"

func (a *App) noNotes() string {
	if a.panes.detail.Notes() == 0 {
		return "this text has no comment"
	}
	return ""
}

func (a *App) onLines() bool {
	_, _, _, ok := a.panes.detail.Lines()
	return ok && a.panes.right
}

func (a *App) noLines() string {
	if d := a.planShown(); d != nil {
		return d.noPick()
	}
	if _, ok := a.current(); !ok && !a.onLines() {
		return verdict.ErrNoTask.Error()
	}
	return ""
}

// markLines begins a range of lines. Where there is no text the key selects the task, as it does
// elsewhere.
func (a *App) markLines() tea.Cmd {
	if d := a.planShown(); d != nil {
		d.diff.MarkLines()
		return nil
	}
	if !a.onLines() {
		return a.selectToggle()
	}
	a.panes.detail.MarkLines()
	return nil
}

func (a *App) noFold() string {
	if c, _ := a.panes.detail.OnNote(); c == nil {
		return noCommentHere
	}
	return ""
}

// onNote is the comment or the draft under the cursor, where the detail or the difference of a plan
// has the keys.
func (a *App) onNote() (*model.Comment, *review.Draft) {
	if d := a.planShown(); d != nil {
		return d.onNote()
	}
	if !a.panes.right || a.sheet == nil || a.sheet.UID != a.selected() {
		return nil, nil
	}
	return a.panes.detail.OnNote()
}

// noNewComment is noComment, and in a difference whether there is a line to comment on.
func (a *App) noNewComment() string {
	if c, _ := a.onNote(); c != nil && !a.panes.detail.Marking() {
		return a.noAnswer()
	}
	if d := a.planShown(); d != nil {
		if why := d.noPick(); why != "" {
			return why
		}
	}
	return a.noComment()
}

func (a *App) noComment() string {
	if a.snap == nil {
		return verdict.ErrNoTask.Error()
	}
	t, ok := a.snap.Task(a.talked())
	if !ok {
		return verdict.ErrNoTask.Error()
	}
	return a.proposer().WhyNot(a.allowed(model.Op{Name: model.AddComment, UID: t.UID, Actor: a.deps.Actor, Args: model.Remarks{Text: verdict.PreviewReason}}))
}

// comment opens the box for a comment: on the lines under the cursor, or on the plan or the
// finished work as a whole where no text has it. On a draft it continues with that.
func (a *App) comment() tea.Cmd {
	if d := a.planShown(); d != nil {
		return d.comment()
	}
	uid := a.talked()
	if c, d := a.onNote(); d != nil {
		return a.composeComment(uid, *d, "")
	} else if c != nil && !a.panes.detail.Marking() {
		return a.answerComment()
	}
	t, _ := a.snap.Task(uid)
	d := review.Draft{ID: "d-" + a.deps.NewID(), Kind: model.Remark, Doc: model.Plan, Revision: t.Status.PlanRevision, At: a.deps.Now().UTC()}
	if c, from, to, ok := a.panes.detail.Lines(); ok && a.onLines() {
		d.Doc, d.Place = c.Doc, model.PlaceAt(c.Body, from, to)
		if d.Doc == "" {
			d.Doc, _ = a.shownDoc()
		}
	} else if run, ok := a.hasWork(t); ok {
		d.Doc, d.Spot.Run = model.Changes, run
	}
	a.panes.detail.Unmark()
	return a.composeComment(uid, d, "")
}

// quotedLines is how many lines of a range are quoted above the box for a comment.
const quotedLines = 4

// quotedWidth is how much of each fits the box in one row.
const quotedWidth = 66

// aboutLines names the lines of a comment, and quotes those with words: of many the first, and how
// many more there are.
func aboutLines(d *review.Draft) string {
	switch {
	case d.Place.IsZero() && d.Doc == model.Changes:
		return "On the work as a whole."
	case d.Place.IsZero():
		return fmt.Sprintf("On the %s as a whole.", d.Doc)
	}
	about := fmt.Sprintf("On %s of the %s:", verdict.LinesOf(d.Place), d.Doc)
	if d.Spot.File != "" {
		about = "On " + safeLine(d.Spot.String()) + ":"
	}
	quote := slices.DeleteFunc(slices.Clone(d.Place.Quote), func(q string) bool { return strings.TrimSpace(q) == "" })
	switch len(quote) {
	case 0:
		return about
	case 1:
		return about + " " + safeLine(strings.TrimSpace(quote[0]))
	}
	for i, q := range quote {
		if i == quotedLines-1 && len(quote) > quotedLines {
			return about + fmt.Sprintf("\nand %s more", plural(len(quote)-i, "line"))
		}
		about += "\n> " + text.Truncate(safeLine(q), quotedWidth)
	}
	return about
}

// orKey is "; KEY what", or nothing when the action has no key.
func (a *App) orKey(action keymap.Action, what string) string {
	if hint := a.keyHint(action, what); hint != "" {
		return "; " + hint
	}
	return ""
}

func (a *App) noDrafts() string {
	if len(a.typed.Of(a.talked())) == 0 {
		if _, ok := a.current(); !ok {
			return verdict.ErrNoTask.Error()
		}
		return "no unsent comment here"
	}
	return a.noComment()
}

// sendDrafts sends the drafts of the task under the cursor without a verdict.
func (a *App) sendDrafts() tea.Cmd {
	if !a.panes.rested || a.deps.Now().Sub(a.dialogs.Closed()) < notices.ReadAfter { // the key that ended a text may still be held
		return a.remark("Not sent: too soon after another key" + a.orKey(keymap.CommentsSend, "sends the comments when pressed again"))
	}
	uid := a.talked()
	op := model.Op{ID: a.deps.NewID(), Name: model.AddComment, UID: uid, Actor: a.deps.Actor}
	a.typed.GoesWith(&op)
	return a.fire(job{ops: []model.Op{op}})
}

func (a *App) noAnswer() string {
	c, _ := a.onNote()
	if c == nil {
		return noCommentHere
	}
	if c.State != model.CommentOpen {
		return a.proposer().WhyNot(a.allowed(model.Op{Name: model.ReopenComment, UID: a.talked(), Actor: a.deps.Actor, Args: model.CommentRef{Comment: c.ID}}))
	}
	return a.proposer().WhyNot(a.allowed(model.Op{Name: model.AnswerComments, UID: a.talked(), Actor: a.deps.Actor}))
}

// replyComment lets a person say something to a comment that has its answer: that opens it again.
func (a *App) replyComment(c *model.Comment) tea.Cmd {
	uid, id := a.talked(), c.ID
	said := fmt.Sprintf("It is %s.", c.State)
	if n := len(c.Replies); n > 0 && c.Replies[n-1].Text != "" {
		said = fmt.Sprintf("%s: %s", c.Replies[n-1].By.Name(), safeLine(text.FirstLine(c.Replies[n-1].Text)))
	}
	return a.openWords(drafts.Key{Name: model.ReopenComment, UID: uid, Comment: id}, overlay.ComposeOptions{
		Title: "Reply to " + id, Note: said + "\nYour reply reopens it. The next revision must answer it.", Placeholder: "what is missing", Required: true,
	}, func(_ *overlay.Compose, text string) job {
		return job{ops: []model.Op{{ID: a.deps.NewID(), Name: model.ReopenComment, UID: uid, Actor: a.deps.Actor, Args: model.CommentRef{Comment: id}, Reason: text}}}
	})
}

// answerComment lets a person answer the comment under the cursor.
func (a *App) answerComment() tea.Cmd {
	c, _ := a.onNote()
	if c.State != model.CommentOpen {
		return a.replyComment(c)
	}
	uid, id := a.talked(), c.ID
	states := []model.CommentState{model.CommentAnswered, model.CommentAddressed, model.CommentDeclined}
	kinds := make([]string, len(states))
	for i, s := range states {
		kinds[i] = string(s)
	}
	return a.openWords(drafts.Key{Name: model.AnswerComments, UID: uid, Comment: id}, overlay.ComposeOptions{
		Title: "Answer " + id, Note: fmt.Sprintf("%s asked: %s", c.By.Name(), safeLine(text.FirstLine(c.Text))), Placeholder: "what you answer",
		Required: true, Kinds: kinds, Keys: [2]string{a.deps.Keymap.Label(keymap.ComposeKind)},
	}, func(box *overlay.Compose, text string) job {
		kind, _ := box.Chosen()
		return job{ops: []model.Op{{
			ID: a.deps.NewID(), Name: model.AnswerComments, UID: uid, Actor: a.deps.Actor,
			Args: model.CommentAnswers{Answers: []model.CommentAnswer{{Comment: id, Resolution: states[kind], Text: text}}},
		}}}
	})
}

// settling is the transition that settles a comment, or opens it again.
func settling(c *model.Comment) model.Name {
	if c.State == model.CommentResolved {
		return model.ReopenComment
	}
	return model.ResolveComment
}

func (a *App) noSettle() string {
	c, d := a.onNote()
	switch {
	case d != nil:
		return ""
	case c == nil:
		return noCommentHere
	}
	return a.proposer().WhyNot(a.allowed(model.Op{Name: settling(c), UID: a.talked(), Actor: a.deps.Actor, Args: model.CommentRef{Comment: c.ID}}))
}

// settleComment resolves the comment under the cursor, or opens it again. A draft is thrown away,
// after a question: nobody else has it.
func (a *App) settleComment() tea.Cmd {
	c, d := a.onNote()
	uid := a.talked()
	if d != nil {
		id := d.ID
		return a.openConfirm(dialog.Ask{
			Title: "Discard the draft", Summary: "Not sent, and saved nowhere else: " + safeLine(text.FirstLine(d.Text)), Yes: "Discard", Danger: true, Bottom: true,
			Done: func() tea.Cmd { return tea.Batch(a.typed.Drop(drafts.ID{UID: uid, ID: id}), a.hear(noteNews{})) },
		})
	}
	return a.fire(job{ops: []model.Op{{ID: a.deps.NewID(), Name: settling(c), UID: uid, Actor: a.deps.Actor, Args: model.CommentRef{Comment: c.ID}}}})
}

func (a *App) noContents() string {
	if list, _ := a.panes.detail.Headings(); len(list) == 0 {
		return "it has no headings"
	}
	return ""
}

// openContents lists the headings of the text on screen; the one chosen is gone to.
func (a *App) openContents() tea.Cmd {
	list, lines := a.panes.detail.Headings()
	line := 1
	if _, from, _, ok := a.panes.detail.Lines(); ok {
		line = from
	}
	var choices []overlay.Choice
	current := ""
	for _, h := range list {
		id := fmt.Sprint(h.Line)
		if h.Line <= line {
			current = id
		}
		choices = append(choices, overlay.Choice{
			ID: id, Title: strings.Repeat("  ", max(0, h.Level-1)) + safeLine(h.Text),
			Detail: fmt.Sprintf("line %d  %d%%", h.Line, 100*(h.Line-1)/max(1, lines)),
		})
	}
	return a.pick(overlay.PickerOptions{
		Title: "Contents", Placeholder: "type a heading", Choices: choices, Current: current, Nothing: "No heading matches.",
	}, func(id string) tea.Cmd {
		if at, err := strconv.Atoi(id); err == nil {
			a.panes.detail.GoToLine(at)
		}
		return nil
	})
}

// commentBox is a comment that is being written.
type commentBox struct {
	dialog.Frame
	a     *App
	text  *overlay.Compose
	uid   model.UID
	draft review.Draft
	begin string // what it begins with
}

// composeComment lets a person write a comment. It is a draft from the first letter on that they
// add to what it begins with.
func (a *App) composeComment(uid model.UID, d review.Draft, begin string) tea.Cmd {
	kinds := make([]string, 0, 3)
	for _, k := range model.CommentKinds() {
		kinds = append(kinds, string(k))
	}
	box := overlay.NewCompose(a.st, overlay.ComposeOptions{
		Title: "Comment on " + a.name(uid), Note: drafts.Note(aboutLines(&d), d.Text != ""), Placeholder: "what you want to say",
		Value: d.Text + begin, Required: true, Kinds: kinds, Kind: max(0, slices.Index(model.CommentKinds(), d.Kind)),
		CanBlock: a.deps.Actor.Kind() == model.Human, Blocking: d.Blocking,
		Keys: [2]string{a.deps.Keymap.Label(keymap.ComposeKind), a.deps.Keymap.Label(keymap.ComposeBlock)},
	})
	return a.dialogs.Push(&commentBox{dialog.Frame{Box: box, Scope: keymap.Compose, Bottom: true}, a, box, uid, d, begin})
}

func (c *commentBox) Can(action keymap.Action) dialog.Can {
	if action == keymap.ComposeSend {
		return dialog.Can{Title: "save as draft"}
	}
	return dialog.Can{}
}

func (c *commentBox) Do(action keymap.Action) (tea.Cmd, bool) {
	if action == keymap.ComposePhrase {
		return insertPhrase(c.a, c), true
	}
	return nil, false
}

func (c *commentBox) On(out overlay.Outcome) tea.Cmd {
	a, d := c.a, &c.draft
	kind, blocking := c.text.Chosen()
	d.Text, d.Kind, d.Blocking = c.text.Draft(), model.CommentKinds()[kind], blocking
	if c.begin != "" && strings.TrimSpace(d.Text) == strings.TrimSpace(c.begin) {
		d.Text = ""
	}
	kept := a.typed.Put(c.uid, *d)
	if overlay.Ends(out) {
		kept = tea.Batch(kept, a.hear(noteNews{d.ID}))
	}
	if !overlay.Ends(out) || strings.TrimSpace(d.Text) == "" {
		return kept
	}
	a.panes.detail.GoToNote(d.ID)
	a.tour.Did(tour.Comment, here(a))
	return tea.Batch(kept, a.remark("Draft: sent with your verdict"+a.orKey(keymap.CommentsSend, "sends it now")))
}
