package detail

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/ui/diff"
	"vespe/ui/text"
)

// defined is a task's history with one plan revision, unfolded.
func defined(t *testing.T, n int) *Detail {
	t.Helper()
	d := shown(t, "dark", uidLog, History)
	d.SetHistory(uidLog, []model.Event{
		{Name: model.DefinePlan, UID: uidLog, At: at(day), Actor: "agent:claude", File: "1.json", Details: model.Extra{model.IntField("revision", n)}},
	}, nil, nil)
	d.View(80, 24)
	if !d.Open() {
		t.Fatal("the event does not unfold")
	}
	return d
}

// An unfolded event wants the texts that its revisions are made of, once, and shows what
// differs; text that could reach the terminal is made visible.
func TestAnEventShowsWhatItsRevisionChanged(t *testing.T) {
	d := defined(t, 2)
	second := model.DocRevision{Doc: model.Plan, N: 2}
	needs := d.Needs()
	if len(needs) != 1 || needs[0] != (Need{Kind: NeedChange, UID: uidLog, Revision: second}) {
		t.Fatalf("it needs %+v", needs)
	}
	d.SetChange(uidSync, second, diff.Compare("", "of another task").Folded(), nil)
	if len(d.Needs()) != 1 {
		t.Errorf("with that of another task it needs %+v", d.Needs())
	}
	d.SetChange(uidLog, second, diff.Compare("# Steps\n\n1. read\n", "# Steps\n\n1. read\n2. write \x1b[31mred\n").Folded(), nil)
	if len(d.Needs()) != 0 {
		t.Errorf("with it it needs %+v", d.Needs())
	}
	for _, w := range []int{34, 70, 120} {
		v := d.View(w, 24)
		checkFrame(t, v, w, 24)
		s := text.Strip(strings.Join(v, "\n"))
		for _, want := range []string{"plan revision 2", "+1 -0", "+ 2. write"} {
			if !strings.Contains(s, want) {
				t.Errorf("at width %d there is no %q:\n%s", w, want, s)
			}
		}
	}
	if got := d.Recorded(); len(got) != 1 || got[0] != second {
		t.Errorf("the event recorded %v", got)
	}
	d.SetTask(story(), uidSync)
	if d.Recorded() != nil {
		t.Error("another task has recorded it")
	}
}

func TestTheFirstRevisionIsAllNew(t *testing.T) {
	d := defined(t, 1)
	if len(d.Needs()) != 1 {
		t.Fatalf("it needs %+v", d.Needs())
	}
	d.SetChange(uidLog, model.DocRevision{Doc: model.Plan, N: 1}, diff.Compare("", "one\ntwo\n").Folded(), nil)
	if s := text.Strip(strings.Join(d.View(80, 24), "\n")); !strings.Contains(s, "+2 -0") {
		t.Errorf("it shows\n%s", s)
	}
}

func TestRevisionsThatAreNotThere(t *testing.T) {
	for want, err := range map[string]error{
		"not stored": fmt.Errorf("revision 1: %w", model.ErrNoContent), "permission denied": errors.New("permission denied"),
	} {
		d := defined(t, 2)
		for _, n := range d.Needs() {
			d.SetChange(uidLog, n.Revision, nil, err)
		}
		if s := text.Strip(strings.Join(d.View(80, 24), "\n")); !strings.Contains(s, want) || len(d.Needs()) > 0 {
			t.Errorf("it shows\n%s\nand needs %v", s, d.Needs())
		}
	}
}

// A very long difference does not make the page endless; a key shows all of it.
func TestALongDifferenceIsCut(t *testing.T) {
	d := defined(t, 1)
	d.SetChange(uidLog, model.DocRevision{Doc: model.Plan, N: 1}, diff.Compare("", strings.Repeat("line\n", 5000)).Folded(), nil)
	d.View(80, 24)
	d.End()
	for range 3 {
		d.Page(1)
	}
	if n := d.Scroll().Total; n > 200 {
		t.Errorf("the page has %d rows", n)
	}
	found := false
	for y := range 200 {
		d.Wheel(1)
		_ = y
		found = found || strings.Contains(text.Strip(strings.Join(d.View(80, 24), "\n")), "4,880 more lines: d shows all")
	}
	if !found {
		t.Error("nothing says that there is more")
	}
}

// What could not be read of a revision is asked for again: when the event is unfolded again,
// and when the history comes anew.
func TestAFailedRevisionIsAskedForAgain(t *testing.T) {
	d := defined(t, 1)
	one := model.DocRevision{Doc: model.Plan, N: 1}
	fail := func() {
		d.SetChange(uidLog, one, nil, errors.New("too many open files"))
		if d.View(80, 24); len(d.Needs()) != 0 {
			t.Fatal("it asks without end")
		}
	}
	fail()
	d.SetHistory(uidLog, d.history.events, nil, nil)
	if len(d.Needs()) != 1 {
		t.Error("a new history does not ask again")
	}
	fail()
	for _, again := range []func(){func() { d.Back(); d.Open() }, func() { d.Open(); d.Open() }} {
		if again(); len(d.Needs()) != 1 {
			t.Error("unfolding it again does not ask again")
		}
		fail()
	}
}

// events are n of them, a minute apart, with names of their files in order.
func minutes(n int) (out []model.Event) {
	for i := range n {
		out = append(out, model.Event{
			Name: model.Pause, UID: uidLog, At: now.Add(time.Duration(i-n) * time.Minute), Reason: fmt.Sprintf("reason %02d", i),
			Actor: "human:ann", File: fmt.Sprintf("%02d.json", i),
		})
	}
	return out
}

// Another event moves nothing under the eyes of anyone who reads the history, also on its first
// event.
func TestAnotherEventMovesNothing(t *testing.T) {
	for _, down := range []int{0, 1, 30} {
		d := shown(t, "dark", uidLog, History)
		d.SetFocused(true)
		d.SetHistory(uidLog, minutes(60), nil, nil)
		d.View(80, 12)
		d.Move(down)
		before := text.Strip(strings.Join(d.View(80, 12), "\n"))
		d.SetHistory(uidLog, append(minutes(60), model.Event{Name: model.Pause, UID: uidLog, At: now, Actor: "human:bob", File: "zz.json"}), nil, nil)
		if after := text.Strip(strings.Join(d.View(80, 12), "\n")); after != before {
			t.Errorf("%d down what is read moved:\n%s\n--\n%s", down, before, after)
		}
		if got, want := d.history.events[d.history.page.cur].File, fmt.Sprintf("%02d.json", 59-down); got != want {
			t.Errorf("%d down the cursor went to %s", down, got)
		}
	}
}

// Who only looks on sees what comes: a history at its beginning shows the newest event.
func TestAHistoryThatIsLookedAtShowsTheNewest(t *testing.T) {
	d := shown(t, "dark", uidLog, History)
	d.SetFocused(false)
	d.SetHistory(uidLog, minutes(60), nil, nil)
	d.View(80, 12)
	d.SetHistory(uidLog, append(minutes(60), model.Event{Name: model.Pause, UID: uidLog, At: now, Reason: "the last", Actor: "human:bob", File: "zz.json"}), nil, nil)
	if s := text.Strip(strings.Join(d.View(80, 12), "\n")); !strings.Contains(s, "the last") {
		t.Errorf("it is not there:\n%s", s)
	}
	if got := d.history.events[d.history.page.cur].File; got != "59.json" {
		t.Errorf("the cursor went to %s", got)
	}
}
