package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/agents/mcpserver"
	"vespe/cli"
	"vespe/cli/core"
	"vespe/internal/config"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/specfields"
	"vespe/model/vocab"
)

// The parts of the documents that tables in the code say are written from those tables.
// UPDATE_GOLDEN=1 rewrites them.
func TestGeneratedDocs(t *testing.T) {
	for _, part := range []struct{ file, name, text string }{
		{"docs/keys.md", "keys", keyTables(keymap.Default())},
		{"docs/cli.md", "verbs", verbTable(t)},
		{"docs/format/lifecycle.md", "lifecycle", lifecycleTable()},
		{"docs/format/lifecycle.md", "guards", guardTable()},
		{"docs/format/spec.md", "spec", specTable()},
		{"docs/design.md", "vocabularies", vocabularyTable()},
		{"docs/mcp.md", "tools", mcpserver.Markdown()},
		{"docs/config.md", "config.toml", config.Markdown()},
	} {
		t.Run(part.file+" "+part.name, func(t *testing.T) { checkPart(t, part.file, part.name, part.text) })
	}
	keys := keyTables(keymap.Default())
	for _, s := range keymap.Actions() {
		if !strings.Contains(keys, "`"+string(s.Action)+"`") {
			t.Errorf("%s is in no group of the keys", s.Action)
		}
	}
}

func checkPart(t *testing.T, file, name, text string) {
	t.Helper()
	file = filepath.Join("..", file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start, end := fmt.Sprintf("<!-- generated: %s -->\n", name), "<!-- end generated -->"
	i := strings.Index(string(b), start)
	if i < 0 {
		t.Fatalf("%s has no %q", file, start)
	}
	i += len(start)
	j := strings.Index(string(b[i:]), end)
	if j < 0 {
		t.Fatalf("%s: %q is not ended by %q", file, start, end)
	}
	want := "\n" + strings.TrimSpace(text) + "\n\n"
	if got := string(b[i : i+j]); got == want {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Errorf("%s: the part %q is not what the code says; run make golden and look at the difference", file, name)
		return
	}
	if err := os.WriteFile(file, []byte(string(b[:i])+want+string(b[i+j:])), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keyTables are the table of keys with their meanings, and that of actions, grouped as the help is.
func keyTables(k *keymap.Keymap) string {
	var b strings.Builder
	b.WriteString("| key | name | means |\n|---|---|---|\n")
	for _, m := range keymap.Meanings() {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", keyLabels(m.Keys), m.Name, keyCell(m.Help))
	}
	b.WriteString("\n## Actions\n\n")
	for i, group := range keymap.Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n\n| keys | action | does | where |\n|---|---|---|---|\n", group)
		for _, s := range k.Specs() {
			if s.Group != group {
				continue
			}
			where := make([]string, len(s.KeyScopes()))
			for i, sc := range s.KeyScopes() {
				where[i] = sc.Title()
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", keyLabels(s.Keys), s.Action, keyCell(s.Help), strings.Join(where, ", "))
		}
	}
	return b.String()
}

// keyLabels are keys as inline code.
func keyLabels(keys []string) string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = keyCode(keymap.KeyLabel(key))
	}
	return strings.Join(out, " ")
}

// keyCode is a key as inline code in a cell of a table.
func keyCode(s string) string {
	s = strings.ReplaceAll(s, "|", `\|`)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

func keyCell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func lifecycleTable() string {
	var b strings.Builder
	b.WriteString("| transition | from | to | who | effect |\n|---|---|---|---|---|\n")
	for _, r := range lifecycle.Table() {
		var args []string
		for _, a := range r.Args {
			name := a.Name
			if !a.Required {
				name = "[" + name + "]"
			}
			args = append(args, name)
		}
		fmt.Fprintf(&b, "| `%s(%s)` | %s | %s | %s | %s |\n", r.Name, strings.Join(args, ", "), r.FromText, r.ToText, r.Who, r.Effect)
	}
	return b.String()
}

func guardTable() string {
	var b strings.Builder
	b.WriteString("| transition | guard | needs |\n|---|---|---|\n")
	for _, r := range lifecycle.Table() {
		for _, g := range r.Guards {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", r.Name, g.ID, g.Needs)
		}
	}
	return b.String()
}

// verbTable asks the command line itself.
func verbTable(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	code := cli.Main(context.Background(), core.Deps{
		Args: []string{"verbs", "--markdown"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Getenv: func(string) string { return "" }, Dir: t.TempDir(), Now: time.Now, Version: "test",
	})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	return out.String()
}

// specTable is what may stand in spec.json.
func specTable() string {
	var b strings.Builder
	b.WriteString("| key | is shown as | form |\n|---|---|---|\n")
	for _, f := range specfields.All() {
		if f.Key != "" {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Key, f.Title, f.Form)
		}
	}
	return b.String()
}

// vocabularyTable is the word of each status in other systems.
func vocabularyTable() string {
	var b, rule strings.Builder
	b.WriteString("| status |")
	rule.WriteString("|---|")
	for _, v := range vocab.All() {
		b.WriteString(" " + v.Title + " |")
		rule.WriteString("---|")
	}
	b.WriteString("\n" + rule.String() + "\n")
	for _, s := range model.Statuses() {
		if s == model.StatusProblem { // it can't be read, so it can't be exported
			continue
		}
		b.WriteString("| " + s.String() + " |")
		for _, v := range vocab.All() {
			cell := v.Words[s]
			if v.Notes[s] != "" {
				cell += " (" + v.Notes[s] + ")"
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
