package decompose

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/internal/lazyregexp"
	"vespe/model/plantext"
	"vespe/model/visible"
)

// line is one line of a plan.
type line struct {
	raw    string // without its end
	text   string // without white space around it
	indent int    // in columns, a tab to the next of four
	skip   bool   // code, HTML comment or front matter: no markup counts in it
	info   string // of the fence that it opens
	head   int    // the section that it begins, from 1; 0 for none
}

// group is a phase of a plan.
type group struct {
	key, name string
	from, to  int // its lines
}

type reader struct {
	exists   func(string) bool
	lines    []line // line n of the plan is lines[n-1]
	sections []plantext.Section
	groups   []group
	items    []Item
	inOrder  string // the words outside the tasks by which each is finished before the next
	orderAt  int
	loose    []ref // dependencies that are spoken of outside the tasks
}

func newReader(text string, exists func(string) bool) *reader {
	r := &reader{exists: exists, sections: plantext.Sections(text)}
	for l := range strings.Lines(text) {
		raw := strings.TrimRight(l, "\r\n")
		flat := raw
		if strings.ContainsRune(raw, '\t') {
			flat = strings.ReplaceAll(raw, "\t", "    ")
		}
		r.lines = append(r.lines, line{raw: raw, text: strings.TrimSpace(raw), indent: len(flat) - len(strings.TrimLeft(flat, " "))})
	}
	for i, s := range r.sections {
		r.lines[s.From-1].head = i + 1
	}
	r.skipCode()
	return r
}

// skipCode marks what is fenced, commented out, or metadata at the top.
func (r *reader) skipCode() {
	fence, comment := "", false
	for i := range r.lines {
		l := &r.lines[i]
		mark := fenceOf(l.text)
		switch {
		case comment:
			l.skip = true
			comment = !strings.Contains(l.text, "-->")
		case fence != "":
			l.skip = true
			if strings.HasPrefix(mark, fence) && strings.Trim(l.text, fence[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence, l.skip = mark, true
			l.info = strings.TrimSpace(l.text[len(mark):])
			if l.info == "" {
				l.info = "-"
			}
		case strings.HasPrefix(l.text, "<!--"):
			l.skip = true
			comment = !strings.Contains(l.text, "-->")
		}
	}
	if len(r.lines) > 0 && r.lines[0].raw == "---" {
		for i := 1; i < min(len(r.lines), 200); i++ {
			if t := r.lines[i].text; t == "---" || t == "..." {
				for k := range i + 1 {
					r.lines[k].skip = true
				}
				break
			}
		}
	}
}

func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 && (c == "~" || !strings.Contains(text[n:], "`")) {
			return text[:n]
		}
	}
	return ""
}

// part is the text of some lines.
func (r *reader) part(from, to int) string {
	var b strings.Builder
	for n := from; n <= to && n <= len(r.lines); n++ {
		b.WriteString(r.lines[n-1].raw + "\n")
	}
	return strings.Trim(b.String(), "\n") + "\n"
}

// groupAt is the phase that a line is in, the innermost; -1 for none.
func (r *reader) groupAt(line int) int {
	at := -1
	for i, g := range r.groups {
		if g.from <= line && line <= g.to && (at < 0 || g.from >= r.groups[at].from) {
			at = i
		}
	}
	return at
}

var (
	linkRe   = lazyregexp.New(`\[([^\]]+)\]\([^)\s]*\)`)
	marksRe  = lazyregexp.New(`\*+|~~|\b__|__\b`)
	tagRe    = lazyregexp.New(`^\[([A-Za-z]{1,4}\d{0,4})\]\s*`)
	asideRe  = lazyregexp.New(`(?i)\s*[([](?:after|depends? on|blocked by|requires|needs|waits for)\s[^)\]]*[)\]]\s*$`)
	spacesRe = lazyregexp.New(`\s+`)
)

// plain is a line of Markdown without its marks; what is code in it stays as it is.
func plain(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		if i%2 == 0 {
			part = marksRe.Get().ReplaceAllString(linkRe.Get().ReplaceAllString(part, "$1"), "")
		}
		b.WriteString(part)
	}
	return visible.Line(strings.TrimSpace(spacesRe.Get().ReplaceAllString(b.String(), " ")))
}

// cut is a text of at most so many characters, at a word where there is one near.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)[:most-1]
	for i := len(r) - 1; i > most*2/3; i-- {
		if unicode.IsSpace(r[i]) {
			r = r[:i]
			break
		}
	}
	return strings.TrimRightFunc(string(r), func(c rune) bool { return unicode.IsSpace(c) || unicode.IsPunct(c) }) + "…"
}

// title gives an item its title, from a line of Markdown. What a title has no room for is among its words.
func (it *Item) title(s string) {
	s = strings.TrimSpace(s)
	for {
		m := tagRe.Get().FindStringSubmatch(s)
		if m == nil {
			break
		}
		s = s[len(m[0]):]
		if len(m[1]) > 1 && unicode.IsDigit(rune(m[1][len(m[1])-1])) { // "[US1]" says what it is for, "[P]" nothing that is kept
			it.Labels = append(it.Labels, strings.ToLower(m[1]))
		}
	}
	whole := strings.TrimRight(asideRe.Get().ReplaceAllString(plain(s), ""), " :#")
	it.Title = cut(whole, maxTitle)
	if it.Title != whole {
		it.Words = whole
	}
}

// name makes the keys unique, and gives one to items that have none.
func (r *reader) name() {
	taken := map[string]bool{}
	for i := range r.items {
		it := &r.items[i]
		if it.Title == "" {
			it.Title = "Task " + strings.TrimPrefix(it.Key, "T")
		}
		if it.Key == "" {
			it.Key = slug(it.Title)
		}
		if it.Key == "" {
			it.Key = fmt.Sprintf("n%d", i+1)
		}
		key := it.Key
		for n := 2; taken[strings.ToLower(it.Key)]; n++ {
			it.Key = fmt.Sprintf("%s_%d", key, n)
		}
		taken[strings.ToLower(it.Key)] = true
	}
}

// slug is a title as a key; "" where there is no letter that a key may have.
func slug(title string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }) {
		if b.Len() > 0 && b.Len()+len(w) >= 40 {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteString(w[:min(len(w), 40)])
	}
	return b.String()
}
