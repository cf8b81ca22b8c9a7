package decompose

import (
	"strings"

	"vespe/internal/lazyregexp"
)

var entryRe = lazyregexp.New(`^([-*+]|\d{1,9}[.)])\s+(?:\[([ xX~-])\]\*?(?:\s+|$))?(.*)$`)

// entry is an item of a list.
type entry struct {
	text    string // behind the mark and the box
	indent  int
	ordered bool
	box     bool
	ticked  bool
	mark    string // "12." of an ordered one
}

func entryOf(l line) (entry, bool) {
	if l.skip {
		return entry{}, false
	}
	m := entryRe.Get().FindStringSubmatch(l.text)
	if m == nil {
		return entry{}, false
	}
	return entry{
		text: m[3], indent: l.indent, ordered: m[1][0] >= '0' && m[1][0] <= '9', mark: m[1],
		box: m[2] != "", ticked: m[2] == "x" || m[2] == "X",
	}, true
}

// lists finds tasks that are items of lists.
func (r *reader) lists() (Form, error) {
	boxes, ordered := r.topEntries()
	at := boxes
	if len(at) == 0 {
		if at = ordered; len(at) < 2 {
			return "", nil
		}
	}
	for k, n := range at {
		e, _ := entryOf(r.lines[n-1])
		to := r.endOf(n, e.indent)
		if k+1 < len(at) {
			to = min(to, at[k+1]-1)
		}
		if own := r.ownIDs(n, to); len(own) > 0 {
			key, rest := entryKey(e)
			r.groups = append(r.groups, group{key, cut(plain(rest), maxTitle), n, to})
			for _, c := range own {
				ce, _ := entryOf(r.lines[c-1])
				r.addEntry(c, min(to, r.endOf(c, ce.indent)), ce)
			}
			continue
		}
		r.addEntry(n, to, e)
	}
	r.fill(func(it *Item) int { return it.From })
	return FormList, nil
}

func (r *reader) addEntry(n, to int, e entry) {
	for to > n && r.lines[to-1].text == "" {
		to--
	}
	key, rest := entryKey(e)
	it := Item{Key: key, Passage: Passage{From: n, To: to}, parsing: parsing{group: r.groupAt(n)}}
	if e.box {
		it.boxes, it.open = 1, !e.ticked
	}
	for k := n + 1; k <= to; k++ { // what goes on in the next lines is of the title, too
		l := r.lines[k-1]
		if _, list := entryOf(l); l.skip || list || l.text == "" {
			break
		}
		if name, _ := label(l.text); name != labelNone {
			break
		}
		rest += " " + l.text
	}
	title, words := sentence(rest)
	it.title(title)
	it.words(words)
	r.items = append(r.items, it)
}

// entryKey is the id with which an item of a list begins, and the rest of it.
func entryKey(e entry) (key, rest string) {
	text := strings.TrimSpace(e.text)
	if key, rest, rank := numbered(text); rank >= rankStep {
		return key, rest
	}
	bare := strings.TrimLeft(text, "*_")
	if m := countRe.Get().FindStringSubmatch(bare); m != nil && (strings.Contains(m[1], ".") || strings.HasPrefix(bare, m[1]+".") || strings.HasPrefix(bare, m[1]+":")) {
		return keyOf(m[1]), strings.TrimLeft(m[2], "*_ ")
	}
	if e.ordered {
		return keyOf(strings.Trim(e.mark, ".)")), text
	}
	return "", text
}

var boldRe = lazyregexp.New(`^\*\*(.+?)\*\*\s*[:.–—-]*\s*(.*)$`)

// sentence divides what a list's item says into its title and the rest: what is bold at its beginning, or else its first
// sentence where that is long.
func sentence(s string) (title, rest string) {
	if m := boldRe.Get().FindStringSubmatch(s); m != nil && m[2] != "" {
		return m[1], m[2]
	}
	if len(s) > maxTitle {
		for _, end := range []string{". ", " — ", " – ", "; "} {
			if head, tail, ok := strings.Cut(s, end); ok && len(head) <= maxTitle && len(head) > 10 {
				return head, tail
			}
		}
	}
	return s, ""
}

// topEntries are the lines of the outermost items of lists that may be tasks: those with boxes, and the numbers
// below a heading that is called like a list of tasks.
func (r *reader) topEntries() (boxes, ordered []int) {
	var open []string // titles of the sections around, by level
	for n := 1; n <= len(r.lines); n++ {
		l := r.lines[n-1]
		if l.head > 0 {
			s := r.sections[l.head-1]
			for len(open) < s.Level {
				open = append(open, "")
			}
			open = append(open[:s.Level-1], plain(s.Title))
		}
		e, ok := entryOf(l)
		if !ok || e.indent > 3 || !(e.box || e.ordered) {
			continue
		}
		may, called := true, false
		for _, title := range open {
			may = may && !doneNamesRe.Get().MatchString(title) && !notTasksRe.Get().MatchString(title)
			called = called || listNamesRe.Get().MatchString(title)
		}
		switch {
		case !may || r.under(n, e.indent):
		case e.box:
			boxes = append(boxes, n)
		case called:
			ordered = append(ordered, n)
		}
	}
	return boxes, ordered
}

// under reports whether an item of a list stands below another item that has less indent.
func (r *reader) under(n, indent int) bool {
	for k := n - 1; k >= 1 && indent > 0; k-- {
		l := r.lines[k-1]
		if l.head > 0 {
			return false
		}
		if e, ok := entryOf(l); ok && e.indent < indent {
			return true
		} else if !ok && l.text != "" && l.indent == 0 && !l.skip {
			return false
		}
	}
	return false
}

// endOf is the last line of what belongs to a list's item.
func (r *reader) endOf(n, indent int) int {
	to := n
	blank := false
	for k := n + 1; k <= len(r.lines); k++ {
		l := r.lines[k-1]
		switch {
		case l.text == "":
			blank = true
			continue
		case l.head > 0:
			return to
		case l.indent <= indent && !(l.skip && l.info == "" && !blank):
			if _, list := entryOf(l); list || blank || l.skip {
				return to
			}
		}
		to, blank = k, false
	}
	return to
}

// ownIDs are the items with boxes right below one that have ids of their own; none where some have not.
func (r *reader) ownIDs(from, to int) []int {
	var out []int
	indent := -1
	for n := from + 1; n <= to; n++ {
		e, ok := entryOf(r.lines[n-1])
		if !ok || !e.box || indent >= 0 && e.indent > indent {
			continue
		}
		if key, _ := entryKey(e); key == "" {
			return nil
		}
		indent = e.indent
		out = append(out, n)
	}
	return out
}
