package style_test

import (
	"strings"
	"testing"

	"vespe/themes"
	"vespe/ui/style"
)

// With 16 colors the row under the cursor is reversed as a whole, not each word of it.
func TestTheSelectedRowIsOneGround(t *testing.T) {
	st := style.New(themes.Bundled()[0], style.Options{Dark: true, Basic: true})
	row := st.Row("a "+st.Good.Render("b")+" c", 10, style.Row{Cursor: true, Focused: true})
	if n := strings.Count(row, "\x1b["); n != 2 { // on and off
		t.Errorf("%d changes of color in %q", n, row)
	}
}

// On a light ground with 16 colors, text stands on no ground of its own: there is no pale one.
func TestLightBasicHasNoPaleGrounds(t *testing.T) {
	for _, th := range themes.Bundled() {
		st := style.New(th, style.Options{Basic: true})
		for name, ink := range map[string]style.Ink{"added": st.DiffAdd, "removed": st.DiffDel, "a word": st.DiffDelWord, "code": st.CodeBlock, "bar": st.Bar} {
			if strings.Contains(ink.Open(), "48;") {
				t.Errorf("%s: %s is drawn with %q", th.Name, name, ink.Open())
			}
		}
	}
}
