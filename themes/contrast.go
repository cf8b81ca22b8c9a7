package themes

import (
	"fmt"
	"math"
	"strconv"
)

// The contrast ratios of WCAG 2.2, level AA: 1.4.3 for text, 1.4.11 for everything else
// that must be seen.
const (
	MinText = 4.5
	MinMark = 3.0
)

// Contrast is the WCAG 2 contrast ratio of two colors "#rrggbb", from 1 (the same) to 21
// (black on white). The order does not matter. A string that is no color gives 0.
func Contrast(a, b string) float64 {
	la, ok1 := luminance(a)
	lb, ok2 := luminance(b)
	if !ok1 || !ok2 {
		return 0
	}
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

// luminance is the relative luminance of WCAG 2.
func luminance(hex string) (float64, bool) {
	r, g, b, ok := rgb(hex)
	if !ok {
		return 0, false
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b), true
}

func linear(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// rgb reads "#rrggbb".
func rgb(hex string) (r, g, b uint8, ok bool) {
	if len(hex) != 7 || hex[0] != '#' {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		return 0, 0, 0, false
	}
	return uint8(n >> 16), uint8(n >> 8), uint8(n), true
}

// Weakness is one pair of tokens that is too hard to see.
type Weakness struct {
	Token, On string
	Ratio     float64
	Needs     float64
}

func (w Weakness) String() string {
	return fmt.Sprintf("%s on %s has a contrast of %.2f:1 and needs %.1f:1", w.Token, w.On, w.Ratio, w.Needs)
}

// Weaknesses lists every token of p that is below MinText or MinMark on a background that
// it may stand on. The bundled themes have none.
func (p Palette) Weaknesses() []Weakness {
	var out []Weakness
	for _, f := range p.fields() {
		needs := 0.0
		switch f.Kind {
		case Text:
			needs = MinText
		case Mark:
			needs = MinMark
		case Surface:
			continue
		}
		for _, on := range f.On {
			bg, _ := p.Get(on)
			if r := Contrast(*f.value, bg); r < needs {
				out = append(out, Weakness{f.Name, on, r, needs})
			}
		}
	}
	return out
}
