package rows

import (
	"vespe/model"
	"vespe/ui/style"
)

// Pane is what the root tells every view. A view has it by embedding, and draws itself anew when Dirty says so.
type Pane struct {
	Styles    *style.Styles
	Focused   bool     // keys go here
	Empty     []string // what is said when there is nothing to show
	Unmatched []string // the same when nothing passes the filter
	Dirty     bool     // the lines that were drawn last are no longer so
	marked    func(model.UID) bool
}

// NewPane is one that has the keys and has not been drawn.
func NewPane(st *style.Styles) Pane {
	return Pane{Styles: st, Focused: true, Dirty: true, Empty: []string{"No tasks yet."}, Unmatched: []string{"Nothing matches the filter."}}
}

// SetStyles changes the theme.
func (p *Pane) SetStyles(st *style.Styles) { p.Styles, p.Dirty = st, true }

// SetFocused says whether keys go here.
func (p *Pane) SetFocused(on bool) {
	if p.Focused != on {
		p.Focused, p.Dirty = on, true
	}
}

// Base is the background of a row, which the cursor is on or not.
func (p *Pane) Base(cursor bool) style.Ink {
	switch {
	case !cursor:
		return style.Ink{}
	case p.Focused:
		return p.Styles.Select
	}
	return p.Styles.SelectDim
}

// SetEmpty sets the lines that are shown when there is nothing to show: what is missing, and which key
// makes it.
func (p *Pane) SetEmpty(lines ...string) { p.Empty, p.Dirty = lines, true }

// SetUnmatched sets the lines that are shown when nothing passes the filter.
func (p *Pane) SetUnmatched(lines ...string) { p.Unmatched, p.Dirty = lines, true }

// SetMarked says which tasks are selected; it is called again whenever others are.
func (p *Pane) SetMarked(test func(model.UID) bool) { p.marked, p.Dirty = test, true }

// IsMarked reports whether a task is selected.
func (p *Pane) IsMarked(uid model.UID) bool { return p.marked != nil && p.marked(uid) }
