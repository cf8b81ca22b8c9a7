package ui_test

import (
	"testing"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/uitest"
)

// Whoever reads on the right keeps what is there, whatever happens to its place in the inbox: the
// next key would decide on another plan.
func TestTheRightPaneStaysOnItsTask(t *testing.T) {
	s := uitest.NewStore()
	first, second := s.Planned("first plan", ""), s.Planned("second plan", "")
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Open).See("Plan for first plan")
		d.Press(keymap.AskPlan).Type("what of open files?").Press(keymap.ComposeSend).See("Asked about the plan", "Plan for first plan")
		// The answer brings it back among those to be read.
		ids := review(t, s, first).Comments
		for _, c := range ids {
			s.Must(model.Op{Name: model.AnswerComments, UID: first, Actor: uitest.Robot, Answers: []model.CommentAnswer{{Comment: c.ID, Resolution: model.CommentAnswered, Text: "they are closed"}}})
		}
		d.Press(keymap.Refresh).See("Plan for first plan")
		d.Press(keymap.AskPlan).Type("really?").Press(keymap.ComposeSend).See("Plan for first plan")
		d.Press(keymap.Comment).Type("one word").Press(keymap.ComposeSend, keymap.CommentsSend).See("Plan for first plan")
		for _, c := range review(t, s, first).Comments {
			if c.State == model.CommentOpen {
				s.Must(model.Op{Name: model.ResolveComment, UID: first, Actor: "human:bob", Comment: c.ID})
			}
		}
		d.Press(keymap.Refresh).See("Plan for first plan")
		d.Press(keymap.Accept).Press(keymap.ConfirmYes).See("Accepted", "Plan for first plan", "waits for nobody")
		d.Press(keymap.FocusNext).See("waits for nobody").Press(keymap.MoveTop).See("Plan for second plan").Hidden("waits for nobody")
		if task(t, s, second).Status.AcceptedPlan != nil {
			t.Error("the other plan was accepted")
		}
	})
}

// What is sent without a verdict keeps the cursor of the inbox, too.
func TestSendingKeepsTheCursor(t *testing.T) {
	s := uitest.NewStore()
	first := s.Planned("first plan", "")
	s.Planned("second plan", "")
	s.Must(model.Op{Name: model.QuestionPlan, UID: first, Actor: "human:ann", Reason: "why?"})
	s.Must(model.Op{Name: model.ResolveComment, UID: first, Actor: "human:ann", Comment: review(t, s, first).Comments[0].ID})
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveBottom, keymap.TabPlan).See("Plan for first plan")
		d.Press(keymap.Comment).Type("one word").Press(keymap.ComposeSend, keymap.CommentsSend).See("Plan for first plan")
	})
}
