package lifecycle_test

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// What is foreseen at some task after a random walk is what happens: an event is fired, and what is said of
// texts and results that are others is held against what check finds when they are.
func TestForeseenIsWhatHappensInAWorld(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := &walker{T: rt, w: modeltest.New()}
		if rapid.Bool().Draw(rt, "begun") {
			k.begin()
		}
		for range rapid.IntRange(10, 60).Draw(rt, "steps") {
			k.n++
			k.step()
		}
		k.checkAll()
		uid := k.anyUID("subject")
		before := k.w.Snapshot()
		at, ok := before.Index(uid)
		if !ok {
			return
		}
		event := rapid.SampledFrom(append(foresee.Events(before, at), foresee.AllEvents()...)).Draw(rt, "event")
		im, err := foresee.Ask(before, foresee.Question{UID: uid, Event: event, Actor: ann, World: func(s *snapshot.Snapshot) model.World {
			if s == before {
				return k.w
			}
			return s
		}})
		if err != nil {
			rt.Fatal(err)
		}
		switch {
		case im.Refused != nil || im.Assumed:
			return
		case event == foresee.Changed:
			k.w.PutResult(uid, "out.txt", "never said before")
			if before.At(at).Status.CurrentState != model.Completed { // of work that is completed it is the result
				k.w.Edit(uid, model.Objective, "never said before\n")
				k.w.Edit(uid, model.Plan, "never said before\n")
			}
			k.checkAll()
		default:
			op := model.Op{ID: "foreseen", UID: uid, Actor: ann, Name: model.Name(event), Reason: "…"}
			switch event {
			case foresee.Completed:
				op.Name, op.Actor = model.WorkCompleted, vespe
			case foresee.Failed:
				op.Name, op.Args = model.RaiseError, model.ErrorReport{Failure: true}
			case foresee.Aborted:
				op.Name = model.Abort
			}
			lifecycle.FillText(&op, "…")
			if _, err := k.w.Do(op); err != nil {
				rt.Fatalf("%s: foreseen, and refused: %v", event, err)
			}
		}
		after := k.w.Snapshot()
		becomes := map[model.UID]model.Status{}
		for _, a := range im.Tasks {
			becomes[a.UID] = a.To
		}
		for i := range after.Len() {
			was, to := model.Status(0), after.Status(i)
			if k, ok := before.Index(after.UID(i)); ok {
				was = before.Status(k)
			}
			if said, ok := becomes[after.UID(i)]; ok {
				was = said
			}
			if was != to {
				rt.Fatalf("%s of %s (%s): %s is %s then; foreseen was %s", event, uid, before.Status(at), after.UID(i), to, was)
			}
		}
	})
}

// checkAll compares what all tasks were accepted with.
func (k *walker) checkAll() {
	for _, uid := range k.uids {
		_, _ = k.w.Do(model.Op{Name: model.Check, UID: uid, Actor: vespe}) // refused where there is nothing to compare
	}
}
