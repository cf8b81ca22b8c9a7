package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// chainOf is a store in which each task needs the one before.
func chainOf(names ...string) *uitest.Store {
	s := uitest.NewStore()
	var before []model.UID
	for _, n := range names {
		before = []model.UID{s.Task(n, "", before...)}
	}
	return s
}

func TestTheMapIsAroundTheTaskUnderTheCursor(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
	uitest.Run(t, uitest.Options{Store: s, W: 200, H: 40}, func(d *uitest.Driver) {
		goTo(d, "gamma")
		d.Press(keymap.ViewMap).See("around gamma", "alpha", "beta", "delta", "epsilon", "3 graph").Hidden("zeta")
		d.Press(keymap.MapFarther).See("within 3 edges", "zeta")
		d.Press(keymap.MapNearer, keymap.MapNearer).See("within 1 edge").Hidden("alpha")
		d.Press(keymap.Right, keymap.MapEnter).See("around delta", "epsilon").Hidden("beta")
		d.Press(keymap.Back).See("around gamma", "within 1 edge", "beta").Hidden("around delta")
		d.Press(keymap.Quit).Hidden("around gamma")
		d.Press(keymap.ViewGraph).See("around gamma").Press(keymap.ViewLayout).See("3 graph lanes").Press(keymap.ViewLayout).See("around gamma")
		d.Press(keymap.ViewLayout, keymap.ViewTasks, keymap.ViewGraph).See("3 graph lanes")
	})
}

func TestTheMapShowsOtherTasksByKey(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta", "epsilon")
	uitest.Run(t, uitest.Options{Store: s, W: 200, H: 40}, func(d *uitest.Driver) {
		goTo(d, "gamma")
		d.Press(keymap.ViewMap, keymap.MapUp).See("what gamma needs").Hidden("epsilon")
		d.Press(keymap.MapDown).See("what needs gamma").Hidden("alpha")
		d.Press(keymap.MapAround).See("around gamma")
		d.Press(keymap.MapUp, keymap.MapBlocked).See("what holds up gamma", "alpha", "beta").Hidden("epsilon")
		d.Press(keymap.MapDown).See("what needs gamma", "epsilon")
		d.Press(keymap.ViewTree, keymap.MoveDown, keymap.ViewGraph).See("around delta", "beta", "epsilon")
	})
}

// What decides about a task works in the map as in the tree.
func TestTransitionsWorkInTheMap(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		goTo(d, "fuzz targets")
		d.Press(keymap.ViewMap, keymap.Start, keymap.ConfirmYes)
		d.Status(s.Ready, model.StatusRunning).See("3 graph")
	})
}

// A change by another leaves the cursor where it is on the screen.
func TestTheMapStaysWhereItIs(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta", "epsilon")
	uitest.Run(t, uitest.Options{Store: s, W: 200, H: 40}, func(d *uitest.Driver) {
		goTo(d, "gamma")
		d.Press(keymap.ViewMap)
		x, y := d.Find("▌")
		gamma, _ := s.Snapshot().Find("gamma")
		for k := range 4 {
			s.Task(fmt.Sprintf("new %d", k), "", gamma)
		}
		d.Sleep(1100 * time.Millisecond).See("new 3")
		if nx, ny := d.Find("▌"); nx != x || ny != y {
			t.Errorf("the cursor went from %d,%d to %d,%d\n%s", x, y, nx, ny, d.Screen())
		}
	})
}

func TestTheMapTakesTheMouseAndTheScreen(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta", "epsilon")
	uitest.Run(t, uitest.Options{Store: s, W: 120, H: 30}, func(d *uitest.Driver) {
		goTo(d, "gamma")
		d.Press(keymap.ViewMap, keymap.MapZoom).See("alpha", "epsilon").Hidden("overview")
		x, y := d.Find("epsilon")
		if d.Click(x, y); !strings.Contains(d.Line(0), "epsilon") {
			t.Errorf("a click on five:\n%s", d.Screen())
		}
		d.Click(x, y).See("overview")
	})
}

func TestTheMapScrollsSideways(t *testing.T) {
	var names []string
	for k := range 12 {
		names = append(names, fmt.Sprintf("a task with a long name %d", k))
	}
	s := chainOf(names...)
	uitest.Run(t, uitest.Options{Store: s, W: 120, H: 30}, func(d *uitest.Driver) {
		goTo(d, "name 5")
		d.Press(keymap.ViewMap, keymap.MapFarther, keymap.MapFarther)
		before := d.Screen()
		d.Send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelRight})
		if d.Screen() == before {
			t.Errorf("nothing moved:\n%s", before)
		}
		d.Send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelLeft})
		if d.Screen() != before {
			t.Errorf("not back:\n%s\nwas\n%s", d.Screen(), before)
		}
	})
}

// In the graph, what a number of edges stands for that had no room is a click away.
func TestTheNumberOfStubsListsThem(t *testing.T) {
	s := uitest.NewStore()
	hub := s.Task("hub", "")
	for k := range 40 {
		s.Task(fmt.Sprintf("leaf %02d", k), "", hub)
	}
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 50}, func(d *uitest.Driver) {
		d.Press(keymap.ViewLanes)
		goTo(d, "hub")
		x, y := d.Find(" +3")
		d.Click(x+1, y).See("Go to what hub is linked with", "leaf 20")
		d.Type("leaf 20").Press(keymap.PickerChoose)
		if !strings.Contains(d.Line(0), "leaf 20") {
			t.Errorf("it went to %s", d.Line(0))
		}
	})
}

// What a task waits for is shown from any view.
func TestTheMapAnswersFromAnyView(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		for _, v := range []keymap.Action{keymap.ViewTree, keymap.ViewBoard, keymap.ViewLanes} {
			goTo(d, "release")
			d.Press(v).Palette(keymap.MapBlocked).See("what holds up release").Press(v)
			d.Palette(keymap.MapCritical).See("critical path").Press(v)
			d.Press(keymap.TabPlan).Palette(keymap.Why).See(`"release" (Blocked): `, "Blocked by").Palette(keymap.Why).See(`"release" (Blocked): `)
		}
	})
}
