package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
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
	box   *overlay.Paper
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
	v.box.SetHints("") // the last row has them
	v.box.SetExtra(askRisk(&v.q))
	open := a.push(&dialog{box: v.box, scope: keymap.Request, ask: v, on: nothing})
	return tea.Batch(open, a.fx.askFacts(v.q), a.fx.look(), a.readWords(v.q.TaskUID))
}

// askPreview is a request in the pane beside the inbox: as it is where it is opened, in h rows of w cells. What has no
// room is counted.
func (a *App) askPreview(q *model.Request, w, h int) []string {
	lines := a.askLines(&asked{q: q.Clone(), since: a.deps.Now()}, w)
	if len(lines) > h {
		more := a.st.Glyph.Ellipsis + " " + plural(len(lines)-h+1, "more row") + "  " + a.keyHint(keymap.Open, "opens it")
		lines = append(lines[:h-1:h-1], text.Truncate(more, w))
	}
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// denyHere denies the request that is open, or the one under the cursor of the inbox, which is opened by that.
func (a *App) denyHere() tea.Cmd {
	if v := a.asking(); v != nil {
		return a.askWords(v, model.DecideDeny)
	}
	q, _ := a.request()
	open := a.openRequest(q.ID)
	if v := a.asking(); v != nil {
		return tea.Batch(open, a.askWords(v, model.DecideDeny))
	}
	return open
}

func (a *App) noDeny() string {
	if a.asking() != nil {
		return a.noAsk(model.DecideDeny)
	}
	q, on := a.request()
	if !on {
		return "no request under the cursor"
	}
	return a.noDecision(&asked{q: q}, model.DecideDeny)
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
func (e effects) look() tea.Cmd {
	return tea.Tick(lookTime, func(time.Time) tea.Msg { return lookMsg{} })
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
	for _, d := range a.dialogs {
		if d.ask != nil && d.ask.q.ID == m.id {
			d.ask.facts = m.facts
			d.ask.box.Redo()
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
	for _, d := range a.dialogs {
		v := d.ask
		if v == nil {
			continue
		}
		q, ok := a.requestWith(v.q.ID)
		v.gone = !ok
		v.box.Redo()
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
		v.box.Anew()
		v.box.SetExtra(askRisk(&v.q))
		v.box.Say("The request changed a moment ago" + a.orKey(keymap.RequestDiff, "shows what changed"))
		cmds = append(cmds, a.fx.askFacts(v.q), a.fx.look())
	}
	return tea.Batch(append(cmds, a.showDiffering())...)
}

// redoAsked lets the times in open requests grow.
func (a *App) redoAsked() {
	for _, d := range a.dialogs {
		if d.ask != nil {
			d.ask.box.Redo()
		}
	}
}

// watchCursor does what may put another item of the inbox under the cursor. Such a one cannot be
// decided on at once: the key was meant for the one before.
func (a *App) watchCursor(do func() bool) bool {
	if a.panes.view != viewInbox {
		return do()
	}
	before, was := a.panes.inbox.Item()
	changed := do()
	if after, is := a.panes.inbox.Item(); is && after.Request != "" && (!was || after.Request != before.Request) {
		a.arrived = a.deps.Now()
	}
	return changed
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
	v := a.asking()
	was := v.was
	v.was = nil
	v.box.Redo()
	return a.openAskDiff(was, &v.q)
}

func (a *App) openAskDiff(was, now *model.Request) tea.Cmd {
	return a.openDiff(diffInput{
		title: "The request changed while it was on screen", oldName: "what you were shown", nowName: "the request now",
		old: []byte(askText(was)), now: []byte(askText(now)),
		then: func(a *App) tea.Cmd { // keys may still be coming for what is closed
			if v := a.asking(); v != nil {
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
