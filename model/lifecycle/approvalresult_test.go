package lifecycle_test

import (
	"testing"
	"time"

	"vespe/model"
	"vespe/model/review"
)

// An approval of finished work counts while the review that it was given with stands: that of another
// person, of another time or of something else is another.
func TestWhichApprovalOfWorkStands(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	a := review.Approval{Verdict: "review-accepted", Approver: ann, ApprovalProof: review.ApprovalProof{Time: model.FormatTime(at)}}
	for name, tt := range map[string]struct {
		change func(*model.StatusFile)
		stands bool
	}{
		"its own":           {func(*model.StatusFile) {}, true},
		"of another time":   {func(s *model.StatusFile) { s.Review.At = at.Add(time.Millisecond) }, false},
		"of another person": {func(s *model.StatusFile) { s.Review.By = "human:bob" }, false},
		"a rejection":       {func(s *model.StatusFile) { s.Review.Verdict = model.VerdictRejected }, false},
		"of a plan":         {func(s *model.StatusFile) { s.Review.Of = "plan" }, false},
		"none":              {func(s *model.StatusFile) { s.Review = nil }, false},
		"of an open task":   {func(s *model.StatusFile) { s.CurrentState = model.Replanned }, false},
	} {
		st := model.StatusFile{CurrentState: model.Completed, Review: &model.Review{Of: "work", Verdict: model.VerdictAccepted, By: ann, At: at}}
		if tt.change(&st); a.Stands(&st) != tt.stands {
			t.Errorf("%s: stands %v, want %v", name, !tt.stands, tt.stands)
		}
	}
	a.Verdict = "accept"
	st := model.StatusFile{CurrentState: model.Completed, Review: &model.Review{Of: "work", Verdict: model.VerdictAccepted, By: ann, At: at}}
	if a.Stands(&st) {
		t.Error("an approval of the plan stands for the work")
	}
}
