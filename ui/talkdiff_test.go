package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
)

// twoRevisions is a plan that this reviewer rejected, and the next: a line is another, one is
// gone, one is new.
func twoRevisions(t *testing.T, s *uitest.Small) (one, two string) {
	t.Helper()
	one = "# Plan\n\nRead the code.\n\nWrite the test.\n\nMake it pass.\n\nShip it.\n\nTell them.\n\nGo home.\n\nSleep.\n\nWake up.\n"
	s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: one}})
	two = strings.NewReplacer("Write the test.", "Write the test, with examples.", "Tell them.\n\n", "", "Wake up.\n", "Wake up.\n\nDelete the old lexer.\n").Replace(one)
	rejected(t, s.Store, s.Plan, []model.NewComment{{Kind: model.Demand, Place: place(t, one, "Write"), Text: "say which"}}, []string{"done"}, two)
	return one, two
}

// toLine moves the cursor of a difference to a line of one of its changes, and opens the box for a
// comment on it.
func toLine(d *uitest.Driver, text string) {
	d.T.Helper()
	d.Press(keymap.MoveTop)
	for range 4 {
		d.Press(keymap.HunkNext)
		for range 3 {
			if d.Press(keymap.Comment); strings.Contains(d.Screen(), "of the plan: "+text) || strings.Contains(d.Screen(), "> "+text) {
				return
			}
			d.Press(keymap.ComposeLeave, keymap.MoveDown)
		}
	}
	d.T.Fatalf("%q is not reached\n%s", text, d.Screen())
}

// Lines of a difference are commented on where they stand, in one column and in two: what is
// there, and what is gone.
func TestCommentsInADifference(t *testing.T) {
	for _, w := range []int{80, 120} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			s, k := uitest.NewSmall(), &uitest.Drafts{}
			twoRevisions(t, s)
			uitest.Run(t, uitest.Options{Store: s.Store, W: w, H: 40, Change: with(k)}, func(d *uitest.Driver) {
				goTo(d, "lexer tokens")
				d.Press(keymap.Diff)
				toLine(d, "Delete the old lexer.")
				d.Type("why that?").Press(keymap.ComposeKind, keymap.ComposeSend).See("draft question", "why that?")
				if lineOf(d, "draft question") != lineOf(d, "Delete the old lexer")+1 {
					t.Errorf("it does not stand under its line\n%s", d.Screen())
				}
				toLine(d, "Tell them.")
				d.See("On line 9 of the plan: Ship it.").Type("who tells them?").Press(keymap.ComposeSend).See("> Tell them.", "who tells them?")
				// Another column, and all lines: they stay.
				d.Press(keymap.DiffSplit, keymap.DiffAll).See("who tells them?", "why that?")
				d.Sleep(time.Second)
				kept, _ := k.Drafts("", s.Plan)
				if len(kept) != 2 || kept[0].Place.Quote[0] != "Delete the old lexer." || kept[1].Text != "> Tell them.\n\nwho tells them?" || kept[1].Place.Quote[0] != "Ship it." {
					t.Fatalf("kept %+v", kept)
				}
				d.Press(keymap.CommentsSend).See("question, open", "comment, open").Hidden("draft comment")
				f := reviewOf(t, s.Store, s.Plan)
				if n := len(f.Comments); n != 3 || f.Comments[1].Place.Lost() || f.Comments[2].Place.Lost() {
					t.Errorf("sent as %+v", f.Comments)
				}
			})
		})
	}
}

// A range is one comment; what is begun and left without a word is none.
func TestARangeInADifference(t *testing.T) {
	for _, w := range []int{80, 130} {
		s := uitest.NewSmall()
		_, two := twoRevisions(t, s)
		uitest.Run(t, uitest.Options{Store: s.Store, W: w, H: 40}, func(d *uitest.Driver) {
			goTo(d, "lexer tokens")
			d.Press(keymap.Diff)
			toLine(d, "Tell them.")
			d.Press(keymap.ComposeSend).Hidden("1 draft", "draft comment")
			d.Press(keymap.LineRange, keymap.MoveDown, keymap.MoveDown, keymap.MoveDown)
			if n := strings.Count(d.Screen(), "▎"); n < 3 {
				t.Errorf("%d lines are marked\n%s", n, d.Screen())
			}
			d.Press(keymap.Comment).Type("all of it").Press(keymap.ComposeSend).See("all of it")
			d.Press(keymap.LineRange, keymap.PagerClose).See("your last decision").Press(keymap.PagerClose).Hidden("your last decision")
			d.Press(keymap.TabPlan, keymap.CommentsSend)
			c := reviewOf(t, s.Store, s.Plan).Comments
			at := c[len(c)-1].Place
			if lines := strings.Split(two, "\n"); !slices.Equal(at.Quote, lines[at.From-1:at.To]) || at.From > 11 || at.To < 11 {
				t.Errorf("the comment is on %+v", at)
			}
		})
	}
}

// What was said is gone on with beside the lines, too: a draft is written on and thrown away, a
// comment answered and resolved.
func TestTalkInADifference(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	_, two := twoRevisions(t, s)
	s.Must(model.Op{Name: model.AddComment, UID: s.Plan, Actor: uitest.Ann, Args: model.Remarks{Comments: []model.NewComment{{Place: place(t, two, "Sleep."), Text: "how long?"}}}})
	if err := k.Keep("", s.Plan, []review.Draft{{ID: "d-old", Kind: model.Question, Doc: model.Plan, Place: place(t, two, "Go home."), Text: "from last time"}}, nil); err != nil {
		t.Fatal(err)
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40, Change: with(k)}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Diff).See("draft question", "how long?")
		d.Press(keymap.NoteNext, keymap.NoteNext, keymap.Comment).See("from last time").Type(" and this").Press(keymap.ComposeSend).See("from last time and this")
		d.Press(keymap.CommentSettle).See("saved nowhere else").Press(keymap.ConfirmYes).Hidden("from last time")
		d.Press(keymap.NoteNext, keymap.Comment).See("Answer c").Type("eight hours").Press(keymap.ComposeSend).See("comment, answered", "eight hours")
		d.Press(keymap.CommentSettle).See("comment, resolved").Press(keymap.MoveUp, keymap.Comment).See("of the plan: Sleep.").Press(keymap.ComposeLeave)
		d.Press(keymap.PagerClose).Sleep(time.Second)
		if got, _ := k.Drafts("", s.Plan); len(got) != 0 {
			t.Errorf("kept %+v", got)
		}
	})
}

// A plan of which nothing is left is commented on as a whole, with what was there.
func TestACommentWhereNothingIsLeft(t *testing.T) {
	s := uitest.NewSmall()
	rejected(t, s.Store, s.Plan, nil, nil, "Start anew.\n")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 40}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Diff)
		toLine(d, "2. Write the test.")
		d.See("On line 1 of the plan: Start anew.").Press(keymap.ComposeLeave)
		d.Press(keymap.PagerClose).Hidden("1 draft")
	})
}

// A plan that is rewritten under its open difference takes the comment along.
func TestACommentInADifferenceOfThen(t *testing.T) {
	s := uitest.NewSmall()
	_, two := twoRevisions(t, s)
	uitest.Run(t, uitest.Options{Store: s.Store, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Diff)
		toLine(d, "Delete the old lexer.")
		s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: "A preamble.\n\n" + two}})
		d.Type("why that?").Sleep(1500 * time.Millisecond).Press(keymap.ComposeSend).See("why that?").Press(keymap.PagerClose)
		d.See("A preamble.", "why that?")
		if lineOf(d, "draft comment") != lineOf(d, "Delete the old lexer")+1 {
			t.Errorf("it does not stand under its line\n%s", d.Screen())
		}
		d.Press(keymap.Diff).See("changed while it was on screen", "why that?").Press(keymap.Comment).See("On line 1 of the plan").Press(keymap.ComposeLeave)
	})
}
