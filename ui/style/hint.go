package style

import (
	"strings"

	"vespe/ui/text"
)

// Hint is one key and what it does here.
type Hint struct {
	Key   string // its label, "^p"
	Title string // one or two words; "" where the label says it
	Off   bool   // shown, but it would be refused
}

// Hint draws one key hint, "a accept".
func (s *Styles) Hint(h Hint) string {
	if h.Title == "" {
		return s.Key.Render(h.Key)
	}
	if h.Off {
		return s.KeyOff.Render(h.Key + " " + h.Title)
	}
	return s.Key.Render(h.Key) + s.KeyText.Render(" "+h.Title)
}

// Hints draws as many hints as fit into w cells, in order, "a accept  r reject". A hint
// that does not fit is left out with all that follow; it never cuts one.
func (s *Styles) Hints(hints []Hint, w int) string {
	var b strings.Builder
	used := 0
	for _, h := range hints {
		need := text.Width(s.Hint(h))
		if used > 0 {
			need += 2
		}
		if used+need > w {
			break
		}
		if used > 0 {
			b.WriteString("  ")
		}
		b.WriteString(s.Hint(h))
		used += need
	}
	return b.String()
}
