package depmap

import (
	"testing"
	"time"

	"vespe/model"
	"vespe/model/worst"
	"vespe/ui/style"
	"vespe/ui/viewtest"
)

// The map around a task on which very many others depend costs little more than one around a task with a tenth of
// them: what is drawn is bounded.
func TestAHubIsDrawnInBoundedTime(t *testing.T) {
	draw := func(n int) time.Duration {
		seeds := make([]viewtest.Seed, n)
		for k := range seeds {
			seeds[k] = viewtest.Seed{Name: "task", Parent: -1, Status: model.StatusReady}
			if k > 0 {
				seeds[k].Deps = []int{0}
			}
		}
		s := viewtest.Snapshot(seeds)
		m := New(viewtest.Styles(style.Options{Dark: true}))
		return worst.CPU(func() {
			m.Show(s, viewtest.UID(0))
			m.View(100, 50)
			m.Move(1)
			m.View(100, 50)
		})
	}
	few, many := draw(5_000), draw(100_000)
	if many > 60*few {
		t.Errorf("100,000 edges take %v, 5,000 %v", many, few)
	}
}
