package keymap

import (
	"fmt"
	"strings"
)

// Markdown is the table of keys for the documentation, grouped as the help is.
func Markdown(k *Keymap) string {
	var b strings.Builder
	for i, group := range Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n\n| keys | action | does | where |\n|---|---|---|---|\n", group)
		for _, s := range k.specs {
			if s.Group != group {
				continue
			}
			keys := make([]string, len(s.Keys))
			for i, key := range s.Keys {
				keys[i] = code(KeyLabel(key))
			}
			where := make([]string, len(s.Scopes))
			for i, sc := range s.Scopes {
				where[i] = sc.Title()
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", strings.Join(keys, " "), s.Action, cell(s.Help), strings.Join(where, ", "))
		}
	}
	return b.String()
}

// code is a key as inline code in a cell of a table.
func code(s string) string {
	s = strings.ReplaceAll(s, "|", `\|`)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
