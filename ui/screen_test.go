package ui_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/colorprofile"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
	"vespe/ui/runview"
)

// Every size from far too small to very large, back and forth, with overlays open.
func TestResizeStorm(t *testing.T) {
	s := uitest.NewSmall()
	sizes := [][2]int{{10, 5}, {300, 100}, {80, 24}, {31, 9}, {1, 1}, {120, 40}, {60, 15}, {200, 60}, {29, 7}, {97, 33}, {44, 60}}
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		storm := func() {
			for _, size := range sizes {
				d.Resize(size[0], size[1])
			}
			d.Resize(120, 40)
		}
		storm()
		for _, open := range []keymap.Action{
			keymap.Palette, keymap.Help, keymap.ThemePicker, keymap.FilterStart, keymap.New, keymap.Log,
			keymap.SearchStart, keymap.AddDependency,
		} {
			goTo(d, "lexer tokens")
			d.Press(open)
			storm()
			d.Key("esc")
		}
		for _, v := range ui.ViewActions() {
			d.Press(v)
			storm()
			d.Press(keymap.Zoom)
			storm()
			d.Press(keymap.Zoom, keymap.FocusNext)
			storm()
			d.Press(keymap.Layout)
			storm()
			d.Press(keymap.Layout, keymap.FocusNext)
		}
		d.Resize(20, 5).See("too small").Resize(120, 40).See("Build the parser")
	})
}

func TestEmptyStoreSaysWhatToDo(t *testing.T) {
	uitest.Run(t, uitest.Options{}, func(d *uitest.Driver) {
		d.See("No tasks", "+ creates the first task", "vespe demo", "vespe store import beads FILE")
		if hints := d.Line(39); strings.Contains(hints, "search") || strings.Contains(hints, "filter") || strings.Contains(hints, "accept") {
			t.Errorf("the footer of an empty store offers %q", hints)
		}
		for _, v := range ui.ViewActions() {
			if s := d.Press(v).Screen(); !strings.Contains(s, "creates the first task") && !strings.Contains(s, "Create one: `vespe milestone create NAME`") {
				t.Errorf("%s says\n%s", v, s)
			}
		}
		d.Resize(80, 24).Press(keymap.ViewInbox).See("appear here as agents write them", "creates the first task", "vespe install", "vespe store import beads FILE")
		d.Press(keymap.SearchStart).See("no task yet").Press(keymap.FilterStart).See("no task yet")
		// No action of a task does anything but say so.
		for _, a := range []keymap.Action{keymap.Accept, keymap.Rename, keymap.JumpParent, keymap.EditPlan, keymap.Abort} {
			d.Press(a).Press(keymap.Back)
		}
	})
}

func TestProblemsAreRowsAndHideNothing(t *testing.T) {
	in := snapshot.Input{Seq: 1, Problems: []model.Problem{
		{Path: ".vespe/tasks/BAD", Severity: model.Error, Code: "bad-name", Reason: "not a uid", Hint: "rename it"},
	}}
	for i := range 3 {
		uid := model.UID(fmt.Sprintf("tsk-%032x", i+1))
		tk := &model.Task{UID: uid, HasStatus: true, Config: model.Config{UID: uid, Name: fmt.Sprintf("good %d", i)}, Status: model.StatusFile{CurrentState: model.Created}}
		if i < 2 {
			tk.Problems = []model.Problem{{UID: uid, Path: fmt.Sprintf(".vespe/tasks/%s/status.json", uid), Line: 3, Severity: model.Error, Code: "bad-json", Reason: "\x1b[31mbad\u202e json", Hint: "repair it"}}
		}
		in.Tasks = append(in.Tasks, tk)
	}
	uitest.Run(t, uitest.Options{Store: uitest.StoreOf(in)}, func(d *uitest.Driver) {
		d.See("good 0", "good 1", "good 2", "not a uid")
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Open).See("not a uid", "rename it").Press(keymap.PagerClose)
		d.Press(keymap.MoveBottom, keymap.Open).See("repair it", "status.json:3", "␛[31mbad").Press(keymap.PagerClose)
		d.Press(keymap.ViewTree)
		goTo(d, "good 0")
		d.Press(keymap.Accept).See("Can't ").Press(keymap.Back)
		d.Press(keymap.ViewLanes, keymap.FocusNext)
	})
}

func TestLoadingShowsABarOnlyWhenItIsSlow(t *testing.T) {
	s := uitest.Large(2000)
	s.LoadTime = 2 * time.Second
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		if d.Frames() == 0 {
			t.Fatal("no frame before the store was read")
		}
		quiet := func() {
			d.Hidden("Reading", "new", "search", "filter", "No task").See("q quit", "? help")
		}
		quiet()
		d.Sleep(140 * time.Millisecond)
		quiet()
		d.Sleep(500*time.Millisecond).See("Reading 600 of 2,000 tasks", "q quit", "? help").Hidden("search", "filter", "No task")
		d.Press(keymap.New) // nothing breaks before there is a store
		d.Key("esc")
		d.Sleep(2 * time.Second).Hidden("Reading").See("task number 1")
	})
}

func TestALoadThatFailsIsSaidAndCanBeRepeated(t *testing.T) {
	s := uitest.NewSmall()
	broken := true
	s.FailWith(func(method string) error {
		if broken && method == "Load" {
			return errors.New("permission denied")
		}
		return nil
	})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.See("Can't read the store", "permission denied")
		broken = false
		d.Press(keymap.Refresh).See("Build the parser").Hidden("permission denied")
	})
}

// What an agent does appears within a second and moves neither cursor nor selection.
func TestChangesAppearWithoutMovingAnything(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "fuzz targets")
		d.Press(keymap.Select)
		goTo(d, "error messages")
		s.Task("AAA new first", "")
		s.Task("below the cursor", s.Run)
		s.Must(model.Op{Name: model.RaiseError, UID: s.Run, Actor: uitest.Robot, Args: model.ErrorReport{Details: "segfault"}})
		d.Hidden("AAA new first")
		d.Sleep(1100*time.Millisecond).See("AAA new first", "1 selected")
		if !strings.Contains(d.Line(0), "error messages") {
			t.Fatalf("the cursor moved: %s", d.Line(0))
		}
		d.See("segfault") // the detail follows
	})
}

func TestAHeadThatCannotBeReadIsShownAsStale(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		s.FailWith(func(method string) error {
			if method == "Head" {
				return errors.New("stale file handle")
			}
			return nil
		})
		d.Sleep(5*time.Second).See("STALE", "stale file handle")
		s.FailWith(nil)
		d.Sleep(2*time.Second).Hidden("STALE", "stale file handle")
	})
}

func TestFilterSearchPaletteHelp(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.FilterStart).Type("is:blocked").See("release").Hidden("idea for later")
		d.Press(keymap.PromptSubmit).See("filter: is:blocked").Hidden("idea for later")
		d.Press(keymap.Back).See("idea for later").Hidden("filter: is:blocked")
		// A filter that is given up leaves everything as it was; a wrong one says which word.
		d.Press(keymap.FilterStart).Type("is:nonsense").Press(keymap.PromptSubmit).See("nonsense")
		d.Press(keymap.PromptCancel).See("idea for later")

		d.Press(keymap.MoveTop, keymap.SearchStart).Type("e").See("match 1 of 7").Press(keymap.SearchKeep)
		first := d.Line(0)
		d.Press(keymap.SearchNext)
		if d.Line(0) == first {
			t.Errorf("the search did not move on: %s", first)
		}
		d.Press(keymap.Back)
		d.Press(keymap.SearchStart).Type("zzz").See("no match").Press(keymap.SearchCancel)

		goTo(d, "release")
		d.Press(keymap.Palette).Type("start").See("start", "lexer tokens") // disabled, with its reason
		d.Press(keymap.PickerCancel)
		d.Press(keymap.Palette).Type("rename").Press(keymap.PickerChoose).See("Rename").Press(keymap.PromptCancel)
		d.Press(keymap.Help).See("accept").Type("graph").See("graph").Press(keymap.PickerCancel)
	})
}

func TestThemePickerShowsEachAsItGoes(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		before := d.View().Content
		d.Press(keymap.ThemePicker).Press(keymap.PickerDown)
		if strings.Split(d.View().Content, "\n")[0] == strings.Split(before, "\n")[0] {
			t.Error("the other theme is not shown while choosing")
		}
		d.Press(keymap.PickerCancel)
		if d.View().Content != before {
			t.Error("the theme did not come back")
		}
		d.Press(keymap.ThemePicker, keymap.PickerDown, keymap.PickerChoose)
		if d.View().Content == before {
			t.Error("the theme was not taken")
		}
	})
}

func TestTheTerminalsBackgroundChoosesTheHalf(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.Dark = nil }}, func(d *uitest.Driver) {
		dark := d.View().Content
		d.Send(tea.BackgroundColorMsg{Color: white{}})
		if d.View().Content == dark {
			t.Error("a light terminal is drawn like a dark one")
		}
	})
}

// What the loop says above the runs takes the colors too that go with a background which is known late.
func TestTheLoopsLinesTakeTheColorsOfTheBackground(t *testing.T) {
	s := uitest.NewSmall()
	screen := func(dark *bool, known ...tea.Msg) (view string) {
		l := &uitest.Loop{}
		l.Set(runview.LoopState{Stops: []runview.LoopStop{{Why: "the store is not trusted", Hint: "see `vespe trust`"}}})
		o := withLoop(s.Store, l)
		change := o.Change
		o.Change = func(d *ui.Deps) { change(d); d.Dark = dark }
		uitest.Run(t, o, func(d *uitest.Driver) {
			d.Press(keymap.ViewRuns).See("The loop is off.", "No run can start")
			for _, m := range known {
				d.Send(m)
			}
			view = d.View().Content
		})
		return view
	}
	light := false
	if got, want := screen(nil, tea.BackgroundColorMsg{Color: white{}}), screen(&light); got != want {
		t.Errorf("not all of it is light:\n%q\n%q", got, want)
	}
}

// With 16 colors no color is a ground on which all others can be read: the row under the cursor is reversed.
func TestTheCursorsRowWith16Colors(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, Profile: colorprofile.ANSI}, func(d *uitest.Driver) {
		d.Press(keymap.ViewTree, keymap.MoveTop)
		if s := d.View().Content; !strings.Contains(s, "\x1b[7m") {
			t.Errorf("the row under the cursor is not reversed:\n%q", s)
		}
	})
}

type white struct{}

func (white) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }

func TestMouse(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		x, y := d.Find("release")
		d.Click(x, y)
		if !strings.Contains(d.Line(0), "release") {
			t.Fatalf("a click did not move the cursor: %s", d.Line(0))
		}
		x, y = d.Find("inbox")
		d.Click(x, y).See("lexer tokens")
		x, y = d.Find("tree")
		d.Click(x, y)
		x, y = d.Find("history")
		d.Click(x, y).See("Created")
		x, y = d.Find("help")
		d.Click(x, y).See("Help", "type to search").Key("esc")
		at := strings.Index(d.Screen(), "\n")
		_ = at
		x, y = dividerOf(d)
		d.Drag(x, y, x+15, y)
		if nx, _ := dividerOf(d); nx != x+15 {
			t.Errorf("the divider is at %d, dragged from %d by 15", nx, x)
		}
		d.Wheel(5, 10, 3).Wheel(5, 10, -3).Wheel(100, 10, 3).Wheel(100, 10, -2)
	})
}

// dividerOf is the right border of the left pane in the middle of the screen.
func dividerOf(d *uitest.Driver) (x, y int) {
	_, y = d.Find("release")
	y += 6
	for i, r := range []rune(d.Line(y)) {
		if i > 0 && r == '│' {
			return i, y
		}
	}
	return -1, -1
}

func TestWithoutColorsNothingIsColored(t *testing.T) {
	s := uitest.NewSmall()
	o := uitest.Options{Store: s.Store, Profile: colorprofile.Ascii, Change: func(d *ui.Deps) { d.NoColor = true }}
	uitest.Run(t, o, func(d *uitest.Driver) {
		for _, a := range append(ui.ViewActions(), keymap.TabPlan, keymap.Palette) {
			d.Press(a)
			if i := strings.Index(d.View().Content, "38;"); i >= 0 {
				t.Fatalf("a color at %d: %q", i, d.View().Content[i-2:i+20])
			}
		}
		d.Key("esc")
	})
}

func TestASCIIHasNoOtherGlyph(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.ASCII = true }}, func(d *uitest.Driver) {
		for _, a := range append(ui.ViewActions(), keymap.TabOverview, keymap.TabHistory) {
			d.Press(a)
			onlyASCII(t, d, a)
		}
	})
	for _, a := range []keymap.Action{keymap.Palette, keymap.AddDependency, keymap.MilestoneAssign} {
		uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.ASCII = true }}, func(d *uitest.Driver) {
			goTo(d, "release")
			d.Press(a)
			onlyASCII(t, d, a)
		})
	}
}

func onlyASCII(t *testing.T, d *uitest.Driver, a keymap.Action) {
	t.Helper()
	for _, r := range d.Screen() {
		if r > 126 {
			t.Errorf("%s: %q (%U) on screen:\n%s", a, r, r, d.Screen())
			return
		}
	}
}

func TestQuitRules(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.Open, keymap.Zoom)
		for range 5 {
			d.Press(keymap.Back) // esc never quits
		}
		d.See("Build the parser")
		d.Press(keymap.Open).Press(keymap.Quit).See("Build the parser")
		d.Press(keymap.Quit)
		d.Quits()
	})
}

func TestCtrlCQuitsFromAnOverlay(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: uitest.NewSmall().Store}, func(d *uitest.Driver) {
		d.Key("ctrl+c")
		d.Quits()
	})
}

// The first frames at three sizes, as pictures in text.
func TestGoldenFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := uitest.NewSmall()
			uitest.Run(t, uitest.Options{W: size[0], H: size[1], Store: s.Store}, func(d *uitest.Driver) {
				golden(t, fmt.Sprintf("tree-%dx%d.txt", size[0], size[1]), d.Screen())
				goTo(d, "lexer tokens")
				d.Press(keymap.TabPlan, keymap.Accept).Sleep(time.Second)
				golden(t, fmt.Sprintf("accept-%dx%d.txt", size[0], size[1]), d.Screen())
				d.Press(keymap.ConfirmNo)
			})
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	var trimmed strings.Builder
	for _, l := range strings.Split(got, "\n") {
		trimmed.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(trimmed.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if trimmed.String() != string(want) {
		t.Errorf("%s differs (make golden rewrites it):\n%s", path, trimmed.String())
	}
}
