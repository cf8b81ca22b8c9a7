package outline

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/text"
	"vespe/ui/view"
)

// View is the view of the tree.
type View struct {
	*view.Base
	list *Outline
}

// NewView makes one with these rows.
func NewView(h view.Host, list *Outline) *View { return &View{view.NewBase(h, list), list} }

// Mouse moves the cursor, folds and unfolds.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	if m.Did == view.Click {
		return v.list.Click(m.X, m.Y) == HitRow, nil
	}
	return v.Base.Mouse(m)
}

// Says tells how many tasks pass the filter.
func (v *View) Says() (title, header string) {
	if n, total, on := v.list.Filtered(); on {
		title = fmt.Sprintf("%s of %s", text.Count(n), text.Count(total))
	}
	return title, ""
}

// Actions fold and unfold.
func (v *View) Actions() map[keymap.Action]view.Action {
	do := func(f func()) view.Action {
		return view.Action{Do: func() tea.Cmd { f(); return v.Moved() }}
	}
	return map[keymap.Action]view.Action{
		keymap.Left:      do(v.list.Left),
		keymap.Right:     do(v.list.Right),
		keymap.FoldAll:   do(v.list.FoldAll),
		keymap.UnfoldAll: do(v.list.UnfoldAll),
	}
}
