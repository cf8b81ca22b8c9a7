package decompose

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model/complexity"
)

// short is an item in one line: key, title, files by what is done to them, dependencies.
func short(it *Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", it.Key, it.Title)
	for _, l := range []struct {
		sign  string
		files []string
	}{{"+", it.Create}, {"~", it.Modify}, {"t", it.Tests}} {
		for _, f := range l.files {
			b.WriteString(" " + l.sign + f)
		}
	}
	for _, n := range it.Needs {
		fmt.Fprintf(&b, " <%s", n.Key)
	}
	if it.Milestone != "" {
		b.WriteString(" @" + it.Milestone)
	}
	if it.Done {
		b.WriteString(" done")
	}
	return b.String()
}

func there(files ...string) func(string) bool {
	return func(f string) bool { return slices.Contains(files, f) }
}

func parse(t *testing.T, plan string, files ...string) *List {
	t.Helper()
	b, err := Parse(plan, there(files...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantItems(t *testing.T, b *List, want ...string) {
	t.Helper()
	var got []string
	for i := range b.Items {
		got = append(got, short(&b.Items[i]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestForms(t *testing.T) {
	tests := []struct {
		name string
		plan string
		form Form
		want []string
	}{
		{"headings", "# Plan\n\n## Task 1: One\n\ndo it\n\n### Steps\n\n- [ ] a\n\n## T2 Two\n\n## Not one\n\ntext\n", FormHeadings, []string{"T1 One", "T2 Two"}},
		{"setext", "Task 1: One\n-----------\n\ntext\n\nTask 2: Two\n-----------\n", FormHeadings, []string{"T1 One", "T2 Two"}},
		{
			"phases over tasks", "## Phase 1: Core (weeks 1-2)\n### Task 1: A\n### Task 2: B\n## Phase 2: Rest\n### Task 1: C\nafter task 2\n### Task 2: D\n", FormHeadings,
			[]string{"T1 A @Core", "T2 B @Core", "T1_2 C <T2_2 @Rest", "T2_2 D @Rest"},
		},
		{"tasks over tasks", "## Task 1: Core\n### Task 1.1: A\n### Task 1.2: B\n## Task 2: Rest\n", FormHeadings, []string{"T1.1 A @Core", "T1.2 B @Core", "T2 Rest"}},
		{"steps in tasks are no tasks", "## Task 1: A\n#### Step 1: x\n#### Step 2: y\n## Task 2: B\n", FormHeadings, []string{"T1 A", "T2 B"}},
		{"steps", "## Step 1: A\n## Step 2: B\n", FormHeadings, []string{"T1 A", "T2 B"}},
		{"phases alone", "## Phase 1: A\n- do\n## Phase 2: B\n", FormHeadings, []string{"T1 A", "T2 B"}},
		{
			"phases over boxes", "## Phase 1: A\n- [ ] Read it\n- [x] Write it\n## Phase 2: B\n- [ ] Ship\n", FormList,
			[]string{"read-it Read it @A", "write-it Write it @A done", "ship Ship @B"},
		},
		{"below tasks", "## Tasks\n### 1. Read\n### 2. Write\nDepends on: 1\n## Risks\n### 1. None\n", FormHeadings, []string{"T1 Read", "T2 Write <T1"}},
		{"below tasks without numbers", "## Implementation steps\n### Read\n### Write\ndepends on nothing\n", FormHeadings, []string{"read Read", "write Write"}},
		{"boxes", "- [ ] T1: Read\n  - [ ] it is read\n- [ ] **Write**: the whole file\n  Depends on: T1\n", FormList, []string{"T1 Read", "write Write <T1"}},
		{
			"nested ids", "- [ ] 1. Core\n  - [ ] 1.1 Read\n  - [ ] 1.2 Write\n    - needs 1.1\n- [ ] 2. Ship\n", FormList,
			[]string{"T1.1 Read @Core", "T1.2 Write @Core", "T2 Ship"},
		},
		{"boxes of criteria are no tasks", "## Task list\n1. Read\n2. Write\n\n## Acceptance criteria\n- [ ] it works\n- [ ] fast\n", FormList, []string{"T1 Read", "T2 Write"}},
		{
			"spec-kit", "## Phase 3: Story\n- [ ] T010 [P] [US1] Make the model in src/m.py\n- [ ] T011 [US1] Serve it (depends on T010)\n", FormList,
			[]string{"T10 Make the model in src/m.py +src/m.py @Story", "T11 Serve it <T10 @Story"},
		},
		{
			"bullets tell of a box", "- [ ] 1. Core\n  - [ ] 1.1 Read\n    - Write `src/t.ts` and `src/b.py`\n    - _Requirements: 2.1_\n  - [ ]* 1.2 Use\n    - Write src/u.ts, extending src/t.ts; tests in tests/u.test.ts, see docs/x.md\n", FormList,
			[]string{"T1.1 Read +src/t.ts +src/b.py @Core", "T1.2 Use +src/u.ts ~src/t.ts ttests/u.test.ts <T1.1 @Core"},
		},
		{
			"numbers below steps", "Goal: speed\n\n## Implementation Steps\n\n1. **Add it** in `x/c.go`\n   - LRU\n2. **Wire it** (`src/b.py`) — requires step 1\n\n## Verification\n- run it\n", FormList,
			[]string{"T1 Add it +x/c.go", "T2 Wire it ~src/b.py <T1"},
		},
		{"block", "```tasks\n- id: api\n  name: Serve\n  depends_on: [db]\n- {id: db, title: Store}\n```\n", FormBlock, []string{"api Serve <db", "db Store"}},
		{
			"block of JSON", "```tasks json\n[\n\t{\"id\": \"T1\", \"name\": \"One\", \"files_to_create\": [\"a.go\"]},\n\t{\"id\": \"T2\", \"description\": \"Two things. And more\", \"files\": [\"a.go\"]}\n]\n```\n", FormBlock,
			[]string{"T1 One +a.go", "T2 Two things. And more ~a.go <T1"},
		},
		{
			"phases of the orchestrator", "text\n```json\n{\"plan_name\": \"x\", \"phases\": [{\"phase\": 1, \"name\": \"Setup\", \"tasks\": [" +
				"{\"id\": \"T1\", \"description\": \"Make it\", \"files\": [\"src/a.py\"], \"dependencies\": []}," +
				"{\"id\": \"T2\", \"description\": \"Use it\", \"files\": [\"src/a.py\", \"src/b.py\"], \"estimated\": 3}]}," +
				"{\"phase\": 2, \"name\": \"Rest\", \"tasks\": [{\"id\": \"T3\", \"description\": \"End\", \"dependencies\": [\"phase 1\"]}]}]}\n```\n", FormPhases,
			[]string{"T1 Make it +src/a.py @Setup", "T2 Use it ~src/a.py ~src/b.py <T1 @Setup", "T3 End <T1 <T2 @Rest"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := parse(t, tt.plan, "src/b.py")
			if b.Form != tt.form {
				t.Errorf("form %q, want %q", b.Form, tt.form)
			}
			wantItems(t, b, tt.want...)
		})
	}
}

func TestNothingThere(t *testing.T) {
	for _, plan := range []string{
		"", "# Plan\n\nwords\n", "## Step 1: alone\n", "```\n## Task 1: in code\n```\n", "<!--\n## Task 1: hidden\n- [ ] hidden\n-->\n",
		"## Acceptance criteria\n- [ ] fast\n", "## Post-completion\n- [ ] tell everybody\n", "1. one\n2. two\n", "---\ntasks:\n- [ ] x\n---\n",
		"```json\n{\"phases\": 3}\n```\n",
	} {
		if b, err := Parse(plan, nil); !errors.As(err, &None{}) {
			t.Errorf("%q: %v, %v", plan, b, err)
		}
	}
	if err := (None{}); !strings.Contains(err.Error(), "no list of tasks") || len(Forms()) != 4 {
		t.Error(err, Forms())
	}
}

func TestUnreadable(t *testing.T) {
	many := "```tasks\n" + strings.Repeat("- name: x\n", MaxItems+1) + "```\n"
	tests := []struct {
		plan string
		want string // all problems
	}{
		{"a\n\n```tasks\n- id: T1\n  nam: x\n```\n", `line 5: unknown key "nam"; did you mean name?; line 4: the task has no name`},
		{"```tasks\n- id: T1\n  name: a\n- id: t1\n  name: b\n```\n", "line 4: the id t1 is given twice, first in line 2"},
		{"```tasks\n- id: T1\n  name: a\n  depends_on: T7\n```\n", `line 4: T1: it depends on "t7", which is not a task of the plan`},
		{"```tasks\n- id: T1\n  name: a\n  depends_on: T1\n```\n", "line 4: T1: it would wait for itself"},
		{"```tasks\n- id: T1\n  name: a\n  files: [../x, /etc/passwd]\n", `line 4: "../x" is not the path of a file in the project; line 4: "/etc/passwd" is not the path of a file in the project`},
		{"```tasks\n- id: T1\n  name: a\n  verify: go test\n```\n", `line 4: verify must be a list of commands, each a list of words: [["go", "test", "./..."]]`},
		{"```tasks\n- id: T1\n  name: a\n  priority: soon\n  risk: none\n  done: maybe\n", `line 4: "soon" is not a priority; use critical, high, medium or low; line 5: "none" is not a risk; use low, medium or high; line 6: done must be true or false`},
		{"```tasks\n- a: &x 1\n  b: *x\n```\n", ""},
		{"```tasks\ntasks: 3\n```\n", "line 2: a block must be a list of tasks, or a mapping with such a list under tasks"},
		{"```tasks\nfoo: 3\n```\n", `line 2: unknown key "foo"; a block has tasks; line 1: the block has no list under "tasks"`},
		{"```tasks\n[]\n```\n", "line 1: the block has no tasks"},
		{"```tasks\n```\n", "line 1: the block is empty"},
		{"```tasks\n- {id: a, id: b, name: x}\n```\n", ""},
		{"```tasks\n" + strings.Repeat("[", maxDepth+1) + "\n```\n", "line 1: brackets are nested deeper than 100"},
		{many, "line 2: there are more than 200 tasks"},
		{strings.Repeat("## Task 1: x\n", MaxItems+1), "line 201: the plan has 201 tasks; the limit is 200"},
		{strings.Repeat("x", MaxText+1), "the plan has 1048577 bytes; the limit is 1048576"},
		{"## Task 1: \xff\n", "the plan is not valid UTF-8"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.plan, nil)
		var bad *Unreadable
		if !errors.As(err, &bad) || tt.want != "" && err.Error() != tt.want {
			t.Errorf("%.60q:\n got %v\nwant %s", tt.plan, err, tt.want)
		}
	}
}

// What the orchestrator's breakdown gets wrong: there every path is a file to create.
func TestFiles(t *testing.T) {
	plan := "## Task 1: A\n**Files:**\n- Create: `new/a.go` (with `old/see.go` in mind)\n- Modify: `old/b.go:12-30`\n- Test: `new/a_test.go`\n- `old/c.go`\n- `new/d.go`\n- Move: `old/e.go` → `new/e.go`\n\n" +
		"- [ ] write tests in `new/more_test.go`, run `go test ./...`, see `docs/x.md`\n" +
		"## Task 2: B\nUpdate `new/a.go` and create `new/f.go` like `old/b.go`; `~/x.md`, `/etc/y.md`, `https://x.y/z.md`, `and/or`, `Store.Count`, `../up.go`, `.vespe/config.json` are none.\n" +
		"## Task 3: C\nFiles to create: new/a.go, new/g.go\n"
	b := parse(t, plan, "old/b.go", "old/c.go", "old/e.go", "old/see.go", "docs/x.md")
	wantItems(t, b,
		"T1 A +new/a.go +new/d.go +new/e.go ~old/b.go ~old/c.go ~old/e.go tnew/a_test.go tnew/more_test.go",
		"T2 B +new/f.go ~new/a.go <T1",
		"T3 C +new/g.go ~new/a.go <T1")
	if n := b.Items[2].Notes; !slices.ContainsFunc(n, func(s string) bool { return s == "new/a.go is already created by T1, so it counts as modified here" }) {
		t.Errorf("notes %q", n)
	}
	if want := []string{"new/a.go is modified by T2, T3 in no fixed order"}; !slices.Equal(b.Notes, want) {
		t.Errorf("notes %q", b.Notes)
	}
}

func TestNeeds(t *testing.T) {
	tests := []struct{ name, plan string }{
		{"<T1", "## Task 1: A\n## Task 2: B\nDepends on: Task 1\n"},
		{"<T1", "## Task 1: A\n## Task 2: B\n**Dependencies**: 1\n"},
		{"<T1", "## Task 1: A\n## Task 2: B\n- **Blocked by:** #1 (the schema)\n"},
		{"<T1", "## Task 1: A\n## Task 2: B (after T1)\n"},
		{"<T1", "## Task 1: A\nThe tests pass before task 2.\n## Task 2: B\n"},
		{"<T1", "## Task 1: A\nAll is green before starting the next task.\n## Task 2: B\n"},
		{"<T1", "Finish each task before moving on to the next.\n## Task 1: A\n## Task 2: B\n"},
		{"<T1", "T1 → T2\n## Task 1: A\n## Task 2: B\n"},
		{"<T1", "Task 2 depends on task 1.\n## Task 1: A\n## Task 2: B\n"},
		{"<T1", "## Task 1: Store it\n## Task 2: B\nDepends on: Store it\n"},
		{"<T1", "## Task 1: A\n## Task 2: B\n### Dependencies\n- Task 1\n"},
		{"", "## Task 1: A\n## Task 2: B\nDependencies: none\n"},
		{"", "## Task 1: A\n## Task 2: B\nIt does not depend on task 1.\n"},
		{"", "## Task 1: A\n## Task 2: B\nafter the release\n"},
		{"", "## Task 1: A\n## Task 2: B\n```\ndepends on task 1\n```\n"},
	}
	for _, tt := range tests {
		b := parse(t, tt.plan)
		if got := strings.TrimPrefix(short(&b.Items[1]), "T2 B"); strings.TrimSpace(got) != tt.name {
			t.Errorf("%q: %q, want %q", tt.plan, got, tt.name)
		}
	}
	b := parse(t, "## T1 A\n## T2 B\n## T3 C\n## T4 D\nDepends on: T1-T3\n## T5 E\ndepends on tasks 1, 2 and 4\n## T6 F\nDepends on: redis, T1\n")
	wantItems(t, b, "T1 A", "T2 B", "T3 C", "T4 D <T1 <T2 <T3", "T5 E <T1 <T2 <T4", "T6 F <T1")
	if n := b.Items[5].Notes[0]; n != `line 9: it depends on "redis", which is not a task of the plan` {
		t.Error(n)
	}
	if n := b.Items[4].Needs[2]; n.At != 7 || n.Why != "depends on tasks 1, 2 and 4" {
		t.Error(n)
	}
}

func TestCycles(t *testing.T) {
	b := parse(t, "## T1 A\nDepends on: T3\n## T2 B\nDepends on: T1\n## T3 C\nDepends on: T2\n## T4 D\nDepends on: T1\n")
	if len(b.Loops) != 1 || strings.Join(b.Loops[0], " ") != "T1 T3 T2 T1" {
		t.Errorf("cycles %v", b.Loops)
	}
	// What is said in passing, and what files say, closes none.
	b = parse(t, "## T1 A\nall pass before task 2\n## T2 B\nbefore task 1 begins, look at `x/new.go`\n## T3 C\nDepends on: T4\nCreate: x/a.go\n## T4 D\nModify: x/a.go\n")
	if len(b.Loops) != 0 {
		t.Errorf("cycles %v", b.Loops)
	}
	if n := b.Items[3].Notes; !slices.Contains(n, "it modifies x/a.go, but T3 creates that file and waits for it") {
		t.Errorf("notes %q", n)
	}
}

func TestSection(t *testing.T) {
	plan := "# Plan\n\n## Task 1: **Bold** `code` and a [link](http://x)\n\nFirst paragraph,\ntwo lines.\n\nPriority: P1\nRisk: High\nLabels: api, db\nUser story: As a clerk\nI want it\n\n" +
		"Acceptance criteria:\n\n- it adds up\n  to nothing\n- [ ] it is sorted\n\nSteps:\n\n- [ ] write `a`\n- [ ] look\n\n## Task 2: B\n\n- [ ] outer:\n  - [ ] inner\n  - [x] other\n- [x] last\n"
	b := parse(t, plan)
	it := &b.Items[0]
	if it.Title != "Bold code and a link" || it.Priority != "high" || it.Risk != "high" || !slices.Equal(it.Labels, []string{"api", "db"}) || it.From != 3 || it.To != 23 {
		t.Errorf("%+v", it)
	}
	if it.Words != "First paragraph,\ntwo lines.\nI want it" || it.Story != "As a clerk" {
		t.Errorf("words %q, story %q", it.Words, it.Story)
	}
	if want := []string{"it adds up to nothing", "it is sorted"}; !slices.Equal(it.Criteria, want) {
		t.Errorf("criteria %q", it.Criteria)
	}
	if want := []string{"outer: inner", "outer: other", "last"}; !slices.Equal(b.Items[1].Criteria, want) {
		t.Errorf("criteria %q", b.Items[1].Criteria)
	}
	if !strings.HasPrefix(it.Section, "## Task 1") || !strings.HasSuffix(it.Section, "- [ ] look\n") {
		t.Errorf("section %q", it.Section)
	}
	long := parse(t, "- [ ] "+strings.Repeat("word ", 60)+"\n- [ ] b\n")
	if got := long.Items[0]; len([]rune(got.Title)) > maxTitle || !strings.Contains(got.Words, strings.Repeat("word ", 59)) {
		t.Errorf("title %q, words %q", got.Title, got.Words)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"## Task 1: A\n- Create: `a.go`\n## Task 2: B\nDepends on: T1-T9\n", "- [ ] a\n  - [ ] 1.1 b\n", "```tasks\n- {id: a, name: b, verify: [[x]]}\n```",
		"{\"phases\": [{\"name\": \"x\", \"tasks\": [{\"id\": \"T1\", \"description\": \"d\"}]}]}", "Phase 1: A\n===\n1. x\n", "T1 → T2 -> T3\n## T1\n## T2\n## T3",
		"<!-- -->\n~~~tasks\n- name: |\n    a\n    b\n~~~\n", "## Tasks\n### 1. x\n### 2. y\n", "- [ ] T1\n\t- [x] b\n\n\n  Files: `a/b.go`, c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, plan string) {
		b, err := Parse(plan, func(p string) bool { return len(p)%2 == 0 })
		if err != nil {
			var bad *Unreadable
			if !errors.As(err, &bad) && !errors.As(err, &None{}) {
				t.Fatalf("%v", err)
			}
			return
		}
		lines := strings.Count(plan, "\n") + 1
		keys := map[string]bool{}
		for i := range b.Items {
			it := &b.Items[i]
			if it.Key == "" || it.Title == "" || keys[it.Key] || it.From < 1 || it.To < it.From || it.To > lines {
				t.Fatalf("item %+v of %d lines", it, lines)
			}
			keys[it.Key] = true
			for _, p := range slices.Concat(it.Create, it.Modify, it.Tests) {
				if cleanPath(p) != p {
					t.Fatalf("path %q", p)
				}
			}
			_ = complexity.Of(it.Work, complexity.DefaultLimits())
		}
		for i := range b.Items {
			for _, n := range b.Items[i].Needs {
				if !keys[n.Key] || n.Key == b.Items[i].Key {
					t.Fatalf("%s waits for %s", b.Items[i].Key, n.Key)
				}
			}
		}
	})
}
