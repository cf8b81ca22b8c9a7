package ui

import (
	"fmt"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/drafts"
	"vespe/ui/view"
)

// book keeps what is typed, and shows what is said about a text when it has changed.
func (cm *commenter) book() *drafts.Book {
	return drafts.New(drafts.Options{
		Store: func() drafts.Store { return cm.deps.Drafts }, Project: func() string { return cm.deps.Store.StoreID() }, Now: cm.deps.Now,
		Changed: cm.showTalk, Saved: cm.draftsSaved,
		Read: func(uid model.UID) {
			cm.hear(draftsNews{uid})
			if cm.sheet != nil && cm.sheet.UID == uid {
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

// unkept are the texts that were not taken, for who leaves.
func (cm *commenter) unkept() []string {
	var out []string
	for _, u := range cm.typed.Lost() {
		d := &u.Draft
		if d.For != "" {
			out = append(out, fmt.Sprintf("your text for %q of %s was neither sent nor saved: %s", d.For.Title(), u.ID.UID, d.Text))
			continue
		}
		out = append(out, fmt.Sprintf("your comment on %s of %s was neither sent nor saved: %s", d.Doc, u.ID.UID, d.Text))
	}
	for key, words := range cm.typed.Words() {
		out = append(out, fmt.Sprintf("your text for %q of %s was not sent: %s", key.Name.Title(), key.UID, words))
	}
	return out
}
