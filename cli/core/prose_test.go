package core

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// What is printed at a terminal breaks between words; code, tables and output that is no terminal stay as they are.
func TestProse(t *testing.T) {
	const text = "A sentence that is longer than the terminal.\n" +
		"- [ ] An item that is longer than the terminal\n" +
		"  name         What is said of it in a few words\n" +
		"```\nfunc main() { print(\"longer than the terminal\") }\n```\n" +
		"    indented.Code(that, is, longer)\n" +
		"| a table | that is longer than the terminal |\n" +
		"\x1b[33mColored\x1b[0m words that count as little as that\n" +
		"https://example.com/longer/than/the/terminal after it\n"
	const want = "A sentence that is longer than\nthe terminal.\n" +
		"- [ ] An item that is longer\n      than the terminal\n" +
		"  name         What is said of\n               it in a few\n               words\n" +
		"```\nfunc main() { print(\"longer than the terminal\") }\n```\n" +
		"    indented.Code(that, is, longer)\n" +
		"| a table | that is longer than the terminal |\n" +
		"\x1b[33mColored\x1b[0m words that count as\nlittle as that\n" +
		"https://example.com/longer/than/the/terminal\nafter it\n"
	for _, terminal := range []bool{true, false} {
		var b strings.Builder
		a := &App{Deps: Deps{Stdout: &b, Terminal: Terminal{IsTerminal: terminal, Size: func() (int, int) { return 31, 9 }}}}
		w := a.Prose(a.Stdout, 4)
		for _, part := range []string{text[:5], text[5:]} {
			fmt.Fprint(w, part)
		}
		is := want
		if !terminal {
			is = text
		}
		if b.String() != is {
			t.Errorf("terminal %t:\n%s\nwant\n%s", terminal, b.String(), is)
		}
	}
	a := &App{Deps: Deps{Stdout: io.Discard, Terminal: Terminal{IsTerminal: true}}, JSON: true}
	if a.Prose(a.Stdout, 0) != io.Discard {
		t.Error("JSON would be wrapped")
	}
}
