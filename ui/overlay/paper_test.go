package overlay

import (
	"slices"
	"strings"
	"testing"

	"vespe/internal/viewtest"
	"vespe/ui/style"
)

func TestPaperKeepsItsFrame(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	p := NewPaper(st, PaperOptions{Title: "Paper", Lines: func(_ *style.Styles, w int) []string {
		return slices.Repeat([]string{strings.Repeat("x", w)}, 50)
	}})
	p.Say(strings.Repeat("said ", 50))
	for _, size := range [][2]int{{4, 3}, {20, 5}, {40, 10}, {80, 24}, {200, 60}} {
		if err := viewtest.Check(p.View(size[0], size[1]), size[0], size[1]); err != nil {
			t.Errorf("at %v: %v", size, err)
		}
	}
}

// What was skipped by a leap to the end has not been on screen.
func TestPaperKnowsHowMuchWasOnScreen(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	p := NewPaper(st, PaperOptions{Lines: func(*style.Styles, int) []string { return slices.Repeat([]string{"x"}, 100) }})
	p.View(40, 12)
	if got := p.Percent(); got != 10 {
		t.Errorf("%d%% at the top", got)
	}
	typed(p, "end")
	p.View(40, 12)
	if got := p.Percent(); got != 10 {
		t.Errorf("%d%% after a leap to the end", got)
	}
	typed(p, "home")
	for range 12 {
		p.View(40, 12)
		typed(p, "pgdown")
	}
	if got := p.Percent(); got != 100 {
		t.Errorf("%d%% after every page", got)
	}
	p.Anew()
	p.View(40, 12)
	if got := p.Percent(); got == 100 {
		t.Error("another text counts as read")
	}
}
