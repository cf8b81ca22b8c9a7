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
func (a *App) book() *drafts.Book {
	return drafts.New(drafts.Options{
		Store: func() drafts.Store { return a.deps.Drafts }, Project: func() string { return a.deps.Store.StoreID() }, Now: a.deps.Now,
		Changed: a.showTalk, Saved: a.draftsSaved,
		Read: func(uid model.UID) {
			a.hear(draftsNews{uid})
			if a.sheet != nil && a.sheet.UID == uid {
				a.showTalk()
			}
		},
	})
}

// takeDrafts takes the drafts of a task as they lay on disk.
func (a *App) takeDrafts(s *taskdocs.Docs) tea.Cmd {
	if s.Errs.Drafts != nil {
		return nil
	}
	return a.typed.Take(s.UID, s.Drafts, s.Writes)
}

// keepFailed is the text by which failures of keeping drafts are known.
const keepFailed = "Can't save what you type"

func (a *App) draftsSaved(err error) tea.Cmd {
	if err != nil {
		return a.fail(view.Notice{Lasts: true, Text: keepFailed, Why: err.Error(), Hint: "your drafts are lost when you quit: send them, or fix the directory"})
	}
	a.notices.DismissLike(keepFailed)
	return nil
}

// KeepDrafts writes what was typed in the last moment before the program ended. It is not to be
// called while it runs.
func (a *App) KeepDrafts() { a.typed.Save() }

// unkept are the texts that were not taken, for who leaves.
func (a *App) unkept() []string {
	var out []string
	for _, u := range a.typed.Lost() {
		d := &u.Draft
		if d.For != "" {
			out = append(out, fmt.Sprintf("your text for %q of %s was neither sent nor saved: %s", d.For.Title(), u.ID.UID, d.Text))
			continue
		}
		out = append(out, fmt.Sprintf("your comment on %s of %s was neither sent nor saved: %s", d.Doc, u.ID.UID, d.Text))
	}
	for key, words := range a.typed.Words() {
		out = append(out, fmt.Sprintf("your text for %q of %s was not sent: %s", key.Name.Title(), key.UID, words))
	}
	return out
}
