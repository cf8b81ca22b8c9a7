package ui

import (
	"bytes"

	tea "charm.land/bubbletea/v2"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// argRowWidth is the room that a question has for a row: nothing of an argument is cut.
const argRowWidth = 56

// editArgs lets the person change the arguments: in a form where nothing is nested in them,
// elsewhere in their editor. Nothing is sent before they have seen what differs.
func (a *App) editArgs(v *asked) tea.Cmd {
	if kept, ok := a.argTexts[v.q.ID]; ok && kept.of == v.q.ContentHash() && kept.body != nil {
		return a.editArgText(v, kept.body)
	}
	fields, flat := flatArgs(v.q.Args)
	for i := range fields {
		flat = flat && fields[i].isLine()
	}
	if !flat || len(fields) == 0 {
		return a.editArgText(v, []byte(prettyArgs(v.q.Args)+"\n"))
	}
	return a.editArgForm(v, fields)
}

// argText is what a person made of the arguments of a request, and has not sent.
type argText struct {
	of     string   // the ContentHash of the request
	values []string // in the form
	body   []byte   // in the editor; nil: there was a form
}

func (a *App) keepArgs(id string, t argText) {
	if a.argTexts == nil {
		a.argTexts = map[string]argText{}
	}
	a.argTexts[id] = t
}

func (a *App) editArgForm(v *asked, fields []argField) tea.Cmd {
	kept, ok := a.argTexts[v.q.ID]
	ok = ok && kept.of == v.q.ContentHash() && len(kept.values) == len(fields)
	var list []overlay.FormField
	for i := range fields {
		f := &fields[i]
		d := overlay.FormField{Label: f.name, Value: f.text, Note: f.what(), Check: func(s string) error {
			_, err := f.typed(s)
			return err
		}}
		if ok {
			d.Value = kept.values[i]
		}
		list = append(list, d)
	}
	box := overlay.NewForm(a.st, overlay.FormOptions{Title: "Other arguments", Note: "Asked: " + v.q.Title, Fields: list})
	box.SetHints(a.keyHint(keymap.FormSend, "done") + "   " + a.keyHint(keymap.FormLeave, "leave, keep text"))
	seen := *v
	seen.q = v.q.Clone()
	return a.push(&dialog{box: box, scope: keymap.Form, place: atBottom, on: func(a *App, out overlay.Outcome) tea.Cmd {
		if out.Ends() {
			a.keepArgs(seen.q.ID, argText{of: seen.q.ContentHash(), values: box.Values()})
		}
		if _, ok := out.(overlay.Sent); !ok {
			return nil
		}
		values := make([][]byte, len(fields))
		for i, s := range box.Values() {
			var err error
			if values[i], err = fields[i].typed(s); err != nil {
				return a.fail(notice{text: "The arguments could not be written", why: err.Error()})
			}
		}
		args, err := joinArgs(fields, values)
		if err != nil {
			return a.fail(notice{text: "The arguments could not be written", why: err.Error()})
		}
		return a.sendArgs(&seen, args)
	}})
}

// sendArgs shows what differs between the arguments and those that were asked for, and asks for
// a yes.
func (a *App) sendArgs(v *asked, args []byte) tea.Cmd {
	if sameArgs(v.q.Args, args) {
		delete(a.argTexts, v.q.ID)
		if now := a.asking(); now != nil {
			now.box.Say("Nothing was changed" + a.orKey(keymap.RequestAccept, "approves it as it is"))
		}
		return nil
	}
	return a.decide(v, model.Answering{Decision: model.DecideEdit, Args: args})
}

// editArgText opens the person's editor on the arguments.
func (a *App) editArgText(v *asked, body []byte) tea.Cmd {
	if a.deps.Editor == nil {
		v.box.Say("No editor is set: set $VISUAL or $EDITOR and start vespe again")
		return nil
	}
	seen := *v
	seen.q = v.q.Clone()
	d := &draft{uid: v.q.TaskUID, base: body, body: body}
	d.then = func(a *App, m editedMsg) tea.Cmd { return a.onArgsEdited(&seen, m) }
	return a.openEditor(d, "arguments.json")
}

// onArgsEdited takes the arguments from the editor. What is no JSON object is kept, and opened
// again by the same key.
func (a *App) onArgsEdited(v *asked, m editedMsg) tea.Cmd {
	const again = "your text is kept: edit again to go on with it"
	if m.body != nil && !bytes.Equal(bytes.TrimSpace(m.body), bytes.TrimSpace(m.draft.base)) {
		a.keepArgs(v.q.ID, argText{of: v.q.ContentHash(), body: m.body})
	}
	if m.err != nil {
		return a.fail(notice{text: "The editor failed", why: m.err.Error(), hint: joinHints(again, "its copy lies at "+m.session.Path())})
	}
	discard := a.fx.discardEdit(m.session)
	args := bytes.TrimSpace(m.body)
	if _, err := argMembers(args); err != nil {
		return tea.Batch(discard, a.fail(notice{text: "The arguments are no JSON object", why: err.Error(), hint: again}))
	}
	return tea.Batch(discard, a.sendArgs(v, args))
}

// argRows are the members that differ between two objects.
func (a *App) argRows(was, now []byte) []overlay.Affected {
	old, err1 := argMembers(was)
	other, err2 := argMembers(now)
	if err1 != nil || err2 != nil {
		return []overlay.Affected{{Title: string(now)}}
	}
	before := map[string]string{}
	for _, f := range old {
		before[f.name] = compactArg(f.raw)
	}
	var out []overlay.Affected
	row := func(sign, line string) {
		ink := a.st.Good
		if sign == "-" {
			ink = a.st.Bad
		}
		for _, l := range text.Chop(text.SafeLine(line), argRowWidth) {
			out = append(out, overlay.Affected{Glyph: sign, Ink: ink, Title: l})
			sign = " "
		}
	}
	for _, f := range other {
		is := compactArg(f.raw)
		if was, ok := before[f.name]; ok {
			delete(before, f.name)
			if was == is {
				continue
			}
			row("-", f.name+": "+was)
		}
		row("+", f.name+": "+is)
	}
	for _, f := range old {
		if was, ok := before[f.name]; ok {
			row("-", f.name+": "+was)
		}
	}
	return out
}

func compactArg(raw []byte) string {
	v := jsontext.Value(bytes.Clone(raw))
	if v.Compact() != nil {
		return string(raw)
	}
	return string(v)
}
