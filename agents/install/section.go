package install

import (
	"bytes"
	"fmt"
	"strings"

	"vespe/agents/install/settings"
)

// The lines around vespe's section of a Markdown file.
const (
	sectionBegin = "<!-- vespe:begin (written by `vespe install`; `vespe install CLIENT --remove` takes it away) -->"
	sectionEnd   = "<!-- vespe:end -->"
	beginMark    = "<!-- vespe:begin"
)

// section is what AGENTS.md says of vespe. It is short: the session's start and `vespe agent prime` say the rest.
const section = `## vespe

People review the work of agents here with vespe: plans before work begins, results when it is done.

- Run ` + "`vespe prime`" + ` first: how the work goes, and what waits for you.
- Use the tools of the MCP server ` + "`vespe`" + ` where you have them, else the command ` + "`vespe`" + `.
- Submit a plan and begin when a person has accepted it. Answer every comment in the next version.
- Never write into ` + "`.vespe/`" + ` yourself, and never decide for a person.
`

// markdown is a text with, or without, vespe's section.
type markdown struct {
	src      []byte
	from, to int // of the section with its lines; both -1 for none
}

// lineError is why a text is left alone.
func lineError(src []byte, at int, why string) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(src[:at], []byte("\n")), why)
}

func openMarkdown(text []byte) (document, error) {
	m := &markdown{src: text}
	return m, m.find()
}

// find finds the section: from the beginning of a line to the end of one.
func (m *markdown) find() error {
	m.from, m.to = -1, -1
	at := 0
	for line := range bytes.Lines(m.src) {
		text := strings.TrimSpace(strings.TrimPrefix(string(line), "\ufeff"))
		switch {
		case strings.HasPrefix(text, beginMark) && m.from >= 0:
			return lineError(m.src, at, "vespe's section starts twice")
		case strings.HasPrefix(text, beginMark):
			m.from = at + bytes.Index(line, []byte(beginMark))
		case text == sectionEnd && m.from < 0:
			return lineError(m.src, at, "vespe's section ends without a start")
		case text == sectionEnd && m.to >= 0:
			return lineError(m.src, at, "vespe's section ends twice")
		case text == sectionEnd:
			m.to = at + len(line)
		}
		at += len(line)
	}
	if m.from >= 0 && m.to < 0 {
		return lineError(m.src, m.from, "vespe's section has no end: put the line "+sectionEnd+" where it does")
	}
	return nil
}

// Bytes is the text.
func (m *markdown) Bytes() []byte { return m.src }

func (m *markdown) text() string {
	text := sectionBegin + "\n" + section + sectionEnd + "\n"
	return strings.ReplaceAll(text, "\n", settings.Newline(m.src))
}

// want puts the section where it stands, or behind everything.
func (m *markdown) want() error {
	text := m.text()
	if m.from >= 0 {
		is := string(m.src[m.from:m.to])
		if strings.TrimRight(is, "\r\n") == strings.TrimRight(text, "\r\n") {
			return nil
		}
		if !strings.HasSuffix(is, "\n") {
			text = strings.TrimRight(text, "\r\n")
		}
		return m.put(m.from, m.to, text)
	}
	nl := settings.Newline(m.src)
	switch n := len(m.src); {
	case n == 0 || string(m.src) == "\ufeff":
	case m.src[n-1] != '\n':
		text = nl + nl + text
	default:
		text = nl + text
	}
	return m.put(len(m.src), len(m.src), text)
}

func (m *markdown) put(from, to int, text string) error {
	m.src = bytes.Join([][]byte{m.src[:from], m.src[to:]}, []byte(text))
	return m.find()
}

// strip takes the section away, with the empty line before it.
func (m *markdown) strip() error {
	if m.from < 0 {
		return nil
	}
	from := m.from
	if nl := settings.Newline(m.src); bytes.HasSuffix(m.src[:from], []byte(nl+nl)) {
		from -= len(nl)
	}
	return m.put(from, m.to, "")
}

func markdownTarget(path string) target {
	return target{
		path: path, others: true, open: openMarkdown,
		strip: func(d document, _ strip) error { return d.(*markdown).strip() },
		want:  func(d document) error { return d.(*markdown).want() },
	}
}
