package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/inbox"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// lookTime is how long a request has to have been on the screen before a key decides on it.
const lookTime = 700 * time.Millisecond

// asked is a request that is open on the screen, whole.
type asked struct {
	a     *App
	q     model.Request  // as it is on the screen
	was   *model.Request // as it was there before it changed under the reader; nil when it did not
	since time.Time      // when it came there, or changed
	raw   bool           // the texts as they were written, not rendered
	gone  bool           // it is no longer in the store
	facts *askFacts      // nil: not read yet
	box   *overlay.Paper // nil beside the inbox
	drawn int            // percent of it that is drawn there
	// picked: the person went to it, so that a number chooses its option there. Where the inbox has only just been shown, or
	// a decision brought it there, numbers lead to the views.
	picked  bool
	choices int  // rows up to the last of its options
	fits    bool // all of these are drawn beside the inbox
}

// requests is what the workbench knows of those on the screen.
type requests struct {
	aside *asked               // the one beside the inbox
	told  map[toldKey][]string // layouts; nil while one is made
	// differing are requests as an answer was meant for, which ask something else now.
	differing []model.Request
}

// askedOf is a request of which nothing is on the screen.
func (a *App) askedOf(q model.Request) *asked { return &asked{a: a, q: q} }

// requestDialog is a request that is open.
type requestDialog struct {
	dialog.Frame
	a   *App
	ask *asked
}

func (d *requestDialog) Can(action keymap.Action) dialog.Can {
	v, a := d.ask, d.a
	spec, _ := a.deps.Keymap.Spec(action)
	c := dialog.Can{Later: spec.Transition == string(model.AnswerRequest) && v.isFresh()}
	switch action {
	case keymap.RequestOptions: // where every option has a key, these do
		c.No = len(v.q.Options) <= len(a.chooseKeys()) || v.noDecision(model.DecideChoose) != ""
	case keymap.RequestChoose:
		c.No = v.noDecision(model.DecideChoose) != ""
	case keymap.RequestDiff:
		c.No = v.was == nil
	case keymap.RequestTask:
		c.No = a.actions[action].off(a) != ""
	case keymap.Undo:
		c.No = a.noUndoOf(&v.q) != ""
	default:
		for _, o := range askChoices() {
			if o.action == action {
				c.No = v.noDecision(o.decision) != ""
			}
		}
	}
	return c
}

func (d *requestDialog) Do(action keymap.Action) (tea.Cmd, bool) {
	d.ask.box.Say("")
	if spec, _ := d.a.deps.Keymap.Spec(action); slices.Contains(spec.Scopes, keymap.Request) && action != keymap.RequestClose {
		return d.a.run(action), true
	}
	return nil, false
}

// Heard follows the request. One that was answered is closed.
func (d *requestDialog) Heard(news any) tea.Cmd {
	if n, ok := news.(appliedNews); ok && slices.ContainsFunc(n.ops, func(op model.Op) bool {
		return op.Name == model.AnswerRequest && op.Request() == d.ask.q.ID
	}) {
		d.a.dialogs.Drop(d)
	}
	return d.ask.heard(news)
}

func (d *requestDialog) Hosts(box overlay.Overlay, _ int) screen.Rect {
	return dialog.Within(d.Place().Rect, box)
}

// redo draws it anew.
func (v *asked) redo() {
	if v.box != nil {
		v.box.Redo()
	}
}

// percent is how much of it has been on the screen.
func (v *asked) percent() int {
	if v.box != nil {
		return v.box.Percent()
	}
	return v.drawn
}

// tell says something where a request is read.
func (v *asked) tell(words string) tea.Cmd {
	if v.box == nil {
		return v.a.remark(words)
	}
	v.box.Say(words)
	return nil
}

// askFacts is what has to be read about a request.
type askFacts struct {
	events []model.Event // of the task, by who asks, before it was asked; the last ones, oldest first
	err    error
}

// askFactsMsg are the facts of a request, read.
type askFactsMsg struct {
	id    string
	facts *askFacts
}

// lookMsg says that something has been on the screen for lookTime.
type lookMsg struct{}

// requestWith is the request with an id.
func (a *App) requestWith(id string) (model.Request, bool) {
	if a.snap == nil || id == "" {
		return model.Request{}, false
	}
	all := a.snap.Requests()
	if i := slices.IndexFunc(all, func(r model.Request) bool { return r.ID == id }); i >= 0 {
		return all[i], true
	}
	return model.Request{}, false
}

// asking is the request that has the keys: it is open, and nothing lies on it.
func (a *App) asking() *asked {
	if d, ok := a.dialogs.Top().(*requestDialog); ok {
		return d.ask
	}
	return nil
}

// askHere is the request that keys decide on: the open one, or else the one beside the inbox.
func (a *App) askHere() *asked {
	if a.dialogs.Top() != nil {
		return a.asking()
	}
	if _, ok := a.requestLeft(); ok {
		return a.requests.aside
	}
	return nil
}

// askOpen are the requests on the screen.
func (a *App) askOpen() (list []*asked) {
	for _, d := range a.dialogs.All() {
		if d, ok := d.(*requestDialog); ok {
			list = append(list, d.ask)
		}
	}
	if a.requests.aside != nil {
		list = append(list, a.requests.aside)
	}
	return list
}

// hear tells the dialogs and the request beside the inbox what has changed.
func (a *App) hear(news any) tea.Cmd {
	cmd := a.dialogs.Hear(news)
	if v := a.requests.aside; v != nil {
		cmd = tea.Batch(cmd, v.heard(news))
	}
	return cmd
}

// showItem shows on the right what the item under the inbox's cursor asks a person to decide. One that a key brought there
// can be decided on as soon as the keys rest; one that came by itself only after lookTime.
func (a *App) showItem(byKey bool) tea.Cmd {
	p := &a.panes
	none := inbox.Key{}
	if p.view != viewInbox {
		if p.item != none && !p.aside {
			p.detail.Show(p.tab)
		}
		p.item, a.requests.aside = none, nil
		return nil
	}
	key := p.inbox.Key()
	if key == p.item {
		return nil
	}
	picked := byKey && p.item != none
	if picked {
		a.tour.Did(tour.Move, here(a))
	}
	if p.item == none {
		p.tab = p.detail.Tab()
	}
	p.item, p.aside, a.requests.aside = key, false, nil
	if t, ok := a.waitingTab(); ok && a.find.in != view.Searcher(p.detail) {
		p.detail.Show(t)
	}
	item, _ := p.inbox.Item()
	q, ok := a.requestWith(item.Request)
	if !ok {
		return nil
	}
	a.requests.aside = &asked{a: a, q: q.Clone(), since: a.deps.Now(), picked: picked}
	rest := lookTime
	if byKey {
		rest = dialog.QuietTime
	}
	a.requests.aside.since = a.requests.aside.since.Add(rest - lookTime)
	return tea.Batch(a.fx.askFacts(a.requests.aside.q), view.After(rest, lookMsg{}), a.typed.Read(q.TaskUID))
}

// openRequest shows a request whole. Its keys are in the keymap; none of them decides before it
// has been there for lookTime.
func (a *App) openRequest(id string) tea.Cmd {
	q, ok := a.requestWith(id)
	if !ok {
		return a.remark("that request is no longer in the store")
	}
	v := &asked{a: a, q: q.Clone(), since: a.deps.Now()}
	v.box = overlay.NewPaper(a.st, overlay.PaperOptions{
		Title: a.askTitle(&v.q),
		Lines: func(_ *styles, w int) []string { return v.lines(w) },
	})
	v.box.SetExtra(askRisk(&v.q))
	open := a.dialogs.Push(&requestDialog{dialog.Frame{Box: v.box, Scope: keymap.Request}, a, v})
	return tea.Batch(open, a.fx.askFacts(v.q), view.After(lookTime, lookMsg{}), a.typed.Read(v.q.TaskUID))
}

// preview is a request in the pane beside the inbox: as it is where it is opened, in h rows of w cells. What has no
// room is counted.
func (v *asked) preview(w, h int) []string {
	lines := v.lines(w)
	if fits := v.choices < h || len(lines) <= h; fits != v.fits {
		v.fits = fits
		lines = v.lines(w)
	}
	v.drawn = 100 * min(h, len(lines)) / max(1, len(lines))
	if len(lines) > h {
		more := v.a.st.Glyph.Ellipsis + " " + plural(len(lines)-h+1, "more row") + "  " + v.a.keyHint(keymap.Open, "opens it")
		lines = append(lines[:h-1:h-1], text.Truncate(more, w))
	}
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

func (a *App) askTitle(q *model.Request) string {
	if q.Kind == "" {
		return "Request"
	}
	return capital(q.Kind)
}

// isFresh reports whether a request has not been on the screen for long enough.
func (v *asked) isFresh() bool {
	return v.a.deps.Now().Sub(v.since) < lookTime || v.isLaying()
}

// askEvents is how many of the last things that an agent did stand in its request.
const askEvents = 6

// askFacts reads what who asks did just before; of what vespe itself asks, what anybody did.
func (e effects) askFacts(q model.Request) tea.Cmd {
	if q.TaskUID == "" {
		return nil
	}
	return func() tea.Msg {
		events, _, err := e.Store.History(e.ctx, q.TaskUID)
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

// heard follows what becomes of it.
func (v *asked) heard(news any) tea.Cmd {
	switch n := news.(type) {
	case minuteNews:
		v.redo()
	case snapshotNews:
		return v.refresh()
	case askFactsMsg:
		if v.q.ID == n.id {
			v.facts = n.facts
			v.redo()
		}
	case toldMsg: // what was decided on before it was there was decided on unread
		if v.sheet(v.width()).toldKey() != n.key {
			return nil
		}
		v.since = v.a.deps.Now()
		if v.box != nil {
			v.box.Anew()
		}
		return view.After(lookTime, lookMsg{})
	}
	return nil
}

// refresh brings it in line with a new snapshot. Where it asks something else now, it cannot be decided on before that has
// been there for a while, too.
func (v *asked) refresh() tea.Cmd {
	a := v.a
	q, ok := a.requestWith(v.q.ID)
	v.gone = !ok
	v.redo()
	if !ok {
		return nil
	}
	if q.ContentHash() == v.q.ContentHash() {
		v.q = q.Clone()
		return nil
	}
	if v.was == nil {
		was := v.q
		v.was = &was
	}
	v.q, v.since = q.Clone(), a.deps.Now()
	if v.box != nil {
		v.box.Anew()
		v.box.SetExtra(askRisk(&v.q))
	}
	return tea.Batch(v.tell("The request changed a moment ago"+a.orKey(keymap.RequestDiff, "shows what changed")), a.fx.askFacts(v.q), view.After(lookTime, lookMsg{}))
}

// refreshAsks follows the requests that are selected, and those whose answers were refused: what is decided is selected no
// more.
func (a *App) refreshAsks() tea.Cmd {
	for id := range a.panes.asks {
		if q, ok := a.requestWith(id); !ok || !q.IsOpen() {
			delete(a.panes.asks, id)
		}
	}
	return a.showDiffering()
}

// showDiffering shows how requests differ from what an answer was meant for, which the store
// refused.
func (a *App) showDiffering() tea.Cmd {
	var cmds []tea.Cmd
	a.requests.differing = slices.DeleteFunc(a.requests.differing, func(seen model.Request) bool {
		q, ok := a.requestWith(seen.ID)
		if ok && q.ContentHash() == seen.ContentHash() {
			return false // the snapshot is still the old one
		}
		if ok {
			cmds = append(cmds, a.openAskDiff(&seen, &q))
		}
		return true
	})
	return tea.Batch(cmds...)
}

// showAskDiff shows what changed in the request on the screen while it was there.
func (a *App) showAskDiff() tea.Cmd {
	v := a.askHere()
	was := v.was
	v.was = nil
	v.redo()
	return a.openAskDiff(was, &v.q)
}

func (a *App) openAskDiff(was, now *model.Request) tea.Cmd {
	return a.openDiff(diffInput{
		title: "The request changed while it was on screen", oldName: "what you were shown", nowName: "the request now",
		old: []byte(askText(was)), now: []byte(askText(now)),
		then: func() tea.Cmd { // keys may still be coming for what is closed
			if v := a.askHere(); v != nil {
				v.since = a.deps.Now()
				return view.After(lookTime, lookMsg{})
			}
			return nil
		},
	})
}

// openAskOf opens what a task waits for an answer to; with several, the person chooses.
func (a *App) openAskOf() tea.Cmd {
	list := a.asksOf(a.selected())
	if len(list) == 1 {
		return a.openRequest(list[0].ID)
	}
	choices := make([]overlay.Choice, 0, len(list))
	for _, q := range list {
		choices = append(choices, overlay.Choice{ID: q.ID, Title: q.Title, Detail: q.Kind})
	}
	return a.choose("Requests of "+a.name(a.selected()), choices, a.openRequest)
}

// mustOpen reports whether what a task waits for has to be opened to be answered: there is more
// than one request, or one that takes more than words.
func (a *App) mustOpen(uid model.UID) bool {
	list := a.asksOf(uid)
	_, waits := a.waitsForAnswer(uid)
	return waits && (len(list) > 1 || len(list) == 1 && !list[0].TakesWords())
}

// asksOf are the requests about a task that wait.
func (a *App) asksOf(uid model.UID) []model.Request {
	var out []model.Request
	if a.snap == nil || uid == "" {
		return nil
	}
	for _, q := range a.snap.Requests() {
		if q.TaskUID == uid && q.IsOpen() {
			out = append(out, q)
		}
	}
	return out
}
