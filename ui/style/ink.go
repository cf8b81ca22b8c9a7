package style

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Ink is one style, ready to draw with: Render costs one concatenation. Inks add up, since
// SGR sequences do: see Over.
type Ink struct {
	open string
	lip  *lipgloss.Style
	sole bool
}

const reset = "\x1b[m"

func newInk(st lipgloss.Style) Ink {
	open, _, _ := strings.Cut(st.Render("x"), "x")
	return Ink{open: open, lip: &st}
}

// Render draws a plain line. Text that has resets in it needs text.Paint instead.
func (k Ink) Render(s string) string {
	if k.open == "" || s == "" {
		return s
	}
	return k.open + s + reset
}

// Open is the escape sequence that starts the style; "" for no style. It is what
// text.Paint and text.Highlight take.
func (k Ink) Open() string { return k.open }

// Sole reports whether nothing may be drawn over it in another ink: reversed, each color would be another ground.
func (k Ink) Sole() bool { return k.sole }

// Over adds k on top of base: what k does not set stays as in base.
func (k Ink) Over(base Ink) Ink {
	st := k.Style().Inherit(base.Style())
	return Ink{open: base.open + k.open, lip: &st}
}

// Style is the same style for libraries that take one (text inputs, Glamour).
func (k Ink) Style() lipgloss.Style {
	if k.lip == nil {
		return lipgloss.NewStyle()
	}
	return *k.lip
}
