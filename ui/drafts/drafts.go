// Package drafts keeps what a person types and has not sent: comments, and the words of transitions and answers. All of it is on
// disk a moment after each key, one writing at a time, so that an older text never takes the place of a newer one. A Book decides
// nothing. It answers with commands, takes their messages in Update, and tells whoever shows the drafts when they have changed.
package drafts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
)

// keepAfter is how long after a key what was typed is on disk.
const keepAfter = 200 * time.Millisecond

// Store keeps drafts outside of the project: store is the project's id. Its methods are called from commands, and must be safe
// for concurrent use.
type Store interface {
	// Drafts are those of a task, in the order in which they were begun.
	Drafts(store string, uid model.UID) ([]review.Draft, error)
	// Keep puts drafts in place of those with their ids, and forgets those with other ids. It
	// is on disk when it returns.
	Keep(store string, uid model.UID, put []review.Draft, drop []string) error
}

// Key names words that are being written for a transition of one task, or of a selection that begins with it.
type Key struct {
	Name model.Name
	UID  model.UID
	// Request and Decision are those of an answer; Comment is one that is answered.
	Request  string
	Decision model.Decision
	Comment  string
}

// ID is the id of the draft that holds the words.
func (k Key) ID() string {
	id := "words-" + string(k.Name)
	for _, part := range []string{k.Request, string(k.Decision), k.Comment} {
		if part != "" {
			id += "-" + part
		}
	}
	return id
}

// Draft is the draft that holds the words.
func (k Key) Draft(text string) review.Draft {
	return review.Draft{ID: k.ID(), For: k.Name, Request: k.Request, Decision: k.Decision, Answers: k.Comment, Text: text}
}

// ID names a draft.
type ID struct {
	UID model.UID
	ID  string
}

// Unsaved is a draft that is not on disk as it is here.
type Unsaved struct {
	ID    ID
	Draft review.Draft
	gone  bool // it is to be forgotten
	store string
	edit  int // how often it has been changed
}

// Sent is a draft that goes along with an operation, as it was when that was proposed.
type Sent struct {
	uid   model.UID
	draft review.Draft
}

// Options are what a book needs.
type Options struct {
	Store   func() Store // nil: drafts last as long as the program
	Project func() string
	Now     func() time.Time
	Changed func()              // drafts of comments have changed
	Read    func(uid model.UID) // those of a task have been read
	Saved   func(error) tea.Cmd // they were written, or could not be
}

// Book are the drafts that are known.
type Book struct {
	o       Options
	drafts  map[model.UID][]review.Draft
	dirty   map[ID]*Unsaved
	known   map[model.UID]bool        // whose drafts have been read
	going   map[string][]review.Draft // those that operations which have been proposed send, by their ids
	words   map[Key]string            // not sent or not taken yet
	edits   int
	writes  int  // how often what was typed has been written
	waiting bool // a keepMsg is under way
	saving  bool // or what comes of it
}

// New makes a book without drafts.
func New(o Options) *Book {
	return &Book{
		o: o, drafts: map[model.UID][]review.Draft{}, dirty: map[ID]*Unsaved{}, known: map[model.UID]bool{}, going: map[string][]review.Draft{},
		words: map[Key]string{},
	}
}

// The messages of the book's commands: those of a task were read, some are to be kept, and what came of that.
type (
	readMsg struct {
		uid    model.UID
		drafts []review.Draft
		writes int // Book.writes when it was asked for
		err    error
	}
	keepMsg struct{}
	keptMsg struct {
		edits map[ID]int // what was kept: how often each draft had been changed by then
		err   error
	}
)

// Update takes a message of the book's; false for any other.
func (b *Book) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case readMsg:
		return b.onRead(m), true
	case keepMsg:
		return b.onKeep(), true
	case keptMsg:
		return b.onKept(m), true
	}
	return nil, false
}

// Of are the comments of a task that were not sent.
func (b *Book) Of(uid model.UID) []review.Draft {
	var out []review.Draft
	for _, d := range b.drafts[uid] {
		if d.For == "" {
			out = append(out, d)
		}
	}
	return out
}

// Unsent is how many comments were not sent, of all tasks that were looked at.
func (b *Book) Unsent() (n int) {
	for uid := range b.drafts {
		n += len(b.Of(uid))
	}
	return n
}

// Writes is how often something has been written: for Take.
func (b *Book) Writes() int { return b.writes }

// Find is what was typed for something; false for nothing.
func (b *Book) Find(key Key) (review.Draft, bool) {
	id := key.ID()
	for _, d := range b.drafts[key.UID] {
		if d.ID == id {
			return d, true
		}
	}
	return review.Draft{}, false
}

// Text is where the words for something continue.
func (b *Book) Text(key Key) string {
	kept, _ := b.Find(key)
	return cmp.Or(b.words[key], kept.Text)
}

// Words are the texts that were not sent or not taken yet.
func (b *Book) Words() map[Key]string { return b.words }

// SetWords keeps words until they are taken; a blank text is nothing.
func (b *Book) SetWords(key Key, text string) {
	if delete(b.words, key); strings.TrimSpace(text) != "" {
		b.words[key] = text
	}
}

// Taken forgets words: the store has them.
func (b *Book) Taken(key Key) tea.Cmd {
	delete(b.words, key)
	return b.DropWords(key)
}

// PutWords keeps what is typed for something, as it is now.
func (b *Book) PutWords(key Key, d review.Draft) tea.Cmd {
	d.At = b.o.Now().UTC()
	if old, ok := b.Find(key); ok {
		d.At = old.At
	}
	return b.Put(key.UID, d)
}

// DropWords forgets what was typed for something.
func (b *Book) DropWords(key Key) tea.Cmd {
	if _, ok := b.Find(key); !ok {
		return nil
	}
	return b.Drop(ID{key.UID, key.ID()})
}

// DropAnswers forgets what was typed for a request: it has been answered.
func (b *Book) DropAnswers(q *model.Request) tea.Cmd {
	var ids []ID
	for _, d := range b.drafts[q.TaskUID] {
		if d.Request == q.ID {
			ids = append(ids, ID{q.TaskUID, d.ID})
		}
	}
	return b.Drop(ids...)
}

// Read reads the drafts of a task, or of the requests that are about none, when nobody has yet.
func (b *Book) Read(uid model.UID) tea.Cmd {
	store := b.o.Store()
	if store == nil || b.known[uid] {
		return nil
	}
	project, writes := b.o.Project(), b.writes
	return func() tea.Msg {
		list, err := store.Drafts(project, uid)
		return readMsg{uid, list, writes, err}
	}
}

// Take takes the drafts of a task as they lay on disk when something had been written so often. What has been typed since,
// here, stays: what was read before something was written has comments that were sent.
func (b *Book) Take(uid model.UID, list []review.Draft, writes int) tea.Cmd {
	if b.o.Store() == nil {
		return nil // what is here is all that is known
	}
	return b.onRead(readMsg{uid: uid, drafts: list, writes: writes})
}

// onRead takes the drafts of a task, and what they add to what is being typed.
func (b *Book) onRead(m readMsg) tea.Cmd {
	if b.known[m.uid] && (m.err != nil || m.writes != b.writes) {
		return nil
	}
	if m.err != nil { // that it cannot be written either is said when that is tried
		b.known[m.uid] = true
		return b.keepMore()
	}
	b.merge(m.uid, m.drafts)
	for key := range b.words {
		if kept, ok := b.Find(key); ok && key.UID == m.uid {
			b.words[key] = kept.Text
		}
	}
	b.o.Read(m.uid)
	return b.keepMore()
}

// merge takes the drafts of a task as they lie on disk. Words that are typed before that was known go
// on after those that were there.
func (b *Book) merge(uid model.UID, kept []review.Draft) {
	first := !b.known[uid]
	var out []review.Draft
	for _, d := range kept {
		u, ok := b.dirty[ID{uid, d.ID}]
		switch {
		case ok && first && d.For != "" && u.gone: // nobody had seen it
			delete(b.dirty, u.ID)
		case ok && u.gone:
			continue
		case ok && first && d.For != "" && d.Text != "" && d.Text != u.Draft.Text:
			u.Draft.Text = d.Text + "\n" + u.Draft.Text
			d = u.Draft
		case ok:
			d = u.Draft
		}
		out = append(out, d)
	}
	for _, d := range b.drafts[uid] {
		if _, ok := b.dirty[ID{uid, d.ID}]; ok && !slices.ContainsFunc(out, func(o review.Draft) bool { return o.ID == d.ID }) {
			out = append(out, d)
		}
	}
	b.known[uid] = true
	b.set(uid, out)
}

func (b *Book) set(uid model.UID, list []review.Draft) {
	if len(list) == 0 {
		delete(b.drafts, uid)
		return
	}
	b.drafts[uid] = list
}

// GoesWith hands an operation that has its id the drafts of its task, and notes which these are: by
// the time that it is fired there may be others, which another terminal has written.
func (b *Book) GoesWith(op *model.Op) {
	list := b.Of(op.UID)
	lifecycle.SetArg(op, "comments", review.DraftComments(list))
	if len(list) > 0 {
		b.going[op.ID] = list
	}
}

// SentWith are the drafts that operations send.
func (b *Book) SentWith(ops []model.Op) []Sent {
	var out []Sent
	for _, op := range ops {
		if len(op.Comments()) > 0 {
			for _, d := range b.going[op.ID] {
				out = append(out, Sent{op.UID, d})
			}
		}
	}
	return out
}

// DropSent forgets drafts that were sent; one that has changed stays.
func (b *Book) DropSent(list []Sent) tea.Cmd {
	var ids []ID
	for _, s := range list {
		if slices.ContainsFunc(b.Of(s.uid), func(d review.Draft) bool {
			return d.ID == s.draft.ID && same(d, s.draft) && d.Doc == s.draft.Doc
		}) {
			ids = append(ids, ID{s.uid, s.draft.ID})
		}
	}
	return b.Drop(ids...)
}

// Put keeps a draft as it is now; a blank one is forgotten.
func (b *Book) Put(uid model.UID, d review.Draft) tea.Cmd {
	list := slices.Clone(b.drafts[uid])
	i := slices.IndexFunc(list, func(o review.Draft) bool { return o.ID == d.ID })
	blank := strings.TrimSpace(d.Text) == ""
	switch {
	case blank && i < 0:
		return nil
	case blank:
		return b.Drop(ID{uid, d.ID})
	case i < 0:
		list = append(list, d)
	case same(list[i], d):
		return nil
	default:
		list[i] = d
	}
	b.set(uid, list)
	b.o.Changed()
	return b.keepSoon(Unsaved{ID: ID{uid, d.ID}, Draft: d})
}

func same(a, b review.Draft) bool {
	return a.Text == b.Text && a.Kind == b.Kind && a.Blocking == b.Blocking && a.Resolution == b.Resolution && a.Of == b.Of
}

// Drop forgets drafts: they were sent, or thrown away.
func (b *Book) Drop(ids ...ID) tea.Cmd {
	var cmds []tea.Cmd
	for _, id := range ids {
		b.set(id.UID, slices.DeleteFunc(slices.Clone(b.drafts[id.UID]), func(d review.Draft) bool { return d.ID == id.ID }))
		cmds = append(cmds, b.keepSoon(Unsaved{ID: id, gone: true}))
	}
	if len(ids) > 0 {
		b.o.Changed()
	}
	return tea.Batch(cmds...)
}

// keepSoon lets a change of a draft be written a moment later.
func (b *Book) keepSoon(u Unsaved) tea.Cmd {
	if b.o.Store() == nil {
		return nil
	}
	b.edits++
	u.edit, u.store = b.edits, b.o.Project()
	b.dirty[u.ID] = &u
	return b.keep()
}

// keepMore lets what is not written yet be written a moment later.
func (b *Book) keepMore() tea.Cmd {
	if slices.ContainsFunc(b.Unsaved(), b.isReady) {
		return b.keep()
	}
	return nil
}

// keep waits a moment, so that not every key writes a file.
func (b *Book) keep() tea.Cmd {
	if b.waiting || b.saving {
		return nil
	}
	b.waiting = true
	return tea.Tick(keepAfter, func(time.Time) tea.Msg { return keepMsg{} })
}

// onKeep writes what has been typed.
func (b *Book) onKeep() tea.Cmd {
	b.waiting = false
	list := slices.DeleteFunc(b.Unsaved(), func(u Unsaved) bool { return !b.isReady(u) })
	if len(list) == 0 {
		return nil
	}
	b.saving = true
	store := b.o.Store()
	return func() tea.Msg {
		m := keptMsg{edits: map[ID]int{}}
		for _, u := range list {
			if m.err = u.save(store); m.err != nil {
				break
			}
			m.edits[u.ID] = u.edit
		}
		return m
	}
}

func (u *Unsaved) save(to Store) error {
	if u.gone {
		return to.Keep(u.store, u.ID.UID, nil, []string{u.ID.ID})
	}
	return to.Keep(u.store, u.ID.UID, []review.Draft{u.Draft}, nil)
}

// isReady reports whether a draft can be written: words have the same place every time, and what
// lies there is read first.
func (b *Book) isReady(u Unsaved) bool { return b.known[u.ID.UID] || !u.gone && u.Draft.For == "" }

// Unsaved are the drafts that are not on disk, those that are to be forgotten among them.
func (b *Book) Unsaved() []Unsaved {
	var list []Unsaved
	for u := range maps.Values(b.dirty) {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(x, y Unsaved) int { return x.edit - y.edit })
	return list
}

// onKept forgets what is on disk now, and continues with what was typed meanwhile.
func (b *Book) onKept(m keptMsg) tea.Cmd {
	b.saving = false
	b.writes++
	for id, edit := range m.edits {
		if u, ok := b.dirty[id]; ok && u.edit == edit {
			delete(b.dirty, id)
		}
	}
	said := b.o.Saved(m.err)
	if m.err != nil {
		return said
	}
	return b.keepMore()
}

// Save writes what was typed in the last moment before the program ended; Lost is what could not be. It is not to be
// called while the program runs.
func (b *Book) Save() {
	for _, u := range b.Unsaved() {
		if !b.isReady(u) {
			list, err := b.o.Store().Drafts(u.store, u.ID.UID)
			b.onRead(readMsg{u.ID.UID, list, b.writes, err})
		}
	}
	for _, u := range b.Unsaved() {
		if u.save(b.o.Store()) == nil {
			delete(b.dirty, u.ID)
		}
	}
}

// Note is a note above something that is typed, which says where it continues with a draft.
func Note(note string, isDraft bool) string {
	if !isDraft {
		return note
	}
	return strings.TrimSuffix("Your draft, not sent.\n"+note, "\n")
}
