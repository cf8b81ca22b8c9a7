package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// The result tab shows the summary beneath the files, and follows what is written to them.
func TestTheResultTabIsLive(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.TabResult).See("summary.md", "done: grammar notes")
		s.PutResult(s.Work, "summary.md", "It works, and it is fast.\n")
		d.Sleep(1100 * time.Millisecond).See("and it is fast.")
		s.PutResult(s.Work, "figures.txt", "1 2 3\n")
		d.Sleep(1100 * time.Millisecond).See("figures.txt")
		d.Press(keymap.FocusNext, keymap.MoveTop, keymap.Open).See("1 2 3")
		s.PutResult(s.Work, "figures.txt", "4 5 6\n")
		d.Sleep(1100 * time.Millisecond).See("4 5 6")
	})
}

// A summary that is longer than the pane can be read beneath the list.
func TestTheSummaryScrolls(t *testing.T) {
	s := uitest.NewSmall()
	s.PutResult(s.Work, "summary.md", strings.Repeat("A paragraph.\n\n", 60)+"The end.\n")
	s.PutResult(s.Work, "a.txt", "a\n")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.TabResult, keymap.FocusNext).See("a.txt").Hidden("The end.")
		d.Press(keymap.MoveDown, keymap.MovePageDown, keymap.MovePageDown, keymap.MovePageDown, keymap.MovePageDown).See("The end.")
		d.Press(keymap.MovePageUp, keymap.MovePageUp, keymap.MovePageUp, keymap.MovePageUp, keymap.MoveUp).See("a.txt")
		d.Press(keymap.MoveBottom).See("The end.")
	})
}

// Finished work is accepted with its files and the beginning of its summary before one's eyes.
func TestTheDialogForWorkShowsWhatWasLeft(t *testing.T) {
	s := uitest.NewSmall()
	s.PutResult(s.Work, "out/report.txt", "a report\n")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("out/report.txt", "9 B", model.HashBytes([]byte("a report\n"))[:19], "summary.md", "done: grammar notes")
		d.Press(keymap.ConfirmYes).Status(s.Work, model.StatusDone)
	})
}

// A file of the result is opened to be read, and it is said that it is a copy.
func TestAResultFileIsOpenedAsACopy(t *testing.T) {
	s := uitest.NewSmall()
	s.PutResult(s.Work, "a.txt", "of a\n")
	var opened string
	ed := &uitest.Editor{Write: func(body string) (string, error) { opened = body; return body, nil }}
	uitest.Run(t, withEditor(s, ed), func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.TabResult, keymap.FocusNext, keymap.OpenFile).Sleep(time.Second).See("It was a copy")
		if opened != "of a\n" || ed.ReadOnly != 1 || len(ed.Kept) != 0 {
			t.Errorf("%q was opened, %d times to be read; %v is left", opened, ed.ReadOnly, ed.Kept)
		}
		ed.Write = func(body string) (string, error) { return body + "mine\n", nil }
		d.Press(keymap.OpenFile).Sleep(time.Second).See("Your changes are in a copy", "/tmp/edit-2/")
		if len(ed.Kept) != 1 {
			t.Errorf("what was written is lost: %v", ed.Kept)
		}
	})
}

// A summary with more lines than a dialog has room for begins in it, a row below the files.
func TestTheDialogForWorkShowsOnlyTheBeginning(t *testing.T) {
	s := uitest.NewSmall()
	s.PutResult(s.Work, "summary.md", "# Done\n\n"+strings.Repeat("a line of it\n", 20)+"the very end\n")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("# Done", "a line of it", "…").Hidden("the very end").Press(keymap.ConfirmNo)
	})
}

// Of a large file the beginning is shown, and that it is no more than that.
func TestALargeResultFileIsShownInPart(t *testing.T) {
	s := uitest.NewSmall()
	s.PutResult(s.Work, "big.txt", strings.Repeat("a line of it\n", 40000))
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.TabResult, keymap.FocusNext, keymap.MoveTop, keymap.Open).See("a line of it", "the first 262.1 kB")
	})
}
