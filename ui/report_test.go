package ui_test

import (
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// reported is finished work with files of its own, and a report that is in none of them.
func reported(s *uitest.Small, text string) model.UID {
	uid := s.Working("port the reader", s.Root)
	s.PutResult(uid, "out.txt", "a file\n")
	s.Must(model.Op{Name: model.WorkCompleted, UID: uid, Actor: uitest.Robot, Args: model.Completion{Summary: text}})
	return uid
}

// What a worker says of its work is the first thing wherever the work is judged, also where it left files.
func TestTheReportIsShownWhereverWorkIsJudged(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		s := uitest.NewSmall()
		uid := reported(s, "did a, but NOT b \x1b[31m")
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			goTo(d, "port the reader")
			if size[0] < 100 {
				d.Press(keymap.FocusNext)
			}
			d.Press(keymap.TabOverview).See("Report", "robot (agent)", "did a, but NOT b ␛[31m")
			d.Press(keymap.TabResult).See("did a, but NOT b ␛[31m", "out.txt")
			screen := d.Screen()
			if strings.Index(screen, "NOT b") > strings.Index(screen, "out.txt") {
				t.Errorf("the report is not the first thing:\n%s", screen)
			}
			d.Press(keymap.Accept).See("Accept the work on").Press(keymap.ConfirmDetails).See("Reported by robot (agent)", "did a, but NOT b ␛[31m").Press(keymap.ConfirmYes)
			d.Status(uid, model.StatusDone)
		})
	}
}

// A long report is read to its end in the tab with the result, and the files beneath it are reached.
func TestALongReportIsReadWhole(t *testing.T) {
	s := uitest.NewSmall()
	reported(s, strings.Repeat("a line of it\n\n", 60)+"but NOT b")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 30}, func(d *uitest.Driver) {
		goTo(d, "port the reader")
		d.Press(keymap.TabOverview, keymap.FocusNext).See("Report", "a line of it")
		d.Press(keymap.TabResult).See("a line of it").Hidden("out.txt", "but NOT b")
		for range 12 {
			d.Press(keymap.MovePageDown)
		}
		d.See("but NOT b", "out.txt")
		for range 12 {
			d.Press(keymap.MovePageUp)
		}
		d.See("Report").Hidden("out.txt")
	})
}

// The dialog for several says of each what was reported, and the patch of a run stands below its report.
func TestTheReportOfSeveralAndAboveAPatch(t *testing.T) {
	s := uitest.NewSmall()
	other := reported(s, "did c, but NOT d")
	harmless(s.Store, other, s.Work)
	s.Must(model.Op{Name: model.Revalidate, UID: other, Actor: uitest.Ann}, model.Op{Name: model.Revalidate, UID: s.Work, Actor: uitest.Ann})
	reviewed(s.Store, true)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 50, KeepUnread: true}, func(d *uitest.Driver) {
		for _, name := range []string{"port the reader", "grammar notes"} {
			goTo(d, name)
			d.Press(keymap.Select)
		}
		d.Press(keymap.Accept).See("did c, but NOT d", "done: grammar notes").Press(keymap.ConfirmNo)
		goTo(d, "parse OFX")
		d.Press(keymap.Diff).See("Report  by loop (system)", "done")
	})
}
