package detail

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vespe/model"
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
	first, second := model.DocRevision{Doc: model.Plan, N: 1}, model.DocRevision{Doc: model.Plan, N: 2}
	needs := d.Needs()
	if len(needs) != 2 || needs[0] != (Need{Kind: NeedRevision, UID: uidLog, Revision: first}) || needs[1].Revision != second {
		t.Fatalf("it needs %+v", needs)
	}
	d.SetRevision(uidLog, first, []byte("# Steps\n\n1. read\n"), nil)
	d.SetRevision(uidSync, second, []byte("of another task"), nil)
	if len(d.Needs()) != 1 {
		t.Errorf("with one of them it needs %+v", d.Needs())
	}
	d.SetRevision(uidLog, second, []byte("# Steps\n\n1. read\n2. write \x1b[31mred\n"), nil)
	if len(d.Needs()) != 0 {
		t.Errorf("with both it needs %+v", d.Needs())
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
	d.SetRevision(uidLog, model.DocRevision{Doc: model.Plan, N: 1}, []byte("one\ntwo\n"), nil)
	if s := text.Strip(strings.Join(d.View(80, 24), "\n")); !strings.Contains(s, "+2 -0") {
		t.Errorf("it shows\n%s", s)
	}
}

func TestRevisionsThatAreNotThere(t *testing.T) {
	for want, err := range map[string]error{
		"not recorded": fmt.Errorf("revision 1: %w", model.ErrNoContent), "permission denied": errors.New("permission denied"),
	} {
		d := defined(t, 2)
		for _, n := range d.Needs() {
			d.SetRevision(uidLog, n.Revision, nil, err)
		}
		if s := text.Strip(strings.Join(d.View(80, 24), "\n")); !strings.Contains(s, want) || len(d.Needs()) > 0 {
			t.Errorf("it shows\n%s\nand needs %v", s, d.Needs())
		}
	}
}

// A very long difference does not make the page endless; a key shows all of it.
func TestALongDifferenceIsCut(t *testing.T) {
	d := defined(t, 1)
	d.SetRevision(uidLog, model.DocRevision{Doc: model.Plan, N: 1}, []byte(strings.Repeat("line\n", 5000)), nil)
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
