package uitest

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
)

func TestCheckFrameFindsWhatIsWrong(t *testing.T) {
	good := strings.Join([]string{"\x1b[1;38;2;10;20;255mab\x1b[m ", "日 ", "\x1b]8;;https://x.y\x1b\\ab\x1b]8;;\x1b\\ "}, "\n")
	if err := CheckFrame(good, 3, 3); err != nil {
		t.Errorf("a good frame: %v", err)
	}
	for name, bad := range map[string]string{
		"too few lines":    "abc\nabc",
		"too many lines":   "abc\nabc\nabc\nabc",
		"too narrow":       "abc\nab\nabc",
		"too wide":         "abc\nabcd\nabc",
		"a cursor move":    "abc\na\x1b[2Jbc\nabc",
		"a title":          "abc\nabc\x1b]0;x\a\nabc",
		"a bell":           "abc\nabc\a\nabc",
		"a C1 byte":        "abc\nabc\u009b\nabc",
		"bidi":             "abc\nabc\u202e\nabc",
		"zero width":       "abc\nabc\u200b\nabc",
		"a soft hyphen":    "abc\nab\u00adc\nabc",
		"a letter mark":    "abc\nab\u061cc\nabc",
		"a filler":         "abc\na\u3164\nabc",
		"tags":             "abc\nabc\U000e0041\nabc",
		"not UTF-8":        "abc\nab\xff\nabc",
		"concealed text":   "abc\n\x1b[8mabc\x1b[m\nabc",
		"concealed, bold":  "abc\n\x1b[1;8mabc\x1b[m\nabc",
		"blinking text":    "abc\n\x1b[5mabc\x1b[m\nabc",
		"a palette color":  "abc\n\x1b[31mabc\x1b[m\nabc",
		"a broken color":   "abc\n\x1b[38;2;1;2mabc\x1b[m\nabc",
		"a script":         "abc\n\x1b]8;;javascript:x\x1b\\abc\x1b]8;;\x1b\\\nabc",
		"a hidden address": "abc\n\x1b]8;;https://x/\u202ey\x1b\\abc\x1b]8;;\x1b\\\nabc",
		"an uncertain one": "abc\n⚠\ufe0fb\nabc",
	} {
		if err := CheckFrame(bad, 3, 3); err == nil {
			t.Errorf("%s was not noticed", name)
		}
	}
}

// What the driver sends for a key is what the keymap calls it.
func TestKeyMsgSpellsEveryBoundKey(t *testing.T) {
	for _, spec := range keymap.Default().Specs() {
		for _, binding := range spec.Keys {
			for _, key := range strings.Fields(binding) {
				m, err := KeyMsg(key)
				if err != nil || m.String() != key {
					t.Errorf("%s: %q is sent as %q, %v", spec.Action, key, m.String(), err)
				}
			}
		}
	}
	if _, err := KeyMsg("hyper+x"); err == nil {
		t.Error("an unknown modifier was taken")
	}
	if m, _ := KeyMsg("space"); m.Text != " " || m.Code != tea.KeySpace {
		t.Errorf("space is %+v", m)
	}
}
