package depmap

import (
	"testing"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// However many tasks one depends on, or depend on one, its map is made in time that grows with them.
func TestHubsStayBounded(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	viewtest.Hubs(t, func(s *snapshot.Snapshot, hub model.UID) {
		m := New(st)
		frame := func() {
			if err := viewtest.Check(m.View(100, 30), 100, 30); err != nil {
				t.Fatal(err)
			}
		}
		m.Show(s, hub)
		frame()
		m.Widen(3)
		frame()
	})
}
