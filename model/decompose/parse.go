package decompose

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/complexity"
)

// The bounds of what is read.
const (
	MaxText     = 1 << 20 // bytes of a plan
	MaxItems    = 200     // tasks in it
	maxCriteria = 100     // of one task
	maxFiles    = 200     // of one task, of each kind
	maxNeeds    = 100     // of one task
	maxTitle    = 120     // characters; the rest of a longer one is kept among its words
	maxLine     = 1000    // characters of a criterion
	maxWords    = 16 << 10
)

// Form says how a plan lists its tasks.
type Form string

// The forms, in the order in which they are looked for.
const (
	FormBlock    Form = "tasks block"
	FormPhases   Form = "phases"
	FormHeadings Form = "headings"
	FormList     Form = "checkboxes"
)

// Item is one task that a plan proposes.
type Item struct {
	Key             string // "T2", "T1.3", or what the plan calls it; no two items of a plan have the same
	complexity.Work        // Title is one line of at most 120 characters; files are slash paths
	Words           string // what it is to achieve, from the plan; may be ""
	Passage
	Needs     []Need // in the order in which they were found; one for each key
	Milestone string // the name of its phase; "" for none
	Priority  model.Priority
	Risk      string
	Labels    []string
	Verify    [][]string
	Done      bool     // the plan says that it is done
	Notes     []string // what a reviewer should know, one line each

	parsing
}

// Passage is a part of a plan.
type Passage struct {
	Section  string // as it is written there
	From, To int    // its lines, counted from 1
}

// parsing is what is known of an item only while its plan is read.
type parsing struct {
	refs  []ref
	group int  // of reader.groups; -1
	boxes int  // checkboxes in it
	open  bool // one of them is not ticked
	loose []path
	// Files that are there, or not, against what the plan says.
	there, absent []string
}

// Need is a dependency of an item on another of the same plan.
type Need struct {
	Key string // of the item that it waits for
	Why string // one line: the words of the plan, or the files
	At  int    // the line that says so; 0 for one that files say
}

// needs reports whether the item waits for another itself.
func (it *Item) needs(key string) bool {
	for i := range it.Needs {
		if it.Needs[i].Key == key {
			return true
		}
	}
	return false
}

func (it *Item) note(format string, args ...any) {
	if len(it.Notes) < 20 {
		it.Notes = append(it.Notes, fmt.Sprintf(format, args...))
	}
}

// List is what a plan proposes.
type List struct {
	Form  Form
	Items []Item     // in the order of the plan
	Notes []string   // about several items
	Loops [][]string // cycles of dependencies by keys, first = last; nothing of a cycle can be made
}

// Problem is what cannot be read, and where.
type Problem struct {
	Line int // of the plan, counted from 1
	Text string
}

// Unreadable says why a plan's list of tasks cannot be taken: nothing of it is proposed then.
type Unreadable struct{ Problems []Problem }

func (u *Unreadable) Error() string {
	var out []string
	for _, p := range u.Problems {
		if p.Line > 0 {
			out = append(out, fmt.Sprintf("line %d: %s", p.Line, p.Text))
		} else {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "; ")
}

// None says that a plan has no list of tasks.
type None struct{}

func (None) Error() string { return "the plan has no list of tasks" }

// Forms says how a plan may list its tasks, a line each.
func Forms() []string {
	return []string{
		`headings: "### Task 1: …", "## T2 …", also below "## Phase 1: …"`,
		`checkboxes: "- [ ] …", with criteria as checkboxes below each`,
		"a fenced block ```tasks: YAML or JSON, a list of id, name, files, depends_on",
		`the orchestrator's plan: {"phases": [{"name": …, "tasks": [{"id": …}]}]}`,
	}
}

// Parse reads the tasks of a plan. exists says whether a file of the project is there, by its slash path
// from the project's root; nil: nobody knows. The error is None or an *Unreadable.
func Parse(text string, exists func(path string) bool) (*List, error) {
	switch {
	case len(text) > MaxText:
		return nil, unreadable(0, "the plan has %d bytes; the limit is %d", len(text), MaxText)
	case !utf8.ValidString(text):
		return nil, unreadable(0, "the plan is not valid UTF-8")
	}
	r := newReader(text, exists)
	for _, form := range []func() (Form, error){r.blocks, r.phases, r.headings, r.lists} {
		found, err := form()
		if err != nil {
			return nil, err
		}
		if found == "" {
			continue
		}
		if len(r.items) > MaxItems {
			return nil, unreadable(r.items[MaxItems].From, "the plan has %d tasks; the limit is %d", len(r.items), MaxItems)
		}
		return r.finish(found)
	}
	return nil, None{}
}

func unreadable(line int, format string, args ...any) *Unreadable {
	return &Unreadable{[]Problem{{line, fmt.Sprintf(format, args...)}}}
}

// finish relates the items to each other.
func (r *reader) finish(form Form) (*List, error) {
	r.name()
	r.sortFiles()
	if err := r.resolve(form); err != nil {
		return nil, err
	}
	b := &List{Form: form, Items: r.items}
	r.needFiles(b)
	b.Loops = b.loops(nil)
	for i := range b.Items {
		it := &b.Items[i]
		it.Done = it.Done || it.boxes > 0 && !it.open
		if len(it.Criteria) == 0 {
			it.note("it names no acceptance criteria")
		}
		it.refs, it.loose, it.there, it.absent = nil, nil, nil, nil
	}
	return b, nil
}
