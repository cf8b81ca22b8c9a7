package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/modeltest"
)

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
				var life model.Life
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
