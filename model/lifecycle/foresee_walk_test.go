package lifecycle_test

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/lifecycle"
)

// What is foreseen of an operation at some task after a random walk is what happens.
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
		op := model.Op{ID: "foreseen", UID: uid, Actor: ann, Reason: "…"}
		op.Name = rapid.SampledFrom(k.names(uid)).Draw(rt, "name")
		switch op.Name {
		case model.WorkCompleted:
			op.Actor = vespe
		case model.RaiseError:
			op.Args = model.ErrorReport{Failure: rapid.Bool().Draw(rt, "failure")}
		}
		lifecycle.FillText(&op, "…")
		ch, err := lifecycle.Apply(k.w, op)
		if err != nil {
			return
		}
		im := foresee.ImpactOf(before, uid, ch.Tasks, ch.Requests)
		if _, err := k.w.Do(op); err != nil {
			rt.Fatalf("%s: foreseen, and refused: %v", op.Name, err)
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
				rt.Fatalf("%s of %s (%s): %s is %s then; foreseen was %s", op.Name, uid, before.Status(at), after.UID(i), to, was)
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
