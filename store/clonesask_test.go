package store

import (
	"slices"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// TestClonesMergeAnswers: a task waits for two questions, and each is answered in another clone. A question
// that has two answers waits again. In a clone that has a log an answer from another clone does not count.
func TestClonesMergeAnswers(t *testing.T) {
	for _, how := range []string{"merge", "cherry-pick"} {
		t.Run(how, func(t *testing.T) {
			tm := newTeam(t, 22, 2, 1)
			uid := tm.tasks[0]
			one, two := tm.clones[0], tm.clones[1]
			var ids [3]string
			tm.in(one, func(s *Store) {
				for i, title := range []string{"which?", "when?", "who?"} {
					ids[i] = do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: robot, Args: model.NewRequest{Title: title}}).Change.Request
				}
			})
			tm.commit(one, "asked")
			tm.bring(two, one, "merge")
			answer := func(c *clone, text string, questions ...int) {
				tm.in(c, func(s *Store) {
					for _, i := range questions {
						do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: ids[i], Decision: model.DecideRespond, Text: text}})
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
					for i, want := range []string{"mine", "", "theirs"} {
						b := read(t, vespe(s, layout.RequestFile(ids[i])))
						if r, ps := model.DecodeRequest("", []byte(b)); len(ps) > 0 || r.IsDecided() != (want != "") || want != "" && r.Answer.Text != want {
							t.Errorf("clone %d: the file of question %d has the answer %+v, not %q; %v", k, i, r.Answer, want, ps)
						}
						at := slices.IndexFunc(snap.Requests(), func(r model.Request) bool { return r.ID == ids[i] })
						given := k == 0 && i == 0 || k == 1 && i == 2
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
			do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: robot, Args: model.NewRequest{Title: []string{"which?", "when?"}[i]}})
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
				do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: r.ID, Decision: model.DecideRespond, Text: "x"}})
			}
			if st := task(t, load(t, s), uid).Status; st.IsPaused {
				t.Errorf("clone %d: all is answered, and it waits for %q", k, st.PauseReason)
			}
		})
	}
}

// TestClonesAnswerOneRequest: a request is answered in two clones. An answer that both gave stands, a denial stands
// before everything else, and of two other answers none does: the request waits again. No answer is dropped.
func TestClonesAnswerOneRequest(t *testing.T) { clonesAnswer(t, false) }

// clonesAnswer answers a request about a task or about none by turns or, with all, each way for both.
func clonesAnswer(t *testing.T, all bool) {
	t.Helper()
	accept, other := model.Answering{Decision: model.DecideAccept}, model.Answering{Decision: model.DecideRespond, Text: "only the small ones"}
	deny := model.Answering{Decision: model.DecideDeny, Text: "not on Fridays"}
	for i, tt := range []struct {
		name     string
		one, two model.Answering
		state    string
		others   int
	}{
		{"the same", accept, accept, model.RequestAccepted, 0},
		{"accepted, then denied", accept, deny, model.RequestDenied, 1},
		{"denied, then accepted", deny, accept, model.RequestDenied, 1},
		{"two answers", accept, other, model.RequestPending, 2},
	} {
		for k, about := range []string{"a task", "none"} {
			if !all && i%2 != k {
				continue
			}
			t.Run(tt.name+", about "+about, func(t *testing.T) {
				tm := newTeam(t, 24, 3, 1)
				uid, one, two := tm.tasks[0], tm.clones[0], tm.clones[1]
				if about == "none" {
					uid = ""
				}
				var id string
				tm.in(one, func(s *Store) {
					id = do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: robot, Args: model.NewRequest{Title: "May I drop it?", Kind: model.KindAction}}).Change.Request
				})
				tm.commit(one, "asked")
				for _, c := range tm.clones[1:] {
					tm.bring(c, one, "merge")
					tm.in(c, func(s *Store) { // so that it has a log, in which the request waits
						do(t, s, model.Op{Name: model.SetFields, UID: tm.tasks[0], Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x", Mode: '+'}}}})
					})
					tm.commit(c, "looked")
				}
				for i, a := range []model.Answering{tt.one, tt.two} {
					tm.in(tm.clones[i], func(s *Store) {
						a.Request = id
						do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: a})
					})
					tm.commit(tm.clones[i], "answered")
				}
				tm.bring(two, one, "merge")
				tm.finish(two)
				tm.everyone()
				tm.check()
				find := func(s *Store) model.Request {
					for _, r := range load(t, s).Requests() {
						if r.ID == id {
							return r
						}
					}
					t.Fatal("the request is gone")
					return model.Request{}
				}
				for k, c := range tm.clones {
					tm.in(c, func(s *Store) {
						want := tt.state
						if k == 2 { // an answer from another clone does not count in one that has a log
							want = model.RequestPending
						}
						if r := find(s); r.State != want || len(r.Others) != tt.others {
							t.Errorf("clone %d: it is %s, with the other answers %+v", k, r.State, r.Others)
						}
						if st := task(t, load(t, s), tm.tasks[0]).Status; uid != "" && want == model.RequestPending && st.PauseKind() != "hitl" {
							t.Errorf("clone %d: its task does not wait: %q", k, st.PauseReason)
						}
					})
				}
				if tt.state != model.RequestPending {
					return
				}
				// Anyone who decides again knew both answers.
				tm.in(one, func(s *Store) {
					again := accept
					again.Request = id
					do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: again})
				})
				tm.commit(one, "decided")
				tm.everyone()
				tm.in(one, func(s *Store) {
					if r := find(s); r.State != model.RequestAccepted || len(r.Others) != tt.others {
						t.Errorf("decided again it is %s, with the other answers %+v", r.State, r.Others)
					}
				})
			})
		}
	}
}
