package ui

import (
	"cmp"
	"slices"
	"strings"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// command adds what would run, with the words marked that destroy things or get around a check, and named below it.
func (s *askSheet) command(ink style.Ink, body string) {
	found := dangersIn(body)
	s.drawn(body, func(l string) string {
		var marks [][2]int
		for _, w := range found {
			marks = append(marks, rows.Occurrences(l, w)...)
		}
		slices.SortFunc(marks, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
		return rows.NewLine(text.Width(l), style.Ink{}).AddMatches(ink, s.st.Bad, l, marks).String()
	})
	if len(found) == 0 {
		return
	}
	for _, line := range text.Wrap(s.st.Glyph.Warning+" "+text.SafeLine(strings.Join(found, ", ")), s.w) {
		s.add(s.st.Bad.Render(line))
	}
}

// dangerWords are the words that a request marks, in lower case. docs/guide.md lists them.
func dangerWords() []string {
	return []string{
		"rm -rf", "rm -fr", "rm -r", "--force", "--hard", "--no-verify", "--delete", "--mirror", "--privileged", "--no-preserve-root",
		"git clean", "git push -f", "sudo", "mkfs", "dd if=", "chmod -r", "chown -r", "shred", "> /dev/", "drop table", "drop database",
		"drop schema", "truncate", "delete from", "| sh", "| bash", "|sh", "|bash", "eval ", "kubectl delete", "terraform destroy",
	}
}

// dangersIn are the dangerous words of a text, however it is spaced; of two that say the same the longer one.
func dangersIn(body string) (out []string) {
	body = " " + strings.ToLower(strings.Join(strings.Fields(body), " ")) + " "
	for _, w := range dangerWords() {
		if strings.Contains(body, w) && !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, w) }) {
			out = append(out, w)
		}
	}
	return out
}
