package keymap

import (
	"fmt"
	"strings"
)

// Markdown is for the documentation: the table of keys with their meanings, and that of actions, grouped as the help is.
func Markdown(k *Keymap) string {
	var b strings.Builder
	b.WriteString("| key | name | means |\n|---|---|---|\n")
	for _, m := range Meanings() {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", labels(m.Keys), m.Name, cell(m.Help))
	}
	b.WriteString("\n## Actions\n\n")
	for i, group := range Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n\n| keys | action | does | where |\n|---|---|---|---|\n", group)
		for _, s := range k.specs {
			if s.Group != group {
				continue
			}
			where := make([]string, len(s.KeyScopes()))
			for i, sc := range s.KeyScopes() {
				where[i] = sc.Title()
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", labels(s.Keys), s.Action, cell(s.Help), strings.Join(where, ", "))
		}
	}
	return b.String()
}

// labels are keys as inline code.
func labels(keys []string) string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = code(KeyLabel(key))
	}
	return strings.Join(out, " ")
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
