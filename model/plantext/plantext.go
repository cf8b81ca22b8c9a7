// Package plantext finds the sections of a Markdown text, such as a plan, and which of them an acceptance leaves out.
package plantext

import (
	"slices"
	"strings"
)

// Section is a part of a Markdown text: a heading and what stands below it, to the next heading
// of its level or of one above. So the sections below it are parts of it.
type Section struct {
	Title    string // as it is written, without its marks
	Level    int    // 1 to 6
	From, To int    // its lines, counted from 1: that of the heading, and the last before the next
}

// Sections are those of a Markdown text in the order of their headings: lines that begin with #,
// and lines that are underlined with = or - (CommonMark: ATX and setext headings), outside of
// fenced code, of HTML and of front matter. What stands in lists and quotes is no section.
func Sections(text string) []Section {
	p := sectioner{}
	front := frontMatter(text)
	for line := range strings.Lines(text) {
		if p.n++; p.n > front {
			p.line(strings.TrimRight(line, "\r\n"))
		}
	}
	for i := range p.out {
		p.out[i].To = p.n
		for _, next := range p.out[i+1:] {
			if next.Level <= p.out[i].Level {
				p.out[i].To = next.From - 1
				break
			}
		}
	}
	return p.out
}

// LeftOut tells of each section whether it is left out where those with some titles are: by its
// own title, or as part of one that is. Sections with the same title are left out together.
func LeftOut(sections []Section, titles []string) []bool {
	out := make([]bool, len(sections))
	last := 0
	for i, s := range sections {
		if slices.Contains(titles, s.Title) {
			last = max(last, s.To)
		}
		out[i] = s.From <= last
	}
	return out
}

// mostFront is the most lines that are believed to be front matter.
const mostFront = 200

// frontMatter counts the lines of a block of metadata at the very top, between lines of dashes.
func frontMatter(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \r\n")
		switch {
		case n == 1 && line != "---", n == 2 && line == "", n > mostFront:
			return 0
		case n > 1 && (line == "---" || line == "..."):
			return n
		}
	}
	return 0
}

// sectioner reads a text line by line.
type sectioner struct {
	out   []Section
	n     int      // the line that is read
	para  []string // the paragraph so far
	fence string   // that of the code that is open
	skip  bool     // what is read is skipped, to a line that has until, or to a blank one
	until string
	list  int  // how far what belongs to the list is indented; 0 where there is none
	lazy  bool // the line before was of a list or of a quote, and so is a line of text
}

func (p *sectioner) line(line string) {
	line = strings.ReplaceAll(line, "\t", "    ")
	inner := strings.TrimLeft(line, " ")
	indent := len(line) - len(inner)
	switch {
	case p.fence != "":
		if mark := fenceOf(inner); indent < 4 && strings.HasPrefix(mark, p.fence) && strings.Trim(inner, p.fence[:1]+" ") == "" {
			p.fence = ""
		}
	case p.skip:
		p.skip = !p.ends(line)
	case inner == "":
		p.para, p.lazy = nil, false
	case p.list > 0 && indent >= p.list:
		p.lazy = true
	case indent > 3:
		if len(p.para) > 0 { // else it is code
			p.para = append(p.para, strings.TrimSpace(line))
		}
	default:
		p.block(inner, indent)
	}
}

// block takes a line that may begin something.
func (p *sectioner) block(inner string, indent int) {
	title, level, isHeading := atxHeading(inner)
	mark, under, item := fenceOf(inner), underline(inner), listItem(inner)
	until, isHTML := htmlEnd(inner)
	para, lazy := p.para, p.lazy
	p.para, p.lazy = nil, false
	switch {
	case mark != "":
		p.fence, p.list = mark, 0
	case isHeading:
		p.list = 0
		if title != "" {
			p.out = append(p.out, Section{Title: title, Level: level, From: p.n})
		}
	case under > 0 && len(para) > 0:
		p.out = append(p.out, Section{Title: strings.Join(para, " "), Level: under, From: p.n - len(para)})
	case under == 2 || isRule(inner):
		p.list = 0
	case item > 0:
		p.list, p.lazy = indent+item, true
	case inner[0] == '>':
		p.list, p.lazy = 0, true
	case isHTML && (until != "" || len(para) == 0):
		p.list, p.until = 0, until
		p.skip = !p.ends(inner)
	case lazy:
		p.lazy = true
	default:
		p.list, p.para = 0, append(para, strings.TrimSpace(inner))
	}
}

// ends reports whether a line is the last of what is skipped.
func (p *sectioner) ends(line string) bool {
	if p.until == "" {
		return strings.TrimSpace(line) == ""
	}
	return strings.Contains(strings.ToLower(line), p.until)
}

// atxHeading is a heading that begins with #; "" for one without words.
func atxHeading(inner string) (title string, level int, ok bool) {
	title = strings.TrimLeft(inner, "#")
	level = len(inner) - len(title)
	if level == 0 || level > 6 || title != "" && title[0] != ' ' {
		return "", 0, false
	}
	title = strings.TrimSpace(title)
	if cut := strings.TrimRight(title, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		title = strings.TrimSpace(cut)
	}
	return title, level, true
}

// underline is the level of the heading above a line of = or -; 0 where it is none.
func underline(inner string) int {
	inner = strings.TrimRight(inner, " ")
	if strings.Trim(inner, inner[:1]) != "" {
		return 0
	}
	return 1 + strings.IndexByte("=-", inner[0])
}

// isRule reports whether a line draws one: three or more of *, - or _, with blanks between.
func isRule(inner string) bool {
	s := strings.ReplaceAll(inner, " ", "")
	return len(s) >= 3 && strings.IndexByte("*-_", s[0]) >= 0 && strings.Trim(s, s[:1]) == ""
}

// listItem is how far the text of a list's item is from its mark; 0 where it is none.
func listItem(inner string) int {
	n := 0
	for n < len(inner) && n < 9 && inner[n] >= '0' && inner[n] <= '9' {
		n++
	}
	marks := "-+*"
	if n > 0 {
		marks = ".)"
	}
	if n == len(inner) || strings.IndexByte(marks, inner[n]) < 0 {
		return 0
	}
	n++
	rest := strings.TrimLeft(inner[n:], " ")
	blanks := len(inner) - n - len(rest)
	switch {
	case rest == "":
		return n + 1
	case blanks == 0:
		return 0
	case blanks > 4:
		return n + 1
	}
	return n + blanks
}

// htmlEnd is what ends the HTML that a line begins, in small letters; "" for a blank line.
func htmlEnd(inner string) (until string, ok bool) {
	low := strings.ToLower(inner)
	for _, h := range []struct{ begin, end string }{
		{"<!--", "-->"},
		{"<?", "?>"},
		{"<![cdata[", "]]>"},
		{"<!", ">"},
		{"<script", "</script>"},
		{"<pre", "</pre>"},
		{"<style", "</style>"},
		{"<textarea", "</textarea>"},
	} {
		if strings.HasPrefix(low, h.begin) {
			return h.end, true
		}
	}
	tag := strings.TrimPrefix(strings.TrimPrefix(low, "<"), "/")
	return "", low[0] == '<' && tag != "" && tag[0] >= 'a' && tag[0] <= 'z' && strings.HasSuffix(strings.TrimRight(low, " "), ">")
}

// fenceOf is the row of backquotes or tildes that opens or closes fenced code.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 && (c == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}
