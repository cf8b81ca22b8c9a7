package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui"
)

// keptOf are the texts that are kept for a task, without comments.
func keptOf(t *testing.T, k *uitest.Drafts, uid model.UID) string {
	t.Helper()
	list, err := k.Drafts("", uid)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range list {
		if d.For == "" {
			t.Errorf("a comment is kept: %+v", d)
		}
		out = append(out, d.Text)
	}
	return strings.Join(out, "; ")
}

const isDraft = "Your draft, not sent"

// Each text that a person types at length is kept while it is typed, is there in the next program,
// and is forgotten once the store has taken it.
func TestWhatIsTypedOutlivesTheProgram(t *testing.T) {
	type scene struct {
		s   *asking
		uid model.UID
	}
	plan := func(t *testing.T) scene {
		s := &asking{Small: uitest.NewSmall()}
		return scene{s, s.Plan}
	}
	commented := func(t *testing.T) scene {
		d := plan(t)
		one := uitest.PlanText("lexer tokens")
		d.s.Must(model.Op{Name: model.AddComment, UID: d.uid, Actor: "human:bob", Args: model.Remarks{Comments: []model.NewComment{
			{Place: place(t, one, "1. Read"), Text: "the first"}, {Place: place(t, one, "2. Write"), Text: "the second"},
		}}})
		return d
	}
	request := func(t *testing.T) scene {
		s := ask(action())
		return scene{s, s.Run}
	}
	answered := func(t *testing.T) scene {
		d := commented(t)
		d.s.Must(model.Op{Name: model.AnswerComments, UID: d.uid, Actor: uitest.Robot, Args: model.CommentAnswers{Answers: []model.CommentAnswer{
			{Comment: reviewOf(t, d.s.Store, d.uid).Comments[0].ID, Resolution: model.CommentAnswered, Text: "so"},
		}}})
		return d
	}
	onRequest := func(d *uitest.Driver) { open(d, "Remove the old"); d.Sleep(look) }
	onPlan := func(d *uitest.Driver) { reading(d, "lexer tokens") }
	for name, c := range map[string]struct {
		scene func(*testing.T) scene
		to    func(*uitest.Driver)
		keys  []keymap.Action
		sent  func(*testing.T, scene) string
	}{
		"rejection": {plan, onPlan, []keymap.Action{keymap.Reject}, func(t *testing.T, d scene) string { return task(t, d.s.Store, d.uid).Status.Review.Reason }},
		"question":  {plan, onPlan, []keymap.Action{keymap.AskPlan}, func(t *testing.T, d scene) string { return task(t, d.s.Store, d.uid).Status.Review.Reason }},
		"acceptance": {plan, onPlan, []keymap.Action{keymap.Accept, keymap.ConfirmNotes}, func(t *testing.T, d scene) string {
			events, _, _ := d.s.History(t.Context(), d.uid)
			return events[len(events)-1].Reason
		}},
		"answer": {commented, onPlan, []keymap.Action{keymap.PlaceNext, keymap.PlaceNext, keymap.CommentAnswer}, func(t *testing.T, d scene) string {
			c := reviewOf(t, d.s.Store, d.uid).Comments
			if len(c[0].Replies) > 0 || len(c[1].Replies) == 0 || c[1].State != model.CommentAddressed {
				return ""
			}
			return c[1].Replies[0].Text
		}},
		"reply": {answered, onPlan, []keymap.Action{keymap.PlaceNext, keymap.CommentAnswer}, func(t *testing.T, d scene) string {
			r := reviewOf(t, d.s.Store, d.uid).Comments[0].Replies
			return r[len(r)-1].Text
		}},
		"denial":   {request, onRequest, []keymap.Action{keymap.RequestDeny}, func(t *testing.T, d scene) string { return d.s.state(t, model.RequestDenied).Answer.Text }},
		"response": {request, onRequest, []keymap.Action{keymap.RequestRespond}, func(t *testing.T, d scene) string { return d.s.state(t, model.RequestResponded).Answer.Text }},
	} {
		t.Run(name, func(t *testing.T) {
			k, one := &uitest.Drafts{}, c.scene(t)
			uitest.Run(t, uitest.Options{Store: one.s.Store, Change: with(k)}, func(d *uitest.Driver) {
				c.to(d)
				d.Press(c.keys...).Hidden(isDraft)
				if name == "acceptance" { // who leaves the words is asked again
					d.Press(keymap.ComposeLeave).See("Accept the plan of", "y Accept").Press(keymap.ConfirmNotes)
				}
				if name == "answer" {
					d.Press(keymap.ComposeKind)
				}
				d.Type("half of").Sleep(time.Second)
			})
			if got := keptOf(t, k, one.uid); got != "half of" {
				t.Fatalf("kept %q", got)
			}
			uitest.Run(t, uitest.Options{Store: one.s.Store, Change: with(k)}, func(d *uitest.Driver) {
				c.to(d)
				if name == "answer" { // another comment is answered with other words
					d.Press(keymap.PlaceNext, keymap.CommentAnswer).Hidden("half of").Press(keymap.ComposeLeave).Press(keymap.MoveTop)
				}
				d.Press(c.keys...).See(isDraft, "half of").Type(" it").Press(keymap.ComposeSend).Sleep(time.Second)
			})
			if got := c.sent(t, one); got != "half of it" {
				t.Errorf("sent %q", got)
			}
			if got := keptOf(t, k, one.uid); got != "" {
				t.Errorf("still kept: %q", got)
			}
		})
	}
}

// Arguments that are half changed are there again, whether they are right or not, until the request is answered in
// another way.
func TestChangedArgumentsOutliveTheProgram(t *testing.T) {
	n := action()
	n.Args = []byte(`{"n": 1}`)
	s, k := ask(n), &uitest.Drafts{}
	opts := uitest.Options{Store: s.Store, Change: with(k)}
	uitest.Run(t, opts, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).Hidden(isDraft).Type("x").Sleep(time.Second)
	})
	if got := keptOf(t, k, s.Run); got != "{\n  \"n\": 1\n}x" {
		t.Fatalf("kept %q", got)
	}
	uitest.Run(t, opts, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).See(isDraft, "}x")
		d.Key("backspace", "up", "end").Type("0").Press(keymap.ComposeSend).See("Approve with other").Press(keymap.ConfirmNo)
		d.Press(keymap.RequestEdit).See(isDraft, `"n": 10`).Press(keymap.ComposeLeave)
		// An answer of another kind leaves nothing behind.
		d.Press(keymap.RequestDeny).Type("no").Press(keymap.ComposeSend).Sleep(time.Second)
		s.state(t, model.RequestDenied)
		if got := keptOf(t, k, s.Run); got != "" {
			t.Errorf("kept %q", got)
		}
	})
}

// A text that is emptied again is no draft.
func TestAnEmptiedTextIsNoDraft(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Reject).Type("never").Press(keymap.ComposeLeave)
		d.Press(keymap.Reject).See(isDraft, "never").Key("ctrl+u").Press(keymap.ComposeLeave)
		d.Press(keymap.Reject).Hidden("never", isDraft).Press(keymap.ComposeLeave)
		d.Press(keymap.Comment).Type("a comment").Key("ctrl+u").Press(keymap.ComposeLeave).Hidden("a comment", "1 draft").Sleep(time.Second)
		if got, _ := k.Drafts("", s.Plan); len(got) != 0 {
			t.Errorf("kept %+v", got)
		}
	})
}

// Phrases are put where the cursor is: the person's own, or else a few.
func TestPhrases(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Reject).Type("No. ").Press(keymap.ComposePhrase).See("Phrases", "Add a test for it.").Press(keymap.PickerChoose)
		d.See("No. Add a test for it.").Press(keymap.ComposePhrase, keymap.PickerCancel).See("No. Add a test for it.")
	})
	mine := func(d *ui.Deps) { d.Phrases = []string{"See the guidelines.", "Too\nlarge."} }
	uitest.Run(t, uitest.Options{Store: s.Store, Change: mine}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Reject, keymap.ComposePhrase).See("See the guidelines.").Hidden("Add a test").Type("too").Press(keymap.PickerChoose, keymap.ComposeSend)
		if r := task(t, s.Store, s.Plan).Status.Review; r == nil || r.Reason != "Too\nlarge." {
			t.Errorf("the reason is %+v", r)
		}
	})
}

// Who types before what was kept has been read loses neither.
func TestADraftThatIsReadLate(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	if err := k.Keep("", s.Plan, []review.Draft{{ID: "words-reject_plan", For: model.RejectPlan, Text: "from last time"}}, nil); err != nil {
		t.Fatal(err)
	}
	k.Slow = time.Second
	opts := uitest.Options{Store: s.Store, Change: with(k)}
	uitest.Run(t, opts, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).Hidden("from last time").Type("and now").Sleep(1500*time.Millisecond).See("from last time", "and now")
	})
	if got := keptOf(t, k, s.Plan); got != "from last time\nand now" {
		t.Errorf("kept %q", got)
	}
	uitest.Run(t, opts, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).Hidden("from last time").Sleep(1500 * time.Millisecond).See("from last time").Press(keymap.ComposeSend).Sleep(1500 * time.Millisecond)
		if got := keptOf(t, k, s.Plan); got != "" {
			t.Errorf("kept %q", got)
		}
	})
}
