package decompose

import (
	"slices"
	"strings"
	"unicode"

	"vespe/internal/lazyregexp"
)

const number = `\d+(?:\.\d+)*(?:-?[a-z]\b)?`

var (
	taskRe  = lazyregexp.New(`(?i)^(task|sub-?task|story|ticket|work item|step|phase|milestone|stage|sprint|epic|iteration|part)\s*[#-]?\s*(` + number + `|[ivx]{1,5}\b)\s*(?:[:.)\]|]|[-–—]\s|\s|$)\s*(.*)$`)
	shortRe = lazyregexp.New(`^T-?(` + number + `)\s*(?:[:.)\]|]|[-–—]\s|\s|$)\s*(.*)$`)
	countRe = lazyregexp.New(`^(` + number + `)\s*(?:[:.)]|[-–—])?\s+(.*)$`)

	listNamesRe = lazyregexp.New(`(?i)^(?:the |our |proposed |detailed |implementation |work |development |project )*(?:tasks?|sub-?tasks|steps|task list|task breakdown|work ?items|work breakdown|to-?dos?|todo list|checklist)(?: list| breakdown)?$`)
	doneNamesRe = lazyregexp.New(`(?i)^(?:acceptance(?: criteria| tests?)?|criteria|done when|definition of done|success(?: criteria| metrics)?|it is done when|exit criteria)\b`)
	notTasksRe  = lazyregexp.New(`(?i)^(?:post[- ]completion|out of scope|non-?goals|open questions|questions|risks?\b|later|future|follow-?ups?|testing(?: strategy)?|verification|test plan|pre-?requisites|rollback|assumptions)`)
)

// The ranks of numbered headings: a phase holds steps or tasks, a task holds steps.
const (
	rankPhase = iota + 1
	rankStep
	rankTask
)

// numbered is a heading or a list's item that has a number.
func numbered(title string) (key, rest string, rank int) {
	title = strings.TrimLeftFunc(plain(title), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '[' })
	title = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(title, "[ ] "), "[x] "), "[X] ")
	if m := shortRe.Get().FindStringSubmatch(title); m != nil {
		return keyOf(m[1]), m[2], rankTask
	}
	m := taskRe.Get().FindStringSubmatch(title)
	if m == nil {
		return "", title, 0
	}
	switch strings.ToLower(m[1]) {
	case "step":
		rank = rankStep
	case "phase", "milestone", "stage", "sprint", "epic", "iteration", "part":
		rank = rankPhase
	default:
		rank = rankTask
	}
	return keyOf(m[2]), m[3], rank
}

// keyOf is a number as a key: "02.1" is T2.1.
func keyOf(num string) string {
	parts := strings.Split(num, ".")
	for i, p := range parts {
		if p = strings.TrimLeft(p, "0"); p == "" {
			p = "0"
		}
		parts[i] = p
	}
	return "T" + strings.ToUpper(strings.Join(parts, "."))
}

// mark is a section with a number.
type mark struct {
	section int
	rank    int
	key     string
	title   string
}

// headings finds tasks that are sections.
func (r *reader) headings() (Form, error) {
	var marks []mark
	most := 0
	for i, s := range r.sections {
		if key, title, rank := numbered(s.Title); rank > 0 {
			marks = append(marks, mark{i, rank, key, title})
			most = max(most, rank)
		}
	}
	if most == rankStep && len(marks) < 2 {
		most = 0
	}
	var tasks []mark
	for k, m := range marks {
		switch inside := r.holds(marks, k, most); {
		case m.rank == most && !inside:
			tasks = append(tasks, m)
		case m.rank == rankPhase || m.rank == most:
			r.addGroup(m)
		}
	}
	switch {
	case most == rankPhase: // what stands in them may be the tasks
		for _, m := range tasks {
			r.addGroup(m)
		}
		if form, err := r.lists(); form != "" || err != nil {
			return form, err
		}
		if r.groups = nil; len(tasks) < 2 {
			return "", nil
		}
	case len(tasks) == 0:
		tasks = r.below()
	}
	for _, m := range tasks {
		s := r.sections[m.section]
		it := Item{Key: m.key, Passage: Passage{From: s.From, To: s.To}, parsing: parsing{group: r.groupAt(s.From)}}
		it.title(m.title)
		for it.To > it.From && r.lines[it.To-1].text == "" {
			it.To--
		}
		r.items = append(r.items, it)
	}
	if len(r.items) == 0 {
		return "", nil
	}
	r.fill(func(it *Item) int { return it.From })
	return FormHeadings, nil
}

// holds reports whether a numbered section has another of the rank of tasks in it.
func (r *reader) holds(marks []mark, k, rank int) bool {
	s := r.sections[marks[k].section]
	return slices.ContainsFunc(marks[k+1:], func(m mark) bool { return m.rank == rank && r.sections[m.section].From <= s.To })
}

func (r *reader) addGroup(m mark) {
	s := r.sections[m.section]
	name := plain(m.title)
	if name == "" {
		name = plain(s.Title)
	}
	if head, _, ok := strings.Cut(name, " ("); ok && head != "" {
		name = head
	}
	r.groups = append(r.groups, group{m.key, cut(name, maxTitle), s.From, s.To})
}

// below are the sections right below one that is called like a list of tasks: those that have numbers, or else
// any without checkboxes, which would be the tasks themselves.
func (r *reader) below() []mark {
	for i, s := range r.sections {
		if !listNamesRe.Get().MatchString(plain(s.Title)) {
			continue
		}
		var with, without []mark
		level := 0
		for k := i + 1; k < len(r.sections) && r.sections[k].From <= s.To; k++ {
			c := r.sections[k]
			if level == 0 {
				level = c.Level
			}
			if c.Level > level {
				continue
			}
			if m := countRe.Get().FindStringSubmatch(plain(c.Title)); m != nil {
				with = append(with, mark{k, rankTask, keyOf(m[1]), m[2]})
			} else {
				without = append(without, mark{k, rankTask, "", plain(c.Title)})
			}
		}
		if len(with) > 0 {
			return with
		}
		boxes := slices.ContainsFunc(r.lines[s.From-1:s.To], func(l line) bool { e, ok := entryOf(l); return ok && e.box })
		if len(without) > 1 && !boxes {
			return without
		}
		if len(without) > 1 {
			for _, m := range without {
				r.addGroup(m)
			}
		}
	}
	return nil
}
