package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
)

// An acceptance that does not count for the person is no plain status word in any view, and the reason that
// the model gives is there as it is.
func TestEveryViewShowsALackingAcceptance(t *testing.T) {
	s := milestoned(t)
	uid := s.Planned("lexer states", s.Root)
	s.Accept(uid)
	s.Lack("nobody vouches for zebras", uid)
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox).See("unsigned:")
			d.Press(keymap.ViewTree)
			goTo(d, "lexer states")
			d.See("Unsigned", "Needs a signature", "zebras", "a accept").Hidden("s start", "r reject")
			d.Press(keymap.ViewMap).See("lexer states  Needs a signature")
			d.Press(keymap.ViewBoard, keymap.ViewLanes).See("Needs a signature")
			d.Press(keymap.ViewMilestones, keymap.MoveTop, keymap.UnfoldAll).See("Unsigned")
		})
	}
}
