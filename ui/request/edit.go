package request

import (
	"bytes"
	"errors"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui/args"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// argRowWidth is the room that a question has for a row: nothing of an argument is cut.
const argRowWidth = 56

// editArgs lets the person change the arguments: in a form where nothing is nested in them,
// elsewhere in their editor. Nothing is sent before they have seen what differs.
func (v *Asked) editArgs() tea.Cmd {
	if kept, ok := v.typedArgs(); ok && len(kept.Fields) == 0 {
		return v.editArgText([]byte(kept.Text))
	}
	fields, flat := args.Flat(v.q.Args)
	for i := range fields {
		flat = flat && fields[i].IsLine()
	}
	if !flat || len(fields) == 0 {
		return v.editArgText([]byte(args.Pretty(v.q.Args) + "\n"))
	}
	return v.editArgForm(fields)
}

// argsKey names what a person makes of the arguments of a request.
func argsKey(q *model.Request) drafts.Key {
	return drafts.Key{Name: model.AnswerRequest, UID: q.TaskUID, Request: q.ID, Decision: model.DecideEdit}
}

// typedArgs are the arguments of a request that were changed and not sent; not those of what it
// asked before it changed.
func (v *Asked) typedArgs() (review.Draft, bool) {
	kept, ok := v.k.Drafts.Find(argsKey(&v.q))
	return kept, ok && kept.Of == v.q.ContentHash()
}

// keepArgs keeps what was made of the arguments; nothing where they are what was asked for.
func (k *Desk) keepArgs(q *model.Request, t review.Draft, changed bool) tea.Cmd {
	key := argsKey(q)
	if !changed {
		return k.Drafts.DropWords(key)
	}
	kept := key.Draft(t.Text)
	kept.Of, kept.Fields = q.ContentHash(), t.Fields
	return k.Drafts.PutWords(key, kept)
}

func (v *Asked) editArgForm(fields []args.Field) tea.Cmd {
	k := v.k
	kept, ok := v.typedArgs()
	ok = ok && len(kept.Fields) == len(fields)
	var list []overlay.FormField
	for i := range fields {
		f := &fields[i]
		d := overlay.FormField{Label: f.Name, Value: f.Text, Note: f.What(), Check: func(s string) error {
			if _, err := f.Typed(s); err != nil {
				return errors.New(text.Capital(err.Error()) + ".")
			}
			return nil
		}}
		if ok {
			d.Value = kept.Fields[i]
		}
		list = append(list, d)
	}
	box := overlay.NewForm(k.host.Styles(), overlay.FormOptions{Title: "Other arguments", Note: drafts.Note("Asked: "+v.q.Title, ok), Fields: list})
	seen := *v
	seen.q = v.q.Clone()
	d := &argsForm{dialog.Frame{Box: box, Scope: keymap.Form, Bottom: true}, k, box, &seen, fields}
	return tea.Batch(k.Dialogs.Push(d), k.Drafts.Read(v.q.TaskUID))
}

// argsForm is a form for the arguments of a request.
type argsForm struct {
	dialog.Frame
	k      *Desk
	form   *overlay.Form
	seen   *Asked // as it was when they were asked for
	fields []args.Field
}

func (f *argsForm) On(out overlay.Outcome) tea.Cmd {
	typed := f.form.Values()
	changed := false
	for i := range f.fields {
		changed = changed || typed[i] != f.fields[i].Text
	}
	keep := f.k.keepArgs(&f.seen.q, review.Draft{Fields: typed}, changed)
	if _, ok := out.(overlay.Sent); !ok {
		return keep
	}
	return tea.Batch(keep, f.send(typed))
}

// send sends the arguments that were typed.
func (f *argsForm) send(typed []string) tea.Cmd {
	k, fields := f.k, f.fields
	values := make([][]byte, len(fields))
	for i, s := range typed {
		var err error
		if values[i], err = fields[i].Typed(s); err != nil {
			return k.host.Say(view.Notice{Level: view.Failure, Text: "Can't write the arguments", Why: err.Error()})
		}
	}
	joined, err := args.Join(fields, values)
	if err != nil {
		return k.host.Say(view.Notice{Level: view.Failure, Text: "Can't write the arguments", Why: err.Error()})
	}
	return f.seen.sendArgs(joined)
}

// sendArgs shows what differs between the arguments and those that were asked for, and asks for
// a yes.
func (v *Asked) sendArgs(now []byte) tea.Cmd {
	if args.Same(v.q.Args, now) {
		dropped := v.k.Drafts.DropWords(argsKey(&v.q))
		if on := v.k.here(); on != nil {
			return tea.Batch(dropped, on.tell("Nothing was changed"+v.k.orKey(keymap.RequestAccept, "approves it unchanged")))
		}
		return dropped
	}
	return v.decide(model.Answering{Decision: model.DecideEdit, Args: now})
}

// editArgText opens the person's editor on the arguments.
func (v *Asked) editArgText(body []byte) tea.Cmd {
	k := v.k
	seen := *v
	seen.q = v.q.Clone()
	cmd, ok := k.host.Edit(v.q.TaskUID, "arguments.json", body, func(m Edited) tea.Cmd { return seen.onArgsEdited(body, m) })
	if !ok {
		return v.tell("No editor is set. Set $VISUAL or $EDITOR and restart vespe")
	}
	return cmd
}

// onArgsEdited takes the arguments from the editor. What is no JSON object is kept, and opened
// again by the same key.
func (v *Asked) onArgsEdited(base []byte, m Edited) tea.Cmd {
	k := v.k
	const again = "your text is saved: edit again to continue"
	var keep tea.Cmd
	if m.Body != nil && !bytes.Equal(bytes.TrimSpace(m.Body), bytes.TrimSpace(base)) {
		keep = k.keepArgs(&v.q, review.Draft{Text: string(m.Body)}, true)
	}
	fail := func(what string, err error, hint string) tea.Cmd {
		return k.host.Say(view.Notice{Level: view.Failure, Text: what, Why: err.Error(), Hint: hint})
	}
	if m.Err != nil {
		return tea.Batch(keep, fail("The editor failed", m.Err, again+"; its copy is at "+m.Path))
	}
	discard := m.Discard()
	body := bytes.TrimSpace(m.Body)
	if _, err := args.Members(body); err != nil {
		return tea.Batch(keep, discard, fail("The arguments aren't a JSON object", err, again))
	}
	return tea.Batch(keep, discard, v.sendArgs(body))
}

// argRows are the members that differ between two objects.
func (k *Desk) argRows(was, now []byte) []overlay.Affected {
	old, err1 := args.Members(was)
	other, err2 := args.Members(now)
	if err1 != nil || err2 != nil {
		return []overlay.Affected{{Title: string(now)}}
	}
	before := map[string]string{}
	for _, f := range old {
		before[f.Name] = args.Compact(f.Raw)
	}
	var out []overlay.Affected
	row := func(sign, line string) {
		ink := k.host.Styles().Good
		if sign == "-" {
			ink = k.host.Styles().Bad
		}
		for _, l := range text.Chop(text.SafeLine(line), argRowWidth) {
			out = append(out, overlay.Affected{Glyph: sign, Ink: ink, Title: l})
			sign = " "
		}
	}
	for _, f := range other {
		is := args.Compact(f.Raw)
		if was, ok := before[f.Name]; ok {
			delete(before, f.Name)
			if was == is {
				continue
			}
			row("-", f.Name+": "+was)
		}
		row("+", f.Name+": "+is)
	}
	for _, f := range old {
		if was, ok := before[f.Name]; ok {
			row("-", f.Name+": "+was)
		}
	}
	return out
}
