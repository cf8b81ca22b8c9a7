package store

import (
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
	ways := []struct {
		name         string
		theirs, mine func(uid model.UID) []model.Op
		want         int // comments on the plan that stands
	}{
		{
			"on the plan before",
			func(uid model.UID) []model.Op { return []model.Op{comment(uid, true)} },
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "mine\n")} }, 1,
		},
		{
			"on a plan that lost",
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "theirs\n"), comment(uid, false)} },
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "mine\n")} }, 1,
		},
		{
			"on both",
			func(uid model.UID) []model.Op { return []model.Op{comment(uid, true)} },
			func(uid model.UID) []model.Op { return []model.Op{plan(uid, "mine\n"), comment(uid, true)} }, 2,
		},
	}
	tm := newTeam(t, 24, 2, len(ways))
	tm.in(tm.clones[1], func(s *Store) {
		for i, w := range ways {
			do(t, s, w.theirs(tm.tasks[i])...)
		}
	})
	tm.commit(tm.clones[1], "theirs")
	tm.in(tm.clones[0], func(s *Store) {
		for i, w := range ways {
			do(t, s, w.mine(tm.tasks[i])...)
		}
	})
	tm.commit(tm.clones[0], "mine")
	check := func(c *clone) {
		t.Helper()
		tm.in(c, func(s *Store) {
			snap := load(t, s)
			for i, w := range ways {
				uid := tm.tasks[i]
				st := task(t, snap, uid).Status
				if text, err := s.Content(t.Context(), uid, model.Plan); err != nil || string(text.Body) != "mine\n" {
					t.Fatalf("%s: %s stands, %v", w.name, text.Body, err)
				}
				f, err := s.Review(t.Context(), uid, st.PlanRevision)
				if err != nil || f == nil || len(f.Comments) != w.want || st.Comments == nil || st.Comments.Open != w.want {
					t.Errorf("%s: plan %d, comments %+v, in its file %+v, %v", w.name, st.PlanRevision, st.Comments, f, err)
				}
			}
		})
	}
	tm.bring(tm.clones[into], tm.clones[1-into], "merge")
	tm.finish(tm.clones[into])
	check(tm.clones[into])
	tm.everyone()
	tm.check()
	check(tm.clones[1-into])
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
				mustGet(s.Do(t.Context(), op))(t)
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
