package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/inbox"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// lookTime is how long a request has to have been on the screen before a key decides on it.
const lookTime = 700 * time.Millisecond

// asked is a request that is open on the screen, whole.
type asked struct {
	q     model.Request  // as it is on the screen
	was   *model.Request // as it was there before it changed under the reader; nil when it did not
	since time.Time      // when it came there, or changed
	raw   bool           // the texts as they were written, not rendered
	gone  bool           // it is no longer in the store
	facts *askFacts      // nil: not read yet
	box   *overlay.Paper // nil beside the inbox
	drawn int            // percent of it that is drawn there
	// picked: the person went to it, so that a number chooses its option there. Where the inbox has only just been shown,
	// numbers lead to the views.
	picked bool
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
func (v *asked) tell(a *App, words string) tea.Cmd {
	if v.box == nil {
		return a.remark(words)
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
	if d := a.top(); d != nil {
		return d.ask
	}
	return nil
}

// askHere is the request that keys decide on: the open one, or else the one beside the inbox.
func (a *App) askHere() *asked {
	if a.top() != nil {
		return a.asking()
	}
	if _, ok := a.requestLeft(); ok {
		return a.aside
	}
	return nil
}

// askOpen are the requests on the screen.
func (a *App) askOpen() (list []*asked) {
	for _, d := range a.dialogs {
		if d.ask != nil {
			list = append(list, d.ask)
		}
	}
	if a.aside != nil {
		list = append(list, a.aside)
	}
	return list
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
		p.item, a.aside = none, nil
		return nil
	}
	key := p.inbox.Key()
	if key == p.item {
		return nil
	}
	picked := byKey || p.advance
	if p.item == none {
		p.tab, picked = p.detail.Tab(), false
	}
	p.item, p.aside, a.aside = key, false, nil
	if t, ok := a.waitingTab(); ok && a.find.in != searcher(p.detail) {
		p.detail.Show(t)
	}
	item, _ := p.inbox.Item()
	q, ok := a.requestWith(item.Request)
	if !ok {
		return nil
	}
	a.aside = &asked{q: q.Clone(), since: a.deps.Now(), picked: picked}
	rest := lookTime
	if byKey {
		rest = quietTime
	}
	a.aside.since = a.aside.since.Add(rest - lookTime)
	return tea.Batch(a.fx.askFacts(a.aside.q), a.fx.lookFor(rest), a.readWords(q.TaskUID))
}

// openRequest shows a request whole. Its keys are in the keymap; none of them decides before it
// has been there for lookTime.
func (a *App) openRequest(id string) tea.Cmd {
	q, ok := a.requestWith(id)
	if !ok {
		return a.remark("that request is no longer in the store")
	}
	v := &asked{q: q.Clone(), since: a.deps.Now()}
	v.box = overlay.NewPaper(a.st, overlay.PaperOptions{
		Title: a.askTitle(&v.q),
		Lines: func(_ *styles, w int) []string { return a.askLines(v, w) },
	})
	v.box.SetExtra(askRisk(&v.q))
	open := a.push(&dialog{box: v.box, scope: keymap.Request, ask: v, on: nothing})
	return tea.Batch(open, a.fx.askFacts(v.q), a.fx.look(), a.readWords(v.q.TaskUID))
}

// askPreview is a request in the pane beside the inbox: as it is where it is opened, in h rows of w cells. What has no
// room is counted.
func (a *App) askPreview(v *asked, w, h int) []string {
	lines := a.askLines(v, w)
	v.drawn = 100 * min(h, len(lines)) / max(1, len(lines))
	if len(lines) > h {
		more := a.st.Glyph.Ellipsis + " " + plural(len(lines)-h+1, "more row") + "  " + a.keyHint(keymap.Open, "opens it")
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
func (a *App) isFresh(v *asked) bool {
	return a.deps.Now().Sub(v.since) < lookTime || a.isLaying(v)
}

// look is sent when what has come on the screen now can be decided on.
func (e effects) look() tea.Cmd { return e.lookFor(lookTime) }

func (e effects) lookFor(t time.Duration) tea.Cmd {
	return tea.Tick(t, func(time.Time) tea.Msg { return lookMsg{} })
}

// askEvents is how many of the last things that an agent did stand in its request.
const askEvents = 6

// askFacts reads what who asks did just before; of what vespe itself asks, what anybody did.
func (e effects) askFacts(q model.Request) tea.Cmd {
	if q.TaskUID == "" {
		return nil
	}
	return func() tea.Msg {
		events, _, err := e.store.History(e.ctx, q.TaskUID)
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

func (a *App) onAskFacts(m askFactsMsg) tea.Cmd {
	for _, v := range a.askOpen() {
		if v.q.ID == m.id {
			v.facts = m.facts
			v.redo()
		}
	}
	return nil
}

// refreshAsked brings the requests on the screen in line with a new snapshot. One that asks
// something else now cannot be decided on before that has been there for a while, too.
func (a *App) refreshAsked() tea.Cmd {
	var cmds []tea.Cmd
	for id := range a.panes.asks { // what is decided is selected no more
		if q, ok := a.requestWith(id); !ok || !q.IsOpen() {
			delete(a.panes.asks, id)
		}
	}
	for _, v := range a.askOpen() {
		q, ok := a.requestWith(v.q.ID)
		v.gone = !ok
		v.redo()
		if !ok {
			continue
		}
		if q.ContentHash() == v.q.ContentHash() {
			v.q = q.Clone()
			continue
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
		cmds = append(cmds, v.tell(a, "The request changed a moment ago"+a.orKey(keymap.RequestDiff, "shows what changed")))
		cmds = append(cmds, a.fx.askFacts(v.q), a.fx.look())
	}
	return tea.Batch(append(cmds, a.showDiffering())...)
}

// redoAsked lets the times in open requests grow.
func (a *App) redoAsked() {
	for _, v := range a.askOpen() {
		v.redo()
	}
}

// showDiffering shows how requests differ from what an answer was meant for, which the store
// refused.
func (a *App) showDiffering() tea.Cmd {
	var cmds []tea.Cmd
	a.differing = slices.DeleteFunc(a.differing, func(seen model.Request) bool {
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
		then: func(a *App) tea.Cmd { // keys may still be coming for what is closed
			if v := a.askHere(); v != nil {
				v.since = a.deps.Now()
				return a.fx.look()
			}
			return nil
		},
	})
}

// closeAsked takes the requests that were decided on off the screen.
func (a *App) closeAsked(ops []model.Op) {
	for _, op := range ops {
		if op.Name != model.AnswerRequest {
			continue
		}
		for _, d := range slices.Clone(a.dialogs) {
			if d.ask != nil && d.ask.q.ID == op.Request() {
				a.drop(d)
			}
		}
	}
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
	return a.choose("Requests of "+a.name(a.selected()), choices, (*App).openRequest)
}

// mustOpen reports whether what a task waits for has to be opened to be answered: there is more
// than one request, or one that takes more than words.
func (a *App) mustOpen(uid model.UID) bool {
	list := a.asksOf(uid)
	_, waits := a.waitsForAnswer(uid)
	return waits && (len(list) > 1 || len(list) == 1 && !list[0].TakesWords())
}

// choose lets the person take one of a few.
func (a *App) choose(title string, choices []overlay.Choice, then func(*App, string) tea.Cmd) tea.Cmd {
	box := overlay.NewPicker(a.st, overlay.PickerOptions{Title: title, Placeholder: "type to search", Choices: choices})
	return a.push(&dialog{box: box, scope: keymap.Picker, on: func(a *App, out overlay.Outcome) tea.Cmd {
		if p, ok := out.(overlay.Picked); ok {
			return then(a, p.ID)
		}
		return nil
	}})
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
