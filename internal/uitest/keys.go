package uitest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// namedKeys are the keys that have a name instead of a character.
func namedKeys() map[string]rune {
	return map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
		"delete": tea.KeyDelete, "insert": tea.KeyInsert, "f1": tea.KeyF1, "f2": tea.KeyF2,
		"f5": tea.KeyF5,
	}
}

// KeyMsg is the message that a terminal sends for a key, written as Bubble Tea prints it:
// "j", "G", "ctrl+d", "shift+tab", "space", "alt+1".
func KeyMsg(key string) (tea.KeyPressMsg, error) {
	var k tea.Key
	rest := key
	for {
		mod, after, ok := strings.Cut(rest, "+")
		if !ok || after == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "alt":
			k.Mod |= tea.ModAlt
		case "shift":
			k.Mod |= tea.ModShift
		default:
			return tea.KeyPressMsg{}, fmt.Errorf("key %q: unknown modifier %q", key, mod)
		}
		rest = after
	}
	if rest == "space" {
		k.Code = ' '
		if k.Mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k), nil
	}
	if code, ok := namedKeys()[rest]; ok {
		k.Code = code
		return tea.KeyPressMsg(k), nil
	}
	r, n := utf8.DecodeRuneInString(rest)
	if n == 0 || n != len(rest) {
		return tea.KeyPressMsg{}, fmt.Errorf("key %q is not known", key)
	}
	k.Code = r
	if k.Mod&^tea.ModShift == 0 {
		k.Text = string(r)
		if unicode.IsUpper(r) {
			k.Code, k.ShiftedCode, k.Mod = unicode.ToLower(r), r, tea.ModShift
		}
	}
	return tea.KeyPressMsg(k), nil
}
