package ui_test

import (
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// inOrder fails unless a line holds the texts one after the other.
func inOrder(t *testing.T, line string, texts ...string) {
	t.Helper()
	rest := line
	for _, s := range texts {
		_, after, ok := strings.Cut(rest, s)
		if !ok {
			t.Errorf("%q is not in its place in %q", s, line)
			return
		}
		rest = after
	}
}

// The footer begins with what the task waits for; what ends or breaks something comes
// last, and a running search pushes no verdict out.
func TestTheFooterBeginsWithWhatIsDoneMost(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 200, H: 40}, func(d *uitest.Driver) {
		foot := func() string { return d.Line(39) }
		goTo(d, "lexer tokens")
		inOrder(t, foot(), " a accept", "r reject", "e edit", "p defer", "+ new", "1-5 views", "[ ] tabs")
		goTo(d, "fuzz targets")
		inOrder(t, foot(), " s start", "p pause", "+ new")
		goTo(d, "error messages")
		inOrder(t, foot(), " c comment", "p pause", "+ new")
		d.Resize(80, 24)
		d.Press(keymap.SearchStart).Type("lexer").Press(keymap.SearchKeep)
		inOrder(t, d.Line(23), " a accept", "r reject", "n next match")
	})
}

// A hint that stands for several keys leads on when it is clicked.
func TestClickingTheViewsGoesToTheNext(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		x, y := d.Find("[ ] tabs")
		before := d.Screen()
		if d.Click(x+1, y); d.Screen() == before {
			t.Error("the tab is the same")
		}
		x, y = d.Find("1-5 views")
		d.Click(x+1, y).See("around Build the parser")
	})
}

// A graph of nothing offers nothing to do with it.
func TestTheFooterOfAnEmptyStore(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: uitest.NewStore()}, func(d *uitest.Driver) {
		d.Press(keymap.ViewLanes).See("No tasks yet", "+ new").Hidden("light up", "hide done")
	})
}

// A request about no task has none to go to.
func TestTheFooterOfARequestWithoutATask(t *testing.T) {
	s := uitest.NewSmall()
	s.Ask("", action())
	s.Ask(s.Run, model.NewRequest{Kind: model.KindQuestion, Title: "Which port?", Risk: model.RiskLow})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		open(d, "Remove the old build")
		d.See("y approve").Hidden("tab go to task").Press(keymap.RequestClose)
		open(d, "Which port?")
		d.See("tab go to task")
	})
}

// On what is done nobody waits for a verdict.
func TestTheFooterOfADonePhase(t *testing.T) {
	s := uitest.NewSmall()
	big := s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Ann, Args: model.NewTask{Name: "Big", Objective: "Rule.\n", Phases: true, PhaseUIDs: [3]model.UID{"tsk-a", "tsk-b", "tsk-c"}}})
	s.Must(model.Op{Name: model.DefinePlan, UID: big, Actor: uitest.Ann, Args: model.NewPlan{Text: "First the islands.\n"}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		goTo(d, "Big")
		d.See("a accept", "r reject").Press(keymap.MoveDown).See("define_objective", "Done").Hidden("a accept", "r reject")
	})
}

// The footer begins with what the selected item waits for.
func TestTheFooterOfAnEscalation(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("alpha", "")
	s.Accept(uid)
	s.Must(model.Op{Name: model.Escalate, UID: uid, Actor: "system:loop", Args: model.NewRequest{Key: "k", Title: "Which way?", Detail: "Up or down."}})
	uitest.Run(t, uitest.Options{Store: s, W: 140, H: 30}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop)
		last := d.Line(29)
		if i, k := strings.Index(last, "s start"), strings.Index(last, "approve"); i >= 0 && (k < 0 || i < k) {
			t.Errorf("footer: %s", last)
		}
	})
}
