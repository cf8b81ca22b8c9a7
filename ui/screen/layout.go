package screen

// Limits of the screen. Under the minimum only a sentence is drawn, which says how much
// is needed.
const (
	MinWidth   = 30
	MinHeight  = 8
	stackBelow = 96 // columns: narrower than this, the panes lie one above the other
	tallStack  = 14 // rows for the panes: lower than this, a stack shows the focused pane only
	minPane    = 22 // columns that a drag of the divider always leaves to a pane
	minPaneRow = 4  // rows that it leaves in a stack
	tallPane   = 14 // rows of a pane that needs many: a map of one task and its neighbors fits
	lowDetail  = 6  // rows of the pane below it: where the task stands, its name and its status
)

// Rect is a rectangle of screen cells; X and Y count from the top left corner.
type Rect struct{ X, Y, W, H int }

// Contains reports whether the cell at x, y lies inside r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Zoom says whether one pane has the whole body.
type Zoom int

const (
	ZoomNone Zoom = iota
	ZoomLeft
	ZoomRight
)

// Input is everything that the rectangles depend on.
type Input struct {
	W, H  int
	Ratio float64 // share of the left pane, 0 to 1; 0 takes the default
	// StackRatio is the same for the upper pane of a stack.
	StackRatio float64
	Turn       bool // the person wants the other way than the width suggests
	Broad      bool // what is on the left needs the width: it lies above the right pane
	Tall       bool // and rows: it has tallPane of them, where lowDetail are left for the right pane
	Zoom       Zoom
	Right      bool // the right pane has the focus: what a very small stack shows
	Foot       int  // rows that the footer wants
}

// Layout is where everything lies. A rectangle with no width or height is not drawn.
type Layout struct {
	TooSmall bool
	Stacked  bool
	Header   Rect
	Left     Rect // the tree or another of the left views, with its border
	Right    Rect // the detail, with its border
	Footer   Rect
}

// Arrange computes the layout: header on top, footer below, and the two panes between
// them, side by side or, on a narrow screen, one above the other.
func Arrange(in Input) Layout {
	if in.W < MinWidth || in.H < MinHeight {
		return Layout{TooSmall: true}
	}
	foot := max(1, min(in.Foot, in.H/4))
	l := Layout{
		Header:  Rect{0, 0, in.W, 1},
		Footer:  Rect{0, in.H - foot, in.W, foot},
		Stacked: (in.W < stackBelow || in.Broad) != in.Turn,
	}
	body := Rect{0, 1, in.W, in.H - 1 - foot}
	z := in.Zoom
	if !l.Stacked && in.W < 2*minPane {
		l.Stacked = true // too narrow for two, whatever is wanted
	}
	if z == ZoomNone && l.Stacked && body.H < tallStack {
		z = ZoomLeft
		if in.Right {
			z = ZoomRight
		}
	}
	switch {
	case z == ZoomLeft:
		l.Left = body
	case z == ZoomRight:
		l.Right = body
	case l.Stacked:
		fallback := defaultStack
		if in.Broad {
			fallback = broadStack
		}
		n := share(body.H, in.StackRatio, fallback, minPaneRow)
		if in.Tall && in.StackRatio == 0 {
			n = max(n, min(tallPane, body.H-lowDetail))
		}
		l.Left = Rect{0, body.Y, in.W, n}
		l.Right = Rect{0, body.Y + n, in.W, body.H - n}
	default:
		n := share(body.W, in.Ratio, defaultSplit, minPane)
		l.Left = Rect{0, body.Y, n, body.H}
		l.Right = Rect{n, body.Y, body.W - n, body.H}
	}
	return l
}

// The shares of the left or upper pane until somebody drags the divider.
const (
	defaultSplit = 0.41
	defaultStack = 0.42
	broadStack   = 0.55
)

func share(total int, ratio, fallback float64, least int) int {
	if ratio <= 0 || ratio >= 1 {
		ratio = fallback
	}
	return max(least, min(total-least, int(float64(total)*ratio+0.5)))
}

// ratioAt is the share that puts the divider at the cell x, y.
func (l Layout) ratioAt(x, y int) float64 {
	at, total := x, l.Left.W+l.Right.W
	if l.Stacked {
		at, total = y-l.Left.Y, l.Left.H+l.Right.H
	}
	if total <= 0 {
		return 0
	}
	return clampRatio(float64(at) / float64(total))
}

func clampRatio(r float64) float64 { return max(0.05, min(0.95, r)) }

// OnDivider reports whether the cell at x, y may be dragged to move the divider: the
// borders where the panes meet. In a stack the upper one's bottom border does it; the
// lower one's top border has tabs to click.
func (l Layout) OnDivider(x, y int) bool {
	if l.Left.H == 0 || l.Right.H == 0 {
		return false
	}
	if l.Stacked {
		return y == l.Right.Y-1
	}
	return (x == l.Right.X || x == l.Right.X-1) && y > l.Left.Y && y < l.Left.Y+l.Left.H
}
