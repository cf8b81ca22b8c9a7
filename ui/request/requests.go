// Package request shows the requests of agents and takes what a person decides on them: in a dialog, or beside the inbox.
// None of its keys decides before the request has been on the screen for a moment, whole. An answer carries the hash of
// the request on screen; if the request has changed, the store refuses, and the difference is shown.
package request

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// LookTime is how long a request has to have been on the screen before a key decides on it.
const LookTime = 700 * time.Millisecond

// Host is what requests get of the workbench.
type Host interface {
	Snapshot() *snapshot.Snapshot
	// Sight is the snapshot with what has been read.
	Sight() model.World
	Screen() *screen.Screen
	Styles() *style.Styles
	Now() time.Time
	Selected() model.UID
	Name(uid model.UID) string
	Hint(a keymap.Action, does string) string
	Say(n view.Notice) tea.Cmd
	Refused(what string, err error) view.Notice
	WhyNot(op model.Op) string
	// NoUndo says why the answer to a request cannot be taken back.
	NoUndo(q *model.Request) string
	Off(a keymap.Action) string
	Run(a keymap.Action) tea.Cmd
	// LastKey is the key that was pressed last, and Rested whether none came in the moment before it.
	LastKey() string
	Rested() bool
	// Beside reports whether the request beside the inbox has the keys.
	Beside() bool
	GoTo(uid model.UID) tea.Cmd
	Pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd
	Ask(q dialog.Ask) tea.Cmd
	// Foresee says what comes of operations, in sentences, and what a person should know.
	Foresee(ops []model.Op) (effects, notes []string, affected []overlay.Affected, err error)
	// Answer sends answers to requests as they were on the screen, and Answering reports whether one to a request is under way.
	Answer(ops []model.Op, seen []model.Request) tea.Cmd
	Answering(id string) bool
	// Words asks for the words of an answer. What is not sent, or not taken, is kept.
	Words(key drafts.Key, o overlay.ComposeOptions, answer func(text string) (model.Op, model.Request)) tea.Cmd
	// Compare shows what differs between two texts.
	Compare(title, oldName, nowName string, old, now []byte, then func() tea.Cmd) tea.Cmd
}

// Options are what a Requests works with.
type Options struct {
	Actor   model.Actor
	NewID   func() string
	Keymap  *keymap.Keymap
	Drafts  *drafts.Book
	Dialogs *dialog.Stack
	// History reads the events of a task. It is called from commands.
	History func(uid model.UID) ([]model.Event, error)
}

// Requests is what the workbench knows of requests: which are on the screen, and which are selected.
type Requests struct {
	Options
	host     Host
	aside    *Asked               // the one beside the inbox
	told     map[toldKey][]string // layouts; nil while one is made
	selected map[string]bool
	// differing are requests as an answer was meant for, which ask something else now.
	differing []model.Request
}

// New has no requests yet.
func New(host Host, o Options) *Requests { return &Requests{Options: o, host: host} }

// Of is a request of which nothing is on the screen.
func (k *Requests) Of(q model.Request) *Asked { return &Asked{k: k, q: q} }

// lookMsg says that something has been on the screen for LookTime.
type lookMsg struct{}

// With is the request with an id.
func (k *Requests) With(id string) (model.Request, bool) {
	if k.host.Snapshot() == nil || id == "" {
		return model.Request{}, false
	}
	all := k.host.Snapshot().Requests()
	if i := slices.IndexFunc(all, func(r model.Request) bool { return r.ID == id }); i >= 0 {
		return all[i], true
	}
	return model.Request{}, false
}

// asking is the request that has the keys: it is open, and nothing lies on it.
func (k *Requests) asking() *Asked {
	if d, ok := k.Dialogs.Top().(*requestDialog); ok {
		return d.ask
	}
	return nil
}

// here is the request that keys decide on: the open one, or else the one beside the inbox.
func (k *Requests) here() *Asked {
	if k.Dialogs.Top() != nil {
		return k.asking()
	}
	if k.host.Beside() {
		return k.aside
	}
	return nil
}

// onScreen are the requests on the screen.
func (k *Requests) onScreen() (list []*Asked) {
	for _, d := range k.Dialogs.All() {
		if d, ok := d.(*requestDialog); ok {
			list = append(list, d.ask)
		}
	}
	if k.aside != nil {
		list = append(list, k.aside)
	}
	return list
}

// Hear follows the news with the request beside the inbox. Those that are open hear them as dialogs.
func (k *Requests) Hear(news any) tea.Cmd {
	if k.aside == nil {
		return nil
	}
	return k.aside.heard(news)
}

// Update takes the answers to what was asked for; false for any other message.
func (k *Requests) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case toldMsg:
		if _, wanted := k.told[m.key]; !wanted {
			return nil, true
		}
		k.told[m.key] = m.lines
	case askFactsMsg:
	case lookMsg: // it is drawn anew: what was held back can be done now
		return nil, true
	default:
		return nil, false
	}
	return tea.Batch(k.Dialogs.Hear(msg), k.Hear(msg)), true
}

// Show shows a request beside the inbox. It can be decided on after rest. came says that it is there because the inbox
// was opened: then a number may mean a view, and is asked about.
func (k *Requests) Show(q model.Request, rest time.Duration, came bool) tea.Cmd {
	k.aside = &Asked{k: k, q: q.Clone(), since: k.host.Now().Add(rest - LookTime), asks: came && q.Risk != model.RiskLow}
	return tea.Batch(k.facts(k.aside.q), view.After(rest, lookMsg{}), k.Drafts.Read(q.TaskUID))
}

// Hide takes the request beside the inbox away.
func (k *Requests) Hide() { k.aside = nil }

// Aside is the request beside the inbox, as it is in the store.
func (k *Requests) Aside() (model.Request, bool) {
	if k.aside == nil {
		return model.Request{}, false
	}
	return k.With(k.aside.q.ID)
}

// Draw draws the request beside the inbox in h rows of w cells.
func (k *Requests) Draw(w, h int) []string { return k.aside.preview(w, h) }

// IsBeside reports whether there is one.
func (k *Requests) IsBeside() bool { return k.aside != nil }

// Shown is the request that is open and has the keys.
func (k *Requests) Shown() (model.Request, bool) {
	if v := k.asking(); v != nil {
		return v.q, true
	}
	return model.Request{}, false
}

// Note says something where the open request is read, which hides the last rows; false without one.
func (k *Requests) Note(words string) bool {
	v := k.asking()
	if v != nil {
		v.box.Say(words)
	}
	return v != nil
}

// ToggleRaw shows the texts of the open request as they were written, or rendered; false without one.
func (k *Requests) ToggleRaw() bool {
	v := k.asking()
	if v != nil {
		v.raw = !v.raw
		v.redo()
	}
	return v != nil
}

// Differ remembers requests as an answer was meant for, which the store refused. What is asked now is shown once it has been read.
func (k *Requests) Differ(seen []model.Request) { k.differing = append(k.differing, seen...) }

// Toggle selects a request, or leaves it out.
func (k *Requests) Toggle(id string) {
	if k.selected[id] {
		delete(k.selected, id)
		return
	}
	if k.selected == nil {
		k.selected = map[string]bool{}
	}
	k.selected[id] = true
}

// IsSelected reports whether a request is selected.
func (k *Requests) IsSelected(id string) bool { return k.selected[id] }

// Selected is how many are selected.
func (k *Requests) Selected() int { return len(k.selected) }

// Clear selects none.
func (k *Requests) Clear() { k.selected = nil }

func (k *Requests) remark(words string) tea.Cmd {
	return k.host.Say(view.Notice{Level: view.Remark, Text: words})
}

func (k *Requests) orKey(action keymap.Action, does string) string {
	if hint := k.host.Hint(action, does); hint != "" {
		return "; " + hint
	}
	return ""
}

// Open shows a request whole. Its keys are in the keymap; none of them decides before it
// has been there for LookTime.
func (k *Requests) Open(id string) tea.Cmd {
	q, ok := k.With(id)
	if !ok {
		return k.remark("that request is no longer in the store")
	}
	v := &Asked{k: k, q: q.Clone(), since: k.host.Now()}
	v.box = overlay.NewPaper(k.host.Styles(), overlay.PaperOptions{
		Title: Title(&v.q),
		Lines: func(_ *style.Styles, w int) []string { return v.lines(w) }, Count: func() int { return v.matter },
	})
	v.box.SetExtra(askRisk(&v.q))
	open := k.Dialogs.Push(&requestDialog{dialog.Frame{Box: v.box, Scope: keymap.Request}, k, v})
	return tea.Batch(open, k.facts(v.q), view.After(LookTime, lookMsg{}), k.Drafts.Read(v.q.TaskUID))
}

// Title is what a request is called.
func Title(q *model.Request) string {
	if q.Kind == "" {
		return "Request"
	}
	return text.Capital(q.Kind)
}

// askEvents is how many of the last things that an agent did stand in its request.
const askEvents = 6

// facts reads what who asks did just before; of what vespe itself asks, what anybody did.
func (k *Requests) facts(q model.Request) tea.Cmd {
	if q.TaskUID == "" {
		return nil
	}
	return func() tea.Msg {
		events, err := k.History(q.TaskUID)
		f := &askFacts{err: err}
		for _, ev := range events {
			if ev.At.After(q.CreatedAt) || ev.Name == model.Ask && ev.At.Equal(q.CreatedAt) {
				continue
			}
			if ev.Actor == q.CreatedBy || q.CreatedBy.Kind() == model.System {
				f.events = append(f.events, ev)
			}
		}
		f.events = f.events[max(0, len(f.events)-askEvents):]
		return askFactsMsg{q.ID, f}
	}
}

// Refresh follows the requests that are selected, and those whose answers were refused: what is decided is selected no
// more.
func (k *Requests) Refresh() tea.Cmd {
	for id := range k.selected {
		if q, ok := k.With(id); !ok || !q.IsOpen() {
			delete(k.selected, id)
		}
	}
	return k.showDiffering()
}

// showDiffering shows how requests differ from what an answer was meant for, which the store
// refused.
func (k *Requests) showDiffering() tea.Cmd {
	var cmds []tea.Cmd
	k.differing = slices.DeleteFunc(k.differing, func(seen model.Request) bool {
		q, ok := k.With(seen.ID)
		if ok && q.ContentHash() == seen.ContentHash() {
			return false // the snapshot is still the old one
		}
		if ok {
			cmds = append(cmds, k.openAskDiff(&seen, &q))
		}
		return true
	})
	return tea.Batch(cmds...)
}

// showAskDiff shows what changed in the request on the screen while it was there.
func (k *Requests) showAskDiff() tea.Cmd {
	v := k.here()
	was := v.was
	v.was = nil
	v.redo()
	return k.openAskDiff(was, &v.q)
}

func (k *Requests) openAskDiff(was, now *model.Request) tea.Cmd {
	then := func() tea.Cmd { // keys may still be coming for what is closed
		if v := k.here(); v != nil {
			v.since = k.host.Now()
			return view.After(LookTime, lookMsg{})
		}
		return nil
	}
	return k.host.Compare("The request changed while it was on screen", "what you were shown", "the request now",
		[]byte(askText(was)), []byte(askText(now)), then)
}

// OpenOf opens what a task waits for an answer to; with several, the person chooses.
func (k *Requests) OpenOf() tea.Cmd {
	list := k.about(k.host.Selected())
	if len(list) == 1 {
		return k.Open(list[0].ID)
	}
	choices := make([]overlay.Choice, 0, len(list))
	for _, q := range list {
		choices = append(choices, overlay.Choice{ID: q.ID, Title: q.Title, Detail: q.Kind})
	}
	return k.choose("Requests of "+k.host.Name(k.host.Selected()), choices, k.Open)
}

// MustOpen reports whether what a task waits for has to be opened to be answered: there is more
// than one request, or one that takes more than words.
func (k *Requests) MustOpen(uid model.UID) bool {
	list := k.about(uid)
	return len(list) > 1 || len(list) == 1 && !list[0].TakesWords()
}

// about are the requests about a task that wait.
func (k *Requests) about(uid model.UID) []model.Request {
	var out []model.Request
	if k.host.Snapshot() == nil || uid == "" {
		return nil
	}
	for _, q := range k.host.Snapshot().Requests() {
		if q.TaskUID == uid && q.IsOpen() {
			out = append(out, q)
		}
	}
	return out
}
