package markdown

import (
	"strings"

	"vespe/ui/style"
	"vespe/ui/text"
)

// MostWhole is how many bytes of a text Whole draws: all that an agent can send.
const MostWhole = 64 << 10

// Whole draws all of a text in w cells. ok is false where that would hide some of it, or the text is long: then its
// source has to be shown.
func Whole(body string, st *style.Styles, w int) (lines []string, ok bool) {
	if len(body) > MostWhole {
		return nil, false
	}
	doc := NewWith([]byte(body), st)
	if len(doc.Hidden()) > 0 {
		return nil, false
	}
	h := 8 + 2*doc.Lines()
	for range 12 {
		doc.SetSize(w, h)
		if doc.AtBottom() {
			break
		}
		h *= 2
	}
	lines = doc.View(w, h)
	for len(lines) > 0 && strings.TrimSpace(text.Strip(lines[len(lines)-1])) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, true
}
