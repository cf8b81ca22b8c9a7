package lifecycle

import (
	"fmt"

	"vespe/model"
)

// Said is the verdict on a task that stands last, and the plan that was there when it was given.
type Said struct {
	*model.Event
	Revision int // of the plan; 0 where that is not known
}

// LastSaid is the last verdict in a history, oldest first, that was not taken back. ok is false where there
// is none, where it says no more than what it decided, and where its words are comments.
func LastSaid(history []model.Event) (last Said, ok bool) {
	var standing []Said
	plan := 0
	for i := range history {
		e := &history[i]
		for _, r := range e.Recorded() {
			if r.Doc == model.Plan {
				plan = r.N
			}
		}
		row, _ := Lookup(e.Name)
		switch {
		case e.Cause != "":
		case row.Verdict && e.Name != model.AnswerRequest:
			standing = append(standing, Said{e, plan})
		case e.Name == model.UndoVerdict && len(standing) > 0 && string(standing[len(standing)-1].Name) == e.Text("transition"):
			standing = standing[:len(standing)-1]
		}
	}
	if len(standing) == 0 {
		return last, false
	}
	last = standing[len(standing)-1]
	return last, last.Reason != "" && last.Name != model.QuestionPlan
}

// Words are whose words they are, for the line before them, to somebody who looks at that revision of the plan:
// "ann rejected revision 2".
func (s Said) Words(revision int) string {
	who := s.Actor.Label()
	switch {
	case s.Name == model.Replan:
		return who + " asked for a new plan"
	case s.Name == model.ReviewRejected:
		return who + " sent the work back"
	case s.Revision == 0 || s.Revision == revision:
		return who
	}
	verb := map[model.Name]string{model.RejectPlan: "rejected", model.AcceptPlan: "accepted", model.DeferPlan: "deferred", model.Revalidate: "revalidated"}[s.Name]
	if verb == "" {
		return who
	}
	return fmt.Sprintf("%s %s revision %d", who, verb, s.Revision)
}
