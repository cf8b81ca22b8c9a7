package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
)

// A comment that is made on the later revision has asked for none of its changes.
func TestACommentOnAChangeDidNotAskForIt(t *testing.T) {
	s := uitest.NewSmall()
	_, two := twoRevisions(t, s)
	s.Must(model.Op{Name: model.AddComment, UID: s.Plan, Actor: uitest.Ann, Args: model.Remarks{Comments: []model.NewComment{{Place: place(t, two, "Delete the old"), Text: "why that?"}}}})
	uitest.Run(t, uitest.Options{Store: s.Store, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.See("3 changes, 2 unasked", "why that?")
	})
}

// What was said on a revision between the two that are compared, and a draft that was begun on an earlier
// one, stand under their lines in the later text.
func TestWhatWasSaidOnAnotherRevisionIsPlacedInADifference(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	one, two := twoRevisions(t, s)
	s.Must(model.Op{Name: model.AddComment, UID: s.Plan, Actor: "human:bob", Args: model.Remarks{Comments: []model.NewComment{{Place: place(t, two, "Sleep."), Text: "how long?"}}}})
	for _, c := range commentsOf(t, s.Store, s.Plan) {
		if c.Text == "how long?" {
			s.Must(model.Op{Name: model.ResolveComment, UID: s.Plan, Actor: "human:bob", Args: model.CommentRef{Comment: c.ID}})
		}
	}
	s.Must(
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: "human:bob", Reason: "mine"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: strings.Replace(two, "# Plan\n", "# Plan\n\nA preamble.\n\nOf some lines.\n\nAnd more.\n", 1)}},
	)
	if err := k.Keep("", s.Plan, []review.Draft{{ID: "d-old", Kind: model.Question, Doc: model.Plan, Revision: 1, Place: place(t, one, "Go home."), Text: "from last time"}}, nil); err != nil {
		t.Fatal(err)
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 60, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Diff, keymap.DiffAll).See("your last decision", "how long?", "from last time")
		for note, line := range map[string]string{"how long?": "Sleep.", "from last time": "Go home."} {
			if at, under := lineOf(d, note), lineOf(d, line); at <= under || at > under+3 {
				t.Errorf("%q is in row %d, its line %q in %d\n%s", note, at, line, under, d.Screen())
			}
		}
		d.Press(keymap.PagerClose)
	})
}

// What an acceptance left out is marked on the text that was accepted, and on no other.
func TestWhatWasLeftOutIsMarkedOnTheAcceptedTextOnly(t *testing.T) {
	s, uid := parted(t)
	body, err := s.Content(t.Context(), uid, model.Plan)
	if err != nil {
		t.Fatal(err)
	}
	s.Must(model.Op{Name: model.AcceptPlan, UID: uid, Actor: uitest.Ann, Args: model.Acceptance{Excluded: []string{"Delete the old store"}}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 50}, func(d *uitest.Driver) {
		goTo(d, "parted plan")
		d.Press(keymap.TabPlan).See("not accepted: ann left this section out")
		s.Edit(uid, model.Plan, string(body.Body)+"\nOne more line.\n")
		d.Sleep(1500 * time.Millisecond).See("One more line.").Hidden("left this section out")
	})
}

func commentsOf(t *testing.T, s *uitest.Store, uid model.UID) []model.Comment {
	t.Helper()
	r, err := s.Review(t.Context(), uid, 0)
	if err != nil || r == nil {
		t.Fatalf("no review of %s: %v", uid, err)
	}
	return r.Comments
}
