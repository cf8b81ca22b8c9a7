package store

import (
	"slices"
	"testing"

	"vespe/model"
)

// TestClonesMergeAnswers: a task waits for two questions, and each is answered in another clone. Of two answers to
// one question the earlier one stands in its file. In a clone that has a log an answer from another clone does not count.
func TestClonesMergeAnswers(t *testing.T) {
	for _, how := range []string{"merge", "cherry-pick"} {
		t.Run(how, func(t *testing.T) {
			tm := newTeam(t, 22, 2, 1)
			uid := tm.tasks[0]
			one, two := tm.clones[0], tm.clones[1]
			var ids [3]string
			tm.in(one, func(s *Store) {
				for i, title := range []string{"which?", "when?", "who?"} {
					ids[i] = do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: robot, Ask: &model.NewRequest{Title: title}}).Change.Request
				}
			})
			tm.commit(one, "asked")
			tm.bring(two, one, "merge")
			answer := func(c *clone, text string, questions ...int) {
				tm.in(c, func(s *Store) {
					for _, i := range questions {
						do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Request: ids[i], Answer: &model.Answering{Decision: model.DecideRespond, Text: text}})
					}
				})
				tm.commit(c, "answered")
			}
			answer(one, "mine", 0, 1)
			answer(two, "theirs", 1, 2)
			tm.bring(two, one, how)
			tm.finish(two)
			tm.everyone()
			tm.check()
			for k, c := range tm.clones {
				tm.in(c, func(s *Store) {
					snap := load(t, s)
					for i, want := range []string{"mine", "mine", "theirs"} {
						b := read(t, vespe(s, requestFile(ids[i])))
						if r, ps := model.DecodeRequest("", []byte(b)); len(ps) > 0 || r.Answer == nil || r.Answer.Text != want {
							t.Errorf("clone %d: the file of question %d has the answer %+v, not %q; %v", k, i, r.Answer, want, ps)
						}
						at := slices.IndexFunc(snap.Requests(), func(r model.Request) bool { return r.ID == ids[i] })
						given := k == 0 && i < 2 || k == 1 && i > 0
						if r := snap.Requests()[at]; r.IsOpen() == given {
							t.Errorf("clone %d: question %d is open: %v, answered there: %v", k, i, r.IsOpen(), given)
						}
					}
					if st := task(t, snap, uid).Status; st.PauseKind() != "hitl" {
						t.Errorf("clone %d does not wait, but each has an answer that does not count there", k)
					}
				})
			}
		})
	}
}

// TestClonesMergeQuestions: two clones each ask about one task, which waits for both questions then.
func TestClonesMergeQuestions(t *testing.T) {
	tm := newTeam(t, 23, 2, 1)
	uid := tm.tasks[0]
	for i, c := range tm.clones {
		tm.in(c, func(s *Store) {
			do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: robot, Ask: &model.NewRequest{Title: []string{"which?", "when?"}[i]}})
		})
		tm.commit(c, "asked")
	}
	tm.everyone()
	tm.check()
	for k, c := range tm.clones {
		tm.in(c, func(s *Store) {
			snap := load(t, s)
			if st := task(t, snap, uid).Status; st.PauseReason != "hitl: which?; when?" {
				t.Errorf("clone %d waits for %q", k, st.PauseReason)
			}
			for _, r := range snap.Requests() {
				do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Request: r.ID, Answer: &model.Answering{Decision: model.DecideRespond, Text: "x"}})
			}
			if st := task(t, load(t, s), uid).Status; st.IsPaused {
				t.Errorf("clone %d: all is answered, and it waits for %q", k, st.PauseReason)
			}
		})
	}
}
