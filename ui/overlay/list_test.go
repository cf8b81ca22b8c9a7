package overlay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"vespe/themes"
	"vespe/ui/style"
)

func pickerWith(p *Picker, s string) *Picker {
	for _, r := range s {
		p.HandleKey(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return p
}

func shownIDs(p *Picker) []string {
	var out []string
	for _, r := range p.list.shown {
		out = append(out, p.o.Choices[r.index].ID)
	}
	return out
}

// Typing letter by letter, and taking letters back, shows what typing the whole text into
// a new list would, in the order of the fuzzy search.
func TestAListNarrowedLetterByLetterIsTheWholeSearch(t *testing.T) {
	st := style.New(themes.Bundled()[0], style.Options{Dark: true})
	var choices []Choice
	var titles []string
	for i := range 300 {
		title := fmt.Sprintf("Task %d über %s", i*7, strings.Repeat("ab", i%4))
		choices = append(choices, Choice{ID: title, Title: title})
		titles = append(titles, title)
	}
	p := NewPicker(st, PickerOptions{Choices: choices})
	query := ""
	for _, step := range []string{"t", "A", "1", "\b", "Ü", "\b", "\b", "7", "ab", "x", "\b"} {
		if step == "\b" {
			p.HandleKey(tea.KeyPressMsg{Code: tea.KeyBackspace})
			query = string([]rune(query)[:len([]rune(query))-1])
		} else {
			pickerWith(p, step)
			query += step
		}
		var want []string
		for _, m := range fuzzy.Find(query, titles) {
			want = append(want, m.Str)
		}
		if got := shownIDs(p); !slices.Equal(got, want) {
			t.Fatalf("%q shows %d rows %.3q, want %d %.3q", query, len(got), got, len(want), want)
		}
	}
}

// Of very many rows all that match are there, and one that has the text as it stands comes
// first wherever it is.
func TestAVeryLongListFindsWhatIsTyped(t *testing.T) {
	st := style.New(themes.Bundled()[0], style.Options{Dark: true})
	var choices []Choice
	for i := range 20_000 {
		choices = append(choices, Choice{ID: fmt.Sprint(i), Title: fmt.Sprintf("p a r s e r %d", i)})
	}
	choices = append(choices, Choice{ID: "it", Title: "the parser"})
	p := pickerWith(NewPicker(st, PickerOptions{Choices: choices}), "parser")
	got := shownIDs(p)
	if len(got) != len(choices) || !slices.Contains(got[:5], "it") {
		t.Fatalf("%d of %d rows, first %q", len(got), len(choices), got[:min(5, len(got))])
	}
}
