package overlay

import (
	"slices"
	"strings"
	"testing"

	"vespe/internal/viewtest"
)

func checks() *Checklist {
	return NewChecklist(viewtest.Plain(), ChecklistOptions{Title: "Parts", Rows: []Check{
		{ID: "Plan", Title: "Plan", Inside: -1, Head: "Sections"},
		{ID: "Files", Title: "Files", Depth: 1, Inside: 0},
		{ID: "Old", Title: "Old", Depth: 2, Inside: 1},
		{ID: "Files", Title: "Files", Depth: 1, Inside: 0},
		{ID: "tsk-1", Title: "a task\x1b[2J", Detail: "review plan", Inside: -1, Head: "Subtasks"},
	}})
}

func TestChecklist(t *testing.T) {
	for _, c := range []struct {
		keys string
		out  string
		in   string
	}{
		{"", "", "5 of 5"},
		{"space", "Plan", "1 of 5"},
		{"down space", "Files", "2 of 5"},
		{"down down down space", "Files", "2 of 5"}, // of two with a title both
		{"down space down down space", "", "5 of 5"},
		{"down down space", "Old", "4 of 5"},
		{"down down space up space", "Files", "2 of 5"}, // what it is part of says it
		{"down down space up space space", "Old", "4 of 5"},
		{"down space down space", "Files", "2 of 5"}, // not by itself
		{"end space home space", "Plan tsk-1", "0 of 5"},
		{"space space", "", "5 of 5"},
	} {
		l := checks()
		typed(l, strings.Fields(c.keys)...)
		if got := strings.Join(l.Out(), " "); got != c.out {
			t.Errorf("%q leaves out %q, want %q", c.keys, got, c.out)
		}
		if got := viewtest.Text(l, 60, 14); !strings.Contains(got, c.in) || strings.Contains(got, "\x1b") {
			t.Errorf("%q: not %q in\n%s", c.keys, c.in, got)
		}
	}
	l := checks()
	if out, ok := typed(l, "space", "enter").(Checked); !ok || !slices.Equal(out.Out, []string{"Plan"}) || !Ends(out) {
		t.Errorf("enter gave %#v", out)
	}
	if out := typed(checks(), "space", "esc"); out != (Canceled{}) {
		t.Errorf("esc gave %#v", out)
	}
}

func TestChecklistMouse(t *testing.T) {
	l := checks()
	viewtest.Text(l, 60, 14)
	l.Click(5, 1) // a heading
	l.Click(5, 7)
	if len(l.Out()) > 0 {
		t.Errorf("one click leaves %q out", l.Out())
	}
	if l.Click(5, 7); !slices.Equal(l.Out(), []string{"tsk-1"}) {
		t.Errorf("two leave %q out:\n%s", l.Out(), viewtest.Text(l, 60, 14))
	}
}
