package ui

import (
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
	known   map[model.UID]bool // whose drafts have been read
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

// words are what was typed for a transition of a task; "" for nothing.
func (t *typed) words(key wordsKey) string {
	for _, d := range t.drafts[key.uid] {
		if d.ID == key.id() {
			return d.Text
		}
	}
	return ""
}

// id is the id of the draft that holds the words.
func (k wordsKey) id() string { return "words-" + string(k.name) }

// putWords keeps what is typed for a transition, as it is now.
func (a *App) putWords(key wordsKey, text string) tea.Cmd {
	if a.typed.words(key) == text {
		return nil
	}
	return a.putDraft(key.uid, model.Draft{ID: key.id(), For: key.name, Text: text, At: a.deps.Now().UTC()})
}

// readDrafts takes the drafts of a task as they lie on disk. What has been typed since, here, stays.
func (a *App) readDrafts(s *sheet) {
	if a.deps.Drafts == nil || s.errs.drafts != nil {
		return // what is here is all that is known
	}
	if a.typed.known[s.uid] && s.writes != a.typed.writes {
		return // it was read before what has been written since: a comment that was sent would be back
	}
	a.typed.read(s.uid, s.drafts)
}

func (t *typed) read(uid model.UID, kept []model.Draft) {
	var out []model.Draft
	for _, d := range kept {
		if u, ok := t.dirty[draftID{uid, d.ID}]; ok {
			if u.gone {
				continue
			}
			d = u.draft
		}
		out = append(out, d)
	}
	for _, d := range t.drafts[uid] {
		if _, ok := t.dirty[draftID{uid, d.ID}]; ok && !slices.ContainsFunc(out, func(o model.Draft) bool { return o.ID == d.ID }) {
			out = append(out, d)
		}
	}
	if t.known == nil {
		t.known = map[model.UID]bool{}
	}
	t.known[uid] = true
	t.set(uid, out)
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

// sentWith are the drafts that operations send.
func (t *typed) sentWith(ops []model.Op) []draftID {
	var out []draftID
	for _, op := range ops {
		if len(op.Comments) == 0 {
			continue
		}
		for _, d := range t.of(op.UID) {
			out = append(out, draftID{op.UID, d.ID})
		}
	}
	return out
}

// putDraft keeps a draft as it is now; a blank one is forgotten.
func (a *App) putDraft(uid model.UID, d model.Draft) tea.Cmd {
	list := slices.Clone(a.typed.drafts[uid])
	i := slices.IndexFunc(list, func(o model.Draft) bool { return o.ID == d.ID })
	blank := strings.TrimSpace(d.Text) == ""
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
	return a.Text == b.Text && a.Kind == b.Kind && a.Blocking == b.Blocking
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
	return a.fx.keep()
}

// onKeep writes what has been typed.
func (a *App) onKeep() tea.Cmd {
	t := &a.typed
	t.waiting = false
	if len(t.dirty) == 0 {
		return nil
	}
	t.saving = true
	return a.fx.keepDrafts(t.unsaved())
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
const keepFailed = "Your comments are not kept on disk"

// onKept forgets what is on disk by now, and goes on with what was typed meanwhile.
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
		return a.fail(notice{lasts: true, text: keepFailed, why: m.err.Error(), hint: "they are lost when vespe ends: send them, or see to the directory and type on"})
	}
	a.notices.dismissLike(keepFailed)
	if len(t.dirty) == 0 {
		return nil
	}
	t.waiting = true
	return a.fx.keep()
}

// KeepDrafts writes what was typed in the last moment before the program ended. It is not to be
// called while it runs.
func (a *App) KeepDrafts() {
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
				out = append(out, fmt.Sprintf("your text for %q of %s was neither sent nor kept: %s", a.title(u.draft.For), u.id.uid, u.draft.Text))
				continue
			}
			out = append(out, fmt.Sprintf("your comment on %s of %s was neither sent nor kept: %s", u.draft.Doc, u.id.uid, u.draft.Text))
		}
	}
	return out
}
