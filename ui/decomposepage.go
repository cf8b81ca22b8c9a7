package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// decomposePage is an overlay: the subtasks that a task could be decomposed into, and the details of the one under the
// cursor. Each source keeps what was done to its subtasks.
type decomposePage struct {
	st      *style.Styles
	task    *model.Task
	limits  complexity.Limits
	sources []*subtaskSource
	at      int // of sources
	scores  []complexity.Score
	cycles  [][]string
	lines   []subtaskLine // of the list
	cur     int           // of lines
	win     rows.Window
	top     int // of the details
	over    int // rows of them that are not in view
	say     string
	names   func(model.UID) string
	after   string // who waits for the task

	hints         struct{ split, more, newPart string }
	listAt, listW int // where the list lay in the last View
}

// subtaskSource is where subtasks come from: the plan, or a way of dividing the task's own work.
type subtaskSource struct {
	label   string
	p       *decompose.Proposal // nil if the plan lists none
	why     []string            // why it lists none
	changed bool
}

// subtaskLine is a row of the list: a subtask, one of its files or criteria, or the name of a milestone above some.
type subtaskLine struct {
	item  int // -1 for a heading
	piece int // of the item; -1 for the item itself
	text  string
}

var _ overlay.Overlay = (*decomposePage)(nil)

func (p *decomposePage) now() *subtaskSource { return p.sources[p.at] }
func (p *decomposePage) isPlan() bool        { return p.now().label == "plan" }

// item is the place of the subtask under the cursor.
func (p *decomposePage) item() int { return p.lines[p.cur].item }

// divide proposes parts of the task's own work anew, where it can be divided. At first the page shows the tasks of the plan,
// or else the way that is suggested.
func (p *decomposePage) divide(t *model.Task, can bool) {
	first := p.task == nil
	if p.task = t; len(p.sources) > 0 && p.sources[0].label == "plan" {
		p.sources = p.sources[:1]
	} else {
		p.sources = nil
	}
	n := len(p.sources)
	if can {
		ways, at := decompose.Ways(t, p.limits)
		for _, w := range ways {
			p.sources = append(p.sources, &subtaskSource{label: string(w.Form), p: w})
		}
		if first && (n == 0 || p.sources[0].p == nil) {
			p.at = n + at
		}
	}
}

// show shows another source.
func (p *decomposePage) show(at int) string {
	n := len(p.sources)
	p.at, p.cur, p.top = (at+n)%n, 0, 0
	p.measure()
	return ""
}

// set puts a source in place of the one that has its label.
func (p *decomposePage) set(source *subtaskSource) {
	for i := range p.sources {
		if p.sources[i].label == source.label {
			p.sources[i] = source
			p.show(i)
		}
	}
}

// edited follows a change.
func (p *decomposePage) edited() {
	p.now().changed = true
	p.measure()
}

// measure sets scores, cycles, and the rows of the list. The files and criteria of parts have rows of their own.
func (p *decomposePage) measure() {
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
		p.scores[i] = complexity.Of(it.Work, p.limits)
		if it.Milestone != stone {
			if stone = it.Milestone; stone != "" {
				p.lines = append(p.lines, subtaskLine{-1, -1, stone})
			}
		}
		p.lines = append(p.lines, subtaskLine{i, -1, ""})
		if p.isPlan() {
			continue
		}
		for k, piece := range it.Pieces() {
			p.lines = append(p.lines, subtaskLine{i, k, piece.Text})
		}
	}
	p.move(0)
}

func (p *decomposePage) SetStyles(st *style.Styles)         { p.st = st }
func (p *decomposePage) HandlePaste(string) overlay.Outcome { return overlay.Ignored{} }

// Size is as high as the list needs, so that it stays what it is while the cursor moves.
func (p *decomposePage) Size(w, h int) (int, int) {
	need := max(32, len(p.lines)+subtasksHead+2)
	if h < need+10 {
		return w, h // a few rows below it would be no sight
	}
	return w, need
}

func (p *decomposePage) Wheel(d int) overlay.Outcome {
	p.move(d)
	return overlay.Stayed{}
}

// move moves the cursor, which is never on a heading.
func (p *decomposePage) move(d int) {
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

func (p *decomposePage) scroll(d int) string {
	p.top = max(0, min(p.top+d*3, p.top+p.over))
	return ""
}

// toggle leaves a subtask out, or takes it in again.
func (p *decomposePage) toggle() string {
	if !p.now().p.Toggle(p.item()) {
		return capital(p.now().p.Fates[p.item()].Why) + "."
	}
	p.edited()
	return ""
}

// split cuts the subtask under the cursor into parts.
func (p *decomposePage) split() string {
	i := p.item()
	if f := &p.now().p.Fates[i]; f.Fixed && p.isPlan() {
		return capital(f.Why) + "."
	}
	way := complexity.Suggest(p.scores[i])
	if err := p.now().p.Split(i, way); err != nil {
		return capital(err.Error()) + "."
	}
	p.edited()
	return "Split by " + string(way) + ". " + capital(detail.ScoreWords(&p.scores[i])) + " is the first part."
}

// moveItem moves the file or criterion under the cursor to the part beside it, and the cursor with it.
func (p *decomposePage) moveItem(d int) string {
	to := p.item() + d
	if to < 0 || to >= len(p.now().p.Items) {
		return "No part on that side" + p.hints.newPart + "."
	}
	return p.moveTo(to)
}

func (p *decomposePage) newPart() string { return p.moveTo(len(p.now().p.Items)) }

func (p *decomposePage) moveTo(to int) string {
	line := p.lines[p.cur]
	switch {
	case p.isPlan():
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
func (p *decomposePage) goTo(item, piece int) {
	for row, l := range p.lines {
		if l.item == item && l.piece == piece {
			p.cur = row
		}
	}
}

// swap lets a part be done before or after the one beside it.
func (p *decomposePage) swap(d int) string {
	line := p.lines[p.cur]
	to := line.item + d
	switch {
	case p.isPlan():
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
func (p *decomposePage) HandleKey(k tea.KeyPressMsg) overlay.Outcome {
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
func (p *decomposePage) Click(x, y int) overlay.Outcome {
	x, y = x-2, y-1
	if y == 0 {
		for i, at := 0, 0; i < len(p.sources); i++ {
			next := at + text.Width(p.sourceLabel(i)) + 1
			if x >= at && x < next {
				p.say = p.show(i)
				break
			}
			at = next
		}
		return overlay.Stayed{}
	}
	y -= p.listAt
	if k := p.win.Top + y; y >= 0 && x >= 0 && x < p.listW && k < len(p.lines) && p.lines[k].item >= 0 {
		p.cur, p.top, p.say = k, 0, ""
		if p.isPlan() && x >= subtasksGutter && x < subtasksGutter+3 {
			p.say = p.toggle()
		}
	}
	return overlay.Stayed{}
}
