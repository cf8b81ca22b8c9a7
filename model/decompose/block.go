package decompose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/visible"
)

const (
	// The library's time grows with the square of what is nested, whatever nests it.
	maxBlock    = 64 << 10  // bytes of one block
	maxBlocks   = 256 << 10 // of all of them
	maxBlockRow = 4 << 10   // bytes of one line that is not JSON
	maxDepth    = 100       // of brackets
	maxProblems = 20
)

// data reads one block of YAML or JSON.
type data struct {
	r        *reader
	first    int  // the line of the plan that its first line is
	strict   bool // what is not understood is a problem
	at       int  // the line of what is read
	problems []Problem
}

func (d *data) bad(n ast.Node, format string, args ...any) {
	line := d.at
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		line = d.first + n.GetToken().Position.Line - 1
	}
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{line, visible.Line(fmt.Sprintf(format, args...))})
	}
}

// fenced are the blocks whose fence has an info string that some function likes.
func (r *reader) fenced(like func(info string) bool) (out []span) {
	for i := 0; i < len(r.lines); i++ {
		l := r.lines[i]
		if l.info == "" || l.info == "-" || !like(strings.ToLower(l.info)) {
			continue
		}
		end := i + 1
		for end < len(r.lines) && !(r.lines[end].skip && strings.HasPrefix(r.lines[end].text, fenceOf(l.text)) && strings.Trim(r.lines[end].text, fenceOf(l.text)[:1]) == "") {
			end++
		}
		out = append(out, span{i + 2, end})
		i = end
	}
	return out
}

// span is some lines of the plan, counted from 1.
type span struct{ from, to int }

// blocks reads the blocks that are called tasks.
func (r *reader) blocks() (Form, error) {
	all := r.fenced(func(info string) bool { return slices.Contains(strings.Fields(info), "tasks") })
	var problems []Problem
	size := 0
	for _, s := range all {
		if size += len(r.part1(s)); size > maxBlocks {
			return "", unreadable(s.from-1, "the blocks have more than %d bytes", maxBlocks)
		}
		d := data{r: r, first: s.from, strict: true, at: s.from - 1}
		if n := d.parse(r.part1(s)); n != nil {
			d.list(n)
		}
		problems = append(problems, d.problems...)
	}
	switch {
	case len(problems) > 0:
		return "", &Unreadable{problems}
	case len(all) == 0:
		return "", nil
	case len(r.items) == 0:
		return "", unreadable(all[0].from-1, "the block has no tasks")
	}
	if err := r.onlyOnce(); err != nil {
		return "", err
	}
	return FormBlock, nil
}

// part1 is the text of a block with its lines where they are.
func (r *reader) part1(s span) string {
	var b strings.Builder
	for n := s.from; n <= s.to && n <= len(r.lines); n++ {
		b.WriteString(r.lines[n-1].raw + "\n")
	}
	return b.String()
}

// onlyOnce refuses keys that stand twice.
func (r *reader) onlyOnce() error {
	seen := map[string]int{}
	var problems []Problem
	for i := range r.items {
		it := &r.items[i]
		if it.Key == "" {
			continue
		}
		key := canonical(it.Key)
		if at, twice := seen[key]; twice {
			problems = append(problems, Problem{it.From, fmt.Sprintf("the id %s is given twice, first in line %d", it.Key, at)})
		} else {
			seen[key] = it.From
		}
	}
	if len(problems) > 0 {
		return &Unreadable{problems}
	}
	return nil
}

// phases reads the orchestrator's plan.
func (r *reader) phases() (Form, error) {
	whole := span{1, len(r.lines)}
	all := r.fenced(func(info string) bool {
		first, _, _ := strings.Cut(info, " ")
		return first == "json" || first == "yaml" || first == "yml"
	})
	text := strings.TrimSpace(r.part1(whole))
	alone := strings.HasPrefix(text, "{") || mappingRe.Get().MatchString(text)
	if alone {
		all = append([]span{whole}, all...)
	}
	for _, s := range all {
		body := r.part1(s)
		if !phasesRe.Get().MatchString(body) {
			continue
		}
		d := data{r: r, first: s.from, at: s.from}
		n := d.parse(body)
		if n == nil && alone && text[0] == '{' {
			return "", &Unreadable{d.problems}
		}
		if n == nil || !d.plan(n) {
			continue // it is something else, which only has the word in it
		}
		if len(d.problems) > 0 {
			return "", &Unreadable{d.problems}
		}
		if len(r.items) > 0 {
			return FormPhases, r.onlyOnce()
		}
	}
	return "", nil
}

var (
	phasesRe  = lazyregexp.New(`"phases"\s*:|(?m)^\s*phases\s*:`)
	mappingRe = lazyregexp.New(`^(?:---\n)?[A-Za-z_]+:(?:\s|$)`) // a text that is YAML from its first line
)

// list reads the tasks of a block.
func (d *data) list(n ast.Node) {
	if all, ok := d.members(n); ok {
		n = nil
		for _, m := range all {
			if m.key == "tasks" {
				n = m.node
			} else {
				d.bad(m.at, "unknown key %q; a block has tasks", m.key)
			}
		}
		if n == nil {
			d.bad(nil, `the block has no list under "tasks"`)
			return
		}
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.bad(n, "a block must be a list of tasks, or a mapping with such a list under tasks")
		return
	}
	d.tasks(seq, -1)
}

func (d *data) tasks(seq *ast.SequenceNode, group int) {
	if len(d.r.items)+len(seq.Values) > MaxItems {
		d.bad(seq, "there are more than %d tasks", MaxItems)
		return
	}
	for i, v := range seq.Values {
		if v.GetToken() != nil && v.GetToken().Position != nil {
			d.at = d.first + v.GetToken().Position.Line - 1
		}
		all, ok := d.members(v)
		if !ok {
			d.bad(v, "each task must be a mapping: id, name, …")
			continue
		}
		it := Item{parsing: parsing{group: group}, Passage: Passage{From: d.at, To: d.at}}
		if len(all) > 0 && all[0].at.GetToken().Position != nil {
			it.From = d.first + all[0].at.GetToken().Position.Line - 1
		}
		d.at = it.From
		for _, m := range all {
			d.member(&it, m)
		}
		if it.Title == "" {
			if it.Words == "" {
				d.bad(v, "the task has no name")
				continue
			}
			title, rest := sentence(strings.Join(strings.Fields(it.Words), " "))
			words := it.Words
			it.title(title)
			if it.Words = words; rest == "" && it.Title == plain(title) {
				it.Words = ""
			}
		}
		it.To = max(it.From, d.last(seq, i))
		it.Section = d.r.part(it.From, it.To)
		d.r.items = append(d.r.items, it)
	}
}

// last is the line before the next entry of a list, or the last that the entry itself is seen on.
func (d *data) last(seq *ast.SequenceNode, i int) int {
	if i+1 < len(seq.Values) {
		if all, ok := d.members(seq.Values[i+1]); ok && len(all) > 0 {
			return d.first + all[0].at.GetToken().Position.Line - 2
		}
	}
	most := 0
	ast.Walk(lineVisitor{&most}, seq.Values[i])
	return d.first + most - 1
}

type lineVisitor struct{ most *int }

func (v lineVisitor) Visit(n ast.Node) ast.Visitor {
	if t := n.GetToken(); t != nil && t.Position != nil {
		*v.most = max(*v.most, t.Position.Line+strings.Count(strings.TrimSpace(t.Value), "\n"))
	}
	return v
}

var keyRe = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Keys are those that a task of a block may have. Each has the others of its line as other names.
var keys = [][]string{
	{"id"},
	{"name", "title"},
	{"objective", "description"},
	{"user_story", "story"},
	{"acceptance_criteria", "criteria"},
	{"files_to_create", "create"},
	{"files_to_modify", "modify"},
	{"test_files", "tests"},
	{"files"},
	{"depends_on", "dependencies"},
	{"milestone", "milestone_id", "phase"},
	{"priority"},
	{"risk"},
	{"labels"},
	{"verify"},
	{"plan", "steps"},
	{"done"},
}

func (d *data) member(it *Item, m member) {
	line := d.at
	if t := m.at.GetToken(); t != nil && t.Position != nil {
		line = d.first + t.Position.Line - 1
	}
	name := ""
	for _, k := range keys {
		if slices.Contains(k, m.key) {
			name = k[0]
		}
	}
	files := func(u use) {
		for _, s := range d.words(m.key, m.node) {
			p := cleanPath(s)
			if p == "" {
				d.bad(m.node, "%q is not the path of a file in the project", s)
				continue
			}
			it.loose = append(it.loose, path{p, u, line, true})
		}
	}
	switch name {
	case "id":
		if it.Key = d.word(m.key, m.node); !keyRe.Get().MatchString(it.Key) {
			d.bad(m.node, "%q is not a valid id: use letters and digits, with . _ and - inside", it.Key)
		}
	case "name":
		words := it.Words
		it.title(strings.Join(strings.Fields(d.word(m.key, m.node)), " "))
		it.Words = words + it.Words
	case "objective":
		it.words(d.word(m.key, m.node))
	case "user_story":
		it.Story = d.word(m.key, m.node)
	case "acceptance_criteria":
		if it.Criteria = d.words(m.key, m.node); len(it.Criteria) > maxCriteria {
			d.bad(m.node, "there are more than %d criteria", maxCriteria)
			it.Criteria = nil
		}
	case "files_to_create":
		files(useCreate)
	case "files_to_modify":
		files(useModify)
	case "test_files":
		files(useTest)
	case "files":
		files(useUnknown)
	case "depends_on":
		for _, s := range d.words(m.key, m.node) {
			it.refs = append(it.refs, ref{on: canonical(s), line: line, said: "depends on " + s, loose: true})
		}
	case "milestone":
		it.Milestone = cut(plain(d.word(m.key, m.node)), maxTitle)
	case "plan":
		it.words(strings.Join(d.words(m.key, m.node), "\n"))
	default:
		d.rare(it, m, name)
	}
}

// rare reads what few tasks have.
func (d *data) rare(it *Item, m member, name string) {
	switch name {
	case "priority":
		if s := d.word(m.key, m.node); s != "" {
			if it.Priority = priorityOf(s); it.Priority == "" {
				d.bad(m.node, "%q is not a priority; use critical, high, medium or low", s)
			}
		}
	case "risk":
		if s := d.word(m.key, m.node); s != "" {
			if it.Risk = riskOf(s); it.Risk == "" {
				d.bad(m.node, "%q is not a risk; use low, medium or high", s)
			}
		}
	case "labels":
		it.Labels = d.words(m.key, m.node)
	case "verify":
		it.Verify = d.commands(m)
	case "done":
		switch d.word(m.key, m.node) {
		case "true":
			it.Done = true
		case "false", "":
		default:
			d.bad(m.node, "done must be true or false")
		}
	default:
		if d.strict {
			d.bad(m.at, "unknown key %q; %s", m.key, meant(m.key))
		}
	}
}

// commands are lists of arguments; one that is a text is refused, since nothing here takes it apart.
func (d *data) commands(m member) [][]string {
	seq, ok := m.node.(*ast.SequenceNode)
	if !ok {
		d.bad(m.node, `verify must be a list of commands, each a list of words: [["go", "test", "./..."]]`)
		return nil
	}
	var out [][]string
	for _, v := range seq.Values {
		one, ok := v.(*ast.SequenceNode)
		if !ok || len(one.Values) == 0 {
			d.bad(v, `a command must be a list of words: ["go", "test", "./..."]`)
			continue
		}
		out = append(out, d.words("a command", one))
	}
	return out
}

// meant names a key that was likely meant, or all of them.
func meant(key string) string {
	if best := model.Nearest(strings.ToLower(key), slices.Concat(keys...)); best != "" {
		return "did you mean " + best + "?"
	}
	var all []string
	for _, k := range keys {
		all = append(all, k[0])
	}
	return "a task has " + strings.Join(all, ", ")
}

// plan reads the orchestrator's; false where it is something else. Keys that are not known are others' concern.
func (d *data) plan(n ast.Node) bool {
	all, ok := d.members(n)
	k := slices.IndexFunc(all, func(m member) bool { return m.key == "phases" })
	if !ok || k < 0 {
		return false
	}
	seq, ok := all[k].node.(*ast.SequenceNode)
	if !ok {
		return false
	}
	for _, v := range seq.Values {
		phase, ok := d.members(v)
		if !ok {
			d.bad(v, "each phase must be an object with name and tasks")
			continue
		}
		g := group{from: -1, to: -1}
		for _, m := range phase {
			switch m.key {
			case "phase":
				g.key = canonical(d.word(m.key, m.node))
			case "name":
				g.name = cut(plain(d.word(m.key, m.node)), maxTitle)
			}
		}
		at := -1
		if g.name != "" {
			at = len(d.r.groups)
			d.r.groups = append(d.r.groups, g)
		}
		for _, m := range phase {
			if tasks, ok := m.node.(*ast.SequenceNode); ok && m.key == "tasks" {
				d.tasks(tasks, at)
			}
		}
	}
	return true
}

// Spec is the item's part of a task's spec.json; the priority is left to the store's rules where the plan gives none.
func (it *Item) Spec() *model.Spec {
	sp := &model.Spec{
		UserStory: it.Story, Priority: it.Priority, Risk: it.Risk, Labels: slices.Clone(it.Labels), Verify: it.Verify,
		FilesToCreate: slices.Clone(it.Create), FilesToModify: slices.Clone(it.Modify), TestFiles: slices.Clone(it.Tests),
	}
	for _, c := range it.Criteria {
		sp.AcceptanceCriteria = append(sp.AcceptanceCriteria, model.Criterion{Text: c})
	}
	return sp
}
