package ui

import (
	"bytes"
	"cmp"
	"fmt"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/view"
)

// draft is a text that a person is writing for one document of one task. It outlives the
// editor: when the text cannot be defined, because somebody else wrote meanwhile, the
// draft is kept and opened again by the same key.
type draft struct {
	uid  model.UID
	doc  model.Doc
	base []byte // what the editor was opened with
	body []byte // what was written
	// What was there when the person last saw it: the revision of status.json, and the
	// bytes, since somebody may write a file without a word to the store.
	expect int
	seen   *model.Seen
	path   string // the editor's copy on disk, when it was kept
	// reading: the copy is only looked at.
	reading bool
}

// editor is the person's own, one at a time, with the texts that were not taken.
type editor struct {
	tasks *taskEditor
	busy  bool // it is open, or about to be
	texts map[draftKey]*draft
}

type draftKey struct {
	uid model.UID
	doc model.Doc
}

func (d *draft) key() draftKey { return draftKey{d.uid, d.doc} }

// loaded binds the draft to what the person has been shown.
func (d *draft) loaded(s *taskdocs.Docs) { d.expect, d.seen = s.Revision, s.Seen() }

// changed reports whether there is something in the draft that the store has not.
func (d *draft) changed() bool {
	return !bytes.Equal(bytes.TrimSpace(d.body), bytes.TrimSpace(d.base))
}

// edit opens the person's editor on a document of the selected task. The text starts
// as the bytes on screen, or as the draft that an earlier conflict left.
func (e *editor) edit(doc model.Doc) tea.Cmd {
	by := e.tasks
	t, ok := by.current()
	if !ok {
		return nil
	}
	if by.deps.Editor == nil {
		return by.fail(view.Notice{Text: "Can't edit", Why: "no editor is set", Hint: "set $VISUAL or $EDITOR and start vespe again"})
	}
	name := model.DefineObjective
	if doc == model.Plan {
		name = model.DefinePlan
	}
	if err := by.allowed(model.Op{Name: name, UID: t.UID, Actor: by.deps.Actor}); err != nil {
		return by.fail(by.proposer().Refused(name.Title(), err))
	}
	d, ok := e.texts[draftKey{t.UID, doc}]
	if !ok {
		body, ok := by.comments.shownBody(doc)
		if !ok {
			return by.fail(view.Notice{Text: "Can't edit", Why: "the text has not been read yet", Hint: "try again in a moment"})
		}
		d = &draft{uid: t.UID, doc: doc, base: body, body: body}
		d.loaded(by.docs)
	}
	return e.open(d, fmt.Sprintf("%s-%s.md", t.UID.Short(), doc))
}

// open opens the person's editor on a draft, one at a time: the key may be pressed
// again before the terminal has been handed over.
func (e *editor) open(d *draft, name string) tea.Cmd {
	if e.busy {
		return nil
	}
	e.busy = true
	return e.tasks.fx.prepareEdit(d, name)
}

// shownBody is the body of a document as it is on screen; empty when the task has none,
// false when it is not read yet.
func (cm *commenter) shownBody(doc model.Doc) ([]byte, bool) {
	if cm.docs == nil || cm.docs.Err != nil {
		return nil, false
	}
	c := cm.docs.Objective
	if doc == model.Plan {
		c = cm.docs.Plan
	}
	if c == nil {
		return nil, true
	}
	return c.Body, true
}

func (e *editor) onReady(m editReadyMsg) tea.Cmd {
	if m.err != nil {
		e.busy = false
		return e.tasks.fail(view.Notice{Text: "Can't open the editor", Why: m.err.Error()})
	}
	return e.tasks.fx.runEdit(m.draft, m.session)
}

// onEdited defines what the editor left. Nothing is written when the text is as it was, or
// when the editor says that it failed: the text is kept then.
func (e *editor) onEdited(m editedMsg) tea.Cmd {
	by := e.tasks
	e.busy = false
	d := m.draft
	if m.err != nil {
		return e.failed(m)
	}
	if d.reading {
		return e.readToEnd(m)
	}
	d.body, d.path = m.body, m.session.Path()
	if !d.changed() {
		delete(e.texts, d.key())
		return tea.Batch(by.say("Nothing was changed"), by.fx.discardEdit(m.session))
	}
	e.texts[d.key()] = d
	by.nav.mine[model.HashBytes(d.body)] = true
	op := model.Op{
		ID: by.deps.NewID(), Name: model.DefineObjective, UID: d.uid, Actor: by.deps.Actor,
		Args: model.NewObjective{Text: string(d.body)}, ExpectRevision: d.expect, Seen: d.seen,
	}
	if d.doc == model.Plan {
		op.Name, op.Args = model.DefinePlan, model.NewPlan{Text: string(d.body)}
	}
	return by.fire(job{ops: []model.Op{op}, draft: d, session: m.session})
}

// readToEnd says what became of a copy that was only to be read; one that was written to all
// the same is left where it lies.
func (e *editor) readToEnd(m editedMsg) tea.Cmd {
	if !bytes.Equal(m.body, m.draft.base) {
		return e.tasks.remark("your changes are in a copy, not in the store: " + m.session.Path())
	}
	return tea.Batch(e.tasks.remark("it was a copy: changes in it are discarded"), e.tasks.fx.discardEdit(m.session))
}

// failed keeps what was written before the editor failed.
func (e *editor) failed(m editedMsg) tea.Cmd {
	d := m.draft
	n := view.Notice{Text: "The editor failed", Why: m.err.Error(), Hint: "its copy is at " + m.session.Path()}
	if !d.reading && m.body != nil {
		d.body, d.path = m.body, m.session.Path()
		if d.changed() {
			e.texts[d.key()] = d
			n.Hint = "your text is saved: edit again to continue; there is a copy at " + d.path
		}
	}
	return e.tasks.fail(n)
}

// prepareEdit makes the editor's copy of a draft.
func (e effects) prepareEdit(d *draft, name string) tea.Cmd {
	body := append([]byte(nil), d.body...)
	open := e.Editor.Edit
	if d.reading {
		open = e.Editor.Read
	}
	return func() tea.Msg {
		s, err := open(name, body)
		return editReadyMsg{d, s, err}
	}
}

// runEdit hands the terminal to the editor and reads the copy back.
func (e effects) runEdit(d *draft, s EditSession) tea.Cmd {
	return tea.Exec(s, func(err error) tea.Msg {
		body, failed := s.Body()
		return editedMsg{draft: d, session: s, body: body, err: cmp.Or(err, failed)}
	})
}

// discardEdit removes the editor's copy. That it could not be removed is of no
// consequence to the task, so the answer is dropped on purpose: the copy lies in the
// system's temporary directory.
func (e effects) discardEdit(s EditSession) tea.Cmd {
	return func() tea.Msg {
		if err := s.Discard(); err != nil {
			return noticeMsg{"the editor's copy was left at " + s.Path()}
		}
		return nil
	}
}
