package themes

// Basic is a dark palette for a terminal with 16 colors: text, marks and the grounds of the accent in the bright color
// whose hue is nearest, or a gray, as "#rrggbb". The nearest of all colors would draw amber in the red of errors.
func (p Palette) Basic() Palette {
	for _, f := range p.fields() {
		if f.Kind == Surface && f.value != &p.BgAccent && f.value != &p.BgMatchNow {
			continue
		}
		if c, ok := bright(*f.value); ok {
			*f.value = c
		}
	}
	return p
}

// Ungrounded is a light palette for a terminal with 16 colors, without the grounds that text stands on: the nearest of 16
// colors to a pale red is a bright one, on which a dark red can't be read.
func (p Palette) Ungrounded() Palette {
	for _, f := range p.fields() {
		if f.Kind == Surface && f.value != &p.BgAccent && f.value != &p.BgMatchNow {
			*f.value = ""
		}
	}
	return p
}

// bright is the bright one of the 16 colors with the hue of a color, or the nearest gray; false for what is nearly
// black.
func bright(hex string) (string, bool) {
	r8, g8, b8, ok := rgb(hex)
	r, g, b := int(r8), int(g8), int(b8)
	high, low := max(r, g, b), min(r, g, b)
	switch gray := 4*(high-low) < high; {
	case !ok || high < 0x60:
		return "", false
	case gray && high < 0xa0:
		return "#606060", true // color 8
	case gray && high < 0xd0:
		return "#a0a0a0", true // color 7
	case gray:
		return "#ffffff", true
	}
	var hue int // in degrees
	switch d := high - low; high {
	case r:
		hue = (360 + 60*(g-b)/d) % 360
	case g:
		hue = 120 + 60*(b-r)/d
	default:
		hue = 240 + 60*(r-g)/d
	}
	for _, c := range []struct {
		to  int // the hue at which the next begins
		hex string
	}{{30, "#ff0000"}, {75, "#ffff00"}, {160, "#00ff00"}, {195, "#00ffff"}, {250, "#5c5cff"}, {345, "#ff00ff"}} {
		if hue < c.to {
			return c.hex, true
		}
	}
	return "#ff0000", true
}
