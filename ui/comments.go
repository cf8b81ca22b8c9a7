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
	"vespe/ui/dialog"
	"vespe/ui/discussion"
	"vespe/ui/drafts"
	"vespe/ui/notices"
	"vespe/ui/overlay"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// commenter comments on the documents on screen, and shows what others said of them.
type commenter struct {
	*core
	// swapped has the plan that was on screen before another took its place under the reader's eyes, and what had been said
	// about it; nil when none did, or when the difference has been looked at.
	swapped *taskdocs.Docs
}

func (cm *commenter) commentActions() map[keymap.Action]view.Action {
	return map[keymap.Action]view.Action{
		keymap.Comment:       {Do: cm.comment, Off: cm.noNewComment},
		keymap.CommentsSend:  {Do: cm.sendDrafts, Off: cm.noDrafts},
		keymap.CommentAnswer: {Do: cm.answerComment, Off: cm.noAnswer},
		keymap.CommentSettle: {Do: cm.settleComment, Off: cm.noSettle},
		keymap.Contents:      {Do: cm.openContents, Off: cm.noContents},
	}
}

const noCommentHere = "no comment under the cursor"

func (cm *commenter) onLines() bool {
	_, _, _, ok := cm.panes.Detail.Lines()
	return ok && cm.panes.Right
}

func (cm *commenter) noLines() string {
	if d := cm.planShown(); d != nil {
		return d.noPick()
	}
	if _, ok := cm.current(); !ok && !cm.onLines() {
		return verdict.ErrNoTask.Error()
	}
	return ""
}

// markLines begins a range of lines. Where there is no text the key selects the task, as it does
// elsewhere.
func (n *navigator) markLines() tea.Cmd {
	if d := n.comments.planShown(); d != nil {
		d.diff.MarkLines()
		return nil
	}
	if !n.comments.onLines() {
		return n.selectToggle()
	}
	n.panes.Detail.MarkLines()
	return nil
}

// onNote is the comment or the draft under the cursor, where the detail or the difference of a plan
// has the keys.
func (cm *commenter) onNote() (*model.Comment, *review.Draft) {
	if d := cm.planShown(); d != nil {
		return d.onNote()
	}
	if !cm.panes.Right || cm.docs == nil || cm.docs.UID != cm.selected() {
		return nil, nil
	}
	return cm.panes.Detail.OnNote()
}

// noNewComment is noComment, and in a difference whether there is a line to comment on.
func (cm *commenter) noNewComment() string {
	if c, _ := cm.onNote(); c != nil && !cm.panes.Detail.Marking() {
		return cm.noAnswer()
	}
	if d := cm.planShown(); d != nil {
		if why := d.noPick(); why != "" {
			return why
		}
	}
	return cm.noComment()
}

func (cm *commenter) noComment() string {
	if cm.snap == nil {
		return verdict.ErrNoTask.Error()
	}
	t, ok := cm.snap.Task(cm.talked())
	if !ok {
		return verdict.ErrNoTask.Error()
	}
	return cm.proposer().WhyNot(cm.allowed(model.Op{Name: model.AddComment, UID: t.UID, Actor: cm.deps.Actor, Args: model.Remarks{Text: verdict.PreviewReason}}))
}

// comment opens the box for a comment: on the lines under the cursor, or on the plan or the
// finished work as a whole where no text has it. On a draft it continues with that.
func (cm *commenter) comment() tea.Cmd {
	if d := cm.planShown(); d != nil {
		return d.comment()
	}
	uid := cm.talked()
	if c, d := cm.onNote(); d != nil {
		return cm.composeComment(uid, *d, "")
	} else if c != nil && !cm.panes.Detail.Marking() {
		return cm.answerComment()
	}
	t, _ := cm.snap.Task(uid)
	d := review.Draft{ID: "d-" + cm.deps.NewID(), Kind: model.Remark, Doc: model.Plan, Revision: t.Status.PlanRevision, At: cm.deps.Now().UTC()}
	if c, from, to, ok := cm.panes.Detail.Lines(); ok && cm.onLines() {
		d.Doc, d.Place = c.Doc, model.PlaceAt(c.Body, from, to)
		if d.Doc == "" {
			d.Doc, _ = cm.shownDoc()
		}
	} else if run, ok := cm.hasWork(t); ok {
		d.Doc, d.Spot.Run = model.Changes, run
	}
	cm.panes.Detail.Unmark()
	return cm.composeComment(uid, d, "")
}

// orKey is "; KEY what", or nothing when the action has no key.
func (c *core) orKey(action keymap.Action, what string) string {
	if hint := c.keyHint(action, what); hint != "" {
		return "; " + hint
	}
	return ""
}

func (cm *commenter) noDrafts() string {
	if len(cm.typed.Of(cm.talked())) == 0 {
		if _, ok := cm.current(); !ok {
			return verdict.ErrNoTask.Error()
		}
		return "no unsent comment here"
	}
	return cm.noComment()
}

// sendDrafts sends the drafts of the task under the cursor without a verdict.
func (cm *commenter) sendDrafts() tea.Cmd {
	if !cm.panes.Rested || cm.deps.Now().Sub(cm.dialogs.Closed()) < notices.ReadAfter { // the key that ended a text may still be held
		return cm.remark("Not sent: too soon after another key" + cm.orKey(keymap.CommentsSend, "sends the comments when pressed again"))
	}
	uid := cm.talked()
	op := model.Op{ID: cm.deps.NewID(), Name: model.AddComment, UID: uid, Actor: cm.deps.Actor}
	cm.typed.GoesWith(&op)
	return cm.fire(job{ops: []model.Op{op}})
}

func (cm *commenter) noAnswer() string {
	c, _ := cm.onNote()
	if c == nil {
		return noCommentHere
	}
	if c.State != model.CommentOpen {
		return cm.proposer().WhyNot(cm.allowed(model.Op{Name: model.ReopenComment, UID: cm.talked(), Actor: cm.deps.Actor, Args: model.CommentRef{Comment: c.ID}}))
	}
	return cm.proposer().WhyNot(cm.allowed(model.Op{Name: model.AnswerComments, UID: cm.talked(), Actor: cm.deps.Actor}))
}

// replyComment lets a person say something to a comment that has its answer: that opens it again.
func (cm *commenter) replyComment(c *model.Comment) tea.Cmd {
	uid, id := cm.talked(), c.ID
	said := fmt.Sprintf("It is %s.", c.State)
	if n := len(c.Replies); n > 0 && c.Replies[n-1].Text != "" {
		said = fmt.Sprintf("%s: %s", c.Replies[n-1].By.Label(), text.SafeLine(text.FirstLine(c.Replies[n-1].Text)))
	}
	return cm.openWords(drafts.Key{Name: model.ReopenComment, UID: uid, Comment: id}, overlay.ComposeOptions{
		Title: "Reply to " + id, Note: said + "\nYour reply is sent at once, not with your verdict. It reopens the comment for the next revision.", Placeholder: "what is missing", Required: true,
	}, func(_ *overlay.Compose, text string) job {
		return job{ops: []model.Op{{ID: cm.deps.NewID(), Name: model.ReopenComment, UID: uid, Actor: cm.deps.Actor, Args: model.CommentRef{Comment: id}, Reason: text}}}
	})
}

// answerComment lets a person answer the comment under the cursor.
func (cm *commenter) answerComment() tea.Cmd {
	c, _ := cm.onNote()
	if c.State != model.CommentOpen {
		return cm.replyComment(c)
	}
	uid, id := cm.talked(), c.ID
	states := []model.CommentState{model.CommentAnswered, model.CommentAddressed, model.CommentDeclined}
	kinds := make([]string, len(states))
	for i, s := range states {
		kinds[i] = string(s)
	}
	return cm.openWords(drafts.Key{Name: model.AnswerComments, UID: uid, Comment: id}, overlay.ComposeOptions{
		Title: "Answer " + id, Note: fmt.Sprintf("%s asked: %s\nYour answer is sent at once, not with your verdict.", c.By.Label(), text.SafeLine(text.FirstLine(c.Text))), Placeholder: "what you answer",
		Required: true, Kinds: kinds, Keys: [2]string{cm.deps.Keymap.Label(keymap.ComposeKind)},
	}, func(box *overlay.Compose, text string) job {
		kind, _ := box.Chosen()
		return job{ops: []model.Op{{
			ID: cm.deps.NewID(), Name: model.AnswerComments, UID: uid, Actor: cm.deps.Actor,
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

func (cm *commenter) noSettle() string {
	c, d := cm.onNote()
	switch {
	case d != nil:
		return ""
	case c == nil:
		return noCommentHere
	}
	return cm.proposer().WhyNot(cm.allowed(model.Op{Name: settling(c), UID: cm.talked(), Actor: cm.deps.Actor, Args: model.CommentRef{Comment: c.ID}}))
}

// settleComment resolves the comment under the cursor, or opens it again. A draft is thrown away,
// after a question: nobody else has it.
func (cm *commenter) settleComment() tea.Cmd {
	c, d := cm.onNote()
	uid := cm.talked()
	if d != nil {
		id := d.ID
		return cm.openConfirm(dialog.Ask{
			Title: "Discard the draft", Summary: "Not sent, and saved nowhere else: " + text.SafeLine(text.FirstLine(d.Text)), Yes: "Discard", Danger: true, Bottom: true,
			Done: func() tea.Cmd { return tea.Batch(cm.typed.Drop(drafts.ID{UID: uid, ID: id}), cm.hear(noteNews{})) },
		})
	}
	return cm.fire(job{ops: []model.Op{{ID: cm.deps.NewID(), Name: settling(c), UID: uid, Actor: cm.deps.Actor, Args: model.CommentRef{Comment: c.ID}}}})
}

func (cm *commenter) noContents() string {
	if list, _ := cm.panes.Detail.Headings(); len(list) == 0 {
		return "it has no headings"
	}
	return ""
}

// openContents lists the headings of the text on screen; the one chosen is gone to.
func (cm *commenter) openContents() tea.Cmd {
	list, lines := cm.panes.Detail.Headings()
	line := 1
	if _, from, _, ok := cm.panes.Detail.Lines(); ok {
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
			ID: id, Title: strings.Repeat("  ", max(0, h.Level-1)) + text.SafeLine(h.Text),
			Detail: fmt.Sprintf("line %d  %d%%", h.Line, 100*(h.Line-1)/max(1, lines)),
		})
	}
	return cm.pick(overlay.PickerOptions{
		Title: "Contents", Placeholder: "type a heading", Choices: choices, Current: current, Nothing: "No heading matches.",
	}, func(id string) tea.Cmd {
		if at, err := strconv.Atoi(id); err == nil {
			cm.panes.Detail.GoToLine(at)
		}
		return nil
	})
}

// commentBox is a comment that is being written.
type commentBox struct {
	dialog.Frame
	comments *commenter
	text     *overlay.Compose
	uid      model.UID
	draft    review.Draft
	begin    string // what it begins with
}

// composeComment lets a person write a comment. It is a draft from the first letter on that they
// add to what it begins with.
func (cm *commenter) composeComment(uid model.UID, d review.Draft, begin string) tea.Cmd {
	kinds := make([]string, 0, 3)
	for _, k := range model.CommentKinds() {
		kinds = append(kinds, string(k))
	}
	box := overlay.NewCompose(cm.st, overlay.ComposeOptions{
		Title: "Comment on " + cm.name(uid), Note: drafts.Note(discussion.About(&d), d.Text != ""), Placeholder: "what you want to say",
		Value: d.Text + begin, Required: true, Kinds: kinds, Kind: max(0, slices.Index(model.CommentKinds(), d.Kind)),
		CanBlock: cm.deps.Actor.Kind() == model.Human, Blocking: d.Blocking,
		Keys: [2]string{cm.deps.Keymap.Label(keymap.ComposeKind), cm.deps.Keymap.Label(keymap.ComposeBlock)},
	})
	return cm.dialogs.Push(&commentBox{dialog.Frame{Box: box, Scope: keymap.Compose, Bottom: true}, cm, box, uid, d, begin})
}

func (c *commentBox) Can(action keymap.Action) dialog.Can {
	if action == keymap.ComposeSend {
		return dialog.Can{Title: "save as draft"}
	}
	return dialog.Can{}
}

func (c *commentBox) Do(action keymap.Action) (tea.Cmd, bool) {
	if action == keymap.ComposePhrase {
		return insertPhrase(c.comments.core, c), true
	}
	return nil, false
}

func (c *commentBox) On(out overlay.Outcome) tea.Cmd {
	cm, d := c.comments, &c.draft
	kind, blocking := c.text.Chosen()
	d.Text, d.Kind, d.Blocking = c.text.Draft(), model.CommentKinds()[kind], blocking
	if c.begin != "" && strings.TrimSpace(d.Text) == strings.TrimSpace(c.begin) {
		d.Text = ""
	}
	kept := cm.typed.Put(c.uid, *d)
	if overlay.Ends(out) {
		kept = tea.Batch(kept, cm.hear(noteNews{d.ID}))
	}
	if !overlay.Ends(out) || strings.TrimSpace(d.Text) == "" {
		return kept
	}
	cm.panes.Detail.GoToNote(d.ID)
	cm.tour.Did(tour.Comment, here(cm.core))
	return tea.Batch(kept, cm.remark("Draft: sent with your verdict"+cm.orKey(keymap.CommentsSend, "sends it now")))
}

// book keeps what is typed, and shows what is said about a text when it has changed.
func (cm *commenter) book() *drafts.Book {
	return drafts.New(drafts.Options{
		Store: func() drafts.Store { return cm.deps.Drafts }, Project: func() string { return cm.deps.Store.StoreID() }, Now: cm.deps.Now,
		Changed: cm.showTalk, Saved: cm.draftsSaved,
		Read: func(uid model.UID) {
			cm.hear(draftsNews{uid})
			if cm.docs != nil && cm.docs.UID == uid {
				cm.showTalk()
			}
		},
	})
}

// takeDrafts takes the drafts of a task as they lay on disk.
func (cm *commenter) takeDrafts(s *taskdocs.Docs) tea.Cmd {
	if s.Errs.Drafts != nil {
		return nil
	}
	return cm.typed.Take(s.UID, s.Drafts, s.Writes)
}

// keepFailed is the text by which failures of keeping drafts are known.
const keepFailed = "Can't save what you type"

func (cm *commenter) draftsSaved(err error) tea.Cmd {
	if err != nil {
		return cm.fail(view.Notice{Lasts: true, Text: keepFailed, Why: err.Error(), Hint: "your drafts are lost when you quit: send them, or fix the directory"})
	}
	cm.notices.DismissLike(keepFailed)
	return nil
}
