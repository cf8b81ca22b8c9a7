package request

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Asked is a request that is open on the screen, whole.
type Asked struct {
	k       *Requests
	q       model.Request  // as it is on the screen
	was     *model.Request // as it was there before it changed under the reader; nil when it did not
	since   time.Time      // when it came there, or changed
	raw     bool           // the texts as they were written, not rendered
	gone    bool           // it is no longer in the store
	facts   *askFacts      // nil: not read yet
	box     *overlay.Paper // nil beside the inbox
	drawn   int            // percent of it that is drawn there
	choices int            // rows up to the last of its options
	matter  int            // rows up to the last that a decision is about: not who asks, and what else is known
	fits    bool           // all of choices are drawn beside the inbox
	asks    bool           // a choice is asked about
}

// requestDialog is a request that is open.
type requestDialog struct {
	dialog.Frame
	k   *Requests
	ask *Asked
}

func (d *requestDialog) Can(action keymap.Action) dialog.Can {
	v, k := d.ask, d.k
	spec, _ := k.Keymap.Spec(action)
	c := dialog.Can{Later: spec.Transition == string(model.AnswerRequest) && v.isFresh()}
	switch action {
	case keymap.RequestOptions: // where every option has a key, these do
		c.No = len(v.q.Options) <= len(k.chooseKeys()) || v.NoDecision(model.DecideChoose) != ""
	case keymap.RequestChoose:
		c.No = v.NoDecision(model.DecideChoose) != ""
	case keymap.RequestDiff:
		c.No = v.was == nil
	case keymap.RequestTask:
		c.No = k.host.Off(action) != ""
	case keymap.Undo:
		c.No = k.host.NoUndo(&v.q) != ""
	default:
		for _, o := range askChoices() {
			if o.action == action {
				c.No = v.NoDecision(o.decision) != ""
			}
		}
	}
	return c
}

func (d *requestDialog) Do(action keymap.Action) (tea.Cmd, bool) {
	d.ask.box.Say("")
	if spec, _ := d.k.Keymap.Spec(action); slices.Contains(spec.Scopes, keymap.Request) && action != keymap.RequestClose {
		return d.k.host.Run(action), true
	}
	return nil, false
}

// Heard follows the request. One that was answered is closed.
func (d *requestDialog) Heard(news any) tea.Cmd {
	if n, ok := news.(view.Applied); ok && slices.ContainsFunc(n.Ops, func(op model.Op) bool {
		return op.Name == model.AnswerRequest && op.Request() == d.ask.q.ID
	}) {
		d.k.Dialogs.Drop(d)
	}
	return d.ask.heard(news)
}

func (d *requestDialog) Hosts(box overlay.Overlay, _ int) screen.Rect {
	return dialog.Within(d.Place().Rect, box)
}

// redo draws it anew.
func (v *Asked) redo() {
	if v.box != nil {
		v.box.Redo()
	}
}

// percent is how much of it has been on the screen.
func (v *Asked) percent() int {
	if v.box != nil {
		return v.box.Percent()
	}
	return v.drawn
}

// tell says something where a request is read.
func (v *Asked) tell(words string) tea.Cmd {
	if v.box == nil {
		return v.k.remark(words)
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

// preview is a request in the pane beside the inbox: as it is where it is opened, in h rows of w cells. What has no
// room is counted.
func (v *Asked) preview(w, h int) []string {
	lines := v.lines(w)
	if fits := v.choices < h || len(lines) <= h; fits != v.fits {
		v.fits = fits
		lines = v.lines(w)
	}
	v.drawn = 100
	if len(lines) > h {
		v.drawn = 100 * min(h-1, v.matter) / v.matter
		more := v.k.host.Styles().Glyph.Ellipsis + " " + text.Plural(len(lines)-h+1, "more row") + "  " + v.k.host.Hint(keymap.Open, "opens it")
		lines = append(lines[:h-1:h-1], text.Truncate(more, w))
	}
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// isFresh reports whether a request has not been on the screen for long enough.
func (v *Asked) isFresh() bool {
	return v.k.host.Now().Sub(v.since) < LookTime || isLongTold(&v.q) && v.k.told[v.writer(v.width()).toldKey()] == nil
}

// heard follows what becomes of it.
func (v *Asked) heard(news any) tea.Cmd {
	switch n := news.(type) {
	case view.Aged:
		v.redo()
	case view.Adopted:
		return v.refresh()
	case askFactsMsg:
		if v.q.ID == n.id {
			v.facts = n.facts
			v.redo()
		}
	case toldMsg: // what was decided on before it was there was decided on unread
		if v.writer(v.width()).toldKey() != n.key {
			return nil
		}
		v.since = v.k.host.Now()
		if v.box != nil {
			v.box.Anew()
		}
		return view.After(LookTime, lookMsg{})
	}
	return nil
}

// refresh brings it in line with a new snapshot. Where it asks something else now, it cannot be decided on before that has
// been there for a while, too.
func (v *Asked) refresh() tea.Cmd {
	k := v.k
	q, ok := k.With(v.q.ID)
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
	v.q, v.since = q.Clone(), k.host.Now()
	if v.box != nil {
		v.box.Anew()
		v.box.SetExtra(askRisk(&v.q))
	}
	return tea.Batch(v.tell("The request changed a moment ago"+k.orKey(keymap.RequestDiff, "shows what changed")), k.facts(v.q), view.After(LookTime, lookMsg{}))
}
