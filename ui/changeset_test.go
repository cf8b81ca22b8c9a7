package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// family is a parent whose plan waits for a verdict, with subtasks whose plans do, and others.
type family struct {
	*uitest.Small
	top, first, second, below, idea, busy model.UID
}

func newFamily(t *testing.T) family {
	t.Helper()
	s := uitest.NewSmall()
	f := family{Small: s, top: s.Planned("top of it", "")}
	f.first = s.Planned("first child", f.top)
	f.second = s.Planned("second child", f.top, f.first)
	f.below = s.Planned("grandchild", f.second)
	f.idea = s.Task("only an idea", f.top)
	f.busy = s.Working("at work", f.top)
	return f
}

func (f family) risk(uid model.UID, risk string) {
	f.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: risk}}}})
}

func (f family) accepted(t *testing.T) (names []string) {
	t.Helper()
	for _, uid := range []model.UID{f.top, f.first, f.second, f.below} {
		if tk := task(t, f.Store, uid); tk.Status.AcceptedPlan != nil {
			names = append(names, tk.Config.Name)
		}
	}
	return names
}

// read goes through the whole page.
func readAll(d *uitest.Driver) {
	d.Press(keymap.MoveTop)
	for range 12 {
		d.Press(keymap.MovePageDown)
	}
	d.Press(keymap.MoveBottom)
}

// A parent and those below it are one page and one verdict: all plans are accepted in one transaction.
func TestReviewAsOneChangeset(t *testing.T) {
	f := newFamily(t)
	f.risk(f.second, "high")
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.See(": changeset").Press(keymap.Changeset)
		d.See("Changeset of top of it", "of 4 plans read", "── ◇ top of it", "Make top of it work.", "Plan for top of it", f.top.Short(), "plan revision 1")
		d.Press(keymap.ChangesetNext).See("first child", "Make first child work.", f.first.Short())
		d.Press(keymap.ChangesetNext).See("second child", "high risk", "Plan for second child")
		d.Press(keymap.MoveBottom).See("only an idea", "not part of it: New, it has no plan yet", "at work", "Running, its plan is accepted", "in second child")
		readAll(d)
		d.See("4 of 4 plans read")
		before := f.Snapshot().Seq()
		d.Press(keymap.Accept).See("Accept 4 plans of a changeset", "in one transaction", "second child  high risk, read", "sha256-", "becomes").Hidden("not read whole")
		d.Key("enter") // the safe button has the focus
		if got := f.accepted(t); len(got) > 0 {
			t.Fatalf("enter accepted %q", got)
		}
		d.Press(keymap.Accept, keymap.ConfirmYes).Hidden("Changeset of")
		if got := f.accepted(t); len(got) != 4 {
			t.Fatalf("accepted %q", got)
		}
		if seq := f.Snapshot().Seq(); seq != before+1 {
			t.Errorf("%d transactions", seq-before)
		}
		d.See("Accepted the plan of 4 tasks")
		d.Press(keymap.Undo).See("4 tasks").Press(keymap.PromptSubmit)
		if got := f.accepted(t); len(got) > 0 {
			t.Errorf("still accepted: %q", got)
		}
	})
}

// It is opened from wherever the parent is: the tree, the inbox, its plan.
func TestAChangesetIsOpenedFromEverywhere(t *testing.T) {
	f := newFamily(t)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.TabPlan, keymap.FocusNext, keymap.Changeset).See("Changeset of top of it").Press(keymap.ChangesetClose)
		d.Press(keymap.ViewInbox)
		goTo(d, "top of it")
		d.Press(keymap.Changeset).See("Changeset of top of it").Press(keymap.ChangesetClose)
		d.Press(keymap.Palette).Type("changeset").See("changeset").Key("enter").See("Changeset of top of it")
		d.Press(keymap.Help).See("next task", "Go to the next plan in the changeset").Key("esc").See("Changeset of top of it")
	})
}

// What was not on the screen is said, and a plan of more than low risk is not accepted unread.
func TestAnUnreadRiskyPlanKeepsTheChangesetFromBeingAccepted(t *testing.T) {
	f := newFamily(t)
	harmless(f.Store, f.top, f.first, f.second)
	f.risk(f.below, "high")
	uitest.Run(t, uitest.Options{Store: f.Store, W: 140, H: 30}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset, keymap.Accept).See("grandchild has high risk, and you have not seen its objective and plan", "not read whole", "nothing of it can be accepted")
		d.Press(keymap.ConfirmYes).See("nothing was accepted", "grandchild has high risk").Press(keymap.ChangesetClose)
		d.Press(keymap.Back)
		if got := f.accepted(t); len(got) > 0 {
			t.Fatalf("accepted %q", got)
		}
		d.Press(keymap.Changeset)
		readAll(d)
		d.Press(keymap.ChangesetClose).Hidden("Changeset of").Press(keymap.Changeset).See("4 of 4 plans read") // what was read stays read
		d.Press(keymap.Accept).Hidden("nothing of its objective").Press(keymap.ConfirmYes)
		if got := f.accepted(t); len(got) != 4 {
			t.Fatalf("accepted %q", got)
		}
	})
}

// A subtask that is left out is not accepted, nor is what is below it, and the acceptance of its parent
// excludes it; a section of a plan can be left out of it, too.
func TestAChangesetInPart(t *testing.T) {
	f := newFamily(t)
	f.Must(
		model.Op{Name: model.RejectPlan, UID: f.first, Actor: uitest.Ann, Reason: "more"},
		model.Op{Name: model.DefinePlan, UID: f.first, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\nSteps.\n\n## Cleanup\n\nRemove it.\n"}},
	)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 160, H: 60}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset)
		readAll(d)
		d.Press(keymap.Accept, keymap.ConfirmParts).See("Parts of the changeset to accept", "[x]", "first child", "Cleanup", "second child", "grandchild")
		down := func(name string) {
			for range 12 {
				if _, y := d.Find(name); y >= 0 && strings.Contains(d.Line(y), "▌[") {
					return
				}
				d.Press(keymap.MoveDown)
			}
			t.Fatalf("no row %q:\n%s", name, d.Screen())
		}
		down("Cleanup  lines")
		d.Press(keymap.PartsToggle)
		down("◇ second child  revision")
		d.Press(keymap.PartsToggle).See("[ ]   ◇ second child", "[ ]     ◇ grandchild", "[x]   ◇ first child")
		d.Press(keymap.PartsDone).See("Accept 2 plans of a changeset", "2 parts are not accepted", "of the plan of first child", "is paused, with all below it")
		for row, n := range []string{"4", "2"} { // taken back in, and left out again
			d.Press(keymap.ConfirmParts)
			down([]string{"◇ second child  left out", "◇ second child  revision"}[row])
			d.Press(keymap.PartsToggle, keymap.PartsDone).See("Accept " + n + " plans of a changeset")
		}
		d.Press(keymap.ConfirmYes)
		if got := f.accepted(t); !slices.Equal(got, []string{"top of it", "first child"}) {
			t.Fatalf("accepted %q", got)
		}
		if got := task(t, f.Store, f.top).Status.AcceptedPlan.Excluded; !slices.Equal(got, []string{string(f.second)}) {
			t.Errorf("left out of the parent: %q", got)
		}
		if got := task(t, f.Store, f.first).Status.AcceptedPlan.Excluded; !slices.Equal(got, []string{"Cleanup"}) {
			t.Errorf("left out of the first child: %q", got)
		}
		if st := task(t, f.Store, f.second).Status; !strings.HasPrefix(st.PauseReason, "excluded: ") {
			t.Errorf("the second child is %+v", st)
		}
	})
}

// The plan of one of them is rewritten while the sheet is open: nothing at all is accepted, and the
// difference is shown.
func TestAChangesetOfWhichOnePlanChanged(t *testing.T) {
	for name, wait := range map[string]time.Duration{"at once": 0, "seen in time": 1100 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			f := newFamily(t)
			uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 50}, func(d *uitest.Driver) {
				goTo(d, "top of it")
				d.Press(keymap.Changeset)
				readAll(d)
				d.Press(keymap.MoveTop, keymap.Accept)
				f.Edit(f.below, model.Plan, uitest.PlanText("grandchild")+"4. Delete the production database.\n")
				if d.Sleep(wait); wait > 0 {
					d.See("grandchild changed while this was open", "Accept all")
				}
				before := f.Snapshot().Seq()
				d.Press(keymap.ConfirmYes).See("changed meanwhile", "nothing was done to any of the 4", "+ 4. Delete the production database")
				if got := f.accepted(t); len(got) > 0 {
					t.Fatalf("accepted %q", got)
				}
				if wait == 0 && f.Snapshot().Seq() != before {
					t.Errorf("something was written")
				}
				d.Press(keymap.PagerClose).See("Changeset of top of it", "3 of 4 plans read")
				d.Press(keymap.MoveBottom).See("Delete the production database", "4 of 4 plans read")
				d.Press(keymap.Accept, keymap.ConfirmYes)
				if got := f.accepted(t); len(got) != 4 {
					t.Fatalf("accepted %q", got)
				}
			})
		})
	}
}

// One that is edited while it is read is no longer read, and says so.
func TestAPlanOfAChangesetThatChangesUnderTheReader(t *testing.T) {
	f := newFamily(t)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 50}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset)
		readAll(d)
		d.Press(keymap.MoveTop)
		f.Edit(f.below, model.Plan, uitest.PlanText("grandchild")+"4. Something else.\n")
		d.Sleep(1100*time.Millisecond).See("changed while it was on screen", "grandchild", "3 of 4 plans read")
		// A new plan by an agent, with a transaction, too.
		f.Must(model.Op{Name: model.DefinePlan, UID: f.first, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Another\n\nOne step.\n"}})
		d.Sleep(1100*time.Millisecond).See("changed while it was on screen: first child", "One step.")
		// One that somebody else decides on is no part of it anymore.
		f.Must(model.Op{Name: model.RejectPlan, UID: f.second, Actor: "human:bob", Reason: "no"})
		d.Sleep(1100*time.Millisecond).Press(keymap.MoveBottom).See("of 3 plans read", "second child", "not part of it")
	})
}

// Comments are on the lines of the task that they stand in, and go along with the verdict on all.
func TestCommentsOnAChangeset(t *testing.T) {
	f := newFamily(t)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset, keymap.ChangesetNext, keymap.PlaceNext, keymap.PlaceNext, keymap.PlaceNext, keymap.MoveDown)
		d.Press(keymap.LineRange, keymap.MoveDown, keymap.Comment).See("Comment on first child", "of the plan")
		d.Type("what if it is empty?").Press(keymap.ComposeSend).See("draft comment", "what if it is empty?", "lines ")
		d.Press(keymap.ChangesetNext, keymap.Comment).See("Comment on second child", "On the plan as a whole.").Type("too long").Press(keymap.ComposeSend)
		d.Press(keymap.PlacePrev).Press(keymap.ChangesetOpen).See("Comment on first child", "what if it is empty?").Press(keymap.ComposeLeave)
		d.Press(keymap.Reject).See("Reject plan", "4 tasks").Type("start again").Press(keymap.ComposeSend).Hidden("Changeset of")
		for uid, text := range map[model.UID]string{f.top: "", f.first: "what if it is empty?", f.second: "too long", f.below: ""} {
			st := task(t, f.Store, uid).Status
			if st.CurrentState != model.ObjectiveDefined || st.Review.Reason != "start again" {
				t.Errorf("%s: %s, %+v", uid, st.CurrentState, st.Review)
			}
			r, _ := f.Review(t.Context(), uid, 1)
			switch {
			case text == "" && r != nil && len(r.Comments) > 0, text != "" && (r == nil || len(r.Comments) != 1 || r.Comments[0].Text != text):
				t.Errorf("the review of %s: %+v", uid, r)
			case text == "what if it is empty?" && (r.Comments[0].Place.From != 3 || r.Comments[0].Place.To != 4):
				t.Errorf("it is on %+v", r.Comments[0].Place)
			}
		}
	})
}

// What changed in one of the plans since it was decided on is a key away, and is commented on there; a
// question goes to all, which wait on.
func TestDifferenceAndQuestionInAChangeset(t *testing.T) {
	f := newFamily(t)
	f.Must(
		model.Op{Name: model.AddComment, UID: f.first, Actor: uitest.Ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "how long?", Place: model.Place{From: 5, To: 5}}}}},
		model.Op{Name: model.RejectPlan, UID: f.first, Actor: uitest.Ann, Reason: "more"},
	)
	f.Must(model.Op{
		Name: model.DefinePlan, UID: f.first, Actor: uitest.Robot, Args: model.NewPlan{Text: uitest.PlanText("first child") + "4. Measure it.\n", Answers: []model.CommentAnswer{{Comment: commentsOf(t, f.Store, f.first)[0].ID, Resolution: model.CommentAnswered, Text: "a day"}}},
	})
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 50}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset, keymap.Diff).See("this plan has no earlier revision")
		d.Press(keymap.ChangesetNext).See("1 comment").Press(keymap.Diff).See("Plan of first child", "revision 1", "revision 2", "+ 4. Measure it")
		d.Press(keymap.Comment).See("Comment on first child").Type("with what?").Press(keymap.ComposeSend)
		d.See("how long?", "a day").Press(keymap.NotePrev, keymap.CommentSettle).See("resolved").Press(keymap.PagerClose)
		d.See("Changeset of top of it", "1 draft").Press(keymap.MoveBottom, keymap.PlacePrev, keymap.PlacePrev, keymap.ChangesetOpen).See("with what?", "a day")
		d.Press(keymap.Reject, keymap.ComposeKind).See("Ask about plan", "4 tasks").Type("when will it be done?").Press(keymap.ComposeSend).See("Changeset of top of it")
		for _, uid := range []model.UID{f.top, f.first, f.second, f.below} {
			if st := task(t, f.Store, uid).Status; st.Review == nil || st.Review.Verdict != model.VerdictAsked || st.Review.Reason != "when will it be done?" {
				t.Errorf("%s: %+v", uid, st.Review)
			}
		}
		if got := commentsOf(t, f.Store, f.first); len(got) < 2 || got[0].State != model.CommentResolved {
			t.Errorf("%+v", got)
		}
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

// A search goes through the texts of all tasks, and what it began from is come back to.
func TestSearchInAChangeset(t *testing.T) {
	f := newFamily(t)
	f.Must(model.Op{Name: model.DefinePlan, UID: f.below, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n" + strings.Repeat("A step.\n\n", 40) + "The needle.\n"}})
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 30}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset, keymap.SearchStart).Type("make it pass").See("match 1 of 3", "top of it").Press(keymap.SearchKeep)
		d.Press(keymap.SearchNext).See("match 2 of 3", "first child").Press(keymap.SearchNext).See("match 3 of 3", "second child")
		d.Press(keymap.SearchNext).See("match 1 of 3, around the end", "top of it").Press(keymap.SearchPrev).See("match 3 of 3")
		d.Press(keymap.ChangesetClose).See("Changeset of") // the search goes first
		d.Press(keymap.ChangesetNext, keymap.SearchStart).Type("needle").See("The needle.", "match 1 of 1").Press(keymap.SearchCancel).Hidden("The needle.")
		d.Press(keymap.SearchStart).Type("needle").Press(keymap.SearchKeep).See("The needle.")
		d.Press(keymap.Comment).See("Comment on grandchild", "line 83 of the plan: The needle.").Press(keymap.ComposeLeave)
		// Another text takes the place of the one that had the match.
		f.Must(model.Op{Name: model.DefinePlan, UID: f.below, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\nNothing.\n"}})
		d.Sleep(1100 * time.Millisecond).Press(keymap.SearchNext).See("no match")
		d.Press(keymap.ChangesetClose, keymap.ChangesetOpen).Hidden("Changeset of").Press(keymap.Back)
	})
}

// A comment that blocks one plan keeps all from being accepted, until that one is left out.
func TestABlockingCommentKeepsAChangeset(t *testing.T) {
	f := newFamily(t)
	f.Must(model.Op{Name: model.AddComment, UID: f.below, Actor: uitest.Ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "no", Blocking: true}}}})
	uitest.Run(t, uitest.Options{Store: f.Store, W: 160, H: 60}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset)
		readAll(d)
		d.See("1 blocking").Press(keymap.Accept).See("grandchild", "nothing of it can be accepted").Press(keymap.ConfirmParts, keymap.MoveBottom)
		for range 6 {
			if _, y := d.Find("◇ grandchild  revision"); strings.Contains(d.Line(y), "▌[") {
				break
			}
			d.Press(keymap.MoveUp)
		}
		d.Press(keymap.PartsToggle, keymap.PartsDone).Hidden("nothing of it can be accepted").Press(keymap.ConfirmYes)
		if got := f.accepted(t); !slices.Equal(got, []string{"top of it", "first child", "second child"}) {
			t.Fatalf("accepted %q", got)
		}
	})
}

// On a narrow screen the page has all of it; what has nothing below it says why there is no changeset.
func TestChangesetOnASmallScreen(t *testing.T) {
	f := newFamily(t)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 60, H: 16}, func(d *uitest.Driver) {
		goTo(d, "grandchild")
		d.Hidden("review with its subtasks").Off(keymap.Changeset, "the task has no subtasks")
		goTo(d, "top of it")
		d.Press(keymap.Changeset).See("Changeset of top of it").Hidden("2 tasks")
		d.Resize(31, 9).Resize(120, 40).See("2 tasks").Press(keymap.Zoom).Hidden("2 tasks").Press(keymap.Zoom, keymap.Raw).See("# Plan for top of it")
		d.Press(keymap.Raw, keymap.Contents).See("% of it read", "second child").Type("grandchild").Key("enter").See(f.below.Short())
		d.Press(keymap.ChangesetOpen).Hidden("Changeset of").See("grandchild").Press(keymap.Back)
	})
}
