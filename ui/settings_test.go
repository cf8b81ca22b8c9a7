package ui_test

import (
	"testing"

	"vespe/ui"
	"vespe/ui/uitest"
)

func TestASettingThatIsWrongIsTold(t *testing.T) {
	const wrong = "config.toml: line 2: mouse is 3"
	o := uitest.Options{Store: uitest.NewSmall().Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Settings = []string{wrong} }}
	uitest.Run(t, o, func(d *uitest.Driver) { d.See("A setting was not understood", wrong) })
}
