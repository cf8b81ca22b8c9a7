package board

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/text"
	"vespe/ui/view"
)

// View is the view of the board.
type View struct {
	*view.Base
	list *Board
}

// NewView makes one with these rows.
func NewView(h view.Host, list *Board) *View {
	return &View{Base: view.NewBase(h, list), list: list}
}

// Actions move the cursor from column to column.
func (v *View) Actions() map[keymap.Action]view.Action {
	side := func(d int) view.Action {
		return view.Action{Off: v.NoTasks, Do: func() tea.Cmd {
			v.list.Side(d)
			return v.Moved()
		}}
	}
	return map[keymap.Action]view.Action{keymap.Left: side(-1), keymap.Right: side(1)}
}

// Mouse scrolls the column under it, or moves the cursor to a card.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	if m.Did == view.Wheel {
		v.list.WheelAt(m.X, m.By)
		return false, nil
	}
	return v.Base.Mouse(m)
}

// Says tells how many tasks somebody is at, and what the filter leaves out.
func (v *View) Says() (title, header string) {
	total := v.Snapshot().Total()
	if n := total.UnderWay(); n > 0 {
		title = text.Count(n) + " under way"
	}
	if shown, all := v.list.Counted(); shown < all {
		if title != "" {
			title += " " + v.list.Styles.Glyph.Dot + " "
		}
		title += fmt.Sprintf("%s of %s", text.Count(shown), text.Count(all))
	}
	return title, ""
}
