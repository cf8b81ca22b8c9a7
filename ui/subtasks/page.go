// Package subtasks is the page on which a person sees what a task could be decomposed into, and changes it: the tasks that its
// plan lists, or parts of its own work. It decides nothing and asks nobody: whoever opened it takes the proposal that it shows.
package subtasks

import (
	"reflect"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/detail"
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
	// What keys do: one that splits a subtask, one that scrolls its details, and one that makes another part.
	Split, More, NewPart string
}

// Page is an overlay: the subtasks that a task could be decomposed into, and the details of the one under the
// cursor. Each source keeps what was done to its subtasks.
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
	label   string
	p       *decompose.Proposal // nil if the plan lists none
	why     []string            // why it lists none
	changed bool
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

// Proposal is what is shown; nil if the plan lists nothing.
func (p *Page) Proposal() *decompose.Proposal { return p.now().p }

// Score is how complex a subtask is.
func (p *Page) Score(i int) *complexity.Score { return &p.scores[i] }

// Read shows the tasks of a plan that was read again.
func (p *Page) Read(plan *Source) {
	p.set(plan)
	p.say = "The plan was read again."
}

// Name gives a subtask another name.
func (p *Page) Name(i int, name string) {
	p.now().p.Name(i, name)
	p.edited()
}

// Reset proposes the parts of a task anew; of a plan's tasks there is no other proposal.
func (p *Page) Reset(t *model.Task) {
	if !p.now().changed {
		p.say = "Nothing was changed."
		return
	}
	p.set(&Source{label: p.now().label, p: decompose.Divide(t, complexity.Way(p.now().label))})
}

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
	default:
		if p.now().p != nil {
			p.say = p.change(action)
		}
	}
}

// change changes the proposal, or says why it does not.
func (p *Page) change(action keymap.Action) string {
	switch action {
	case keymap.DecomposeToggle:
		return p.toggle()
	case keymap.DecomposeSplit:
		return p.split()
	case keymap.DecomposeItemUp:
		return p.moveItem(-1)
	case keymap.DecomposeItemDown:
		return p.moveItem(1)
	case keymap.DecomposeItemNew:
		return p.moveTo(len(p.now().p.Items))
	case keymap.DecomposeEarlier:
		return p.swap(-1)
	case keymap.DecomposeLater:
		return p.swap(1)
	}
	return ""
}

// Lacks reports whether an action does nothing to what is shown.
func (p *Page) Lacks(action keymap.Action) bool {
	switch action {
	case keymap.DecomposeNext:
		return len(p.sources) < 2
	case keymap.DecomposeToggle:
		return !p.IsPlan() || p.now().p == nil
	case keymap.DecomposeItemUp, keymap.DecomposeItemDown, keymap.DecomposeItemNew, keymap.DecomposeEarlier, keymap.DecomposeLater:
		return p.IsPlan()
	case keymap.DecomposeSplit, keymap.DecomposeName, keymap.DecomposeAccept:
		return p.now().p == nil
	}
	return false
}

// line is a row of the list: a subtask, one of its files or criteria, or the name of a milestone above some.
type line struct {
	item  int // -1 for a heading
	piece int // of the item; -1 for the item itself
	text  string
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
			p.sources = append(p.sources, &Source{label: string(w.Form), p: w})
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

// set puts a source in place of the one that has its label.
func (p *Page) set(source *Source) {
	for i := range p.sources {
		if p.sources[i].label == source.label {
			p.sources[i] = source
			p.show(i)
		}
	}
}

// edited follows a change.
func (p *Page) edited() {
	p.now().changed = true
	p.measure()
}

// measure sets scores, cycles, and the rows of the list. The files and criteria of parts have rows of their own.
func (p *Page) measure() {
	p.lines, p.scores, p.cycles, p.top = p.lines[:0], nil, nil, 0
	from := p.now().p
	if from == nil {
		return
	}
	p.scores = make([]complexity.Score, len(from.Items))
	p.cycles = from.Cycles()
	stone := ""
	for i := range from.Items {
		it := &from.Items[i]
		p.scores[i] = complexity.Of(it.Work, p.o.Limits)
		if it.Milestone != stone {
			if stone = it.Milestone; stone != "" {
				p.lines = append(p.lines, line{-1, -1, stone})
			}
		}
		p.lines = append(p.lines, line{i, -1, ""})
		if p.IsPlan() {
			continue
		}
		for k, piece := range it.Pieces() {
			p.lines = append(p.lines, line{i, k, piece.Text})
		}
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
	p.edited()
	return ""
}

// split cuts the subtask under the cursor into parts.
func (p *Page) split() string {
	i := p.Current()
	if f := &p.now().p.Fates[i]; f.Fixed && p.IsPlan() {
		return text.Capital(f.Why) + "."
	}
	way := complexity.Suggest(p.scores[i])
	if err := p.now().p.Split(i, way); err != nil {
		return text.Capital(err.Error()) + "."
	}
	p.edited()
	return "Split by " + string(way) + ". " + text.Capital(detail.ScoreWords(&p.scores[i])) + " is the first part."
}

// moveItem moves the file or criterion under the cursor to the part beside it, and the cursor with it.
func (p *Page) moveItem(d int) string {
	to := p.Current() + d
	if to < 0 || to >= len(p.now().p.Items) {
		return "No part on that side" + p.o.NewPart + "."
	}
	return p.moveTo(to)
}

func (p *Page) moveTo(to int) string {
	line := p.lines[p.cur]
	switch {
	case p.IsPlan():
		return "The plan says what belongs to each task."
	case line.piece < 0:
		return "Put the cursor on the file or criterion to move."
	}
	k := p.now().p.Move(line.item, line.piece, to)
	p.edited()
	p.goTo(to, k)
	return ""
}

// goTo puts the cursor on an item, or on one of its files and criteria.
func (p *Page) goTo(item, piece int) {
	for row, l := range p.lines {
		if l.item == item && l.piece == piece {
			p.cur = row
		}
	}
}

// swap lets a part be done before or after the one beside it.
func (p *Page) swap(d int) string {
	line := p.lines[p.cur]
	to := line.item + d
	switch {
	case p.IsPlan():
		return "The plan says which task waits for which."
	case to < 0 || to >= len(p.now().p.Items):
		return map[bool]string{true: "It is the first part already.", false: "It is the last part already."}[d < 0]
	}
	p.now().p.Swap(line.item, to)
	p.edited()
	p.goTo(to, line.piece)
	return ""
}

// HandleKey implements overlay.Overlay: what every list has. The rest are actions of its scope.
func (p *Page) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
	page := p.win.Page()
	switch k.String() {
	case "esc":
		return overlay.Cancelled{}
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
