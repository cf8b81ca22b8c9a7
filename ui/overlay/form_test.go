package overlay

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vespe/internal/viewtest"
	"vespe/ui/style"
)

// Enter goes on to the next field and sends nothing; a field that is wrong keeps all of them.
func TestFormSendsOnlyWhenAsked(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	bad := func(s string) error {
		if s != "1" {
			return errors.New("It must be one.")
		}
		return nil
	}
	f := NewForm(st, FormOptions{Fields: []FormField{{Label: "a", Value: "x"}, {Label: "b", Value: "2", Check: bad}}})
	key := func(k tea.KeyPressMsg) Outcome { return f.HandleKey(k) }
	enter, back := tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyBackspace}
	send := tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}
	for range 3 {
		if out := key(enter); Ends(out) {
			t.Fatalf("enter is %#v", out)
		}
	}
	if out := key(send); Ends(out) || !strings.Contains(ansi.Strip(strings.Join(f.View(60, 10), "\n")), "must be one") {
		t.Fatalf("a wrong field was sent: %#v", out)
	}
	key(back)
	key(tea.KeyPressMsg{Code: '1', Text: "1"})
	if out, ok := key(send).(Sent); !ok || !slices.Equal(f.Values(), []string{"x", "1"}) {
		t.Errorf("%#v, %q", out, f.Values())
	}
}

func TestFormAndPaperKeepTheirFrame(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	var fields []FormField
	for _, l := range []string{"one", "a name that is longer than what there is room for", "世界", ""} {
		fields = append(fields, FormField{Label: l, Value: strings.Repeat("long 世界 ", 20), Note: "text", Check: func(string) error { return errors.New(strings.Repeat("wrong ", 30)) }})
	}
	f := NewForm(st, FormOptions{Title: "Form", Note: strings.Repeat("note ", 40), Fields: fields})
	f.Submit()
	p := NewPaper(st, PaperOptions{Title: "Paper", Lines: func(_ *style.Styles, w int) []string {
		return slices.Repeat([]string{strings.Repeat("x", w)}, 50)
	}})
	p.Say(strings.Repeat("said ", 50))
	for _, size := range [][2]int{{4, 3}, {20, 5}, {40, 10}, {80, 24}, {200, 60}} {
		for range fields {
			f.Next(1)
			if err := viewtest.Check(f.View(size[0], size[1]), size[0], size[1]); err != nil {
				t.Errorf("form at %v: %v", size, err)
			}
		}
		if err := viewtest.Check(p.View(size[0], size[1]), size[0], size[1]); err != nil {
			t.Errorf("paper at %v: %v", size, err)
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
