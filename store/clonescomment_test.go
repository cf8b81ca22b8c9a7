package store

import (
	"fmt"
	"testing"

	"vespe/model"
)

// TestClonesMergeComments: a person comments on a plan in one clone while the other one gets a later plan. Once merged,
// the comment is one on the plan that stands.
func TestClonesMergeComments(t *testing.T) { mergeComments(t, 0) }

// mergeComments has one clone merge what the other said and planned: the one whose plan stands at the end, 0, or the other.
func mergeComments(t *testing.T, into int) {
	t.Helper()
	comment := func(uid model.UID, blocking bool) model.Op {
		return model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "why?", Blocking: blocking}}}}
	}
	plan := func(uid model.UID, text string) model.Op {
		return model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: text}}
	}
	for name, of := range map[string]struct {
		theirs, mine func(uid model.UID) []model.Op
	}{
		"on the plan before": {
			func(uid model.UID) []model.Op { return []model.Op{comment(uid, true)} },
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "mine\n")} },
		},
		"on a plan that lost": {
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "theirs\n"), comment(uid, false)} },
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "mine\n")} },
		},
		"on both": {
			func(uid model.UID) []model.Op { return []model.Op{comment(uid, true)} },
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "mine\n"), comment(uid, true)} },
		},
	} {
		t.Run(fmt.Sprint(name, " into ", into), func(t *testing.T) {
			tm := newTeam(t, 24, 2, 1)
			uid := tm.tasks[0]
			tm.in(tm.clones[1], func(s *Store) { do(t, s, of.theirs(uid)...) })
			tm.commit(tm.clones[1], "theirs")
			tm.in(tm.clones[0], func(s *Store) { do(t, s, of.mine(uid)...) })
			tm.commit(tm.clones[0], "mine")
			check := func(c *clone) {
				t.Helper()
				tm.in(c, func(s *Store) {
					st := task(t, load(t, s), uid).Status
					if text, err := s.Content(t.Context(), uid, model.Plan); err != nil || string(text.Body) != "mine\n" {
						t.Fatalf("%s stands, %v", text.Body, err)
					}
					f, err := s.Review(t.Context(), uid, st.PlanRevision)
					want := 1
					if name == "on both" {
						want = 2
					}
					if err != nil || f == nil || len(f.Comments) != want || st.Comments == nil || st.Comments.Open != want {
						t.Errorf("plan %d, comments %+v, in its file %+v, %v", st.PlanRevision, st.Comments, f, err)
					}
				})
			}
			tm.bring(tm.clones[into], tm.clones[1-into], "merge")
			tm.finish(tm.clones[into])
			check(tm.clones[into])
			tm.everyone()
			tm.check()
			check(tm.clones[1-into])
		})
	}
}

// TestClonesMergeCommentsOnOneAcceptance: two clones comment on a plan and both accept it. The comments that git merged
// into one file don't keep the task from being worked on.
func TestClonesMergeCommentsOnOneAcceptance(t *testing.T) {
	tm := newTeam(t, 25, 2, 1)
	uid, one, two := tm.tasks[0], tm.clones[0], tm.clones[1]
	accept := model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}
	comment := model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "why?"}}}}
	work := func(c *clone, ops ...model.Op) {
		for _, op := range ops {
			tm.in(c, func(s *Store) {
				if _, err := s.Do(t.Context(), op); err != nil {
					t.Fatal(err)
				}
			})
		}
		tm.commit(c, "work")
	}
	work(one, accept, comment)
	work(two, comment)
	tm.bring(one, two, "merge")
	tm.finish(one)
	tm.bring(two, one, "merge")
	work(two, accept)
	tm.bring(one, two, "merge")
	work(one, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x", Mode: '+'}}}})
	tm.everyone()
	tm.check()
}
