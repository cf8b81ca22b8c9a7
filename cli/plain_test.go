package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestTreeLines(t *testing.T) {
	c := fresh(t)
	c.must("new", "A")
	c.must("new", "A1", "--parent", "A")
	c.must("new", "A1a", "--parent", "A1")
	c.must("new", "A2", "--parent", "A")
	c.must("new", "B")
	c.must("new", "B1", "--parent", "B")
	var got []string
	for line := range strings.Lines(c.must("tree")) {
		got = append(got, line[:strings.LastIndex(line, "  ")])
	}
	want := []string{
		"◦ A  New  0/2", "├─ ◦ A1  New  0/1", "│  └─ ◦ A1a  New", "└─ ◦ A2  New",
		"◦ B  New  0/1", "└─ ◦ B1  New",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
