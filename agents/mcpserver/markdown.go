package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"vespe/agents/desk"
)

// Markdown is the table of tools and prompts, as the documents have it.
func Markdown() string {
	var b strings.Builder
	for _, t := range tools() {
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n%s\n\n", t.name, t.about, t.character())
		fmt.Fprintf(&b, "| takes | | |\n|---|---|---|\n")
		rows(&b, "", t.in)
		if t.out != nil {
			fmt.Fprintf(&b, "\nGives `%s`.\n", strings.Join(t.out.PropertyOrder, "`, `"))
		}
		b.WriteByte('\n')
	}
	b.WriteString("### A review\n\nWhat `plan_submit`, `review_wait`, `ask_human` and `task_report` give.\n\n| field | | |\n|---|---|---|\n")
	rows(&b, "", schemaOf[desk.Review](true))
	b.WriteString("\n### Prompts\n\n| prompt | what it does |\n|---|---|\n")
	for _, p := range prompts() {
		name := p.name
		if p.task {
			name += " [task]"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(p.about))
	}
	return b.String()
}

// character is what a client is told of a tool's effects.
func (t *tool) character() string {
	out := "It writes, but deletes nothing"
	switch {
	case t.reads:
		out = "It only reads"
	case t.idempotent:
		out += "; repeating it with the same arguments changes nothing"
	}
	if t.first {
		out += ". Always loaded"
	}
	return out + "."
}

// rows are the properties of an object, those of objects in it after it.
func rows(b *strings.Builder, prefix string, s *jsonschema.Schema) {
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		kind, inner := p.Type, p
		if p.Type == "array" && p.Items != nil {
			kind, inner = "list of "+p.Items.Type, p.Items
		}
		if slices.Contains(s.Required, name) {
			kind += ", required"
		}
		about := p.Description
		if len(inner.Enum) > 0 {
			var words []string
			for _, w := range inner.Enum {
				words = append(words, fmt.Sprint(w))
			}
			about = strings.TrimPrefix(about+". One of "+strings.Join(words, ", "), ". ")
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, name, kind, cell(about))
		mark := prefix + name + "."
		if p.Type == "array" {
			mark = prefix + name + "[]."
		}
		rows(b, mark, inner)
	}
}

// cell is a text in a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", `\|`)
}
