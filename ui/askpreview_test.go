package ui_test

import (
	"strings"
	"testing"

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
