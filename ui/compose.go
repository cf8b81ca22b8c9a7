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
	// request and decision are those of an answer; comment is one that is answered.
	request  string
	decision model.Decision
	comment  string
}

// id is the id of the draft that holds the words.
func (k wordsKey) id() string {
	id := "words-" + string(k.name)
	for _, part := range []string{k.request, string(k.decision), k.comment} {
		if part != "" {
			id += "-" + part
		}
	}
	return id
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

// compose asks for a text of several lines.
func (a *App) compose(p proposal, arg model.Arg) tea.Cmd {
	key := wordsKey{name: p.name, uid: p.ops[0].UID}
	notes := slices.Concat(affectedLines(p.affected), a.laterLines(&p), p.notes)
	title := a.title(p.name)
	if a.answers(p) {
		title = "Answer"
		if question, _ := a.waitsForAnswer(key.uid); question != "" {
			notes = append([]string{"Asked: " + question}, notes...)
		}
	}
	return a.openWords(key, overlay.ComposeOptions{
		Title: title, Note: strings.Join(append([]string{p.summary}, notes...), "\n"), Placeholder: arg.Help, Required: arg.Required,
	}, func(_ *overlay.Compose, text string) job { return job{ops: p.with(text, arg)} })
}

// typing is a text that is being typed for something: a draft from the first letter on.
type typing struct {
	key wordsKey
	box *overlay.Compose // nil: it is a form
}

// openWords asks for words. They are on disk a moment after each key; what is not sent, or not
// taken by the store, is offered again by the same key, here and in the next program.
func (a *App) openWords(key wordsKey, o overlay.ComposeOptions, send func(*overlay.Compose, string) job) tea.Cmd {
	kept, _ := a.typed.find(key)
	o.Value = cmp.Or(a.words[key], kept.Text)
	o.Note = a.draftNote(o.Note, o.Value != "")
	for i, k := range o.Kinds {
		if kept.Resolution != "" && k == string(kept.Resolution) {
			o.Kind = i
		}
	}
	box := overlay.NewCompose(a.st, o)
	keep := func(a *App) tea.Cmd {
		t := key.draft(box.Draft())
		if kind, _ := box.Chosen(); kind < len(o.Kinds) {
			t.Resolution = model.CommentState(o.Kinds[kind])
		}
		return a.putWords(key, t)
	}
	d := &dialog{box: box, scope: keymap.Compose, place: atBottom, comments: len(o.Kinds) > 0, words: &typing{key, box}}
	d.discard = func(a *App) tea.Cmd {
		delete(a.words, key)
		return a.dropWords(key)
	}
	d.on = func(a *App, out overlay.Outcome) tea.Cmd {
		kept := keep(a)
		switch out := out.(type) {
		case overlay.Cancelled:
			return tea.Batch(kept, a.keepWords(key, box.Draft()))
		case overlay.Sent:
			a.words[key] = out.Text // until the store has taken it
			j := send(box, strings.TrimSpace(out.Text))
			j.words = &key
			return tea.Batch(kept, a.fire(j))
		}
		return kept
	}
	return tea.Batch(a.push(d), a.readWords(key.uid))
}

// draftNote is a note above something that is typed, which says where it continues with a draft.
func (a *App) draftNote(note string, isDraft bool) string {
	if !isDraft {
		return note
	}
	return strings.TrimSuffix("Your draft, not sent"+a.orKey(keymap.ComposeDiscard, "throws it away")+".\n"+note, "\n")
}

// keepWords keeps what was typed for the next time.
func (a *App) keepWords(key wordsKey, typed string) tea.Cmd {
	if strings.TrimSpace(typed) == "" {
		delete(a.words, key)
		return nil
	}
	a.words[key] = typed
	return a.remark("your text is saved: the same key continues it")
}

// discardTyped throws away what is being typed, after a question: nobody else has it.
func (a *App) discardTyped(d *dialog) tea.Cmd {
	if d.discard == nil {
		return nil
	}
	summary := "Not sent. Only you have it."
	if box, ok := d.box.(*overlay.Compose); ok {
		if strings.TrimSpace(box.Draft()) == "" {
			return nil
		}
		summary = "Not sent. Only you have it: " + safeLine(firstLine(box.Draft()))
	}
	return a.openConfirm(confirmInput{
		title: "Throw the draft away", summary: summary, yes: "Throw away", danger: true, bottom: true,
		done: func(a *App) tea.Cmd {
			a.drop(d)
			return d.discard(a)
		},
	})
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
