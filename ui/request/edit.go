package request

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/visible"
	"vespe/ui/args"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// argRowWidth is the room that a question has for a row: nothing of an argument is cut.
const argRowWidth = 56

// editArgs lets the person change the arguments as JSON, from what they made of them before. Nothing is sent before they
// have seen what differs.
func (v *Asked) editArgs() tea.Cmd {
	seen := *v
	seen.q = v.q.Clone()
	d := &argsBox{seen: &seen}
	kept, ok := v.typedArgs()
	d.text = overlay.NewCompose(v.k.host.Styles(), overlay.ComposeOptions{
		Title: "Other arguments", Note: drafts.Note("Asked: "+v.q.Title, ok), Value: escaped(args.Pretty(v.q.Args)), Check: isObject,
	})
	if !model.SameJSON(v.q.Args, []byte(d.text.Draft())) { // more lines than the box keeps
		return v.tell("The arguments don't fit in the editor" + v.k.orKey(keymap.RequestDeny, "denies the request with your reason"))
	}
	if ok {
		d.text.Put(kept)
	}
	d.Frame = dialog.Frame{Box: d.text, Scope: keymap.Compose, Bottom: true}
	return tea.Batch(v.k.Dialogs.Push(d), v.k.Drafts.Read(v.q.TaskUID))
}

// escaped is the text of JSON in which characters that a screen hides, or a box for texts drops, are \u escapes.
func escaped(s string) string { return strings.ReplaceAll(visible.JSON(s), "\ufffd", `\ufffd`) }

// isObject says why a text cannot be the arguments of a request.
func isObject(s string) error {
	if _, err := args.Members([]byte(s)); err != nil {
		return view.Notice{Why: err.Error()}.Sentence()
	}
	return nil
}

// argsKey names what a person makes of the arguments of a request.
func argsKey(q *model.Request) drafts.Key {
	return drafts.Key{Name: model.AnswerRequest, UID: q.TaskUID, Request: q.ID, Decision: model.DecideEdit}
}

// typedArgs are the arguments of a request that were changed and not sent; not those of what it asked before it changed.
func (v *Asked) typedArgs() (string, bool) {
	kept, ok := v.k.Drafts.Find(argsKey(&v.q))
	if !ok || kept.Of != v.q.ContentHash() || kept.Text == "" {
		return "", false
	}
	return kept.Text, true
}

// argsBox is where the arguments of a request are changed.
type argsBox struct {
	dialog.Frame
	text *overlay.Compose
	seen *Asked // as it was when they were asked for
}

// Can leaves out what is done with words.
func (b *argsBox) Can(action keymap.Action) dialog.Can {
	switch action {
	case keymap.ComposePhrase, keymap.ComposeKind, keymap.ComposeBlock:
		return dialog.Can{No: true}
	case keymap.ComposeSend:
		return dialog.Can{Title: "show changes"}
	}
	return dialog.Can{}
}

// On keeps what was typed as a draft, unless it is what was asked for. What is sent is asked about first.
func (b *argsBox) On(out overlay.Outcome) tea.Cmd {
	v, key, typed := b.seen, argsKey(&b.seen.q), []byte(b.text.Draft())
	same := model.SameJSON(v.q.Args, typed)
	_, sent := out.(overlay.Sent)
	switch {
	case sent && same:
		return tea.Batch(v.k.Drafts.DropWords(key), v.tell("Nothing was changed"+v.k.orKey(keymap.RequestAccept, "approves it unchanged")))
	case same:
		return v.k.Drafts.DropWords(key)
	}
	kept := key.Draft(string(typed))
	kept.Of = v.q.ContentHash()
	keep := v.k.Drafts.PutWords(key, kept)
	if !sent {
		return keep
	}
	return tea.Batch(keep, v.decide(model.Answering{Decision: model.DecideEdit, Args: []byte(args.Compact(typed))}))
}

// argRows are the members that differ between two objects.
func (k *Requests) argRows(was, now []byte) []overlay.Affected {
	old, err1 := args.Members(was)
	other, err2 := args.Members(now)
	if err1 != nil || err2 != nil {
		return []overlay.Affected{{Title: string(now)}}
	}
	before := map[string][]byte{}
	for _, f := range old {
		before[f.Name] = f.Raw
	}
	var out []overlay.Affected
	row := func(sign, name string, raw []byte) {
		ink := k.host.Styles().Good
		if sign == "-" {
			ink = k.host.Styles().Bad
		}
		for _, l := range text.Chop(text.SafeLine(escaped(name+": "+args.Compact(raw))), argRowWidth) {
			out = append(out, overlay.Affected{Glyph: sign, Ink: ink, Title: l})
			sign = " "
		}
	}
	for _, f := range other {
		if was, ok := before[f.Name]; ok {
			delete(before, f.Name)
			if model.SameJSON(was, f.Raw) {
				continue
			}
			row("-", f.Name, was)
		}
		row("+", f.Name, f.Raw)
	}
	for _, f := range old {
		if was, ok := before[f.Name]; ok {
			row("-", f.Name, was)
		}
	}
	return out
}
