package core

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// prose breaks lines between words at the width of a terminal. Code and tables stay whole.
type prose struct {
	to      io.Writer
	width   int
	code    int    // how far a line of code is indented; 0: none is; Diff
	fence   string // that ends the block of code it is in
	pending []byte // a line that isn't complete
}

// Prose is where to print text for people: a writer that wraps it at a terminal's width, and leaves it alone elsewhere.
// code is how far a line is indented that is code; 0 for text without code; Diff for a difference.
func (a *App) Prose(w io.Writer, code int) io.Writer {
	terminal := a.IsTerminal
	if w == a.Stderr {
		terminal = a.StderrTerminal
	}
	if !terminal || a.JSON {
		return w
	}
	return &prose{to: w, width: a.Columns(), code: code}
}

// Columns is how wide the terminal is.
func (a *App) Columns() int {
	width := 0
	if a.Size != nil {
		width, _ = a.Size()
	}
	return max(cmp.Or(width, 80), 20)
}

func (p *prose) Write(b []byte) (int, error) {
	p.pending = append(p.pending, b...)
	for {
		line, rest, ok := bytes.Cut(p.pending, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		p.pending = rest
		if _, err := io.WriteString(p.to, p.wrapped(string(line))+"\n"); err != nil {
			return 0, err
		}
	}
}

// wrapped is a line, or several: each after the first begins below its text.
func (p *prose) wrapped(line string) string {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch mark := text[:min(3, len(text))]; {
	case p.code > 0 && p.fence == "" && (mark == "```" || mark == "~~~"):
		p.fence = mark
		return line
	case p.fence != "":
		if mark == p.fence {
			p.fence = ""
		}
		return line
	}
	begins := indent + marker(text)
	if strings.HasPrefix(text, "|") || p.code > 0 && indent >= p.code && begins == indent || ansi.StringWidth(line) <= p.width {
		return line
	}
	// What is beside the name of a field stays beside it.
	head := line[:min(len(line), p.width/2, mostBeside)]
	if at := strings.LastIndex(head, "  "); at >= begins {
		begins = at + 2
	}
	row, margin := line[:begins], strings.Repeat(" ", ansi.StringWidth(line[:begins]))
	if p.code == Diff {
		begins = 1 + len(line[1:]) - len(strings.TrimLeft(line[1:], " "))
		row, margin = line[:begins], line[:begins] // its sign and its indent
	}
	var rows []string
	for i, word := range strings.Split(line[begins:], " ") {
		switch {
		case i == 0 || row == margin:
			row += word
		case ansi.StringWidth(row)+1+ansi.StringWidth(word) > p.width:
			rows = append(rows, strings.TrimRight(row, " "))
			row = margin + word
		default:
			row += " " + word
		}
	}
	return strings.Join(append(rows, row), "\n")
}

// Diff makes every row of a line begin with the line's sign.
const Diff = -1

// mostBeside is how far to the right a column begins in which the text of a field is.
const mostBeside = 40

// marker is how wide the mark of a list, a quotation or a warning is that a text begins with.
func marker(text string) int {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	for _, mark := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ ", "! ", "> ", ". ", ") "} {
		if strings.HasPrefix(text[digits:], mark) {
			return digits + len(mark)
		}
	}
	return 0
}
