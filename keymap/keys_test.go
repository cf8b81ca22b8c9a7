package keymap

import "testing"

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"j": "j", "G": "G", "ctrl+p": "ctrl+p", "Ctrl+P": "ctrl+p", "^p": "ctrl+p", "C-p": "ctrl+p", "^": "^",
		"M-x": "alt+x", "alt+1": "alt+1", "alt+G": "alt+G", "shift+tab": "shift+tab", "S-tab": "shift+tab",
		"shift+g": "G", "Escape": "esc", "Return": "enter", "PgDn": "pgdown", "pageup": "pgup", "del": "delete",
		" ": "space", "Space": "space", "g  g": "g g", "g shift+g": "g G", "alt+ctrl+a": "ctrl+alt+a",
		"ctrl+shift+left": "ctrl+shift+left", "shift+alt+up": "alt+shift+up", "F1": "f1", "+": "+", "-": "-",
		"ctrl++": "ctrl++", "ctrl+plus": "ctrl++", "alt+-": "alt+-", "ä": "ä", "alt+space": "alt+space",
	} {
		got, err := Normalize(in)
		if err != nil || got != want {
			t.Errorf("Normalize(%q) = %q, %v; want %q", in, got, err, want)
		}
		if again, err := Normalize(got); err != nil || again != got {
			t.Errorf("Normalize(%q) = %q, %v; it was normal already", got, again, err)
		}
	}
	for _, in := range []string{"", "  ", "ctl+p", "spce", "ctrl+", "hyper+x", "ctrl+i", "ctrl+m", "ctrl+[", "f99", "\x01", "shift+1", "jj", "\xff"} {
		if got, err := Normalize(in); err == nil {
			t.Errorf("Normalize(%q) = %q; want an error", in, got)
		}
	}
}

func TestKeyLabel(t *testing.T) {
	for in, want := range map[string]string{
		"j": "j", "ctrl+p": "^p", "g g": "gg", "z M": "zM", "space": "space", "down": "↓", "ctrl+left": "ctrl+←",
		"shift+tab": "shift+tab", "alt+1": "alt+1", "pgdown": "pgdn", "g enter": "g enter", "ctrl+w l": "^w l", "+": "+", "ctrl++": "^+",
	} {
		if got := KeyLabel(in); got != want {
			t.Errorf("KeyLabel(%q) = %q, want %q", in, got, want)
		}
	}
}
