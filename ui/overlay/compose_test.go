package overlay

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vespe/internal/viewtest"
	"vespe/ui/style"
)

// There is one cursor, wherever it is in a text that is broken into rows, and it is on the
// character that it is on. All of the text is there.
func TestComposeHasOneCursor(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	open := cursorInk(st).Open()
	for _, value := range []string{
		"what happens to the files that are open when it stops, and to those that nobody reads?",
		"a word and   many blanks      at   breaks    ", strings.Repeat("x", 40), "wide 漢字漢字漢字漢字 wide", "two\nlines of it\n",
	} {
		for w := 9; w < 44; w++ {
			c := NewCompose(st, ComposeOptions{Title: "Reject", Value: value})
			for back := range len([]rune(value)) + 1 {
				drawn := c.lines(w, 40)
				if err := viewtest.Check(drawn, w, 40); err != nil {
					t.Fatalf("%q, %d wide, %d back: %v", value, w, back, err)
				}
				all := strings.Join(drawn, "\n")
				if n := strings.Count(all, open); n != 1 {
					t.Fatalf("%q, %d wide, %d back: %d cursors\n%s", value, w, back, n, ansi.Strip(all))
				}
				if got, want := strings.Join(strings.Fields(ansi.Strip(all)), ""), strings.Join(strings.Fields(value), ""); got != want {
					t.Fatalf("%d wide, %d back: %q, want %q", w, back, got, want)
				}
				typed(c, "left")
			}
		}
	}
}

// A long draft can be continued, and a text that is full says so.
func TestComposeTakesMoreLines(t *testing.T) {
	c := NewCompose(viewtest.Plain(), ComposeOptions{Value: strings.Repeat("\n", 300)})
	if typed(c, "enter"); len(c.Draft()) != 301 {
		t.Errorf("it has %d line breaks", len(c.Draft()))
	}
	c.Put(strings.Repeat("\n", composeLines-2))
	typed(c, "enter", "enter")
	if full := strings.Join(c.View(60, 20), "\n"); len(c.Draft()) != composeLines-1 || !strings.Contains(full, "is no room for more lines") {
		t.Errorf("%d line breaks:\n%s", len(c.Draft()), full)
	}
	c.HandlePaste("a\nb")
	if full := strings.Join(c.View(60, 20), "\n"); !strings.Contains(full, "is no room for more lines") {
		t.Errorf("the paste was cut:\n%s", full)
	}
}
