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
