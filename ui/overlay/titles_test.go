package overlay

import (
	"strings"
	"testing"

	"vespe/model/visible"
	"vespe/themes"
	"vespe/ui/style"

	"github.com/charmbracelet/x/ansi"
)

// Whatever an overlay is given may come from a file: none of it reaches the terminal as
// more than text.
func TestNothingThatAnOverlayIsGivenReachesTheTerminalRaw(t *testing.T) {
	st := style.New(themes.Bundled()[0], style.Options{Dark: true})
	const evil = "x\x1b[8m\x1b]0;t\a\u202e\u200by\xff"
	for name, o := range map[string]Overlay{
		"diff":    compared(st, DiffOptions{Title: evil, OldTitle: evil, NewTitle: evil, Note: evil, Old: "a" + evil, New: "b" + evil}),
		"picker":  NewPicker(st, PickerOptions{Title: evil, Placeholder: evil, Choices: []Choice{{ID: "1", Title: evil, Detail: evil, Glyph: evil}}}),
		"nothing": NewPicker(st, PickerOptions{Title: evil, Nothing: evil}),
		"confirm": NewConfirm(st, ConfirmOptions{Title: evil, Summary: evil, Yes: evil, No: evil, Warnings: []string{evil}, Affected: []Affected{{Glyph: evil, Title: evil, Detail: evil}}}),
		"prompt":  NewPrompt(st, PromptOptions{Title: evil, Label: evil, Value: evil, Placeholder: evil, Note: evil}),
		"compose": NewCompose(st, ComposeOptions{Title: evil, Note: evil, Value: evil}),
	} {
		for _, line := range o.View(60, 14) {
			if visible.Has(ansi.Strip(line)) || strings.Contains(line, "\x1b[8m") || strings.Contains(line, "\x1b]0") {
				t.Errorf("%s draws %q", name, line)
			}
		}
	}
}
