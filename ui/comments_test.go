package ui_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui"
)

// reading opens the plan of a task in the right pane.
func reading(d *uitest.Driver, name string) {
	d.T.Helper()
	goTo(d, name)
	d.Press(keymap.TabPlan, keymap.FocusNext)
}

// onLine puts the cursor on a line of the text on the right, by searching for what it says.
func onLine(d *uitest.Driver, text string) {
	d.T.Helper()
	d.Press(keymap.SearchStart).Type(text).Press(keymap.SearchKeep).Press(keymap.Back).See(text)
}

// with gives the workbench a place for drafts.
func with(k *uitest.Drafts) func(*ui.Deps) {
	return func(deps *ui.Deps) { deps.Drafts = k }
}

func reviewOf(t *testing.T, s *uitest.Store, uid model.UID) *model.ReviewFile {
	t.Helper()
	f, err := s.Review(t.Context(), uid, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f == nil {
		return &model.ReviewFile{}
	}
	return f
}

// A comment is typed on a line, is a draft until it is sent, and then stands under its line.
func TestCommentOnALine(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		onLine(d, "Write the test")
		d.Press(keymap.Comment).See("On line 4 of the plan: 2. Write the test.", "comment", "question", "change", "[ ] blocking")
		d.Press(keymap.ComposeKind).Press(keymap.ComposeKind, keymap.ComposeBlock).See("[x] blocking")
		d.Type("which test?").See("draft blocking change")
		d.Sleep(time.Second)
		if got, _ := k.Drafts("", s.Plan); len(got) != 1 || got[0].Text != "which test?" || got[0].Place.From != 4 || !got[0].Blocking {
			t.Fatalf("kept %+v", got)
		}
		d.Press(keymap.ComposeSend).See("draft blocking change", "which test?", "Draft: sent with your verdict", "1 draft")
		if len(reviewOf(t, s.Store, s.Plan).Comments) != 0 {
			t.Fatal("it was sent")
		}
		d.Press(keymap.CommentsSend).See("blocking change, open", "1 blocking").Hidden("1 draft", "not sent")
		c := reviewOf(t, s.Store, s.Plan).Comments
		if len(c) != 1 || c[0].Place.From != 4 || c[0].Kind != model.Demand || !c[0].Blocking || c[0].Place.Quote[0] != "2. Write the test." {
			t.Fatalf("it is %+v", c)
		}
		d.Sleep(time.Second)
		if got, _ := k.Drafts("", s.Plan); len(got) != 0 {
			t.Errorf("the draft is still kept: %+v", got)
		}
		// It stands under its line.
		_, line := d.Find("Write the test")
		if _, at := d.Find("blocking change, open"); at != line+1 {
			t.Errorf("it stands in row %d, its line in %d", at, line)
		}
	})
}

// A range is commented on as a whole, folded, unfolded, resolved and opened again.
func TestARangeAndItsComment(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		onLine(d, "Read the code")
		d.Press(keymap.LineRange, keymap.MoveDown, keymap.MoveDown, keymap.Comment).See("On lines 3-5 of the plan:", "> 1. Read the code.", "> 2. Write the test.", "> 3. Make it pass.")
		d.Type("too little").Press(keymap.ComposeSend, keymap.CommentsSend).See("comment, open", "lines 3-5")
		d.Press(keymap.PlaceNext, keymap.Open).See("ann: too little").Hidden("lines 3-5")
		d.Press(keymap.Open).See("lines 3-5")
		d.Press(keymap.CommentSettle).See("comment, resolved")
		d.Press(keymap.CommentSettle).See("comment, open", "reopened by ann")
		d.Press(keymap.Comment).See("Answer c", "too little", "answered", "addressed", "declined").Type("never mind").Press(keymap.ComposeSend)
		d.See("comment, answered", "never mind", "answered by ann", "1 answered")
		// What a person says to an answer opens the comment again.
		d.Sleep(6*time.Second).See("reply").Press(keymap.Comment).See("Reply to c", "ann: never mind", "sent at once", "reopens the").Type("but why?").Press(keymap.ComposeSend)
		d.See("comment, open", "but why?", "reopened by ann", "1 open").Hidden("1 answered")
		if b := task(t, s.Store, s.Plan).Status.Comments; b == nil || b.Open != 1 {
			t.Errorf("the book says %+v", b)
		}
	})
}

// Of a long range the box quotes the first lines, and says how many more there are.
func TestALongRangeIsQuotedInPart(t *testing.T) {
	s := uitest.NewSmall()
	s.Edit(s.Plan, model.Plan, "# Long\n\n- one\n- two\n\n- three\n- four\n- five\n")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		onLine(d, "one")
		d.Press(keymap.LineRange).Press(slices.Repeat([]keymap.Action{keymap.MoveDown}, 5)...).Press(keymap.Comment)
		d.See("On lines 3-8 of the plan:", "> - one").Resize(120, 40).See("On lines 3-8 of the plan:", "> - one", "> - two", "> - three", "and 2 lines more")
	})
}

// On the objective comments work as on the plan; from the tree one is on the plan as a whole.
func TestCommentsElsewhere(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Comment).See("On the plan as a whole").Type("no").Press(keymap.ComposeSend)
		d.Press(keymap.TabObjective, keymap.FocusNext)
		onLine(d, "Make lexer tokens")
		d.Press(keymap.Comment).See("of the objective").Type("why?").Press(keymap.ComposeSend).See("why?", "1 draft")
		d.Press(keymap.TabPlan).See("on the whole", "1 draft").Hidden("why?")
		d.Press(keymap.CommentsSend)
		c := reviewOf(t, s.Store, s.Plan).Comments
		if len(c) != 2 || !c[0].Place.IsZero() || c[1].Doc != model.Objective || c[1].Place.From != 3 {
			t.Errorf("they are %+v", c)
		}
		goToEmpty(d)
		d.Press(keymap.Comment).See("there is no plan to comment on").Press(keymap.Back)
	})
}

func goToEmpty(d *uitest.Driver) {
	d.Press(keymap.FocusNext)
	goTo(d, "idea for later")
}

// A draft that is left with esc, and one that another program left behind, are there again; one
// that is emptied or thrown away is gone.
func TestDraftsStay(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	if err := k.Keep("", s.Plan, []review.Draft{{ID: "d-old", Kind: model.Question, Doc: model.Plan, Place: model.PlaceAt([]byte(uitest.PlanText("lexer tokens")), 3, 3), Text: "from last time"}}, nil); err != nil {
		t.Fatal(err)
	}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.See("from last time", "draft question", "1 draft")
		onLine(d, "Make it pass")
		d.Press(keymap.Comment).Hidden(isDraft).Type("half a sen").Press(keymap.ComposeLeave).See("half a sen", "2 drafts")
		d.Press(keymap.Comment).See("half a sen", isDraft).Type("tence").Press(keymap.ComposeSend).See("half a sentence", "2 drafts")
		d.Press(keymap.Open).Key("ctrl+u").Press(keymap.ComposeLeave).Hidden("half a sen").See("1 draft")
		d.Press(keymap.PlacePrev).Press(keymap.CommentSettle).See("saved nowhere else").Press(keymap.ConfirmYes).Hidden("from last time")
		d.Sleep(time.Second)
		if got, _ := k.Drafts("", s.Plan); len(got) != 0 {
			t.Errorf("kept %+v", got)
		}
	})
}

// What is typed is written while it is being typed, but not once for every key; that it cannot be
// is said.
func TestDraftsAreKeptAsTyped(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Comment)
		for i := range 100 {
			d.Type(fmt.Sprint(i % 10)).Sleep(20 * time.Millisecond)
		}
		if k.Saves < 5 || k.Saves > 20 {
			t.Errorf("in two seconds it was written %d times", k.Saves)
		}
		if got, _ := k.Drafts("", s.Plan); len(got) != 1 || len(got[0].Text) < 80 {
			t.Errorf("kept %+v", got)
		}
		k.Fail = errors.New("no space left on device")
		d.Type("more").Sleep(time.Second).Press(keymap.ComposeSend).See("Can't save what you type", "no space left")
		k.Fail = nil
		d.Press(keymap.Open).Type("!").Press(keymap.ComposeSend).Sleep(time.Second).Hidden("Can't save what you type")
		if got, _ := k.Drafts("", s.Plan); len(got) != 1 || !strings.HasSuffix(got[0].Text, "more!") {
			t.Errorf("kept %+v", got)
		}
	})
}

// A plan is rejected with comments alone, but not with nothing.
func TestCommentsAreReasonEnough(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Reject, keymap.ComposeSend).See("It can't be empty").Press(keymap.Back)
		d.Press(keymap.Comment).Type("say how").Press(keymap.ComposeSend)
		d.Press(keymap.Reject).See("See the comments.").Press(keymap.ComposeSend).See("Rejected the plan")
		f := reviewOf(t, s.Store, s.Plan)
		if f.Verdict != model.VerdictRejected || len(f.Comments) != 1 {
			t.Errorf("the review is %+v", f)
		}
	})
}

// A verdict takes the drafts along.
func TestAVerdictSendsTheDrafts(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Comment, keymap.ComposeBlock).Type("say how").Press(keymap.ComposeSend)
		d.Press(keymap.Reject).Type("not yet").Press(keymap.ComposeSend)
		f := reviewOf(t, s.Store, s.Plan)
		if f.Verdict != model.VerdictRejected || len(f.Comments) != 1 || !f.Comments[0].Blocking {
			t.Errorf("the review is %+v", f)
		}
		d.See("blocking comment, open", "say how").Hidden("1 draft")
	})
}

// Asking and putting off leave the plan undecided.
func TestAskAndDefer(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.AskPlan).Type("what of open files?").Press(keymap.ComposeSend).See("Asked about the plan")
		if r := task(t, s.Store, s.Plan).Status.Review; r == nil || r.Verdict != model.VerdictAsked {
			t.Errorf("the verdict is %+v", r)
		}
		d.Press(keymap.Pause).See("Defer plan").Press(keymap.ConfirmYes).See("Deferred the plan")
		if r := task(t, s.Store, s.Plan).Status.Review; r == nil || r.Verdict != model.VerdictDeferred {
			t.Errorf("the verdict is %+v", r)
		}
	})
}

// The contents list the headings, and one is gone to.
func TestContents(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: "# First\n\n" + strings.Repeat("A step.\n\n", 60) + "## Second part\n\n" + strings.Repeat("Another.\n\n", 60)}})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Palette(keymap.Contents).See("Contents", "First", "Second part", "line 123").Type("second").Press(keymap.PickerChoose)
		d.See("Second part", "123")
		d.Press(keymap.Comment).See("On line 123").Press(keymap.ComposeLeave)
	})
}

// Half a rejection is kept like a comment, in case the terminal goes: the same key continues with
// it, also in another program, and once it is sent nothing is left.
func TestHalfARejectionIsKept(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).Type("it does not say how").Sleep(time.Second)
	})
	if got, _ := k.Drafts("", s.Plan); len(got) != 1 || got[0].Text != "it does not say how" || got[0].For != model.RejectPlan {
		t.Fatalf("kept %+v", got)
	}
	again := &uitest.Small{}
	*again = *uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: again.Store, Change: with(k)}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan).Sleep(time.Second).Hidden("does not say how", "draft")
		d.Press(keymap.Reject).See("it does not say how").Type(" it ends").Press(keymap.ComposeSend)
		if r := task(t, again.Store, again.Plan).Status.Review; r == nil || r.Reason != "it does not say how it ends" {
			t.Errorf("the verdict is %+v", r)
		}
		d.Sleep(time.Second)
		if got, _ := k.Drafts("", again.Plan); len(got) != 0 {
			t.Errorf("kept %+v", got)
		}
	})
}

// Without colors and beyond ASCII a review says the same.
func TestAReviewInASCII(t *testing.T) {
	s := uitest.NewSmall()
	one := uitest.PlanText("lexer tokens")
	rejected(t, s.Store, s.Plan, []model.NewComment{{Place: place(t, one, "2. Write"), Text: "say which"}, {Place: place(t, one, "1. Read"), Text: "fast"}}, []string{"done"},
		strings.Replace(one, "Write the test", "Write the test of it", 1)+"\n4. More.\n")
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.ASCII, d.NoColor = true, true }}, func(d *uitest.Driver) {
		check := func(what string) {
			t.Helper()
			for _, r := range d.Screen() {
				if r > 126 {
					t.Errorf("%s: %q (%U) on screen:\n%s", what, r, r, d.Screen())
					return
				}
			}
		}
		reading(d, "lexer tokens")
		d.See("say which", "done")
		check("the plan")
		d.Press(keymap.LineRange, keymap.MoveDown, keymap.MoveDown, keymap.Comment).Type("x")
		check("the box")
		d.Press(keymap.ComposeSend, keymap.PlaceNext, keymap.Open)
		check("folded")
		d.Press(keymap.Diff).See("unasked")
		check("the difference")
		d.Press(keymap.PagerClose, keymap.Accept).See("Your comment is sent with it")
		check("the dialog")
		d.Press(keymap.ConfirmNo)
	})
}
