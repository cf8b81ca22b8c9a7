package runpane

// Move goes n items down; through one that is higher than the window by rows.
func (p *Pane) Move(n int) { p.stacks[p.tab].move(n) }

// Home goes to the beginning.
func (p *Pane) Home() { p.stacks[p.tab].home() }

// End goes to the end; a log is followed from there on.
func (p *Pane) End() { p.stacks[p.tab].end() }

// HalfPage moves by n halves of the window.
func (p *Pane) HalfPage(n int) { s := p.stacks[p.tab]; s.leap(n * max(1, s.h/2)) }

// Page moves by n windows, of which one row stays in view.
func (p *Pane) Page(n int) { s := p.stacks[p.tab]; s.leap(n * max(1, s.h-1)) }

// Wheel scrolls by rows.
func (p *Pane) Wheel(n int) { p.stacks[p.tab].scroll(n) }

// Click puts the cursor where the mouse is, in cells from the pane's corner. again reports that it was
// there already.
func (p *Pane) Click(_, y int) (hit, again bool) {
	s := p.stacks[p.tab]
	y -= p.h - s.h
	if y < 0 || y >= s.h || s.n == 0 {
		return false, false
	}
	was := s.cur
	_, hit = s.click(y)
	return hit, hit && was == s.cur
}

// Tabs draws the names of the tabs in at most w cells, for the title of the pane.
func (p *Pane) Tabs(w int) string { return tabNames().Draw(p.st, int(p.tab), w) }

// TabAt is the tab whose name lies at cell x of what Tabs draws in w cells.
func (p *Pane) TabAt(x, w int) (Tab, bool) {
	t, ok := tabNames().At(x, w)
	return Tab(t), ok
}
