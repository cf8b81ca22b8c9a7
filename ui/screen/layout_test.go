package screen

import "testing"

// Every cell of the screen belongs to exactly one rectangle, at every size.
func TestArrangeCoversTheScreen(t *testing.T) {
	for w := MinWidth; w <= 300; w += 7 {
		for h := MinHeight; h <= 100; h += 3 {
			for _, z := range []Zoom{ZoomNone, ZoomLeft, ZoomRight} {
				for _, ratio := range []float64{0, 0.05, 0.5, 0.95} {
					in := Input{W: w, H: h, Ratio: ratio, StackRatio: ratio, Zoom: z, Foot: 1 + h%4, Turn: w%2 == 0}
					l := Arrange(in)
					seen := make([]int, w*h)
					for _, r := range []Rect{l.Header, l.Left, l.Right, l.Footer} {
						if r.W == 0 || r.H == 0 {
							continue
						}
						for y := r.Y; y < r.Y+r.H; y++ {
							for x := r.X; x < r.X+r.W; x++ {
								if x < 0 || y < 0 || x >= w || y >= h {
									t.Fatalf("%+v: %+v lies outside", in, r)
								}
								seen[y*w+x]++
							}
						}
					}
					for i, n := range seen {
						if n != 1 {
							t.Fatalf("%+v: cell %d,%d belongs to %d rectangles: %+v", in, i%w, i/w, n, l)
						}
					}
				}
			}
		}
	}
}

func TestArrangeBySize(t *testing.T) {
	for _, c := range []struct {
		w, h                 int
		small, stacked, both bool
	}{
		{29, 40, true, false, false},
		{120, 7, true, false, false},
		{80, 24, false, true, true},
		{80, 12, false, true, false}, // too low for two panes
		{120, 40, false, false, true},
		{300, 100, false, false, true},
	} {
		l := Arrange(Input{W: c.w, H: c.h, Foot: 1})
		both := l.Left.H > 0 && l.Right.H > 0
		if l.TooSmall != c.small || l.Stacked != c.stacked || both != c.both {
			t.Errorf("%dx%d: too small %v, stacked %v, both panes %v", c.w, c.h, l.TooSmall, l.Stacked, both)
		}
	}
}

func TestDividerFollowsTheMouse(t *testing.T) {
	for _, size := range [][2]int{{160, 40}, {80, 40}} {
		in := Input{W: size[0], H: size[1], Foot: 1}
		l := Arrange(in)
		x, y := l.Right.X+20, l.Right.Y+5
		if l.Stacked {
			x = 3
		}
		in.Ratio = l.ratioAt(x, y)
		in.StackRatio = in.Ratio
		moved := Arrange(in)
		if !moved.OnDivider(x, y) && !moved.OnDivider(x, y-1) {
			t.Errorf("%v: the divider is not where it was dragged to: %+v", size, moved)
		}
	}
}
