package lifecycle_test

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/history"
)

// life is what the events of a task tell.
func (d *desk) life(uid model.UID) (life history.Life) {
	for _, e := range d.w.Events(uid) {
		life.Add(&e)
	}
	return life
}

// Whatever is done to tasks, their events tell what has become of them.
func TestEventsTellTheStatus(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := &walker{T: rt, w: modeltest.New()}
		k.begin()
		for range rapid.IntRange(10, 60).Draw(rt, "steps") {
			k.n++
			k.step()
			s := k.w.Snapshot()
			for i := range s.Len() {
				var life history.Life
				events := k.w.Events(s.UID(i))
				for e := range events {
					life.Add(&events[e])
				}
				want := s.Status(i)
				got := life.Word()
				switch {
				case want == model.StatusBlocked: // which of the others it is, depends on others
				case want == model.StatusChanged: // that its terms are others no event tells
				case want == model.StatusSubtasks || got == model.StatusSubtasks: // those that ended tell it
				case got != want:
					for _, e := range events {
						rt.Logf("%s %s → %s %q %s", e.Name, e.From, e.To, e.Reason, e.Details)
					}
					rt.Fatalf("%s is %v, its events say %v: %+v", s.UID(i), want, got, s.At(i).Status)
				}
			}
		}
	})
}

// What is found to be another than it was accepted with is forgotten with the verdict that ends it.
func TestAVerdictOnChangedWorkEndsTheChange(t *testing.T) {
	for _, verdict := range []model.Op{{Name: model.ReviewAccepted}, {Name: model.Abort, Reason: "no longer needed"}} {
		d := newDesk(t)
		first := d.running("first", "")
		d.complete(first, "done")
		second := d.running("second", "", first)
		d.complete(second, "done")
		d.do(model.Op{Name: model.ReviewRejected, UID: first, Reason: "wrong"})
		d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "another plan\n"}})
		life := d.life(second)
		if life.Word() != model.StatusChanged {
			t.Fatalf("after its dependency has another objective: %v, want changed", life.Word())
		}
		verdict.UID = second
		d.do(verdict)
		life = d.life(second)
		if got := life.Status.ChangedBecause; len(got) > 0 || life.Word().String() != d.status(second) {
			t.Errorf("after %s: %v because of %v", verdict.Name, life.Word(), got)
		}
	}
}

// What is asked about a task that has ended does not hold it, also when the verdict that ended it is taken back.
func TestWhatIsAskedAfterTheEndDoesNotHold(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("first", "")
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid})
	d.do(model.Op{Name: model.Escalate, UID: uid, Actor: loop, Args: model.NewRequest{
		Kind: model.KindEscalation, Title: "it is stuck", Key: "k", Holds: true,
	}})
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	life := d.life(uid)
	if got := life.Word().String(); got != "review work" || d.status(uid) != got {
		t.Errorf("after the verdict was taken back it is %s, its events say %s", d.status(uid), got)
	}
}

// Parts that are taken back leave the acceptance of what was split as it was.
func TestUndoOfASplitKeepsTheAcceptance(t *testing.T) {
	d := newDesk(t)
	uid := d.big(d.planned("wide", "", d.planned("first", "")))
	d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	d.split(uid)
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	life := d.life(uid)
	if life.Status.AcceptedPlan == nil || life.Word() != model.StatusReady || d.task(uid).Status.AcceptedPlan == nil {
		t.Errorf("after its parts were taken back: %v, accepted %+v", life.Word(), life.Status.AcceptedPlan)
	}
}
