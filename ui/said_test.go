package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// Who looks at another revision of a plan sees what was said when the one before it was sent back; what was
// taken back was not said, and what was asked is a comment.
func TestWhatWasSaidLast(t *testing.T) {
	s := uitest.NewSmall()
	ann := model.Actor("human:ann")
	plan := func(text string) {
		s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: text}})
	}
	s.Must(model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: ann, Reason: "Say which tokens,\nand why those."})
	plan("# Plan\n\nFive tokens.\n")
	s.Must(model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: ann, Reason: "Five are too few."})
	s.Must(model.Op{Name: model.UndoVerdict, UID: s.Plan, Actor: ann})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.See("Verdict", "ann rejected revision 1", "and why those.").Hidden("too few")
		d.Press(keymap.TabPlan).See("not decided", "ann rejected revision 1: Say which tokens, and why those.").Hidden("too few")
		d.Press(keymap.Reject).Key("F").Key("e").Key("w").Press(keymap.ComposeSend)
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan).See("rejected by", ": Few").Hidden("Say which tokens")
	})
}
