// Package subtasks is the page that shows what a task could be decomposed into: the tasks that its plan lists, some of
// which can be left out, or parts of its own work. It changes nothing: the caller creates what the page proposes.
package subtasks

import (
	"reflect"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/overlay"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Options are what a page is made of.
type Options struct {
	Limits complexity.Limits
	Names  func(model.UID) string
	After  string // who waits for the task
	More   string // what a key does: it scrolls the details
}

// Page is an overlay: the subtasks that a task could be decomposed into, and the details of the one under the
// cursor.
type Page struct {
	o             Options
	st            *style.Styles
	task          *model.Task
	sources       []*Source
	at            int // of sources
	scores        []complexity.Score
	cycles        [][]string
	lines         []line // of the list
	cur           int    // of lines
	win           rows.Window
	top           int // of the details
	over          int // rows of them that are not in view
	say           string
	listAt, listW int // where the list lay in the last View
}

// Source is where subtasks come from: the plan, or a way of dividing the task's own work.
type Source struct {
	label string
	p     *decompose.Proposal // nil if it gives none
	why   []string            // why it gives none
}

// Plan is the source of what a plan lists. Where that is nothing, p is nil and why says why.
func Plan(p *decompose.Proposal, why []string) *Source { return &Source{label: "plan", p: p, why: why} }

// New makes the page of a task with the tasks of its plan, nil for none, and with parts of its own work where that can be
// divided.
func New(st *style.Styles, t *model.Task, plan *Source, divides bool, o Options) *Page {
	p := &Page{st: st, o: o}
	if plan != nil {
		p.sources = append(p.sources, plan)
	}
	p.divide(t, divides)
	p.measure()
	return p
}

// Task is the one that is decomposed.
func (p *Page) Task() *model.Task { return p.task }

// Say says something in answer to a key; "" for nothing.
func (p *Page) Say(s string) { p.say = s }

// Proposal is what is shown; nil if the source gives no subtasks.
func (p *Page) Proposal() *decompose.Proposal { return p.now().p }

// Score is how complex a subtask is.
func (p *Page) Score(i int) *complexity.Score { return &p.scores[i] }

// Update proposes parts anew if the task's files or criteria have changed, and reports whether it did: the key was
// meant for what stood there.
func (p *Page) Update(t *model.Task) bool {
	if p.IsPlan() || reflect.DeepEqual(t.Work(), p.task.Work()) {
		return false
	}
	p.divide(t, true)
	p.show(p.at)
	p.say = "The task changed: its parts are proposed again."
	return true
}

// Nothing is said of a source that gives no subtasks.
const Nothing = "There is nothing to create here. List the tasks in the plan, or look at another source."

// Do does an action on what is shown.
func (p *Page) Do(action keymap.Action) {
	switch action {
	case keymap.DecomposeNext:
		p.show(p.at + 1)
	case keymap.DecomposePrev:
		p.show(p.at - 1)
	case keymap.DecomposeDown:
		p.scroll(1)
	case keymap.DecomposeUp:
		p.scroll(-1)
	case keymap.DecomposeToggle:
		p.say = Nothing
		if p.now().p != nil {
			p.say = p.toggle()
		}
	}
}

// Lacks reports whether an action does nothing to what is shown.
func (p *Page) Lacks(action keymap.Action) bool {
	switch action {
	case keymap.DecomposeNext:
		return len(p.sources) < 2
	case keymap.DecomposeToggle:
		return !p.IsPlan() || p.now().p == nil
	case keymap.DecomposeAccept:
		return p.now().p == nil
	}
	return false
}

// line is a row of the list: a subtask, or the name of a milestone above some.
type line struct {
	item int    // -1 for a heading
	text string // of a heading
}

var _ overlay.Overlay = (*Page)(nil)

func (p *Page) now() *Source { return p.sources[p.at] }

// IsPlan reports that the tasks of the plan are shown.
func (p *Page) IsPlan() bool { return p.now().label == "plan" }

// Current is the place of the subtask under the cursor.
func (p *Page) Current() int { return p.lines[p.cur].item }

// divide proposes parts of the task's own work anew, where it can be divided. At first the page shows the tasks of the plan,
// or else the way that is suggested.
func (p *Page) divide(t *model.Task, can bool) {
	first := p.task == nil
	if p.task = t; len(p.sources) > 0 && p.sources[0].label == "plan" {
		p.sources = p.sources[:1]
	} else {
		p.sources = nil
	}
	n := len(p.sources)
	if can {
		ways, at := decompose.Ways(t, p.o.Limits)
		for _, w := range ways {
			source := &Source{label: string(w.Form), p: w}
			if w.Why != "" {
				source.p, source.why = nil, []string{text.Capital(w.Why) + "."}
			}
			p.sources = append(p.sources, source)
		}
		if first && (n == 0 || p.sources[0].p == nil) {
			p.at = n + at
		}
	}
}

// show shows another source.
func (p *Page) show(at int) {
	n := len(p.sources)
	p.at, p.cur, p.top = (at+n)%n, 0, 0
	p.measure()
	p.say = ""
}

// measure sets scores, cycles, and the rows of the list.
func (p *Page) measure() {
	p.lines, p.scores, p.cycles, p.top = p.lines[:0], nil, nil, 0
	from := p.now().p
	if from == nil {
		return
	}
	p.scores = make([]complexity.Score, len(from.Items))
	p.cycles = from.Cycles()
	milestone := ""
	for i := range from.Items {
		it := &from.Items[i]
		p.scores[i] = complexity.Of(it.Work, p.o.Limits)
		if it.Milestone != milestone {
			if milestone = it.Milestone; milestone != "" {
				p.lines = append(p.lines, line{-1, milestone})
			}
		}
		p.lines = append(p.lines, line{i, ""})
	}
	p.move(0)
}

// SetStyles implements overlay.Overlay.
func (p *Page) SetStyles(st *style.Styles) { p.st = st }

// HandlePaste implements overlay.Overlay.
func (p *Page) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }

// Size is as high as the list needs, so that it stays what it is while the cursor moves.
func (p *Page) Size(w, h int) (int, int) {
	need := max(32, len(p.lines)+subtasksHead+2)
	if h < need+10 {
		return w, h // a few rows below it would be no sight
	}
	return w, need
}

// Wheel implements overlay.Overlay.
func (p *Page) Wheel(d int) overlay.Outcome {
	p.move(d)
	return overlay.Stayed{}
}

// move moves the cursor, which is never on a heading.
func (p *Page) move(d int) {
	n := len(p.lines)
	if n == 0 {
		p.cur = 0
		return
	}
	p.cur = max(0, min(p.cur+d, n-1))
	for step := 1; p.lines[p.cur].item < 0; p.cur += step {
		if d < 0 && p.cur > 0 {
			step = -1
		}
	}
	p.top, p.say = 0, ""
}

func (p *Page) scroll(d int) { p.top = max(0, min(p.top+d*3, p.top+p.over)) }

// toggle leaves a subtask out, or takes it in again.
func (p *Page) toggle() string {
	if !p.now().p.Toggle(p.Current()) {
		return text.Capital(p.now().p.Fates[p.Current()].Why) + "."
	}
	p.measure()
	return ""
}

// HandleKey implements overlay.Overlay: what every list has. The rest are actions of its scope.
func (p *Page) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	page := p.win.Page()
	switch k.String() {
	case "esc":
		return overlay.Canceled{}
	case "up":
		p.move(-1)
	case "down":
		p.move(1)
	case "pgup":
		p.move(-page)
	case "pgdown":
		p.move(page)
	case "ctrl+u":
		p.move(-max(1, page/2))
	case "ctrl+d":
		p.move(max(1, page/2))
	case "home":
		p.move(-len(p.lines))
	case "end":
		p.move(len(p.lines))
	default:
		return overlay.Ignored{}
	}
	return overlay.Stayed{}
}

// Click puts the cursor on a row, and shows the source that was clicked; on the box of a subtask it leaves it out, or
// takes it in.
func (p *Page) Click(x, y int) overlay.Outcome {
	x, y = x-2, y-1
	if y == 0 {
		for i, at := 0, 0; i < len(p.sources); i++ {
			next := at + text.Width(p.sourceLabel(i)) + 1
			if x >= at && x < next {
				p.show(i)
				break
			}
			at = next
		}
		return overlay.Stayed{}
	}
	y -= p.listAt
	if k := p.win.Top + y; y >= 0 && x >= 0 && x < p.listW && k < len(p.lines) && p.lines[k].item >= 0 {
		p.cur, p.top, p.say = k, 0, ""
		if p.IsPlan() && x >= subtasksGutter && x < subtasksGutter+3 {
			p.say = p.toggle()
		}
	}
	return overlay.Stayed{}
}
