package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
)

// draftID names a draft of a comment.
type draftID struct {
	uid model.UID
	id  string
}

// unsaved is a draft that is not on disk as it is here.
type unsaved struct {
	id    draftID
	store string
	draft model.Draft
	gone  bool // it is to be forgotten
	edit  int  // how often it has been changed
}

// typed are the comments that the person has written and not sent. They are put on disk a moment
// after each key, one writing at a time, so that an older text never takes the place of a newer.
type typed struct {
	drafts  map[model.UID][]model.Draft
	dirty   map[draftID]*unsaved
	known   map[model.UID]bool       // whose drafts have been read
	going   map[string][]model.Draft // those that operations which have been proposed send, by their ids
	edits   int
	writes  int  // how often what was typed has been written
	waiting bool // a keepMsg is under way
	saving  bool // or what comes of it
}

// of are the comments of a task that were not sent.
func (t *typed) of(uid model.UID) []model.Draft {
	var out []model.Draft
	for _, d := range t.drafts[uid] {
		if d.For == "" {
			out = append(out, d)
		}
	}
	return out
}

// find is what was typed for something; false for nothing.
func (t *typed) find(key wordsKey) (model.Draft, bool) {
	id := key.id()
	for _, d := range t.drafts[key.uid] {
		if d.ID == id {
			return d, true
		}
	}
	return model.Draft{}, false
}

// draft is the draft that holds words.
func (k wordsKey) draft(text string) model.Draft {
	return model.Draft{ID: k.id(), For: k.name, Request: k.request, Decision: k.decision, Answers: k.comment, Text: text}
}

// putWords keeps what is typed for something, as it is now.
func (a *App) putWords(key wordsKey, t model.Draft) tea.Cmd {
	t.At = a.deps.Now().UTC()
	if old, ok := a.typed.find(key); ok {
		t.At = old.At
	}
	return a.putDraft(key.uid, t)
}

// dropWords forgets what was typed for something.
func (a *App) dropWords(key wordsKey) tea.Cmd {
	if _, ok := a.typed.find(key); !ok {
		return nil
	}
	return a.dropDrafts([]draftID{{key.uid, key.id()}})
}

// dropAnswers forgets what was typed for a request: it has been answered.
func (a *App) dropAnswers(q *model.Request) tea.Cmd {
	var ids []draftID
	for _, d := range a.typed.drafts[q.TaskUID] {
		if d.Request == q.ID {
			ids = append(ids, draftID{q.TaskUID, d.ID})
		}
	}
	return a.dropDrafts(ids)
}

// readWords reads the drafts of a task, or of the requests that are about none, when nobody has yet.
func (a *App) readWords(uid model.UID) tea.Cmd {
	if a.deps.Drafts == nil || a.typed.known[uid] {
		return nil
	}
	return a.fx.readDrafts(uid, a.typed.writes)
}

// draftsMsg are the drafts of a task, read.
type draftsMsg struct {
	uid    model.UID
	drafts []model.Draft
	writes int // typed.writes when it was asked for
	err    error
}

func (e effects) readDrafts(uid model.UID, writes int) tea.Cmd {
	return func() tea.Msg {
		list, err := e.Drafts.Drafts(e.Store.StoreID(), uid)
		return draftsMsg{uid, list, writes, err}
	}
}

// onDrafts takes the drafts of a task, and shows what they add to what is being typed.
func (a *App) onDrafts(m draftsMsg) tea.Cmd {
	t := &a.typed
	if t.known[m.uid] && (m.err != nil || m.writes != t.writes) {
		return nil
	}
	if m.err != nil { // that it cannot be written either is said when that is tried
		t.know(m.uid)
		return a.keepMore()
	}
	t.read(m.uid, m.drafts)
	a.hear(draftsNews{m.uid})
	for key := range a.words {
		if kept, ok := t.find(key); ok && key.uid == m.uid {
			a.words[key] = kept.Text
		}
	}
	if a.sheet != nil && a.sheet.uid == m.uid {
		a.showTalk()
	}
	return a.keepMore()
}

// takeDrafts takes the drafts of a task as they lie on disk. What has been typed since, here, stays:
// what was read before something was written has comments that were sent.
func (a *App) takeDrafts(s *sheet) tea.Cmd {
	if a.deps.Drafts == nil || s.errs.drafts != nil {
		return nil // what is here is all that is known
	}
	return a.onDrafts(draftsMsg{uid: s.uid, drafts: s.drafts, writes: s.writes})
}

// read takes the drafts of a task as they lie on disk. Words that are typed before that was known go
// on after those that were there.
func (t *typed) read(uid model.UID, kept []model.Draft) {
	first := !t.known[uid]
	var out []model.Draft
	for _, d := range kept {
		u, ok := t.dirty[draftID{uid, d.ID}]
		switch {
		case ok && first && d.For != "" && u.gone: // nobody had seen it
			delete(t.dirty, u.id)
		case ok && u.gone:
			continue
		case ok && first && d.For != "" && d.Text != "" && d.Text != u.draft.Text:
			u.draft.Text = d.Text + "\n" + u.draft.Text
			d = u.draft
		case ok:
			d = u.draft
		}
		out = append(out, d)
	}
	for _, d := range t.drafts[uid] {
		if _, ok := t.dirty[draftID{uid, d.ID}]; ok && !slices.ContainsFunc(out, func(o model.Draft) bool { return o.ID == d.ID }) {
			out = append(out, d)
		}
	}
	t.know(uid)
	t.set(uid, out)
}

// know says that the drafts of a task have been read.
func (t *typed) know(uid model.UID) {
	if t.known == nil {
		t.known = map[model.UID]bool{}
	}
	t.known[uid] = true
}

func (t *typed) set(uid model.UID, list []model.Draft) {
	if t.drafts == nil {
		t.drafts = map[model.UID][]model.Draft{}
	}
	if len(list) == 0 {
		delete(t.drafts, uid)
		return
	}
	t.drafts[uid] = list
}

// sent is a draft that goes along with an operation, as it was when that was proposed.
type sent struct {
	uid   model.UID
	draft model.Draft
}

// goesWith hands an operation that has its id the drafts of its task, and notes which these are: by
// the time that it is fired there may be others, which another terminal has written.
func (t *typed) goesWith(op *model.Op) {
	list := t.of(op.UID)
	op.SetArg("comments", model.DraftComments(list))
	if len(list) == 0 {
		return
	}
	if t.going == nil {
		t.going = map[string][]model.Draft{}
	}
	t.going[op.ID] = list
}

// sentWith are the drafts that operations send.
func (t *typed) sentWith(ops []model.Op) []sent {
	var out []sent
	for _, op := range ops {
		if len(op.Comments()) > 0 {
			for _, d := range t.going[op.ID] {
				out = append(out, sent{op.UID, d})
			}
		}
	}
	return out
}

// dropSent forgets drafts that were sent; one that has changed stays.
func (a *App) dropSent(list []sent) tea.Cmd {
	var ids []draftID
	for _, s := range list {
		if slices.ContainsFunc(a.typed.of(s.uid), func(d model.Draft) bool {
			return d.ID == s.draft.ID && same2(d, s.draft) && d.Doc == s.draft.Doc
		}) {
			ids = append(ids, draftID{s.uid, s.draft.ID})
		}
	}
	return a.dropDrafts(ids)
}

// putDraft keeps a draft as it is now; a blank one is forgotten.
func (a *App) putDraft(uid model.UID, d model.Draft) tea.Cmd {
	list := slices.Clone(a.typed.drafts[uid])
	i := slices.IndexFunc(list, func(o model.Draft) bool { return o.ID == d.ID })
	blank := strings.TrimSpace(d.Text) == "" && len(d.Fields) == 0
	switch {
	case blank && i < 0:
		return nil
	case blank:
		return a.dropDrafts([]draftID{{uid, d.ID}})
	case i < 0:
		list = append(list, d)
	case same2(list[i], d):
		return nil
	default:
		list[i] = d
	}
	a.typed.set(uid, list)
	a.showTalk()
	return a.keepSoon(unsaved{id: draftID{uid, d.ID}, draft: d})
}

func same2(a, b model.Draft) bool {
	return a.Text == b.Text && a.Kind == b.Kind && a.Blocking == b.Blocking && a.Resolution == b.Resolution && a.Of == b.Of && slices.Equal(a.Fields, b.Fields)
}

// dropDrafts forgets drafts: they were sent, or thrown away.
func (a *App) dropDrafts(ids []draftID) tea.Cmd {
	var cmds []tea.Cmd
	for _, id := range ids {
		list := slices.DeleteFunc(slices.Clone(a.typed.drafts[id.uid]), func(d model.Draft) bool { return d.ID == id.id })
		a.typed.set(id.uid, list)
		cmds = append(cmds, a.keepSoon(unsaved{id: id, gone: true}))
	}
	if len(ids) > 0 {
		a.showTalk()
	}
	return tea.Batch(cmds...)
}

// keepSoon lets a change of a draft be written a moment later.
func (a *App) keepSoon(u unsaved) tea.Cmd {
	if a.deps.Drafts == nil {
		return nil
	}
	t := &a.typed
	t.edits++
	u.edit, u.store = t.edits, a.deps.Store.StoreID()
	if t.dirty == nil {
		t.dirty = map[draftID]*unsaved{}
	}
	t.dirty[u.id] = &u
	if t.waiting || t.saving {
		return nil
	}
	t.waiting = true
	return after(keepAfter, keepMsg{})
}

// onKeep writes what has been typed.
func (a *App) onKeep() tea.Cmd {
	t := &a.typed
	t.waiting = false
	var list []unsaved
	for _, u := range t.unsaved() {
		if u.isReady(t) {
			list = append(list, u)
		}
	}
	if len(list) == 0 {
		return nil
	}
	t.saving = true
	return a.fx.keepDrafts(list)
}

// isReady reports whether a draft can be written: words have the same place every time, and what
// lies there is read first.
func (u *unsaved) isReady(t *typed) bool {
	return t.known[u.id.uid] || !u.gone && u.draft.For == ""
}

// keepMore lets what is not written yet be written a moment later.
func (a *App) keepMore() tea.Cmd {
	t := &a.typed
	if t.waiting || t.saving || !slices.ContainsFunc(t.unsaved(), func(u unsaved) bool { return u.isReady(t) }) {
		return nil
	}
	t.waiting = true
	return after(keepAfter, keepMsg{})
}

func (t *typed) unsaved() []unsaved {
	var list []unsaved
	for _, u := range t.dirty {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b unsaved) int { return a.edit - b.edit })
	return list
}

// keepFailed is the text by which failures of keeping drafts are known.
const keepFailed = "Can't save what you type"

// onKept forgets what is on disk now, and continues with what was typed meanwhile.
func (a *App) onKept(m keptMsg) tea.Cmd {
	t := &a.typed
	t.saving = false
	t.writes++
	for id, edit := range m.edits {
		if u, ok := t.dirty[id]; ok && u.edit == edit {
			delete(t.dirty, id)
		}
	}
	if m.err != nil {
		return a.fail(notice{lasts: true, text: keepFailed, why: m.err.Error(), hint: "they are lost when vespe ends: send them, or fix the directory and go on"})
	}
	a.notices.dismissLike(keepFailed)
	return a.keepMore()
}

// KeepDrafts writes what was typed in the last moment before the program ended. It is not to be
// called while it runs.
func (a *App) KeepDrafts() {
	for _, u := range a.typed.unsaved() {
		if !u.isReady(&a.typed) {
			list, err := a.deps.Drafts.Drafts(u.store, u.id.uid)
			a.onDrafts(draftsMsg{u.id.uid, list, a.typed.writes, err})
		}
	}
	for _, u := range a.typed.unsaved() {
		if a.fx.keepOne(u) == nil {
			delete(a.typed.dirty, u.id)
		}
	}
}

// unkept are the drafts that could not be put on disk, for who leaves.
func (a *App) unkept() []string {
	var out []string
	for _, u := range a.typed.unsaved() {
		if !u.gone {
			if u.draft.For != "" {
				out = append(out, fmt.Sprintf("your text for %q of %s was neither sent nor saved: %s", a.title(u.draft.For), u.id.uid, cmp.Or(u.draft.Text, strings.Join(u.draft.Fields, ", "))))
				continue
			}
			out = append(out, fmt.Sprintf("your comment on %s of %s was neither sent nor saved: %s", u.draft.Doc, u.id.uid, u.draft.Text))
		}
	}
	return out
}
