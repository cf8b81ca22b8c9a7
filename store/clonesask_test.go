package store

import (
	"slices"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// TestClonesMergeAnswers: a task waits for two questions, and each is answered in another clone. A question
// that has two answers waits again. In a clone that has a log an answer from another clone does not count.
func TestClonesMergeAnswers(t *testing.T) { mergeAnswers(t, "cherry-pick") }

func mergeAnswers(t *testing.T, ways ...string) {
	t.Helper()
	for _, how := range ways {
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

// TestClonesAnswerOneRequest: a request is answered in two clones. An answer that both gave stands, a denial stands
// before everything else, and of two other answers none does: the request waits again. No answer is dropped.
func TestClonesAnswerOneRequest(t *testing.T) {
	accept, other := model.Answering{Decision: model.DecideAccept}, model.Answering{Decision: model.DecideRespond, Text: "only the small ones"}
	deny := model.Answering{Decision: model.DecideDeny, Text: "not on Fridays"}
	type asked struct {
		name     string
		one, two model.Answering
		state    string
		others   int
		uid      model.UID // the task that it is about; "" for none
		id       string
	}
	ways := []asked{
		{name: "the same", one: accept, two: accept, state: model.RequestAccepted},
		{name: "accepted, then denied", one: accept, two: deny, state: model.RequestDenied, others: 1},
		{name: "denied, then accepted", one: deny, two: accept, state: model.RequestDenied, others: 1},
		{name: "two answers", one: accept, two: other, state: model.RequestPending, others: 2},
	}
	tm := newTeam(t, 24, 3, len(ways))
	one, two := tm.clones[0], tm.clones[1]
	var all []asked
	for i, w := range ways {
		all = append(all, w)
		w.name, w.uid = w.name+", about a task", tm.tasks[i]
		all = append(all, w)
	}
	tm.in(one, func(s *Store) {
		for i := range all {
			all[i].id = do(t, s, model.Op{Name: model.Ask, UID: all[i].uid, Actor: robot, Args: model.NewRequest{Title: "May I drop " + all[i].name + "?", Kind: model.KindAction}}).Change.Request
		}
	})
	tm.commit(one, "asked")
	for _, c := range tm.clones[1:] {
		tm.bring(c, one, "merge")
		tm.in(c, func(s *Store) { // so that it has a log, in which the requests wait
			do(t, s, model.Op{Name: model.SetFields, UID: tm.tasks[0], Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x", Mode: '+'}}}})
		})
		tm.commit(c, "looked")
	}
	answer := func(c *clone, with func(asked) (model.Answering, bool)) {
		tm.in(c, func(s *Store) {
			for _, w := range all {
				if a, ok := with(w); ok {
					a.Request = w.id
					do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: a})
				}
			}
		})
		tm.commit(c, "answered")
	}
	answer(one, func(w asked) (model.Answering, bool) { return w.one, true })
	answer(two, func(w asked) (model.Answering, bool) { return w.two, true })
	tm.bring(two, one, "merge")
	tm.finish(two)
	tm.everyone()
	tm.check()
	found := func(s *Store, id string) model.Request {
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
			for _, w := range all {
				want := w.state
				if k == 2 { // an answer from another clone does not count in one that has a log
					want = model.RequestPending
				}
				if r := found(s, w.id); r.State != want || len(r.Others) != w.others {
					t.Errorf("%s: clone %d: it is %s, with the other answers %+v", w.name, k, r.State, r.Others)
				}
				if w.uid == "" || want != model.RequestPending {
					continue
				}
				if st := task(t, load(t, s), w.uid).Status; st.PauseKind() != "hitl" {
					t.Errorf("%s: clone %d: its task does not wait: %q", w.name, k, st.PauseReason)
				}
			}
		})
	}
	// Anyone who decides again knew both answers.
	answer(one, func(w asked) (model.Answering, bool) { return accept, w.state == model.RequestPending })
	tm.everyone()
	tm.in(one, func(s *Store) {
		for _, w := range all {
			if r := found(s, w.id); w.state == model.RequestPending && (r.State != model.RequestAccepted || len(r.Others) != w.others) {
				t.Errorf("%s: decided again it is %s, with the other answers %+v", w.name, r.State, r.Others)
			}
		}
	})
}
