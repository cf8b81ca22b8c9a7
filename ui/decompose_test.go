package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
)

// ledger is a store with a task that is too much for one, and another that waits for it.
func ledger(t *testing.T) (s *uitest.Small, uid, after model.UID) {
	t.Helper()
	s = uitest.NewSmall()
	uid = s.Task("ledger workflow", s.Root)
	after = s.Task("waits for the ledger", s.Root, uid)
	for key, value := range map[string]string{
		"files_to_create": "models/account.go,models/posting.go,views/list.go,views/root.go", "files_to_modify": "services/post.go,services/sum.go,services/tax.go,models/base.go",
		"test_files": "models/account_test.go", "acceptance_criteria": "Accounts are exact to the cent,The list should be sorted by name,It is fast enough for everybody",
		"user_story": "As a clerk I want everything that was ever posted",
	} {
		s.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: value}}}})
	}
	return s, uid, after
}

// partsOf are the names of the parts of a task, and what is in them.
func partsOf(s *uitest.Store, uid model.UID) []string {
	snap := s.Snapshot()
	i, _ := snap.Index(uid)
	var out []string
	for _, c := range snap.Children(i) {
		part := snap.At(int(c))
		if part.SplitFrom() != uid || part.Status.CurrentState == model.Aborted {
			continue
		}
		files := slices.Concat(part.Spec.FilesToCreate, part.Spec.FilesToModify, part.Spec.TestFiles)
		for _, c := range part.Spec.AcceptanceCriteria {
			files = append(files, strings.Fields(c.Text)[0])
		}
		out = append(out, part.Config.Name+": "+strings.Join(files, " "))
	}
	return out
}

func wantParts(t *testing.T, s *uitest.Store, uid model.UID, want ...string) {
	t.Helper()
	if got := partsOf(s, uid); !slices.Equal(got, want) {
		t.Errorf("parts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A person looks at the parts of a task, makes them and takes them back; all of it on a small screen, with the scores.
func TestDecomposeATask(t *testing.T) {
	s, uid, after := ledger(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		// Eight files, three directories, a hard word and a vague one, over 8000 tokens: 4 + 1½ + 2 + ½ + 1.
		d.Press(keymap.Decompose).See("Decompose ledger workflow", "[files]", "suggested: files", "The whole is 9 of 13, high", "3 to create", "a  ledger workflow (a: models)", "3.5 low", "+ models/account.go", "~ models/base.go", "t models/account_test.go", "next source")
		d.Hidden("leave out").Press(keymap.MoveBottom).See("waits for the ledger will wait for c").Press(keymap.MoveTop)
		d.Press(keymap.DecomposeAccept).See("into 3 subtasks", "the whole  9 of 13, high", "waits for part c").Press(keymap.ConfirmNo).See("[files]")
		wantParts(t, s.Store, uid)
		d.Press(keymap.DecomposeAccept, keymap.ConfirmYes).See("into 3 subtasks").Hidden("Decompose ledger workflow")
		wantParts(t, s.Store, uid,
			"ledger workflow (a: models): models/account.go models/posting.go models/base.go models/account_test.go Accounts It",
			"ledger workflow (b: services): services/post.go services/sum.go services/tax.go",
			"ledger workflow (c: views): views/list.go views/root.go The")
		last := byName(t, s.Store, "ledger workflow (c: views)").UID
		if got := task(t, s.Store, after).DependsOn; !slices.Equal(got, []model.UID{last}) {
			t.Errorf("who waited for the task waits for %v", got)
		}
		d.Press(keymap.Undo).See("─ Undo ─", "Undo the decomposition", "into 3 subtasks").Press(keymap.PromptSubmit)
		wantParts(t, s.Store, uid)
		if got := task(t, s.Store, after).DependsOn; !slices.Equal(got, []model.UID{uid}) {
			t.Errorf("who waited for the task waits for %v", got)
		}
	})
}

func TestDecomposeWays(t *testing.T) {
	s, uid, _ := ledger(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 40}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.Decompose, keymap.DecomposeNext).See("[layers]", "data layer", "business layer", "presentation layer")
		d.Press(keymap.DecomposeNext).See("[criteria]", "part 1", "part 2").Press(keymap.DecomposePrev).See("[layers]")
		d.Press(keymap.DecomposeToggle).See("Every file and criterion must be in exactly one part.").Press(keymap.DecomposeNext)
		d.Press(keymap.DecomposeAccept, keymap.ConfirmYes)
		wantParts(t, s.Store, uid,
			"ledger workflow (a: part 1): models/account.go views/list.go services/post.go services/tax.go models/account_test.go Accounts It",
			"ledger workflow (b: part 2): models/posting.go views/root.go services/sum.go models/base.go The")
		d.Off(keymap.Decompose, "it already has subtasks")
	})
}

// Where there is nothing to propose the page says why.
func TestNothingToDecompose(t *testing.T) {
	s := uitest.NewSmall()
	uid := s.Task("one place", s.Root)
	s.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_create", Value: "a/1.go,a/2.go"}}}})
	s.Task("nothing to split", s.Root)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 30}, func(d *uitest.Driver) {
		goTo(d, "nothing to split")
		d.Off(keymap.Decompose, "fewer than two files")
		goTo(d, "one place")
		d.Press(keymap.Decompose).See("The whole is 1 of 13, low", "No split by files: all files are in one directory").Hidden("create subtasks")
		d.Press(keymap.DecomposeNext).See("[layers]", "No split by layers").Press(keymap.DecomposeAccept).See("[layers]", "There is nothing to create here.").Hidden("Cancel")
		d.Press(keymap.DecomposePrev).Hidden("There is nothing").Press(keymap.DecomposeToggle).See("[files]", "There is nothing to create here.")
		wantParts(t, s.Store, uid)
	})
}

// A task with a plan shows the plan's tasks first, where it lists any, and its own parts beside them.
func TestDecomposeSources(t *testing.T) {
	s, uid, _ := ledger(t)
	s.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "Do it.\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\nAll of it.\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 30}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.Decompose).See("[files]").Press(keymap.DecomposePrev).See("[plan]", "The plan lists no tasks.", "### Task 1")
		d.Press(keymap.DecomposeAccept, keymap.DecomposeToggle, keymap.MoveDown).See("[plan]").Press(keymap.DecomposeClose)
		s.Must(model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "## T1 Read\n## T2 Write\n"}})
		d.Press(keymap.Decompose).See("[plan]", "[x] T2")
		d.Press(keymap.DecomposeNext).See("[files]", "a  ledger workflow")
	})
}

// The mouse chooses rows and sources; what is too long is reached all the same.
func TestDecomposeOnAnyScreen(t *testing.T) {
	s, _, _ := ledger(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.Decompose)
		x, y := d.Find("b  ledger workflow")
		d.Click(x, y).See("~ services/post.go")
		x, y = d.Find("layers")
		d.Click(x, y).See("[layers]", "data layer")
		d.Resize(44, 16).See("data layer").Press(keymap.MoveBottom).Wheel(10, 8, -30).See("data layer")
		d.Resize(200, 60).See("presentation layer").Press(keymap.DecomposeClose).Hidden("presentation layer")
	})
	ascii := func(d *ui.Deps) { d.ASCII = true }
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24, Change: ascii}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.Decompose).See("[files]", "models/account.go")
		for _, r := range d.Screen() {
			if r > 126 {
				t.Fatalf("%q on a screen of ASCII:\n%s", r, d.Screen())
			}
		}
	})
}

// What is decomposed is what the task says now: while somebody else changes it, no key acts on what stood there.
func TestDecomposeFollowsTheTask(t *testing.T) {
	s, uid, _ := ledger(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 30}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.Decompose).See("[files]")
		s.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Robot, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_modify", Value: "late/new.go", Mode: '+'}}}})
		d.Sleep(3 * time.Second).Press(keymap.DecomposeAccept).See("The task changed: its parts").Hidden("Cancel")
		d.Press(keymap.DecomposeAccept).See("Cancel", "late").Press(keymap.ConfirmYes)
		if got := partsOf(s.Store, uid); len(got) != 3 || !strings.Contains(strings.Join(got, "\n"), "late/new.go") {
			t.Errorf("parts %q", got)
		}
	})
}

// What files suggest is listed, that of the task under the cursor first; what is taken is added in one
// transaction, and the files that several tasks are about are named.
func TestSuggestedDependencies(t *testing.T) {
	s, uid, _ := ledger(t)
	set := func(uid model.UID, files string) model.UID {
		s.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_modify", Value: files}}}})
		return uid
	}
	one := set(s.Task("first user", s.Root), "models/account.go,models/base.go")
	two := set(s.Task("second user", s.Root), "views/list.go")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 30}, func(d *uitest.Driver) {
		goTo(d, "second user")
		d.Press(keymap.Suggest).See("Dependencies that files suggest", "Of the task under the cursor", "[x] ", "second user waits for ledger workflow", "views/list.go", "Of other tasks", "[ ] ", "first user waits for ledger workflow")
		d.Press(keymap.PartsCancel)
		if got := task(t, s.Store, two).DependsOn; len(got) > 0 {
			t.Fatalf("canceled, and it waits for %v", got)
		}
		d.Press(keymap.Suggest, keymap.MoveDown, keymap.PartsToggle, keymap.PartsDone)
		d.See("Add 2 dependencies.", "waits for ledger workflow: views/list.go", "models/base.go", "modify it in no", "fixed order").Press(keymap.ConfirmYes)
		for _, u := range []model.UID{one, two} {
			if got := task(t, s.Store, u).DependsOn; !slices.Equal(got, []model.UID{uid}) {
				t.Errorf("it waits for %v", got)
			}
		}
		d.Press(keymap.Suggest).See("Files suggest no dependency")
	})
}

// How much work a task is stands in its overview, above its plan and in the dialog that accepts it, with what
// other tasks do to the same files.
func TestComplexityOnScreen(t *testing.T) {
	s, uid, _ := ledger(t)
	s.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "Do it.\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n1. Do it.\n"}},
	)
	other := s.Planned("other writer", s.Root)
	s.Must(model.Op{Name: model.SetFields, UID: other, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "files_to_modify", Value: "models/base.go,views/list.go"}}}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 70}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.TabOverview).See("Complexity  9 of 13, high", "files", "4 of 5", "8 files: 4 to create, 4 to modify", "directories", "files in 3 top-level directories: models", "views",
			"1 hard word · workflow (name)", "1 vague word · should (criterion 2)", "length", "tokens to read: 8", "Consider splitting it; it is above the threshold of 5. About 8 minutes per attempt.", ":decompose")
		d.Press(keymap.TabPlan).See("high complexity, 9")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("size", "9 of 13, high: consider splitting it (close this, then", ":decompose decomposes it", "minutes: 8, more than 5",
			`views/list.go: modified by "other writer", which doesn't`, `models/base.go: "other writer" also edits it, and`, "neither waits for the other")
		d.Press(keymap.ConfirmNo, keymap.Decompose, keymap.DecomposeAccept, keymap.ConfirmYes)
		d.Press(keymap.TabOverview).See("It is decomposed into 3 subtasks.").Hidden(":decompose")
		goTo(d, "release")
		d.Hidden("Complexity")
	})
	// Several at once: what is too much for one task is named.
	s, uid, _ = ledger(t)
	s.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "Do it.\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n1. Do it.\n"}},
		model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "low"}}}},
	)
	plain := s.Planned("plain plan", s.Root)
	s.Must(model.Op{Name: model.SetFields, UID: plain, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "low"}}}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 70}, func(d *uitest.Driver) {
		goTo(d, "plain plan")
		d.Press(keymap.Select)
		goTo(d, "ledger workflow")
		d.Press(keymap.Select, keymap.Accept).See("ledger workflow: 9 of 13, high, consider splitting it").Hidden("plain plan: 0")
	})
}

// A store that wants no splits offered is not told to split.
func TestNoSplitIsOfferedWhereTheStoreWantsNone(t *testing.T) {
	was, _, _ := ledger(t)
	p, _ := model.DecodePolicy("", []byte(`{"task_size_limits": {"auto_split": false, "complexity_threshold": 8}}`))
	in := snapshot.Input{Seq: 1, Policy: p}
	for i := range was.Snapshot().Len() {
		in.Tasks = append(in.Tasks, was.Snapshot().At(i))
	}
	uitest.Run(t, uitest.Options{Store: uitest.StoreOf(in), W: 160, H: 70}, func(d *uitest.Driver) {
		goTo(d, "ledger workflow")
		d.Press(keymap.TabOverview).See("it is above the threshold of 8").Hidden(":decompose")
	})
}
