package ui_test

import (
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

const brokenPlan = `# Ledger

## Phase 1: Core

### Task 1: Accounts are exact
- Create: ` + "`models/account.go`" + `
- [ ] amounts are kept in cents

### Task 2: List view
Depends on: T1
Files: ` + "`models/account.go`, `views/list.go`, `services/post.go`, `ui/a.go`, `ui/b.go`, `ui/c.go`" + `
- [ ] the workflow is sorted by name

## Phase 2: Rest

### Task 3: Docs
- [x] update them

### Task 4: Ship
Depends on: Phase 1, Task 3
- [ ] tag it
`

// broken is a store with a task whose accepted plan lists tasks.
func broken(t *testing.T, plan string) (*uitest.Small, model.UID) {
	t.Helper()
	s := uitest.NewSmall()
	uid := s.Planned("ledger", s.Root)
	s.Must(model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: plan}})
	s.Accept(uid)
	return s, uid
}

// A person looks at the tasks of a plan, leaves one out, takes it in again, makes them, and takes it back.
func TestDecomposeAPlan(t *testing.T) {
	s, uid := broken(t, brokenPlan)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		goTo(d, "ledger")
		d.Press(keymap.Decompose).See("leave out").Hidden("other source").See("Decompose ledger", "4 tasks by headings; 3 to create", "Core", "[x] T1", "[x] T2", "Rest", "[ ] T3", "done", "lines 5 to 7 of the plan", "+ models/account.go", "· amounts are kept in cents", "before T2, T4")
		d.Press(keymap.MoveDown).See("~ models/account.go", "Depends on: T1 (line 10)", "above the threshold of 5").Hidden("+ models/account.go")
		d.Press(keymap.MoveBottom, keymap.DecomposeToggle).See("[ ] T4", "left out").Press(keymap.DecomposeToggle).See("[x] T4")
		d.Press(keymap.MoveTop, keymap.DecomposeToggle).See("[ ] T1").Press(keymap.DecomposeAccept).See("Decompose", "List view", "Ship", "its own plan to review").Hidden("Accounts are exact")
		d.Press(keymap.ConfirmNo).Press(keymap.MoveTop, keymap.DecomposeToggle).See("[x] T1", "3 to create")
		d.Press(keymap.DecomposeAccept).See("into 3 subtasks", "Accounts are exact", "T1, 0.5 of 13, low", "List view", "waits for T1", "waits for its subtasks").Press(keymap.ConfirmYes).See("Decomposed \"ledger\" into 3").Hidden("Decompose ledger")
		if got := names(s.Store, uid); got != "Accounts are exact, List view, Ship" {
			t.Errorf("subtasks %s", got)
		}
		if st := task(t, s.Store, uid).Status; !st.IsPaused || st.PauseReason != "subtasks" {
			t.Errorf("the task waits for nobody: %+v", st)
		}
		// What is there is not proposed again, and nothing else is left.
		d.Press(keymap.Decompose).See("already exists", "0 to create").Press(keymap.DecomposeToggle).See("It already exists.").Press(keymap.DecomposeAccept).See("Its plan has no tasks left to create")
		d.Press(keymap.DecomposeClose)
		d.Press(keymap.Undo).See("Undo the decomposition").Press(keymap.PromptSubmit)
		if got := names(s.Store, uid); got != "" {
			t.Errorf("subtasks %s", got)
		}
	})
}

// names are the subtasks of a task that were not aborted.
func names(s *uitest.Store, uid model.UID) string {
	snap := s.Snapshot()
	i, _ := snap.Index(uid)
	var out []string
	for _, c := range snap.Children(i) {
		if t := snap.At(int(c)); t.Status.CurrentState != model.Aborted {
			out = append(out, t.Config.Name)
		}
	}
	return strings.Join(out, ", ")
}

// Each thing that keeps a plan from being decomposed is said.
func TestDecomposeAPlanRefused(t *testing.T) {
	s := uitest.NewSmall()
	s.Planned("without a list", s.Root)
	s.Task("without a plan", s.Root)
	for name, plan := range map[string]string{
		"bad list":  "```tasks\n- id: T1\n  nam: x\n```\n",
		"a cycle":   "## T1 A\nDepends on: T2\n## T2 B\nDepends on: T1\n",
		"\x1b[31mx": "",
	} {
		if plan == "" {
			continue
		}
		uid := s.Planned(name, s.Root)
		s.Must(model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: plan}})
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 30}, func(d *uitest.Driver) {
		goTo(d, "without a list")
		d.Press(keymap.Decompose).See("No tasks in the plan", "List them as", "### Task 1").Press(keymap.PagerClose)
		goTo(d, "without a plan")
		d.Off(keymap.Decompose, "it has fewer than two files")
		goTo(d, "bad list")
		d.Press(keymap.Decompose).See("read the list of tasks", `line 3: unknown key "nam"`).Press(keymap.PagerClose)
		goTo(d, "a cycle")
		d.Press(keymap.Decompose).See("These wait for each other: T1 → T2 → T1. Leave one out.").Press(keymap.DecomposeToggle).See("The plan isn't accepted yet")
		d.Press(keymap.DecomposeAccept).See("Its plan is not accepted")
	})
}

// The page fits every size, also with hundreds of tasks and hostile text in them.
func TestDecomposeSizes(t *testing.T) {
	var b strings.Builder
	for i := range 120 {
		b.WriteString("## Task " + strings.Repeat("9", i%4+1) + ": \x1b[31m漢字 " + strings.Repeat("long ", i%40) + "\nDepends on: T9\n- [ ] \u202eab\n- Create: `a/b" + strings.Repeat("c", i) + ".go`\n")
	}
	s, _ := broken(t, b.String())
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 40}, {200, 60}} {
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			goTo(d, "ledger")
			d.Press(keymap.Decompose).See("Decompose ledger").Press(keymap.MoveBottom, keymap.DecomposeDown, keymap.DecomposeUp, keymap.MovePageUp).See("T9")
		})
	}
}
