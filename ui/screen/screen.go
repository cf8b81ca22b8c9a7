// Package screen says how the terminal is divided: where header, panes and footer lie.
package screen

import tea "charm.land/bubbletea/v2"

// Screen is the size of the terminal, and how the person has divided it.
type Screen struct {
	W, H   int
	Zoom   Zoom
	Layout Layout
	Divider
	drag bool
	grab tea.Mouse // where the divider was taken, while drag
}

// Divider is where a person wants the divider between the panes.
type Divider struct {
	Ratio float64 `json:"ratio,omitempty"` // share of the left pane; 0: the default
	Stack float64 `json:"stack,omitempty"` // the same for a stacked layout
	Turn  bool    `json:"turn,omitempty"`  // the layout that the width does not suggest
}

// Valid is a divider that leaves both panes some room, whatever a file says.
func (d Divider) Valid() Divider {
	for _, r := range []*float64{&d.Ratio, &d.Stack} {
		if *r != 0 {
			*r = clampRatio(*r)
		}
	}
	return d
}

// Resize takes another size.
func (s *Screen) Resize(w, h int) { s.W, s.H, s.drag = w, h, false }

// Arrange computes the rectangles again. What it takes of in is what does not belong to the screen.
func (s *Screen) Arrange(in Input) {
	in.W, in.H, in.Zoom, in.Turn, in.Ratio, in.StackRatio = s.W, s.H, s.Zoom, s.Turn, s.Ratio, s.Stack
	s.Layout = Arrange(in)
}

// ToggleZoom gives one pane the whole body, or both theirs again.
func (s *Screen) ToggleZoom(right bool) {
	if s.Zoom != ZoomNone {
		s.Zoom = ZoomNone
		return
	}
	s.Zoom = zoomOn(right)
}

// Focus lets the pane that has the keys have the body, where one has it.
func (s *Screen) Focus(right bool) {
	if s.Zoom != ZoomNone {
		s.Zoom = zoomOn(right)
	}
}

func zoomOn(right bool) Zoom {
	if right {
		return ZoomRight
	}
	return ZoomLeft
}

// TurnPanes sets the panes side by side or one above the other, against what the width of the screen suggests.
func (s *Screen) TurnPanes() { s.Turn = !s.Turn }

// Nudge moves the divider by a share of the screen.
func (s *Screen) Nudge(by float64) {
	l := &s.Layout
	switch {
	case l.Left.W == 0 || l.Right.W == 0:
	case l.Stacked:
		s.Stack = clampRatio(float64(l.Left.H)/float64(l.Left.H+l.Right.H) + by)
	default:
		s.Ratio = clampRatio(float64(l.Left.W)/float64(l.Left.W+l.Right.W) + by)
	}
}

// Grab takes the divider, and Drop lets go of it.
func (s *Screen) Grab(at tea.Mouse) { s.drag, s.grab = true, at }
func (s *Screen) Drop()             { s.drag = false }

// Drag moves the divider by as much as the mouse has moved, and reports whether it was taken.
func (s *Screen) Drag(x, y int) bool {
	if !s.drag {
		return false
	}
	l := &s.Layout
	if l.Stacked {
		s.Stack = l.ratioAt(x, l.Right.Y+y-s.grab.Y)
	} else {
		s.Ratio = l.ratioAt(l.Right.X+x-s.grab.X, y)
	}
	s.grab.X, s.grab.Y = x, y
	return true
}
