package decompose

import (
	"fmt"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
)

// ref is a dependency as the plan says it, before it is known what it names.
type ref struct {
	of    string // who waits, in outside words; "" for the item it stands in
	on    string // canonical key, or a phase "phase 2"; "next": the item after this
	back  bool   // the item itself comes before the other
	line  int
	said  string
	loose bool // said by a label: it need not be a task at all
}

const refWord = `(?:tasks?|sub-?tasks?|steps?|stor(?:y|ies)|tickets?|phases?|milestones?|stages?|sprints?|epics?|iterations?)`

var (
	refRe  = lazyregexp.New(`(?i)^(?:the\s+)?(?:(` + refWord + `)\s*#?\s*(\d+(?:\.\d+)*(?:-?[a-z]\b)?)|T-?(\d+(?:\.\d+)*(?:-[a-z]\b)?)\b)`)
	moreRe = lazyregexp.New(`(?i)^\s*(?:,\s*and|,|and|&|\+|/|or)\s*#?(\d+(?:\.\d+)*(?:-[a-z]\b)?)\b`)
	spanRe = lazyregexp.New(`(?i)^\s*(?:-|–|—|to|through|until)\s*(?:tasks?\s*|T)?(\d+)\b`)
	glueRe = lazyregexp.New(`(?i)^\s*(?:,\s*and|,|and|&|\+|/)\s*`)

	needsRe  = lazyregexp.New(`(?i)\b(depends? (?:up)?on|dependent (?:up)?on|blocked by|requires|needs|builds on|waits for|after|once)[\s:*_]+(?:completion of\s+)?`)
	beforeRe = lazyregexp.New(`(?i)\bbefore\s+(?:starting\s+|beginning\s+|moving\s+(?:on\s+)?to\s+|proceeding\s+to\s+)?(?:the\s+)?`)
	nextRe   = lazyregexp.New(`(?i)^next\s+(?:task|step)\b`)
	inTurnRe = lazyregexp.New(`(?i)before\s+(?:starting|beginning|moving\s+(?:on\s+)?to|proceeding\s+to)\s+(?:the\s+)?next\b|\b(?:tasks|steps)\b.{0,40}\b(?:sequentially|in order|one after (?:the other|another))\b`)
	tasksRe  = lazyregexp.New(`(?i)\b(?:tasks?|steps?)\b`)
	notRe    = lazyregexp.New(`(?i)\b(?:not|no longer|doesn't|don't|never|no)\s*$`)
	arrowRe  = lazyregexp.New(`\s*(?:→|⟶|->|=>|-->)\s*`)
	bareNoRe = lazyregexp.New(`^#?T?-?\d+(?:\.\d+)*(?:-?[a-z])?$`)
)

// canonical is a key, or what a plan calls a task, in one spelling: "task 02", "T2" and "2" are t2.
func canonical(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if m := refRe.Get().FindStringSubmatch(s); m != nil && len(m[0]) == len(s) {
		if strings.HasPrefix(m[1], "phase") || strings.HasPrefix(m[1], "milestone") || strings.HasPrefix(m[1], "stage") ||
			strings.HasPrefix(m[1], "sprint") || strings.HasPrefix(m[1], "epic") || strings.HasPrefix(m[1], "iteration") {
			return "phase " + strings.ToLower(keyOf(m[2]))
		}
		return strings.ToLower(keyOf(m[2] + m[3]))
	}
	if bareNoRe.Get().MatchString(s) || bareNoRe.Get().MatchString(strings.ToUpper(s)) {
		return strings.ToLower(keyOf(strings.TrimLeft(s, "#t-")))
	}
	return s
}

// refsAt are the tasks that a text begins with: "T1, T2 and T3", "tasks 1-3". rest is what follows.
func refsAt(s string) (out []string, rest string) {
	rest = s
	for {
		m := refRe.Get().FindString(rest)
		if m == "" {
			return out, rest
		}
		out = append(out, canonical(m))
		rest = rest[len(m):]
		phase := strings.HasPrefix(out[len(out)-1], "phase ")
		one := func(num string) string {
			if key := strings.ToLower(keyOf(num)); !phase {
				return key
			} else {
				return "phase " + key
			}
		}
		if span := spanRe.Get().FindStringSubmatch(rest); span != nil {
			out = append(out, spanOf(strings.TrimPrefix(out[len(out)-1], "phase "), span[1], one)...)
			rest = rest[len(span[0]):]
		}
		for more := moreRe.Get().FindStringSubmatch(rest); more != nil; more = moreRe.Get().FindStringSubmatch(rest) {
			out = append(out, one(more[1]))
			rest = rest[len(more[0]):]
		}
		glue := glueRe.Get().FindString(rest)
		if glue == "" || refRe.Get().FindString(rest[len(glue):]) == "" {
			return out, rest
		}
		rest = rest[len(glue):]
	}
}

// spanOf are the numbers behind the first of "1-3".
func spanOf(first, last string, one func(string) string) []string {
	var from, to int
	if n, _ := fmt.Sscanf(first, "t%d", &from); n != 1 {
		return nil
	}
	if n, _ := fmt.Sscanf(last, "%d", &to); n != 1 || to-from > maxNeeds {
		return nil
	}
	var out []string
	for k := from + 1; k <= to; k++ {
		out = append(out, one(fmt.Sprint(k)))
	}
	return out
}

// mentions finds in a line who waits for whom. it is the item that it stands in; nil outside of them.
func (r *reader) mentions(it *Item, s string, n int) {
	text := plain(s)
	if text == "" {
		return
	}
	add := func(found ref) {
		found.line, found.said = n, cut(text, 80)
		switch {
		case it != nil:
			it.refs = append(it.refs, found)
		case found.of != "":
			r.loose = append(r.loose, found)
		}
	}
	if parts := arrowRe.Get().Split(text, -1); len(parts) > 1 && r.chain(parts, add) {
		return
	}
	for _, m := range needsRe.Get().FindAllStringIndex(text, -1) {
		on, _ := refsAt(text[m[1]:])
		if len(on) == 0 || notRe.Get().MatchString(text[:m[0]]) {
			continue
		}
		for _, key := range on {
			add(ref{of: subject(text[:m[0]]), on: key})
		}
	}
	for _, m := range beforeRe.Get().FindAllStringIndex(text, -1) {
		of := subject(text[:m[0]])
		if nextRe.Get().MatchString(text[m[1]:]) && it != nil {
			add(ref{of: of, on: "next", back: true})
			continue
		}
		on, _ := refsAt(text[m[1]:])
		for _, key := range on {
			add(ref{of: of, on: key, back: true})
		}
	}
}

// chain reads "T1 → T2 → T3"; false where it is something else.
func (r *reader) chain(parts []string, add func(ref)) bool {
	var all [][]string
	for _, p := range parts {
		keys, rest := refsAt(strings.TrimSpace(p))
		if len(keys) == 0 || len(rest) > 40 {
			return false
		}
		all = append(all, keys)
	}
	for i := 1; i < len(all); i++ {
		for _, of := range all[i] {
			for _, on := range all[i-1] {
				add(ref{of: of, on: on})
			}
		}
	}
	return true
}

var subjectRe = lazyregexp.New(`(?i)((?:` + refWord + `\s*#?\s*\d+(?:\.\d+)*)|\bT-?\d+(?:\.\d+)*)\b[^.;]{0,12}$`)

// subject is the task that a text ends with: in "T3 depends on", T3.
func subject(before string) string {
	m := subjectRe.Get().FindStringSubmatch(before)
	if m == nil {
		return ""
	}
	return canonical(m[1])
}

var nothingRe = lazyregexp.New(`(?i)^(?:none|no|nothing|n/?a|nil|-|—|–|no dependencies|\[\])?[.\s]*$`)

// asked takes what a label says that an item waits for.
func (r *reader) asked(it *Item, value string, n int) {
	value = plain(value)
	if nothingRe.Get().MatchString(value) {
		return
	}
	add := func(on string) {
		it.refs = append(it.refs, ref{on: on, line: n, said: cut("depends on "+value, 80), loose: true})
	}
	if keys, rest := refsAt(value); len(keys) > 0 && len(keys) < maxNeeds {
		for _, k := range keys {
			add(k)
		}
		if value = strings.Trim(rest, " .,;"); value == "" || strings.HasPrefix(value, "(") || !strings.HasPrefix(rest, ",") {
			return
		}
	}
	for _, p := range strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == ';' }) {
		p = strings.TrimPrefix(strings.Trim(p, " .[]\"'"), "and ")
		if head, _, ok := strings.Cut(p, " ("); ok {
			p = head
		}
		if keys, rest := refsAt(p); len(keys) > 0 && (rest == "" || rest[0] == ' ' || rest[0] == ':') {
			p = keys[0]
		}
		if p != "" {
			add(canonical(p))
		}
	}
}

// outside reads what is said about the tasks where none of them is.
func (r *reader) outside() {
	inside := make([]bool, len(r.lines)+1)
	for i := range r.items {
		for n := r.items[i].From; n <= r.items[i].To; n++ {
			inside[n] = true
		}
		r.headRefs(&r.items[i])
	}
	for n := 1; n <= len(r.lines); n++ {
		l := r.lines[n-1]
		if inside[n] || l.skip || l.head > 0 || l.text == "" {
			continue
		}
		body := l.text
		if e, ok := entryOf(l); ok {
			body = e.text
		}
		if r.inOrder == "" && inTurnRe.Get().MatchString(plain(body)) && tasksRe.Get().MatchString(body) {
			r.inOrder, r.orderAt = cut(plain(body), 80), n
		}
		r.mentions(nil, body, n)
	}
}

// headRefs reads the line that an item begins with: "Task 3: … (after task 1)".
func (r *reader) headRefs(it *Item) {
	l := r.lines[it.From-1]
	text := l.text
	if l.head > 0 {
		text = r.sections[l.head-1].Title
	} else if e, ok := entryOf(l); ok {
		text = e.text
	}
	if _, rest, rank := numbered(text); rank > 0 { // else its own number is the subject of what follows
		text = rest
	}
	r.mentions(it, text, it.From)
}

// find are the items that a reference means; from is where it stands, -1 for outside.
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
	if len(all) > 1 && from >= 0 {
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

// resolve turns the plan's words into dependencies. What comes "before" another is said in passing at times: it
// is taken last, and not where it would close a cycle.
func (r *reader) resolve(form Form) error {
	problems := []Problem{}
	for i := range r.items {
		it := &r.items[i]
		if it.Milestone == "" && it.group >= 0 {
			it.Milestone = r.groups[it.group].name
		}
		for _, f := range it.refs {
			if f.back {
				continue
			}
			if why := r.relate(i, f, nil); why != "" {
				if form == FormBlock {
					problems = append(problems, Problem{f.line, fmt.Sprintf("%s: %s", it.Key, why)})
				} else if f.loose {
					it.note("line %d: %s", f.line, why)
				}
			}
		}
	}
	if len(problems) > 0 {
		return &Unreadable{problems}
	}
	for _, f := range r.loose {
		if !f.back {
			r.relate(-1, f, nil)
		}
	}
	m := (&List{Items: r.items}).reach()
	for i := range r.items {
		for _, f := range r.items[i].refs {
			if f.back {
				r.relate(i, f, m)
			}
		}
	}
	for _, f := range r.loose {
		if f.back {
			r.relate(-1, f, m)
		}
	}
	for i := 1; i < len(r.items) && r.inOrder != ""; i++ {
		if !m[i-1][i] {
			r.need(i, i-1, r.inOrder, r.orderAt)
			m.add(i, i-1)
		}
	}
	return nil
}

// relate adds what a reference says, and nothing that would close a cycle where m is given; why is set where it
// names no task.
func (r *reader) relate(i int, f ref, m reach) (why string) {
	of := []int{i}
	if f.of != "" {
		of = r.find(f.of, i)
	}
	on := []int{}
	if f.on == "next" {
		if i >= 0 && i+1 < len(r.items) {
			on = []int{i + 1}
		}
	} else if on = r.find(f.on, i); len(on) == 0 {
		return fmt.Sprintf("it depends on %q, which is not a task of the plan", f.on)
	}
	for _, a := range of {
		for _, b := range on {
			switch {
			case a < 0 || a == b && f.of != "":
			case a == b && f.loose:
				return "it would wait for itself"
			case f.back && m[a][b]:
				r.items[a].note("line %d puts it before %s, but it waits for that: %s", f.line, r.items[b].Key, f.said)
			case f.back:
				r.need(b, a, f.said, f.line)
				m.add(b, a)
			default:
				r.need(a, b, f.said, f.line)
			}
		}
	}
	return ""
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
