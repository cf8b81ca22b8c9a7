package ui_test

import (
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

func TestASettingThatIsWrongIsTold(t *testing.T) {
	const wrong = "config.toml: line 2: mouse is 3"
	o := uitest.Options{Store: uitest.NewSmall().Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Settings = []string{wrong} }}
	uitest.Run(t, o, func(d *uitest.Driver) { d.See("A setting is invalid", wrong) })
}

// Rules that cannot be read are told, and stay on the screen while somebody works on.
func TestRulesThatCannotBeReadAreTold(t *testing.T) {
	s := uitest.NewSmall()
	policy, _ := model.DecodePolicy(".vespe/config.json", []byte(`{"gate": {"commandz": ["git push"]}}`))
	s.SetPolicy(policy)
	o := uitest.Options{Store: s.Store, W: 120, H: 40, KeepUnread: true, Change: func(d *ui.Deps) {
		d.Strict = []string{"config.toml: line 2: gate is 3. Until then all agent calls wait for you."}
	}}
	uitest.Run(t, o, func(d *uitest.Driver) {
		d.See("Can't read some of your rules", "gate is 3").Press(keymap.Back)
		d.See("The store's rules can't be read", "commandz", "all agent calls wait")
		d.Press(keymap.MoveDown, keymap.MoveDown, keymap.MoveUp).Sleep(time.Second).Press(keymap.MoveDown).See("commandz")
	})
}
