package ui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// A request that is about no task, as of a gated call of a session, is shown whole beside the inbox, and y and x act on it.
func TestARequestWithoutATaskIsShownWhole(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		s := uitest.NewSmall()
		ask := func(key string) {
			s.Must(model.Op{Name: model.Ask, Actor: uitest.Robot, ID: "ask-" + key, Args: model.NewRequest{
				Kind: model.KindAction, Key: key, Title: "Run " + key, Detail: "to clean up \x1b[31m", Args: []byte(`{"command":"rm -rf ` + key + `"}`), Risk: model.RiskMedium,
			}})
		}
		ask("build")
		state := func() string { return s.Snapshot().Requests()[0].State }
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox)
			for range 12 {
				if strings.Contains(d.Screen(), "rm -rf build") {
					break
				}
				d.Press(keymap.MoveDown)
			}
			d.See("rm -rf build", "to clean up ␛[31m").Press(keymap.RequestDeny).See("just appeared").Sleep(look)
			d.Press(keymap.RequestDeny).See("Deny").Type("not now").Press(keymap.ComposeSend)
			if got := state(); got != model.RequestDenied {
				t.Errorf("it is %s", got)
			}
		})
	}
}

// The age of a request is the same in the list and on its page, in every second of a minute.
func TestTheAgeOnThePageIsThatOfTheList(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Sleep(50 * time.Second)
		s.Ask(s.Run, action())
		d.Sleep(6*time.Minute + 5*time.Second)
		d.Press(keymap.ViewInbox).See("Remove the old build", "asked by")
		ages := regexp.MustCompile(`(?:build .* |, )(\d+m)(?: | ago)`).FindAllStringSubmatch(d.Screen(), -1)
		if len(ages) < 2 || ages[0][1] != ages[1][1] {
			t.Errorf("the ages are %q on\n%s", ages, d.Screen())
		}
	})
}
