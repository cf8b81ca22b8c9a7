package decompose

import (
	"fmt"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
)

// ref is a dependency as the plan says it, before it is known what it names.
type ref struct {
	on   string // canonical key, or a phase "phase t2"
	line int
	said string
}

const refWord = `(?:tasks?|sub-?tasks?|steps?|stor(?:y|ies)|tickets?|phases?|milestones?|stages?|sprints?|epics?|iterations?)`

var (
	refRe     = lazyregexp.New(`(?i)^(?:the\s+)?(?:(` + refWord + `)\s*#?\s*|#?T?-?)(\d+(?:\.\d+)*(?:-?[a-z])?)$`)
	leadRe    = lazyregexp.New(`(?i)^(?:the\s+)?(?:` + refWord + `\s*#?\s*|T-?|#)\d+(?:\.\d+)*(?:-?[a-z]\b)?`)
	phaseRe   = lazyregexp.New(`^(?:phase|milestone|stage|sprint|epic|iteration)`)
	spanRe    = lazyregexp.New(`(?i)^(.*\d)\s*(?:-|–|—|to|through)\s*(?:tasks?\s*)?T?(\d+)$`)
	andRe     = lazyregexp.New(`(?i)\s*(?:\band\b|[&+/])\s*`)
	needsRe   = lazyregexp.New(`(?i)^[*_]*(?:depends? on|blocked by|requires|needs|waits for|after)[*_]*\s+(.*)$`)
	bareRef   = lazyregexp.New(`^#?\d`)
	nothingRe = lazyregexp.New(`(?i)^(?:none|no|nothing|n/?a|nil|-|—|–|no dependencies|\[\])?[.\s]*$`)
)

// canonical is a key, or what a plan calls a task, in one spelling: "task 02", "T2" and "2" are t2.
func canonical(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	m := refRe.Get().FindStringSubmatch(s)
	if m == nil {
		return s
	}
	key := strings.ToLower(keyOf(m[2]))
	if phaseRe.Get().MatchString(m[1]) {
		return "phase " + key
	}
	return key
}

// refers reports a text that begins with a task by its number.
func refers(s string) bool {
	return leadRe.Get().MatchString(s) || bareRef.Get().MatchString(s)
}

// asks takes what a label says that the item waits for: "T1, T2 and T3", "tasks 1-3", titles of tasks.
func (it *Item) asks(value string, line int) {
	value = plain(value)
	if nothingRe.Get().MatchString(value) {
		return
	}
	phase := false // the numbers are of phases
	for _, part := range strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == ';' }) {
		part = strings.TrimPrefix(strings.Trim(part, " .[]\"'"), "and ")
		pieces := []string{part}
		if refers(part) {
			pieces = andRe.Get().Split(part, -1)
		}
		for _, p := range pieces {
			if p, _, _ = strings.Cut(p, " ("); p == "" {
				continue
			}
			last := 0
			if m := spanRe.Get().FindStringSubmatch(p); m != nil {
				p = m[1]
				_, _ = fmt.Sscan(m[2], &last) // it is digits; a number that is too large ends no span
			}
			if head := leadRe.Get().FindString(p); head != "" && (len(head) == len(p) || strings.ContainsRune(" :.", rune(p[len(head)]))) {
				p = head
			}
			on := canonical(p)
			if phase && bareRef.Get().MatchString(p) {
				on = "phase " + on
			}
			phase = strings.HasPrefix(on, "phase ")
			it.refs = append(it.refs, ref{on, line, cut("depends on "+value, 80)})
			var first int
			kind, number, _ := strings.Cut(on, "t")
			if _, err := fmt.Sscan(number, &first); err != nil || last-first > maxNeeds {
				continue
			}
			for k := first + 1; k <= last; k++ {
				it.refs = append(it.refs, ref{fmt.Sprintf("%st%d", kind, k), line, cut("depends on "+value, 80)})
			}
		}
	}
}

// find are the items that a reference of an item means.
func (r *reader) find(key string, from int) []int {
	if rest, ok := strings.CutPrefix(key, "phase "); ok {
		for g := range r.groups {
			if strings.EqualFold(r.groups[g].key, rest) {
				return r.membersOf(g)
			}
		}
	}
	var all []int
	for i := range r.items {
		base, _, _ := strings.Cut(r.items[i].Key, "_") // one number in two phases
		if k := canonical(r.items[i].Key); k == key || canonical(base) == key || strings.EqualFold(r.items[i].Title, key) {
			all = append(all, i)
		}
	}
	if len(all) > 1 {
		for _, i := range all {
			if r.items[i].group == r.items[from].group {
				return []int{i}
			}
		}
	}
	if len(all) > 0 {
		return all[:1]
	}
	for g := range r.groups { // "task 2" of which 2.1 and 2.2 are the tasks
		if strings.EqualFold(r.groups[g].key, key) {
			return r.membersOf(g)
		}
	}
	return nil
}

func (r *reader) membersOf(g int) []int {
	var out []int
	for i := range r.items {
		if at := r.items[i].From; r.items[i].group == g || r.groups[g].from <= at && at <= r.groups[g].to {
			out = append(out, i)
		}
	}
	return out
}

// resolve turns the plan's words into dependencies.
func (r *reader) resolve(form Form) error {
	problems := []Problem{}
	for i := range r.items {
		it := &r.items[i]
		if it.Milestone == "" && it.group >= 0 {
			it.Milestone = r.groups[it.group].name
		}
		for _, f := range it.refs {
			var why string
			on := r.find(f.on, i)
			for _, b := range on {
				r.need(i, b, f.said, f.line)
			}
			switch {
			case len(on) == 0:
				why = fmt.Sprintf("it depends on %q, which is not a task of the plan", f.on)
			case len(on) == 1 && on[0] == i:
				why = "it would wait for itself"
			default:
				continue
			}
			if form == FormBlock {
				problems = append(problems, Problem{f.line, fmt.Sprintf("%s: %s", it.Key, why)})
			} else {
				it.note("line %d: %s", f.line, why)
			}
		}
	}
	if len(problems) > 0 {
		return &Unreadable{problems}
	}
	return nil
}

func (r *reader) need(i, on int, why string, line int) {
	it := &r.items[i]
	if key := r.items[on].Key; i != on && !it.needs(key) && len(it.Needs) < maxNeeds {
		it.Needs = append(it.Needs, Need{key, why, line})
	}
}

// needFiles lets who modifies a file wait for who creates it: the last before it, or else the first
// behind it. What the plan says itself comes first, and nothing closes a cycle.
func (r *reader) needFiles(b *List) {
	m := b.reach()
	by := map[string][]int{}
	writers := map[string][]int{}
	var order []string
	for i := range b.Items {
		for _, f := range b.Items[i].Create {
			by[f] = append(by[f], i)
		}
		for _, f := range b.Items[i].Modify {
			if writers[f] = append(writers[f], i); len(writers[f]) == 2 {
				order = append(order, f)
			}
		}
	}
	for i := range b.Items {
		for _, f := range b.Items[i].Modify {
			makers := by[f]
			if len(makers) == 0 {
				continue
			}
			on := makers[0]
			for _, k := range makers {
				if k < i {
					on = k
				}
			}
			switch {
			case on == i || m[i][on]:
			case m[on][i]:
				b.Items[i].note("it modifies %s, but %s creates that file and waits for it", f, b.Items[on].Key)
			default:
				r.need(i, on, fmt.Sprintf("%s creates %s", b.Items[on].Key, f), 0)
				m.add(i, on)
			}
		}
	}
	for _, f := range order {
		b.noteWriters(f, writers[f], m)
	}
}

// noteWriters says which tasks modify a file and may do it at one time.
func (b *List) noteWriters(file string, all []int, m reach) {
	var keys []string
	for _, i := range all {
		if slices.ContainsFunc(all, func(k int) bool { return k != i && !m[i][k] && !m[k][i] }) {
			keys = append(keys, b.Items[i].Key)
		}
	}
	if len(keys) > 1 && len(b.Notes) < 50 {
		b.Notes = append(b.Notes, fmt.Sprintf("%s is modified by %s in no fixed order", file, strings.Join(keys, ", ")))
	}
}
