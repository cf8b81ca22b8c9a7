package ui_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
)

// shelf is an index that finds a word in the plans of a store; what it is asked is remembered.
type shelf struct {
	mu      sync.Mutex
	store   *uitest.Store
	asked   []string
	slow    map[string]time.Duration // how long an answer takes
	indexed int                      // tasks, while it is made; 0: all
	err     error
}

func (x *shelf) Search(_ context.Context, snap *snapshot.Snapshot, q snapshot.SearchQuery) (snapshot.SearchAnswer, error) {
	x.mu.Lock()
	x.asked = append(x.asked, q.Text)
	wait, indexed, err := x.slow[q.Text], x.indexed, x.err
	x.mu.Unlock()
	time.Sleep(wait)
	a := snapshot.SearchAnswer{Tasks: snap.Len(), Indexed: snap.Len()}
	if indexed > 0 {
		a.Indexed = indexed
	}
	for i := range snap.Len() {
		uid := snap.UID(i)
		c, _ := x.store.Content(context.Background(), uid, model.Plan)
		for n, line := range strings.Split(string(c.Body), "\n") {
			if at := strings.Index(strings.ToLower(line), strings.ToLower(q.Text)); at >= 0 && err == nil {
				word, _, _ := strings.Cut(line[at:at+len(q.Text)], " ") // the first, as the index has it
				a.Hits = append(a.Hits, snapshot.SearchHit{UID: uid, Name: snap.Name(i), Status: snap.Status(i), Matches: []snapshot.SearchMatch{
					{Field: snapshot.SearchPlan, Snippet: line, Marks: [][2]int{{at, at + len(q.Text)}}, Line: n + 1, Word: word},
					{Field: snapshot.SearchHistory, Part: "define_plan", Snippet: "history of \x1b[31m" + q.Text, Line: 1, Word: "plan"},
				}})
				break
			}
		}
	}
	return a, err
}

func withShelf(x *shelf) uitest.Options {
	return uitest.Options{Store: x.store, W: 120, H: 40, Change: func(d *ui.Deps) { d.Search = x }}
}

// written is a store of tasks with plans.
func written(t *testing.T) (*shelf, model.UID) {
	t.Helper()
	s := uitest.NewStore()
	var last model.UID
	for _, task := range [][2]string{ // in this order: what is on screen depends on it
		{"alpha", "Read it.\n\nKeep the watermark low.\n\nThe watermark again.\n"},
		{"beta", "Nothing of that.\n"},
	} {
		name, plan := task[0], task[1]
		uid := s.Task(name, "")
		s.Must(
			model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "x\n"}},
			model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: plan}},
		)
		if name == "alpha" {
			last = uid
		}
	}
	return &shelf{store: s, slow: map[string]time.Duration{}}, last
}

// What is typed after / in a list is also looked for in the texts; where only these have it, enter leads to them,
// and then to the place, with the search going on there.
func TestSearchGoesOnInTheTexts(t *testing.T) {
	x, _ := written(t)
	uitest.Run(t, withShelf(x), func(d *uitest.Driver) {
		d.Press(keymap.SearchStart).Type("watermark").See("no match", "1 in texts")
		d.Press(keymap.SearchKeep).See("Find in all texts", "alpha", "Keep the watermark low", "plan:3").Hidden("beta  ")
		d.Press(keymap.PickerChoose).Hidden("Find in all texts").See("The watermark again.")
		d.Press(keymap.SearchNext).See("Match 2 of 2")
		d.Press(keymap.SearchPrev).See("Match 1 of 2")
	})
}

// The cursor is on the line that was chosen, however far down it is, and whatever matches before it.
func TestAFoundLineIsUnderTheCursor(t *testing.T) {
	x, _ := written(t)
	uid := x.store.Task("gamma", "")
	x.store.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "x\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: strings.Repeat("Empty the tank.\n\n", 60) + "Empty the gauge.\n\n" + strings.Repeat("Stop.\n\n", 60)}},
	)
	uitest.Run(t, withShelf(x), func(d *uitest.Driver) {
		d.Press(keymap.FindTexts).Type("empty the gauge").See("gamma", "plan:121").Press(keymap.PickerChoose).Hidden("Find in all texts")
		d.See("Empty the gauge.").Press(keymap.Comment).See("Comment", "121")
	})
}

func TestTabTakesTheSearchToTheTexts(t *testing.T) {
	x, _ := written(t)
	uitest.Run(t, withShelf(x), func(d *uitest.Driver) {
		d.Press(keymap.SearchStart).Type("a").See("match 1 of").Press(keymap.SearchTexts).See("Find in all texts", "history of ␛[31ma")
		d.Type("gain").See("The watermark again").Key("backspace", "backspace", "backspace", "backspace", "backspace").See("Type words")
		d.Press(keymap.PickerCancel).Hidden("Find in all texts")
		d.Press(keymap.FindTexts).Type("watermark").See("plan:3").Press(keymap.PickerPlace, keymap.PickerChoose).See("Defined plan")
	})
}

// An answer to what is no longer typed is no answer, however late it comes.
func TestALateAnswerIsDropped(t *testing.T) {
	x, _ := written(t)
	x.slow["water"] = time.Minute
	uitest.Run(t, withShelf(x), func(d *uitest.Driver) {
		d.Press(keymap.FindTexts).Type("water").Press(keymap.PickerCancel)
		d.Press(keymap.FindTexts).Type("nothing of").See("beta").Sleep(2 * time.Minute).See("beta").Hidden("watermark")
	})
}

// While the index is made it is said how far it is, and what comes is shown without a key.
func TestTheIndexIsStillMade(t *testing.T) {
	x, _ := written(t)
	x.indexed = 1
	uitest.Run(t, withShelf(x), func(d *uitest.Driver) {
		d.Press(keymap.FindTexts).Type("nowhere").See("1 of 2 tasks are indexed so far")
		x.mu.Lock()
		x.indexed = 0
		x.mu.Unlock()
		d.Sleep(time.Second).See("Nothing was found.")
		asked := len(x.asked)
		d.Sleep(time.Minute)
		if len(x.asked) != asked {
			t.Errorf("it goes on asking: %q", x.asked)
		}
	})
}

func TestWhatTheIndexRefuses(t *testing.T) {
	x, _ := written(t)
	x.err = &model.Refusal{Code: model.CodeUsage, Why: "status: unknown value redy", Hint: "did you mean ready?"}
	uitest.Run(t, withShelf(x), func(d *uitest.Driver) {
		d.Press(keymap.FindTexts).Type("status:redy").See("unknown value redy", "did you mean ready?")
		x.err = errors.New("the disk is gone")
		d.Type("x").See("Can't search the texts: the disk is gone").Press(keymap.PickerChoose).See("Find in all texts")
	})
}

// The frames at each size; a golden would only repeat the driver's own checks of them.
func TestTheFinderFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 12}, {24, 8}} {
		x, _ := written(t)
		o := withShelf(x)
		o.W, o.H = size[0], size[1]
		uitest.Run(t, o, func(d *uitest.Driver) {
			d.Press(keymap.FindTexts).Type("watermark").Press(keymap.PickerDown, keymap.PickerPgDown, keymap.PickerPlace, keymap.PickerUp)
			if size[0] >= 40 {
				d.See("alpha")
			}
			d.Click(5, 5).Wheel(5, 5, 1)
		})
	}
}

// Without an index nothing is said of one.
func TestWithoutAnIndex(t *testing.T) {
	x, _ := written(t)
	uitest.Run(t, uitest.Options{Store: x.store}, func(d *uitest.Driver) {
		d.Press(keymap.SearchStart).Type("watermark").See("no match").Hidden("search texts").Press(keymap.SearchKeep).Hidden("Find in all texts")
		d.Press(keymap.Back, keymap.FindTexts).See("the texts have no index")
	})
}
