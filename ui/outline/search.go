package outline

import (
	"strings"

	"vespe/model/snapshot"
	"vespe/ui/rows"
)

// searched are all tasks that the filter leaves, folded ones too: going to a match unfolds what is above it, and folds
// it again when the next letter leads elsewhere.
type searched struct {
	names  []string // folded, by task; nil until something is searched
	order  []int32  // tasks in the order of the tree, folds ignored; nil until needed
	rank   []int32  // task → its place in order
	opened []int32  // unfolded only to show the match
}

// forgetSearched drops what depends on the set of tasks or on the filter.
func (o *Outline) forgetSearched() {
	o.searched.names, o.searched.order, o.searched.rank = nil, nil, nil
	o.Forget()
}

// renamed drops the folded names that are no longer so.
func (o *Outline) renamed(old, now *snapshot.Snapshot) {
	for i := range o.searched.names {
		if name := now.Name(i); old.Name(i) != name {
			o.searched.names[i] = rows.Fold(name)
			o.Forget()
		}
	}
}

// list is the tree as the search needs it: a row a task.
func (o *Outline) list() rows.Searched {
	if o.snap == nil {
		return rows.Searched{Cursor: -1, Place: func() func() { return func() {} }}
	}
	s := &o.searched
	o.prepare()
	l := rows.Searched{Len: len(s.order), Cursor: -1, Folded: o.folded, Go: o.goTo, Place: o.place}
	if i, ok := o.current(); ok {
		l.Cursor = int(s.rank[i])
	}
	return l
}

// prepare makes the names and the order.
func (o *Outline) prepare() {
	s := &o.searched
	if s.order != nil {
		return
	}
	s.names, s.rank, s.order = make([]string, o.snap.Len()), make([]int32, o.snap.Len()), make([]int32, 0, o.snap.Len())
	for i := range s.names {
		s.names[i] = rows.Fold(o.snap.Name(i))
	}
	stack := reversed(nil, o.snap.Roots())
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !o.shown(v) {
			continue
		}
		s.rank[v] = int32(len(s.order))
		s.order = append(s.order, v)
		stack = reversed(stack, o.snap.Children(int(v)))
	}
}

func reversed(dst, list []int32) []int32 {
	for k := len(list) - 1; k >= 0; k-- {
		dst = append(dst, list[k])
	}
	return dst
}

// folded is the name of a task, and its uid where what is looked for may be the beginning of one.
func (o *Outline) folded(row int) string {
	i := o.searched.order[row]
	if q := o.Query(); len(q) >= 4 && strings.Trim(q, "tsk-0123456789abcdef") == "" {
		return o.searched.names[i] + "\n" + string(o.snap.UID(int(i)))
	}
	return o.searched.names[i]
}

// goTo puts the cursor on a task, and unfolds what is above it: for as long as the search is typed, or for good.
func (o *Outline) goTo(row int) {
	if row < 0 {
		return
	}
	var note func(int32)
	if o.Typing() {
		o.refold()
		note = func(p int32) { o.searched.opened = append(o.searched.opened, p) }
	}
	i := o.searched.order[row]
	o.unfoldTo(i, note)
	if r := o.find(i); r >= 0 {
		o.MoveTo(r, 0)
	}
}

// refold folds again what was unfolded only for the last match.
func (o *Outline) refold() {
	open := o.folds()
	for k := len(o.searched.opened) - 1; k >= 0; k-- { // the root-most came last
		i := o.searched.opened[k]
		if r := o.find(i); r >= 0 {
			o.setOpen(r, false)
		} else if int(i) < len(open) {
			open[i] = false
		}
	}
	o.searched.opened = nil
}

// place remembers where the search began, and returns what goes back there.
func (o *Outline) place() func() {
	before := o.spot()
	o.searched.opened = nil
	return func() {
		o.refold()
		o.restore(before)
	}
}
