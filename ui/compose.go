package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/verdict"
)

// takesWords reports whether what a transition asks for deserves more than a line: what a
// person wants changed, what went wrong, what was done.
func takesWords(name model.Name) bool {
	switch name {
	case model.RejectPlan, model.ReviewRejected, model.RaiseError, model.WorkCompleted, model.QuestionPlan, model.AddComment:
		return true
	}
	return false
}

// compose asks for a text of several lines. A plan's rejection with comments needs none. A rejection has alternatives, which tab chooses and the same text goes with.
func (d *decider) compose(p verdict.Proposal, arg model.Arg) tea.Cmd {
	key := drafts.Key{Name: p.Name, UID: p.Ops[0].UID}
	o := overlay.ComposeOptions{Placeholder: "your message", Required: arg.Required}
	unsaid := "" // what is sent without words
	if p.Name == model.RejectPlan && !slices.ContainsFunc(p.Ops, func(op model.Op) bool { return len(op.Comments()) == 0 }) {
		unsaid = "See the comments."
		o.Required, o.Placeholder = false, unsaid
	}
	var all []verdict.Proposal
	for _, w := range alternatives(d.core, p) {
		title, notes := cmp.Or(w.title, w.p.Name.Title()), slices.Concat(affectedLines(w.p.Affected), d.proposer().LaterLines(&w.p), w.p.Notes)
		if d.answers(w.p) {
			title = "Answer"
			if question, _ := d.proposer().Asked(key.UID); question != "" {
				notes = append([]string{"Asked: " + question}, notes...)
			}
		}
		all = append(all, w.p)
		o.Titles, o.Notes = append(o.Titles, title), append(o.Notes, strings.Join(append([]string{w.p.Summary}, notes...), "\n"))
		o.Kinds = append(o.Kinds, w.kind)
	}
	o.Title, o.Note = o.Titles[0], o.Notes[0]
	if len(all) == 1 {
		o.Kinds, o.Titles, o.Placeholder = nil, nil, arg.Help
	}
	o.Keys[0] = d.deps.Keymap.Label(keymap.ComposeKind)
	return d.openWords(key, o, func(box *overlay.Compose, text string) job {
		kind, _ := box.Chosen()
		row, _ := lifecycle.Lookup(all[kind].Name)
		arg, _ := verdict.Asks(row)
		return job{ops: all[kind].With(cmp.Or(text, unsaid), arg)}
	})
}

// alternative is a decision that the text of a rejection may go with.
type alternative struct {
	kind, title string
	p           verdict.Proposal
}

// alternatives are a proposal and, if it is a rejection, what a person could decide instead.
func alternatives(c *core, p verdict.Proposal) []alternative {
	type other struct {
		kind, title string
		op          model.Op
	}
	var others []other
	out := []alternative{{p: p}}
	switch p.Name {
	case model.RejectPlan:
		out[0].kind = "reject"
		others = []other{{"ask", "", model.Op{Name: model.QuestionPlan}}}
	case model.ReviewRejected:
		out[0].kind, out[0].title = "new plan", "Reject work and ask for a new plan"
		others = []other{
			{"try again", "Reject work and try again", model.Op{Name: model.ReviewRejected, Args: model.Rejection{Again: true}}},
			{"give up", "Give the task up", model.Op{Name: model.Abort}},
		}
	}
	uids := make([]model.UID, len(p.Ops))
	for i := range p.Ops {
		uids[i] = p.Ops[i].UID
	}
	for _, o := range others {
		if q, err := c.proposer().Propose(o.op, uids, p.Seen); err == nil && len(q.Ops) == len(p.Ops) {
			out = append(out, alternative{o.kind, o.title, q})
		}
	}
	return out
}

// wordsBox is a text that is being typed for a transition: a draft from the first letter on.
type wordsBox struct {
	dialog.Frame
	core  *core
	text  *overlay.Compose
	key   drafts.Key
	kinds []string
	send  func(*overlay.Compose, string) job
}

// openWords asks for words. They are on disk a moment after each key; what is not sent, or not
// taken by the store, is offered again by the same key, here and in the next program.
func (c *core) openWords(key drafts.Key, o overlay.ComposeOptions, send func(*overlay.Compose, string) job) tea.Cmd {
	kept, _ := c.typed.Find(key)
	o.Value = c.typed.Text(key)
	o.Note = drafts.Note(o.Note, o.Value != "")
	for i := range o.Notes {
		o.Notes[i] = drafts.Note(o.Notes[i], o.Value != "")
	}
	for i, k := range o.Kinds {
		if kept.Resolution != "" && k == string(kept.Resolution) {
			o.Kind = i
		}
	}
	box := overlay.NewCompose(c.st, o)
	return tea.Batch(c.dialogs.Push(&wordsBox{dialog.Frame{Box: box, Scope: keymap.Compose, Bottom: true}, c, box, key, o.Kinds, send}), c.typed.Read(key.UID))
}

// Can leaves out the kinds where there is only one, and that it blocks.
func (w *wordsBox) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: action == keymap.ComposeBlock || action == keymap.ComposeKind && len(w.kinds) == 0}
}

func (w *wordsBox) Do(action keymap.Action) (tea.Cmd, bool) {
	if action == keymap.ComposePhrase {
		return insertPhrase(w.core, w), true
	}
	return nil, false
}

func (w *wordsBox) On(out overlay.Outcome) tea.Cmd {
	c := w.core
	t := w.key.Draft(w.text.Draft())
	if kind, _ := w.text.Chosen(); w.key.Comment != "" && kind < len(w.kinds) {
		t.Resolution = model.CommentState(w.kinds[kind])
	}
	kept := c.typed.PutWords(w.key, t)
	switch out := out.(type) {
	case overlay.Canceled:
		c.typed.SetWords(w.key, w.text.Draft())
		if strings.TrimSpace(w.text.Draft()) != "" {
			kept = tea.Batch(kept, c.remark("your text is saved: the same key continues it"))
		}
	case overlay.Sent:
		if q, ok := c.dialogs.Top().(*verdict.Dialog); ok { // it led here
			c.dialogs.Drop(q)
		}
		c.typed.SetWords(w.key, out.Text) // until the store has taken it
		j := w.send(w.text, strings.TrimSpace(out.Text))
		j.words = &w.key
		return tea.Batch(kept, c.fire(j))
	}
	return kept
}

// Heard continues with what was typed for the same in another program.
func (w *wordsBox) Heard(news any) tea.Cmd {
	if n, ok := news.(draftsNews); ok && n.uid == w.key.UID {
		if kept, ok := w.core.typed.Find(w.key); ok && kept.Text != w.text.Draft() {
			w.text.Put(kept.Text)
		}
	}
	return nil
}

// wordsLines name the texts that were not sent.
func (c *core) wordsLines() []string {
	var out []string
	for key := range c.typed.Words() {
		out = append(out, fmt.Sprintf("for %q of %q", key.Name.Title(), c.name(key.UID)))
	}
	slices.Sort(out)
	return out
}

// insertPhrase offers the person's phrases, and puts the chosen one where the cursor is.
func insertPhrase(c *core, d dialog.Dialog) tea.Cmd {
	phrases := c.deps.Phrases
	if phrases == nil {
		phrases = []string{"Add a test for it.", "Say how to undo it.", "Say why, and what else you considered.", "Split this into smaller tasks."}
	}
	var choices []overlay.Choice
	for i, p := range phrases {
		choices = append(choices, overlay.Choice{ID: strconv.Itoa(i), Title: text.SafeLine(text.FirstLine(p))})
	}
	box := overlay.NewPicker(c.st, overlay.PickerOptions{Title: "Phrases", Choices: choices, Nothing: "No phrase matches. Yours are phrases in config.toml."})
	return c.dialogs.Push(&dialog.Picker{Frame: dialog.Frame{Box: box, Scope: keymap.Picker, Bottom: true}, Did: func(out overlay.Outcome) tea.Cmd {
		if chosen, ok := out.(overlay.Picked); ok {
			if i, err := strconv.Atoi(chosen.ID); err == nil {
				return c.dialogs.Settle(d, d.Window().Box.HandlePaste(phrases[i]))
			}
		}
		return nil
	}})
}
