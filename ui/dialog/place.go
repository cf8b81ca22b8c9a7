package dialog

import (
	"vespe/ui/overlay"
	"vespe/ui/screen"
)

// wideDetail is from how many columns on a dialog lies inside the detail.
const wideDetail = 56

// leastCompose is how many rows a text of several lines gets, even where it hides some of
// what it is about.
const leastCompose = 9

// leastStrip is how many columns of a page have to be free beside what lies on it: fewer would show cut words.
const leastStrip = 50

// leastLeft is how many rows of the list show more than a border above what lies on it.
const leastLeft = 2

// Base is a dialog on which others lie, so that what they are about can still be read.
type Base interface {
	// Hosts is where a box lies on it, above the last row of the screen.
	Hosts(box overlay.Overlay, room int) screen.Rect
}

// Place is in the middle, or above the footer.
func (w *Frame) Place() Place { return w.Placed(w.Box) }

// OnFooter is the last row, and those above it that the box takes.
func (w *Frame) OnFooter() Place {
	scr := w.on.host.Screen()
	_, h := w.Box.Size(scr.W, scr.H)
	return Place{Rect: screen.Rect{Y: scr.H - h, W: scr.W, H: h}}
}

// Placed is where another box lies in the place of this one.
func (w *Frame) Placed(box overlay.Overlay) Place {
	scr := w.on.host.Screen()
	room := max(1, scr.Layout.Footer.Y) // a message and the tour stay in view
	if !w.Bottom {
		dw, dh := fit(box, scr.W, room)
		if dw == scr.W && dh > room/2 {
			dh = room // else a border of what lies behind would look like another of its own
		}
		x, y := max(0, (scr.W-dw)/2), max(0, (room-dh)*2/5) // in the middle, a little above it when there is room
		return Place{screen.Rect{X: x, Y: y, W: dw, H: dh}, true}
	}
	if on, ok := w.on.below(w).(Base); ok {
		return Place{Rect: on.Hosts(box, room)}
	}
	over := screen.Rect{W: scr.W, H: room}
	if r := scr.Layout.Right; r.W >= wideDetail && !scr.Layout.Stacked {
		over = r
	}
	dw, dh := fit(box, over.W, over.H)
	if l := scr.Layout; l.Stacked && l.Left.H > 0 {
		if _, ok := box.(*overlay.Compose); ok {
			dh = min(dh, max(l.Left.H, leastCompose))
		}
		dh = min(dh, over.H-l.Left.Y)
		over.Y = l.Left.Y // over the list, so that the text below stays in view
		if n := l.Left.H - dh; n > leastLeft {
			over.Y += n // its lower rows, so that what is left of it is whole
		} else if n > 0 {
			dh = l.Left.H
		}
		dw, over.H = over.W, dh
	}
	return Place{Rect: corner(over, dw, dh)}
}

// fit is the size of a box in a room of w×h cells.
func fit(box overlay.Overlay, w, h int) (dw, dh int) {
	dw, dh = box.Size(w, h)
	return max(1, min(dw, w)), max(1, min(dh, h))
}

// Within is where a box lies in the lower right corner of a page.
func Within(page screen.Rect, box overlay.Overlay) screen.Rect {
	dw, dh := fit(box, page.W, page.H)
	if page.W-dw < leastStrip {
		dw = page.W
	}
	return corner(page, dw, dh)
}

// corner is the lower right one of a rectangle.
func corner(r screen.Rect, w, h int) screen.Rect {
	return screen.Rect{X: r.X + r.W - w, Y: r.Y + r.H - h, W: w, H: h}
}
