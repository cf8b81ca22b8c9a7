package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
)

// wordsKey names a text that is being written for a transition of one task, or of a
// selection that begins with it.
type wordsKey struct {
	name model.Name
	uid  model.UID
	// request and decision are those of an answer.
	request  string
	decision model.Decision
}

// takesWords reports whether what a transition asks for deserves more than a line: what a
// person wants changed, what went wrong, what was done.
func takesWords(name model.Name) bool {
	switch name {
	case model.RejectPlan, model.ReviewRejected, model.RaiseError, model.WorkCompleted, model.QuestionPlan, model.AddComment:
		return true
	}
	return false
}

// compose asks for a text of several lines. One that is not sent, or not taken by the
// store, is kept and offered again.
func (a *App) compose(p proposal, arg model.Arg) tea.Cmd {
	key := wordsKey{name: p.name, uid: p.ops[0].UID}
	notes := append(affectedLines(p.affected), p.notes...)
	title := a.title(p.name)
	if a.answers(p) {
		title = "Answer"
		if question, _ := a.waitsForAnswer(key.uid); question != "" {
			notes = append([]string{"Asked: " + question}, notes...)
		}
	}
	box := overlay.NewCompose(a.st, overlay.ComposeOptions{
		Title: title, Note: strings.Join(append([]string{p.summary}, notes...), "\n"),
		Placeholder: arg.Help, Value: cmp.Or(a.words[key], a.typed.words(key)), Required: arg.Required,
	})
	box.SetHints(fmt.Sprintf("%s   %s", a.keyHint(keymap.ComposeSend, "send"), a.keyHint(keymap.ComposeLeave, "leave, keep text")))
	return a.push(&dialog{box: box, scope: keymap.Compose, place: atBottom, on: func(a *App, out overlay.Outcome) tea.Cmd {
		kept := a.putWords(key, box.Draft())
		switch out := out.(type) {
		case overlay.Cancelled:
			return tea.Batch(kept, a.keepWords(key, box.Draft()))
		case overlay.Sent:
			a.words[key] = out.Text // until the store has taken it
			return tea.Batch(kept, a.fire(job{ops: p.with(strings.TrimSpace(out.Text), arg), words: &key}))
		}
		return kept
	}})
}

// keepWords keeps what was typed for the next time.
func (a *App) keepWords(key wordsKey, typed string) tea.Cmd {
	if strings.TrimSpace(typed) == "" {
		delete(a.words, key)
		return nil
	}
	a.words[key] = typed
	return a.remark("your text is kept: the same key goes on with it")
}

// wordsLines name the texts that were not sent.
func (a *App) wordsLines() []string {
	var out []string
	for key := range a.words {
		out = append(out, fmt.Sprintf("for %q of %q", a.title(key.name), a.name(key.uid)))
	}
	slices.Sort(out)
	return out
}
