package ui

import (
	"cmp"
	"slices"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/text"
)

// itemKind says what a part has to do with an item.
type itemKind int

const (
	itemCreate itemKind = iota
	itemModify
	itemTest
	itemCriterion
)

// splitItem is a file or a criterion, of which each is in one part.
type splitItem struct {
	kind itemKind
	at   int // in the task's list of its kind
	text string
}

func (i splitItem) compare(o splitItem) int {
	return cmp.Or(cmp.Compare(i.kind, o.kind), cmp.Compare(i.at, o.at))
}

// splitPart is a part as it stands in its column.
type splitPart struct {
	name, focus string // a name that was given; what it is about
	items       []splitItem
	cur, top    int
}

// piece is the part as the operation takes it.
func (p *splitPart) piece() complexity.Work {
	out := complexity.Work{Title: p.focus}
	for _, i := range p.items {
		switch i.kind {
		case itemCreate:
			out.Create = append(out.Create, i.text)
		case itemModify:
			out.Modify = append(out.Modify, i.text)
		case itemTest:
			out.Tests = append(out.Tests, i.text)
		case itemCriterion:
			out.Criteria = append(out.Criteria, i.text)
		}
	}
	return out
}

// title is the name of the part as a task: the one that was given, or one that is made.
func (p *splitPart) title(whole string, n int) string {
	if p.name != "" {
		return p.name
	}
	return complexity.PieceTitle(whole, n, p.focus)
}

// put adds an item in its order, under the cursor.
func (p *splitPart) put(i splitItem) {
	at, _ := slices.BinarySearchFunc(p.items, i, splitItem.compare)
	p.items = slices.Insert(p.items, at, i)
	p.cur = at
}

// take takes the item under the cursor out.
func (p *splitPart) take() splitItem {
	i := p.items[p.cur]
	p.items = slices.Delete(p.items, p.cur, p.cur+1)
	p.cur = max(0, min(p.cur, len(p.items)-1))
	return i
}

// splitWay is one way of splitting, with what became of its parts.
type splitWay struct {
	way     complexity.Way
	why     string // it gives no two parts: why
	parts   []splitPart
	changed bool
}

// newSplitWay proposes parts. Where there is nothing to propose all is in one, to be taken apart by hand.
func newSplitWay(w complexity.Work, way complexity.Way) splitWay {
	out := splitWay{way: way}
	pieces, err := complexity.Divide(w, way)
	if err != nil {
		out.why = err.Error()
		whole := w
		whole.Title = ""
		pieces = []complexity.Work{whole}
	}
	free := [itemCriterion + 1]map[string][]int{} // where in its list a file stands, which may be twice
	for kind, all := range [][]string{w.Create, w.Modify, w.Tests, w.Criteria} {
		free[kind] = map[string][]int{}
		for at, f := range all {
			free[kind][f] = append(free[kind][f], at)
		}
	}
	for i := range pieces {
		p := splitPart{focus: pieces[i].Title}
		add := func(kind itemKind, own []string) {
			for _, file := range own {
				if at := free[kind][file]; len(at) > 0 {
					p.items = append(p.items, splitItem{kind, at[0], file})
					free[kind][file] = at[1:]
				}
			}
		}
		add(itemCreate, pieces[i].Create)
		add(itemModify, pieces[i].Modify)
		add(itemTest, pieces[i].Tests)
		add(itemCriterion, pieces[i].Criteria)
		slices.SortFunc(p.items, splitItem.compare)
		out.parts = append(out.parts, p)
	}
	return out
}

// made are the parts that have something to do: the others are not made.
func (w *splitWay) made() []int {
	var out []int
	for i := range w.parts {
		if piece := w.parts[i].piece(); !piece.IsEmpty() {
			out = append(out, i)
		}
	}
	return out
}

// decomposition is the parts of a task as the operation takes them. Test files of a part that is not made go with the last.
func (w *splitWay) decomposition(t *model.Task) *model.Decomposition {
	var made []complexity.Work
	var names, left []string
	for i := range w.parts {
		p := &w.parts[i]
		piece := p.piece()
		if piece.IsEmpty() {
			left = append(left, piece.Tests...)
			continue
		}
		made, names = append(made, piece), append(names, p.name)
	}
	if n := len(made); n > 0 {
		made[n-1].Tests = append(made[n-1].Tests, left...)
	}
	p := decompose.Parts(t, made)
	for i, name := range names {
		if name != "" {
			p.Name(i, name)
		}
	}
	return p.Decomposition()
}

// moveItem moves the item under the cursor to another part, and the cursor with it. It says why not.
func (p *splitPage) moveItem(d int) string {
	w := p.now()
	from, to := &w.parts[p.part], p.part+d
	switch {
	case len(from.items) == 0:
		return "There is nothing in this part to be moved."
	case to < 0 || to >= len(w.parts):
		return "There is no part on that side" + p.newHint + "."
	}
	w.parts[to].put(from.take())
	p.part, w.changed = to, true
	return ""
}

// newPart moves the item under the cursor into a part of its own behind the others.
func (p *splitPage) newPart() string {
	w := p.now()
	from := &w.parts[p.part]
	if len(from.items) == 0 {
		return "There is nothing in this part to be moved."
	}
	item := from.take()
	w.parts = append(w.parts, splitPart{items: []splitItem{item}})
	p.part, w.changed = len(w.parts)-1, true
	return ""
}

// swap lets a part be done before or after the one beside it.
func (p *splitPage) swap(d int) string {
	w := p.now()
	to := p.part + d
	if to < 0 || to >= len(w.parts) {
		return map[bool]string{true: "It is the first part already.", false: "It is the last part already."}[d < 0]
	}
	w.parts[p.part], w.parts[to] = w.parts[to], w.parts[p.part]
	p.part, w.changed = to, true
	return ""
}

// reset proposes anew.
func (p *splitPage) reset() string {
	w := p.now()
	if !w.changed {
		return "Nothing was changed."
	}
	*w = newSplitWay(p.work, w.way)
	p.part, p.first = 0, 0
	return ""
}

// scores are what the parts come to; those that are not made have none.
func (p *splitPage) scores() []*complexity.Score {
	w := p.now()
	out := make([]*complexity.Score, len(w.parts))
	for n, i := range w.made() {
		piece := w.parts[i].piece()
		piece.Title, piece.Story = w.parts[i].title(p.work.Title, n), p.work.Story
		s := complexity.Of(piece, p.limits)
		out[i] = &s
	}
	return out
}

// tail is a path cut from the left: its end tells files apart.
func tail(path string, w int, ellipsis string) string {
	n := text.Width(path)
	if n <= w {
		return path
	}
	return ellipsis + text.Slice(path, n-max(0, w-text.Width(ellipsis)), n)
}
