package ui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
)

// A head that moves costs what has moved: the store is read as a whole only at the start
// and when a person asks for it.
func TestAMovedHeadRefreshesAndAKeyLoads(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		if loads, refreshes := s.Read(); loads != 1 || refreshes != 0 {
			t.Fatalf("at the start: %d loads, %d refreshes", loads, refreshes)
		}
		s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Robot, Args: model.NewTask{Name: "from elsewhere"}})
		d.Sleep(1100 * time.Millisecond).See("from elsewhere")
		if loads, refreshes := s.Read(); loads != 1 || refreshes != 1 {
			t.Fatalf("after another's transaction: %d loads, %d refreshes", loads, refreshes)
		}
		d.Press(keymap.Refresh)
		if loads, refreshes := s.Read(); loads != 2 || refreshes != 1 {
			t.Fatalf("after the key: %d loads, %d refreshes", loads, refreshes)
		}
		d.Sleep(5 * time.Second)
		if loads, refreshes := s.Read(); loads != 2 || refreshes != 1 {
			t.Fatalf("at rest: %d loads, %d refreshes", loads, refreshes)
		}
	})
}

// What is asked for while a reading is under way is done after it, the larger of the two.
func TestReadingsAreNotLost(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		s.LoadTime = 3 * time.Second
		d.Press(keymap.Refresh)
		s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Robot, Args: model.NewTask{Name: "meanwhile"}})
		d.Sleep(2 * time.Second)
		d.Press(keymap.Refresh)
		d.Sleep(10 * time.Second).See("meanwhile")
		if loads, _ := s.Read(); loads != 3 {
			t.Fatalf("%d loads, want the first and one for each key", loads)
		}
	})
}

// Nothing is drawn while nothing happens; the ages on screen grow by the minute.
func TestAnIdleWorkbenchDrawsNothing(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Sleep(2 * time.Second)
		before := d.View().Content
		drawn := d.App.Drawn()
		d.Sleep(50 * time.Second)
		if n := d.App.Drawn() - drawn; n != 0 {
			t.Errorf("%d frames were drawn in 50 s without an event", n)
		}
		d.Sleep(5 * time.Minute)
		if n := d.App.Drawn() - drawn; n == 0 || n > 7 {
			t.Errorf("%d frames in about six minutes, want one a minute", n)
		}
		if d.View().Content == before {
			t.Error("the ages on screen stand still")
		}
	})
}

func TestAFilterThatNothingPassesSaysSo(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		for _, v := range []keymap.Action{keymap.ViewTree, keymap.ViewInbox, keymap.ViewBoard, keymap.ViewLanes} {
			d.Press(v, keymap.FilterStart).Type("zebra").Press(keymap.PromptSubmit)
			d.See("No task matches zebra", "esc clears the filter")
			d.Press(keymap.Back).Hidden("zebra")
		}
	})
}

// The palette begins with what can be done to the task, and ends with what cannot.
func TestThePaletteBeginsWithTheTask(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		order := func(texts ...string) {
			t.Helper()
			last := -1
			for _, x := range texts {
				_, y := d.Find(x)
				if y <= last {
					t.Errorf("%q is in row %d, after row %d", x, y, last)
				}
				last = y
			}
		}
		d.Press(keymap.Palette).See("Review", "accept", "reject")
		order("type an action or a task", "Review", "accept", "reject", "Lifecycle", "pause or defer", "Create", "add dependency", "fold all")
		d.Hidden("Not now") // far below
		d.Key("esc").Press(keymap.Palette).Type("start").See("not accepted").Key("esc")
		d.Press(keymap.Palette).Type("theme").Press(keymap.PickerChoose).Key("esc")
		d.Press(keymap.Palette)
		order("Most used", "theme", "Review", "accept")
		d.Key("esc")
	})
}

func TestMovingInTheGraph(t *testing.T) {
	s := uitest.NewStore()
	a := s.Planned("alpha", "")
	b := s.Planned("beta", "", a)
	c := s.Planned("gamma", "", a)
	s.Planned("delta", "", b, c)
	s.Finished("done already", "")
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewLanes)
		at := func(name string) {
			t.Helper()
			if _, y := d.Find("▌"); !strings.Contains(d.Line(y), name) {
				t.Fatalf("the cursor is on %q, want %s", strings.TrimSpace(d.Line(y)), name)
			}
		}
		d.Press(keymap.MoveTop)
		at("alpha")
		d.Press(keymap.BranchNext).See("the last step had only one edge").Hidden("next branch")
		d.Press(keymap.Right)
		at("beta")
		d.Press(keymap.BranchNext)
		at("gamma")
		d.Press(keymap.Left)
		at("alpha")
		d.Press(keymap.Right) // where it led last time
		at("gamma")
		d.Press(keymap.Right, keymap.JumpBack)
		at("gamma")
		d.See("done already").Press(keymap.ToggleLoose).Hidden("done already").Press(keymap.ToggleLoose)
		// Selected here is selected everywhere.
		d.Press(keymap.MoveTop, keymap.Select).See("1 selected")
		d.Press(keymap.ViewInbox).See("1 selected")
		d.Press(keymap.Back).Hidden("selected")
	})
}

func TestHeadingsOfAText(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("a long plan", "")
	var b strings.Builder
	for i := range 9 {
		b.WriteString("# Part " + string(rune('A'+i)) + "\n\n" + strings.Repeat("Words.\n\n", 40))
	}
	s.Edit(uid, model.Plan, b.String())
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.TabPlan, keymap.FocusNext).See("Part A").Hidden("Part C")
		d.Press(keymap.PlaceNext, keymap.PlaceNext).See("Part C").Hidden("Part A")
		d.Press(keymap.PlacePrev).See("Part B").Hidden("Part C")
		d.Press(keymap.MoveTop, keymap.PlacePrev).See("No change, comment or heading above")
	})
}

// A text of several lines is sent by its own key, kept when it is left, and kept when the
// store does not take it.
func TestATextIsKeptUntilItIsTaken(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).See("^s send", "esc leave").Type("first").Key("enter").Type("second")
		d.Status(s.Plan, model.StatusReviewPlan) // enter is a line break
		d.Press(keymap.ComposeLeave).Hidden("second").See("Your text is saved")
		for _, key := range []string{"q", "ctrl+c"} {
			d.Key(key).See("A text is not saved. Quit anyway?", "Reject plan").Press(keymap.ConfirmNo)
		}
		if left := strings.Join(d.App.Leftovers(), "\n"); !strings.Contains(left, "first\nsecond") {
			t.Errorf("who is thrown out loses the text: %q", left)
		}
		d.Press(keymap.Reject).See("first", "second")
		s.FailWith(func(method string) error {
			if method == "Do" {
				return errors.New("no space left on device")
			}
			return nil
		})
		d.Press(keymap.ComposeSend).See("your text is saved").Press(keymap.Back)
		s.FailWith(nil)
		d.Press(keymap.Reject).See("first", "second").Key("alt+enter")
		if got := task(t, s.Store, s.Plan).Status.Review; got == nil || got.Reason != "first\nsecond" {
			t.Fatalf("review %+v", got)
		}
		goTo(d, "error messages")
		d.Press(keymap.Done).Hidden("second").Type("it works").Press(keymap.ComposeSend)
		d.Status(s.Run, model.StatusReviewWork)
	})
}

// The keys that a diff names do what it says.
func TestTheKeysOfADiff(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("a plan twice", "")
	s.Must(model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# New\n\n" + strings.Repeat("the same\n\n", 9) + "an end\n"}})
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		goTo(d, "a plan twice")
		d.Press(keymap.Diff).See("Plan of", "v split", "z all lines")
		beside := d.Screen()
		d.Press(keymap.DiffSplit)
		if d.Screen() == beside {
			t.Error("the texts are still beside each other")
		}
		d.Press(keymap.DiffSplit)
		if d.Screen() != beside {
			t.Error("the texts are not beside each other again")
		}
		d.Press(keymap.PagerClose)
	})
}

// What others call a task is readable, however long the name of the field is.
func TestIdsOfOtherToolsAreReadable(t *testing.T) {
	uid := model.UID("tsk-00000000000000000000000000000001")
	tk := &model.Task{
		UID: uid, HasStatus: true, Config: model.Config{UID: uid, Name: "imported"}, Status: model.StatusFile{CurrentState: model.Created},
		Spec: &model.Spec{External: []model.ExtraField{{Key: "beads_updated_at", Value: []byte(`"2025-12-14"`)}, {Key: "beads", Value: []byte(`"bd-1"`)}}},
	}
	uitest.Run(t, uitest.Options{Store: uitest.StoreOf(snapshot.Input{Tasks: []*model.Task{tk}})}, func(d *uitest.Driver) {
		d.See("Elsewhere", "Beads updated at  2025-12-14", "Beads             bd-1")
	})
}

// idleAlready is after what follows a key by itself: the mark of slow reading.
const idleAlready = 200 * time.Millisecond

// A long text is drawn ahead while nothing is pressed, without a frame for it, and that
// ends.
func TestDrawingAheadShowsNothing(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("a long plan", "")
	s.Edit(uid, model.Plan, strings.Repeat("# A part\n\nSome words.\n\n", 500)+"The end of it.\n")
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.TabPlan, keymap.FocusNext)
		if !d.App.DrawsAhead() {
			t.Fatal("the text is too short for this test")
		}
		d.Sleep(idleAlready)
		drawn := d.App.Drawn()
		d.Sleep(30 * time.Second)
		if n := d.App.Drawn() - drawn; n != 0 {
			t.Errorf("%d frames were drawn while nothing was pressed", n)
		}
		if d.App.DrawsAhead() {
			t.Error("after half a minute something is still left to draw")
		}
		d.Press(keymap.MoveBottom).See("The end of it.")
	})
}

// A store that says that what it knows may be old is marked so, with the reason, and what
// it has news of is shown all the same.
func TestAStaleStoreIsMarkedAndStillFollowed(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		s.GoStale("the system does not tell of every change")
		s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Robot, Args: model.NewTask{Name: "from elsewhere"}})
		d.Sleep(1100*time.Millisecond).See("STALE", "does not tell", "from elsewhere")
		s.GoStale("")
		d.Sleep(1100*time.Millisecond).Hidden("STALE", "does not tell")
	})
}

// A store that is known is on the screen before its files have been compared.
func TestAKnownStoreIsShownAtOnce(t *testing.T) {
	s := uitest.NewSmall()
	s.Known, s.LoadTime = true, 3*time.Second
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.See("error messages").Hidden("reading")
		d.Press(keymap.MoveDown)
		at := d.Line(0)
		d.Sleep(500*time.Millisecond).See("error messages", "reading")
		d.Sleep(3 * time.Second).Hidden("reading")
		if d.Line(0) != at {
			t.Errorf("the cursor moved: %q, was %q", d.Line(0), at)
		}
	})
}

// What a first reading has found so far can be used, and the rest comes in without moving
// the cursor.
func TestAStoreCanBeUsedWhileItIsRead(t *testing.T) {
	s := uitest.NewSmall()
	s.LoadTime = 3 * time.Second
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Sleep(200 * time.Millisecond).Hidden("error messages")
		s.PutPart(s.Snapshot().Len() - 1)
		d.Sleep(200*time.Millisecond).See("error messages", "reading")
		d.Press(keymap.MoveDown)
		read := ""
		for range 4 {
			d.Press(keymap.TabPlan, keymap.TabOverview).Sleep(400 * time.Millisecond)
			_, now, reading := strings.Cut(d.Line(0), "reading ")
			if !reading || now == read {
				t.Errorf("what has been read was %q, and is %q", read, now)
			}
			read = now
		}
		d.Sleep(4 * time.Second).Hidden("reading")
		if !strings.Contains(d.Line(0), "lexer tokens") {
			t.Errorf("the cursor moved: %q", d.Line(0))
		}
	})
}

// The store is told which tasks are on the screen, in every view.
func TestTheStoreKnowsWhatIsOnTheScreen(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 12}, func(d *uitest.Driver) {
		for _, view := range []keymap.Action{keymap.ViewTree, keymap.ViewLanes, keymap.ViewBoard, keymap.ViewInbox} {
			for _, move := range []keymap.Action{keymap.MoveTop, keymap.MoveBottom} {
				d.Press(view, move).Sleep(2500 * time.Millisecond)
				screen := d.Screen()
				left, across := "", 45
				if view == keymap.ViewBoard { // it lies above
					across = 100
				}
				for line := range strings.Lines(screen[strings.Index(screen, "\n")+1:]) {
					left += string([]rune(line)[:across]) + "\n"
				}
				seen := map[model.UID]bool{}
				for _, uid := range s.Watched() {
					seen[uid] = true
				}
				snap := s.Snapshot()
				shown := 0
				for i := range snap.Len() {
					name := snap.Name(i)
					on := strings.Contains(left, name[:min(len(name), 10)])
					if known := seen[snap.UID(i)]; on != known && (known || view != keymap.ViewInbox) { // which names parents too
						t.Errorf("%s: %q is on the screen: %v, and known to be: %v\n%s", view, name, on, known, left)
					}
					if on {
						shown++
					}
				}
				if shown == 0 || len(seen) == 0 || len(seen) > 12 {
					t.Errorf("%s: %d tasks are shown and %d known to be:\n%s", view, shown, len(seen), left)
				}
			}
		}
	})
}

// What the store says was edited past vespe is read, although no transaction tells of it.
func TestAnEditThatTheStoreTellsOfIsRead(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		_, before := s.Read()
		s.EditTask(s.Empty, func(tk *model.Task) { tk.Config.Name = "renamed by hand" })
		d.Sleep(1100 * time.Millisecond).See("renamed by hand")
		if _, after := s.Read(); after != before+1 {
			t.Errorf("it was read %d times", after-before)
		}
		d.Sleep(5 * time.Second)
		if _, after := s.Read(); after != before+1 {
			t.Errorf("without another edit it was read %d times", after-before)
		}
	})
}
