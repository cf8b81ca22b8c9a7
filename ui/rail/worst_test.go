package rail

import (
	"testing"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// However many tasks one depends on, or depend on one, the drawing is made in time that grows with them, and a frame is
// exact everywhere in it.
func TestHubsStayBounded(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	viewtest.Hubs(t, func(s *snapshot.Snapshot, hub model.UID) {
		r := New(st)
		frame := func() {
			if err := viewtest.Check(r.View(100, 30), 100, 30); err != nil {
				t.Fatal(err)
			}
		}
		r.SetSnapshot(s)
		frame()
		r.Jump(hub)
		r.End()
		frame()
		r.Move(-1)
		frame()
		r.SetFilter(func(_ *snapshot.Snapshot, i int) bool { return i%2 == 0 })
		frame()
		r.Home()
		frame()
	})
}
