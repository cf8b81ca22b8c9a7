package ui_test

import (
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// What people stumbled over who used vespe for the first time.
func TestWhatNewUsersMet(t *testing.T) {
	for name, do := range map[string]func(t *testing.T, s *uitest.Small, d *uitest.Driver){
		"a message goes with the next key": func(_ *testing.T, _ *uitest.Small, d *uitest.Driver) {
			goTo(d, "lexer tokens")
			d.Press(keymap.CopyName).See("Copied the name").Sleep(time.Second).Press(keymap.ViewInbox).Hidden("Copied the name")
		},
		"a new task opens on its overview": func(_ *testing.T, _ *uitest.Small, d *uitest.Driver) {
			goTo(d, "lexer tokens")
			d.Press(keymap.TabResult, keymap.New).Type("a fresh idea").Key("enter").See("a fresh idea", "Waits for an objective")
		},
		"undo says what it can't undo": func(_ *testing.T, _ *uitest.Small, d *uitest.Driver) {
			goTo(d, "lexer tokens")
			d.Press(keymap.Rename).Type(" anew").Key("enter").Press(keymap.Undo).See("Rename", "can't be undone: this undoes an earlier").Press(keymap.PromptCancel)
			d.Press(keymap.Accept).Sleep(time.Second).Press(keymap.ConfirmYes).Sleep(10 * time.Second)
			d.Press(keymap.Rename).Type(" again").Key("enter").Press(keymap.Undo).See("can't be undone: this undoes")
		},
		"a tour goes on after a comment": func(_ *testing.T, _ *uitest.Small, d *uitest.Driver) {
			d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Tour).See("Tour 1 of 9")
			for range 4 { // to a plan
				d.Press(keymap.MoveDown)
			}
			d.Press(keymap.Open).See("comments on the lines").Press(keymap.Comment).Type("why?").Press(keymap.ComposeSend).See("Now decide")
		},
		"work that nobody accepted is not done": func(_ *testing.T, s *uitest.Small, d *uitest.Driver) {
			s.Must(model.Op{Name: model.AddDependency, UID: s.Run, Actor: uitest.Robot, Args: model.DependencyEdit{DependsOn: []model.UID{s.Work}}})
			goTo(d, "error messages")
			d.Press(keymap.Refresh, keymap.TabOverview).See("Depends on  0 of 1 done")
		},
		"a quote that is cut says so": func(_ *testing.T, s *uitest.Small, d *uitest.Driver) {
			s.Must(model.Op{Name: model.AddComment, UID: s.Plan, Actor: "human:bob", Args: model.Remarks{Comments: []model.NewComment{{Kind: model.Question, Text: "Which of them?\nAnd why?"}}}})
			goTo(d, "lexer tokens")
			d.Press(keymap.Refresh, keymap.Accept, keymap.ConfirmDetails).See("Which of them? …")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := uitest.NewSmall()
			uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 50}, func(d *uitest.Driver) { do(t, s, d) })
		})
	}
}
