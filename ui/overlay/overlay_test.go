package overlay

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/ui/style"
	"vespe/ui/text"
)

// press makes the key press of a name like "ctrl+s", "enter" or "a".
func press(name string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "alt":
			k.Mod |= tea.ModAlt
		case "shift":
			k.Mod |= tea.ModShift
		}
		name = rest
	}
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
		"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1,
	}
	if code, ok := named[name]; ok {
		k.Code = code
		return k
	}
	if name == "space" {
		name = " "
	}
	r := []rune(name)
	k.Code = r[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

func typed(o Overlay, keys ...string) Outcome {
	var out Outcome
	for _, k := range keys {
		out = o.HandleKey(press(k))
	}
	return out
}

func letters(s string) []string { return strings.Split(s, "") }

func TestGolden(t *testing.T) {
	for _, look := range viewtest.Looks() {
		st := viewtest.Styles(look.Opt)
		for name, build := range all(st) {
			for _, screen := range []struct {
				name string
				w, h int
			}{{"80", 80, 24}, {"160", 160, 48}} {
				o := build()
				w, h := o.Size(screen.w, screen.h)
				if screen.w > 80 && name != "diff" && look.Name != "dark" {
					continue // only the diff looks otherwise on a wide screen
				}
				viewtest.Golden(t, name+"-"+screen.name+"-"+look.Name, o.View(w, h), w, h)
			}
		}
	}
}

func TestPalette(t *testing.T) {
	p := NewPalette(viewtest.Plain(), entries(), []string{"view.graph"})
	if got := viewtest.Text(p, 80, 24); strings.Index(got, "Graph") > strings.Index(got, "Accept the plan") {
		t.Errorf("what was used last is not first:\n%s", got)
	}
	if out := typed(p, "enter"); out != (Ran{"view.graph"}) {
		t.Errorf("enter gave %#v", out)
	}
	// q is a letter here, not a key.
	if out := typed(p, "q"); out != (Stayed{}) {
		t.Errorf("a letter gave %#v", out)
	}
	if out := typed(p, "u", "i", "enter"); out != (Ran{"app.quit"}) {
		t.Errorf("qui gave %#v", out)
	}
	p = NewPalette(viewtest.Plain(), entries(), nil)
	out := typed(p, "s", "t", "a", "r", "t", "enter")
	if out != (Refused{"task.start", "its plan is not accepted: accept it first"}) || Ends(out) {
		t.Errorf("a disabled action gave %#v", out)
	}
	if got := viewtest.Text(p, 80, 24); !strings.Contains(got, "Not now: its plan is not accepted") {
		t.Errorf("it does not say why:\n%s", got)
	}
	if out := typed(p, "esc"); !Ends(out) {
		t.Error("esc does not close it")
	}
	if out := p.HandleKey(press("ctrl+c")); out != (Ignored{}) {
		t.Errorf("ctrl+c gave %#v: it is not the palette's", out)
	}
	// A click on a row runs it.
	p = NewPalette(viewtest.Plain(), entries(), nil)
	lines := strings.Split(viewtest.Text(p, 80, 24), "\n")
	for y, s := range lines {
		if strings.Contains(s, "Quit") {
			if out := p.Click(10, y); out != (Ran{"app.quit"}) {
				t.Errorf("a click on %q gave %#v", s, out)
			}
		}
	}
}

// An action that is named is the first match, even when it cannot be done: enter must not run another one.
func TestThePaletteRunsWhatWasNamed(t *testing.T) {
	entries := []Entry{
		{ID: "tree.unfold", Title: "unfold all", Group: "Tree: other"},
		{ID: "task.undo", Title: "undo", Group: "Task", Reason: "there is nothing to undo"},
		{ID: "task.redo", Title: "undone tasks", Group: "Task"},
	}
	for keys, want := range map[string]Outcome{
		"undo":   Refused{"task.undo", "there is nothing to undo"}, // the name itself
		"UNDO":   Refused{"task.undo", "there is nothing to undo"},
		"und":    Ran{"task.redo"}, // of two names that begin so, the one that can be done
		"undone": Ran{"task.redo"},
		"uo":     Ran{"tree.unfold"}, // what can be done comes before what cannot
	} {
		p := NewPalette(viewtest.Plain(), entries, nil)
		if out := typed(p, append(strings.Split(keys, ""), "enter")...); out != want {
			t.Errorf("%s gave %#v", keys, out)
		}
	}
	p := NewPalette(viewtest.Plain(), entries[:2], nil)
	if out := typed(p, "u", "n", "d", "enter"); out != (Refused{"task.undo", "there is nothing to undo"}) {
		t.Errorf("und gave %#v", out)
	}
}

func TestPickerPreviews(t *testing.T) {
	p := NewPicker(viewtest.Plain(), pickerOptions(viewtest.Plain()))
	if id, _ := p.Current(); id != "3" {
		t.Errorf("it starts on %q", id)
	}
	if out := typed(p, "down"); out != (Previewed{"4"}) {
		t.Errorf("down gave %#v", out)
	}
	if out := typed(p, letters("pdf")...); out != (Previewed{"9"}) && out != (Previewed{"10"}) {
		t.Errorf("typing gave %#v", out)
	}
	if out := typed(p, "z", "z", "z"); out != (Previewed{""}) {
		t.Errorf("with no match it previews %#v", out)
	}
	if out := typed(p, "enter"); Ends(out) {
		t.Error("nothing was picked, and it closed")
	}
	typed(p, "backspace", "backspace", "backspace")
	if out, ok := typed(p, "enter").(Picked); !ok || out.ID == "" {
		t.Errorf("enter gave %#v", out)
	}
}

func TestHelpIsSearched(t *testing.T) {
	h := NewHelp(viewtest.Plain(), sections())
	typed(h, letters("/palette")...) // a slash before it is out of habit
	got := viewtest.Text(h, 80, 24)
	if !strings.Contains(got, "List every action") || strings.Contains(got, "Unfold the task") {
		t.Errorf("searched, it shows\n%s", got)
	}
	if out := typed(h, "esc"); Ends(out) {
		t.Error("the first esc takes the text back")
	}
	if out := typed(h, "?"); !Ends(out) {
		t.Error("? closes it while nothing is typed")
	}
	if out := typed(h, "q"); !Ends(out) {
		t.Error("q closes it while nothing is typed")
	}
	typed(h, letters("why?")...)
	if !strings.Contains(viewtest.Text(h, 80, 24), "why?") {
		t.Error("? is a letter while something is typed")
	}
}

func TestPromptChecks(t *testing.T) {
	p := NewPrompt(viewtest.Plain(), PromptOptions{Label: "name", Check: func(s string) error {
		if len(s) < 3 {
			return errors.New("too short")
		}
		return nil
	}})
	typed(p, "a")
	if strings.Contains(viewtest.Text(p, 60, 8), "too short") {
		t.Error("it complains before anything was sent")
	}
	if out := typed(p, "enter"); Ends(out) || !strings.Contains(viewtest.Text(p, 60, 8), "too short") {
		t.Errorf("a bad text was taken, or nothing is said:\n%s", viewtest.Text(p, 60, 8))
	}
	if out := typed(p, "b", "c", "enter"); out != (Sent{"abc"}) {
		t.Errorf("enter gave %#v", out)
	}
	p.HandlePaste("x\ny")
	if strings.Contains(p.Value(), "\n") {
		t.Errorf("a line break got into a line: %q", p.Value())
	}
}

func TestComposeKeepsItsDraft(t *testing.T) {
	c := NewCompose(viewtest.Plain(), ComposeOptions{Title: "Reject", Required: true})
	if out := typed(c, "ctrl+s"); Ends(out) {
		t.Error("a blank reason was taken")
	}
	typed(c, append(letters("no"), "enter", "q", "?")...)
	c.HandlePaste("\x1b[2J\u202ehidden")
	if out := typed(c, "esc"); out != (Canceled{}) {
		t.Errorf("esc gave %#v", out)
	}
	draft := c.Draft()
	if draft != "no\nq?␛[2J⟨U+202E⟩hidden" {
		t.Errorf("the draft is %q", draft)
	}
	again := NewCompose(viewtest.Plain(), ComposeOptions{Title: "Reject", Required: true, Value: draft})
	if out := typed(again, "alt+enter"); out != (Sent{draft}) {
		t.Errorf("alt+enter gave %#v", out)
	}
}

func TestEnterNeverAccepts(t *testing.T) {
	fresh := func() *Confirm {
		c := NewConfirm(viewtest.Plain(), confirmOptions(viewtest.Plain()))
		c.View(72, 20)
		return c
	}
	if out := typed(fresh(), "enter"); out != (Canceled{}) {
		t.Errorf("enter alone gave %#v", out)
	}
	if out := typed(fresh(), "y"); out != (Confirmed{}) {
		t.Errorf("y gave %#v", out)
	}
	if out := typed(fresh(), "tab", "enter"); out != (Confirmed{}) {
		t.Errorf("going to the button and pressing it gave %#v", out)
	}
	for _, k := range []string{"n", "esc", "q"} {
		if out := typed(fresh(), k); out != (Canceled{}) {
			t.Errorf("%s gave %#v", k, out)
		}
	}
	c := fresh()
	if out := c.HandlePaste("y"); Ends(out) {
		t.Error("a paste answered")
	}
	for _, k := range []string{"Y", "a", "space", "down"} {
		if out := typed(fresh(), k); Ends(out) {
			t.Errorf("%s gave %#v", k, out)
		}
	}
	// The buttons are where they are drawn.
	c = fresh()
	for y, s := range strings.Split(viewtest.Text(c, 72, 20), "\n") {
		if i := strings.Index(s, "Abort 9"); i >= 0 {
			if out := c.Click(text.Width(s[:i]), y); out != (Confirmed{}) {
				t.Errorf("a click on the button gave %#v", out)
			}
		}
	}
}

func TestBarTellsEveryChange(t *testing.T) {
	b := NewBar(viewtest.Plain(), BarOptions{Label: "/", Value: "re"})
	if out := typed(b, "a"); out != (Changed{"rea"}) {
		t.Errorf("a letter gave %#v", out)
	}
	if out := typed(b, "down"); out != (Stepped{1}) {
		t.Errorf("down gave %#v", out)
	}
	if out := typed(b, "enter"); out != (Sent{"rea"}) {
		t.Errorf("enter gave %#v", out)
	}
	if w, h := b.Size(100, 30); w != 100 || h != 1 {
		t.Errorf("a bar is %d×%d", w, h)
	}
}

// Keys that were bound otherwise are named as they are.
func TestButtonsNameTheKeys(t *testing.T) {
	c := NewConfirm(viewtest.Plain(), ConfirmOptions{Yes: "Go", YesLabel: "^y", NoLabel: "F2"})
	if got := viewtest.Text(c, 60, 8); !strings.Contains(got, "^y Go") || !strings.Contains(got, "F2 No") {
		t.Errorf("got\n%s", got)
	}
}

// Every overlay draws exact frames whatever is pressed, pasted and clicked, at any size.
func TestFramesAreExact(t *testing.T) {
	keys := []string{
		"a", "q", "y", "space", "?", "enter", "esc", "tab", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
		"backspace", "delete", "ctrl+a", "ctrl+e", "ctrl+k", "ctrl+u", "ctrl+w", "ctrl+n", "ctrl+p", "ctrl+s", "alt+b",
		"ctrl+home", "ctrl+end", "n", "N", "x", "s", "g", "G", "界", "é", "shift+left",
	}
	pastes := []string{"🇩🇪🇫🇷", "👩‍👩‍👧‍👦⚠️", "हिन्दी", "\x1b[31mred\x1b]0;t\a", "a\tb\nc\r\n\u202e\u200b", strings.Repeat("界", 90), strings.Repeat("word ", 60)}
	rapid.Check(t, func(t *rapid.T) {
		look := rapid.SampledFrom(viewtest.Looks()).Draw(t, "look")
		st := viewtest.Styles(look.Opt)
		builders := all(st)
		var names []string
		for name := range builders {
			names = append(names, name)
		}
		// The order of a map is random, and a failure must be repeatable.
		name := rapid.SampledFrom(sorted(names)).Draw(t, "overlay")
		o := builders[name]()
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				o.HandlePaste(rapid.SampledFrom(pastes).Draw(t, "paste"))
			case 1:
				o.Click(rapid.IntRange(-1, 80).Draw(t, "x"), rapid.IntRange(-1, 30).Draw(t, "y"))
			case 2:
				o.Wheel(rapid.IntRange(-5, 5).Draw(t, "wheel"))
			default:
				o.HandleKey(press(rapid.SampledFrom(keys).Draw(t, "key")))
			}
			w, h := rapid.IntRange(1, 170).Draw(t, "w"), rapid.IntRange(1, 50).Draw(t, "h")
			if bw, bh := o.Size(w, h); bw > w || bh > h {
				t.Fatalf("it wants %d×%d on a screen of %d×%d", bw, bh, w, h)
			}
			if err := viewtest.Check(o.View(w, h), w, h); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

func sorted(s []string) []string {
	out := append([]string(nil), s...)
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// No sentence of the help is cut, whatever the width; and the box leaves no strip of rows.
func TestHelpWrapsItsSentences(t *testing.T) {
	long := "Say that the task holds although what was accepted has changed since then, and by whom."
	h := NewHelp(viewtest.Plain(), []Section{{Title: "Review", Rows: []HelpRow{{Keys: "V", Title: "revalidate", Help: long}}}})
	for _, w := range []int{160, 100, 80, 60, 45} {
		bw, bh := h.Size(w, 24)
		got := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "┃", " ", "revalidate", " ").Replace(viewtest.Text(h, bw, bh))), " ")
		if !strings.Contains(got, long) {
			t.Errorf("at %d columns the sentence is cut:\n%s", w, viewtest.Text(h, bw, bh))
		}
	}
	if _, bh := h.Size(80, 12); bh != 12 {
		t.Errorf("%d of 12 rows are left over", 12-bh)
	}
}

// A yes that would be refused does not look like one that works.
func TestAVoidQuestionLooksIt(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	c := NewConfirm(st, ConfirmOptions{Title: "Accept", Yes: "Accept"})
	good := st.Good.Render(" Accept ")
	if got := strings.Join(c.View(60, 8), "\n"); !strings.Contains(got, good) {
		t.Fatalf("%q", got)
	}
	c.Void()
	if got := strings.Join(c.View(60, 8), "\n"); strings.Contains(got, good) || !strings.Contains(got, st.KeyOff.Render(" y Accept ")) {
		t.Errorf("%q", got)
	}
}

// The first warnings are shown; a number leads to the others, however much room there is, and goes once they are shown.
func TestConfirmShowsItsWarnings(t *testing.T) {
	for _, h := range []int{12, 40} {
		box := NewConfirm(viewtest.Plain(), ConfirmOptions{
			Title: "Accept?", Warnings: []string{"one", "two", "three", "four", "five"}, Brief: 2, More: "; v shows all",
			Affected: []Affected{{Title: "a"}, {Title: "b"}, {Title: "c"}, {Title: "d"}},
		})
		draw := func() string {
			w, h := box.Size(72, h)
			return ansi.Strip(strings.Join(box.View(w, h), "\n"))
		}
		if said := draw(); !strings.Contains(said, "▲ 3 more warnings; v shows all") || strings.Contains(said, "five") {
			t.Errorf("%d rows:\n%s", h, said)
		}
		box.HandleKey(tea.KeyPressMsg{Code: 'i', Text: "i"})
		if said := draw(); strings.Contains(said, "more warning") || !strings.Contains(said, "five") ||
			strings.Count(said[:strings.Index(said, "three")], "\n") != strings.Count(said[:strings.Index(said, "two")], "\n")+1 {
			t.Errorf("%d rows, with the details:\n%s", h, said)
		}
	}
}

// However many warnings there are and however low the screen is, each can be read with the details, and each row below them.
func TestEveryWarningCanBeRead(t *testing.T) {
	box := NewConfirm(viewtest.Plain(), ConfirmOptions{Title: "Accept?", Brief: 3, More: "; v shows all", Affected: []Affected{{Title: "a"}}, Details: []Affected{{Title: "the last row"}}})
	for n := range 9 {
		box.Warn(fmt.Sprintf("warning %d: %s", n, strings.Repeat("of two rows ", 8)))
	}
	box.HandleKey(tea.KeyPressMsg{Code: 'i', Text: "i"})
	seen := ""
	for range 40 {
		w, h := box.Size(80, 20)
		seen += ansi.Strip(strings.Join(box.View(w, h), "\n"))
		box.HandleKey(tea.KeyPressMsg{Code: tea.KeyDown})
	}
	for _, want := range []string{"warning 0:", "warning 4:", "warning 8:", "the last row"} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q was never on screen", want)
		}
	}
}
