package keymap

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/internal/tomltext"
)

// namedKeys are the keys with a name instead of a character, as Bubble Tea spells them.
func namedKeys() []string {
	names := []string{
		"space", "enter", "tab", "esc", "backspace", "delete", "insert", "up", "down", "left",
		"right", "home", "end", "pgup", "pgdown",
	}
	for i := range 24 {
		names = append(names, fmt.Sprintf("f%d", i+1))
	}
	return names
}

// alias spells a name the way Bubble Tea does.
func alias(name string) string {
	switch name {
	case "escape":
		return "esc"
	case "return", "cr":
		return "enter"
	case "del":
		return "delete"
	case "ins":
		return "insert"
	case "pageup", "page-up":
		return "pgup"
	case "pagedown", "page-down", "pgdn":
		return "pgdown"
	case "bs":
		return "backspace"
	case "plus":
		return "+"
	}
	return name
}

// Normalize spells a binding as the keymap does: keys separated by one space, names and
// modifiers in Bubble Tea's spelling and order (ctrl, alt, shift). "^p", "C-p" and "Ctrl+P"
// are "ctrl+p"; "G" and "shift+g" are "G". The error says what is wrong with it.
func Normalize(binding string) (string, error) {
	if binding == " " {
		return "space", nil
	}
	parts := strings.Fields(binding)
	if len(parts) == 0 {
		return "", fmt.Errorf("an empty key")
	}
	for i, p := range parts {
		k, err := normalizeKey(p)
		if err != nil {
			return "", err
		}
		parts[i] = k
	}
	return strings.Join(parts, " "), nil
}

func normalizeKey(key string) (string, error) {
	if utf8.RuneCountInString(key) == 1 {
		r, _ := utf8.DecodeRuneInString(key)
		if unicode.IsControl(r) || r == utf8.RuneError {
			return "", fmt.Errorf("%q is not a key", key)
		}
		return key, nil
	}
	var ctrl, alt, shift bool
	rest := key
	for {
		head, tail, ok := cutModifier(rest)
		if !ok {
			break
		}
		switch head {
		case "ctrl":
			ctrl = true
		case "alt":
			alt = true
		case "shift":
			shift = true
		}
		rest = tail
	}
	single := utf8.RuneCountInString(rest) == 1
	switch {
	case single && ctrl:
		rest = strings.ToLower(rest)
	case single && shift: // a shifted letter is the letter it makes
		up := strings.ToUpper(rest)
		if up == rest {
			return "", fmt.Errorf("%q: write the character that shift makes instead", key)
		}
		rest, shift = up, false
	case !single:
		rest = alias(strings.ToLower(rest))
		if !slices.Contains(namedKeys(), rest) && utf8.RuneCountInString(rest) != 1 {
			return "", fmt.Errorf("%q is not a key%s", key, hint(rest, namedKeys()))
		}
	}
	out := rest
	if shift {
		out = "shift+" + out
	}
	if alt {
		out = "alt+" + out
	}
	if ctrl {
		out = "ctrl+" + out
	}
	switch out {
	case "ctrl+i":
		return "", fmt.Errorf("%q: terminals send it as tab", key)
	case "ctrl+m":
		return "", fmt.Errorf("%q: terminals send it as enter", key)
	case "ctrl+[":
		return "", fmt.Errorf("%q: terminals send it as esc", key)
	}
	return out, nil
}

// cutModifier takes one modifier off the front of a key.
func cutModifier(s string) (mod, rest string, ok bool) {
	if len(s) > 1 && s[0] == '^' {
		return "ctrl", s[1:], true
	}
	for _, m := range []struct{ prefix, name string }{
		{"ctrl+", "ctrl"},
		{"control+", "ctrl"},
		{"c-", "ctrl"},
		{"ctrl-", "ctrl"},
		{"alt+", "alt"},
		{"meta+", "alt"},
		{"option+", "alt"},
		{"m-", "alt"},
		{"a-", "alt"},
		{"alt-", "alt"},
		{"shift+", "shift"},
		{"s-", "shift"},
		{"shift-", "shift"},
	} {
		if len(s) > len(m.prefix) && strings.EqualFold(s[:len(m.prefix)], m.prefix) {
			return m.name, s[len(m.prefix):], true
		}
	}
	return "", "", false
}

// KeyLabel is a binding as people read it: "ctrl+p" is "^p", "g g" is "gg", "down" is "↓".
func KeyLabel(binding string) string {
	parts := strings.Split(binding, " ")
	plain := true
	for i, p := range parts {
		parts[i] = keyLabel(p)
		plain = plain && utf8.RuneCountInString(parts[i]) == 1
	}
	if plain {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
}

func keyLabel(key string) string {
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok && utf8.RuneCountInString(rest) == 1 {
		return "^" + rest
	}
	i := strings.LastIndex(key, "+")
	mods, name := "", key
	if i > 0 && i < len(key)-1 {
		mods, name = key[:i+1], key[i+1:]
	}
	switch name {
	case "up":
		name = "↑"
	case "down":
		name = "↓"
	case "left":
		name = "←"
	case "right":
		name = "→"
	case "pgdown":
		name = "pgdn"
	}
	return mods + name
}

// hint suggests the known word nearest to a mistyped one, as "; did you mean …?".
func hint(word string, known []string) string {
	best := tomltext.Nearest(word, known, len(word)/2)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
