package decompose

import (
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
	"vespe/model"
)

// labelName is what a line with a label says: "Files:", "**Depends on**: T1".
type labelName int

const (
	labelNone labelName = iota
	labelFiles
	labelCreate
	labelModify
	labelTest
	labelCriteria
	labelNeeds
	labelPriority
	labelRisk
	labelLabels
	labelMilestone
	labelStory
	labelWords
)

var labels = []struct {
	name labelName
	re   *lazyregexp.Regexp
}{
	{labelCreate, lazyregexp.New(`^(?:files? to (?:create|add)|new files?|create|creates|add)$`)},
	{labelModify, lazyregexp.New(`^(?:files? to (?:modify|change|edit|update|delete|remove)|(?:existing|changed|modified) files?|modify|modifies|change|edit|update|delete|remove)$`)},
	{labelTest, lazyregexp.New(`^(?:tests?|test files?|files? to test)$`)},
	{labelFiles, lazyregexp.New(`^(?:files?(?: involved| touched| affected| changed)?|affected files?|key files?|move|rename)$`)},
	{labelCriteria, lazyregexp.New(`^(?:acceptance(?: criteria| tests?)?|criteria|criterion|done when|definition of done|success criteria|it is done when|exit criteria)$`)},
	{labelNeeds, lazyregexp.New(`^(?:depends on|dependency|dependencies|depends|blocked by|requires|prerequisites?|pre-requisites?|after|needs|waits for)$`)},
	{labelPriority, lazyregexp.New(`^priority$`)},
	{labelRisk, lazyregexp.New(`^risk(?: level)?$`)},
	{labelLabels, lazyregexp.New(`^(?:labels?|tags?)$`)},
	{labelMilestone, lazyregexp.New(`^(?:milestone|phase)$`)},
	{labelStory, lazyregexp.New(`^(?:user story|story)$`)},
	{labelWords, lazyregexp.New(`^(?:objective|goal|description|summary|what|purpose)$`)},
}

var labelRe = lazyregexp.New(`^[*_]*([A-Za-z][A-Za-z -]{1,28}?)[*_]*\s*(?:\([^)]*\))?\s*[:：][*_]*\s*(.*)$`)

// label is what a line begins with, and what stands behind it.
func label(s string) (labelName, string) {
	m := labelRe.Get().FindStringSubmatch(s)
	if m == nil {
		return labelNone, s
	}
	return named(m[1]), strings.Trim(m[2], " ")
}

// named is the label of some words.
func named(words string) labelName {
	words = strings.ToLower(strings.TrimSpace(words))
	for _, l := range labels {
		if l.re.Get().MatchString(words) {
			return l.name
		}
	}
	return labelNone
}

// box is a checkbox of a section.
type box struct {
	indent int
	text   string
}

// walker reads the section of an item.
type walker struct {
	r        *reader
	it       *Item
	mode     labelName
	indent   int // of the label's line in a list; -1 where it stands alone
	said     []string
	boxes    []box
	last     *string // what the next line may go on with
	prose    bool    // nothing but paragraphs came so far
	explicit bool    // there is a list of files
	listed   bool    // the item is one of a list itself
}

// fill reads the sections of all items.
func (r *reader) fill(first func(*Item) int) {
	for i := range r.items {
		it := &r.items[i]
		it.Section = r.part(it.From, it.To)
		w := walker{r: r, it: it, indent: -1, prose: true}
		if e, ok := entryOf(r.lines[it.From-1]); ok {
			w.listed = true
			w.paths(e.text, it.From)
		}
		for n := first(it) + 1; n <= it.To; n++ {
			w.line(n)
		}
		w.done()
	}
	r.outside()
}

func (w *walker) line(n int) {
	l := w.r.lines[n-1]
	if l.skip {
		w.prose = w.prose && l.info == "" && w.it.Words == ""
		return
	}
	if l.head > 0 {
		w.last, w.mode, w.indent = nil, named(strings.TrimRight(plain(w.r.sections[l.head-1].Title), ":")), -1
		w.prose = w.mode == labelWords
		return
	}
	if l.text == "" {
		w.last = nil
		return
	}
	e, list := entryOf(l)
	body := l.text
	if list {
		body = e.text
		if w.indent >= 0 && e.indent <= w.indent {
			w.mode, w.indent = labelNone, -1
		}
	}
	w.r.mentions(w.it, body, n)
	if name, value := label(body); name != labelNone && !e.box && w.labeled(name, value, n, e, list) {
		w.last = nil
		return
	}
	switch {
	case list:
		w.prose = false
		w.entry(e, n)
	case w.last != nil && l.indent > 0:
		*w.last += " " + l.text
		w.paths(l.text, n)
	default:
		w.last, w.mode, w.indent = nil, labelNone, -1
		if w.paths(l.text, n); w.prose && !isUnderline(l.text) && !isStep(l.text) {
			w.it.words(l.text)
		}
	}
}

// isStep reports that a line is a step's heading in all but its marks.
func isStep(s string) bool {
	_, _, rank := numbered(s)
	return rank > 0
}

func isUnderline(s string) bool { return strings.Trim(s, "=") == "" || strings.Trim(s, "-") == "" }

// labeled takes a line with a label; false where it says nothing of what the label is for.
func (w *walker) labeled(name labelName, value string, n int, e entry, list bool) bool {
	it := w.it
	switch name {
	case labelFiles, labelCreate, labelModify, labelTest:
		found := pathsIn(value, true)
		if len(found) == 0 && value != "" {
			return false
		}
		w.explicit = w.explicit || len(found) > 0
		for _, p := range found {
			w.file(p, useOf(name, value), n)
		}
	case labelCriteria:
		if value != "" {
			w.said = append(w.said, plain(value))
		}
	case labelNeeds:
		w.r.asked(it, value, n)
	case labelPriority:
		it.Priority = priorityOf(value)
		if it.Priority == "" {
			it.note("line %d: %q is not a priority; use critical, high, medium or low", n, cut(plain(value), 40))
		}
	case labelRisk:
		if it.Risk = riskOf(value); it.Risk == "" {
			it.note("line %d: %q is not a risk; use low, medium or high", n, cut(plain(value), 40))
		}
	case labelLabels:
		it.Labels = append(it.Labels, strings.FieldsFunc(plain(value), func(c rune) bool { return c == ',' || c == ' ' || c == ';' })...)
	case labelMilestone:
		it.Milestone = cut(plain(value), maxTitle)
	case labelStory:
		it.Story = plain(value)
	case labelWords:
		it.words(value)
		w.prose = true
		return true
	}
	if value == "" {
		w.mode, w.indent = name, -1
		if list {
			w.indent = e.indent
		}
	}
	return true
}

// entry takes an item of a list in the section.
func (w *walker) entry(e entry, n int) {
	it := w.it
	if e.box {
		it.boxes++
		it.open = it.open || !e.ticked
	}
	switch w.mode { // what a list is about was said before it
	case labelFiles, labelCreate, labelModify, labelTest:
		found := pathsIn(e.text, true)
		if len(found) > 0 && !e.box {
			w.explicit = true
			for _, p := range found {
				w.file(p, useOf(w.mode, e.text), n)
			}
			return
		}
		w.mode, w.indent = labelNone, -1 // another list has begun
	case labelCriteria:
		if text := plain(e.text); text != "" {
			w.said = append(w.said, text)
			w.last = &w.said[len(w.said)-1]
		}
		w.paths(e.text, n)
		return
	case labelNeeds:
		w.r.asked(it, e.text, n)
		return
	}
	w.paths(e.text, n)
	if e.box {
		w.boxes = append(w.boxes, box{e.indent, plain(e.text)})
		w.last = &w.boxes[len(w.boxes)-1].text
	} else if w.listed {
		it.words("- " + e.text)
	}
}

// file adds one that a list of files names.
func (w *walker) file(p string, u use, n int) {
	w.it.loose = append(w.it.loose, path{p, u, n, true})
}

// paths adds those that are only mentioned.
func (w *walker) paths(text string, n int) {
	for _, m := range mentionsOf(text) {
		w.it.loose = append(w.it.loose, path{m.name, m.use, n, false})
	}
}

// done decides what the criteria are, and which of the paths.
func (w *walker) done() {
	it := w.it
	out := w.said
	if len(out) == 0 {
		for i, b := range w.boxes {
			if i+1 < len(w.boxes) && w.boxes[i+1].indent > b.indent {
				continue // those below it say more
			}
			text := b.text
			for k := i - 1; k >= 0; k-- {
				if w.boxes[k].indent < b.indent {
					text = cut(strings.TrimRight(w.boxes[k].text, ": "), 60) + ": " + text
					break
				}
			}
			out = append(out, text)
		}
	}
	for _, text := range out {
		if text = cut(plain(text), maxLine); text != "" {
			it.Criteria = append(it.Criteria, text)
		}
	}
	if n := len(it.Criteria); n > maxCriteria {
		it.note("it has %d criteria; only the first %d are used", n, maxCriteria)
		it.Criteria = it.Criteria[:maxCriteria]
	}
	var kept []path
	for _, p := range it.loose {
		if p.listed || w.counts(p) {
			kept = append(kept, p)
		}
	}
	it.loose = kept
}

// counts says whether a path that is only mentioned is one of the item's: tests are, and others where the item
// has no list of files. A name alone is often short for a path, so it has to be there.
func (w *walker) counts(p path) bool {
	if w.explicit && !IsTest(p.name) || p.use == useMention {
		return false
	}
	if strings.Contains(p.name, "/") {
		return true
	}
	short := slices.ContainsFunc(w.it.loose, func(o path) bool { return strings.HasSuffix(o.name, "/"+p.name) })
	return !short && (w.r.exists != nil && w.r.exists(p.name) || p.use == useCreate && !IsTest(p.name))
}

// words adds to what the item is to achieve.
func (it *Item) words(s string) {
	if s = strings.TrimSpace(s); s == "" || len(it.Words)+len(s) > maxWords {
		return
	}
	if it.Words != "" {
		it.Words += "\n"
	}
	it.Words += s
}

var wordRe = lazyregexp.New(`[A-Za-z0-9]+`)

// priorityOf reads a priority in words or as P0 to P3; "" for anything else.
func priorityOf(s string) model.Priority {
	word := strings.ToLower(wordRe.Get().FindString(plain(s)))
	switch word {
	case "p0", "urgent", "blocker":
		return model.Critical
	case "p1":
		return model.High
	case "p2", "normal":
		return model.Medium
	case "p3", "p4":
		return model.Low
	}
	p, _ := model.ParsePriority(word)
	return p
}

func riskOf(s string) string {
	p, ok := model.ParsePriority(wordRe.Get().FindString(plain(s)))
	if !ok || p == model.Critical {
		return ""
	}
	return string(p)
}
