package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"vespe/cli/core"
)

// Help that a terminal of 80 columns shows is broken between words, and nowhere else.
func TestHelpFitsATerminal(t *testing.T) {
	c := at(t, t.TempDir())
	c.terminal = true
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &strings.Builder{}}))
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, path := range append(verbs(root, nil), nil) {
		out := escapes.ReplaceAllString(c.must(append(slices.Clone(path), "--help")...), "")
		for line := range strings.Lines(out) {
			if line = strings.TrimRight(line, " \n"); utf8.RuneCountInString(line) > 80 {
				t.Errorf("%q --help: a line of %d columns: %s", path, utf8.RuneCountInString(line), line)
			}
		}
		if len(path) == 0 && strings.Count(out, "[--flags]") != 1 {
			t.Errorf("the list of verbs has their flags:\n%s", out)
		}
	}
}

// The list of verbs fits where nothing breaks its lines, too.
func TestTheListOfVerbsIsNarrow(t *testing.T) {
	c := at(t, t.TempDir())
	out := c.must("--help")
	if strings.Count(out, "\n") < 40 {
		t.Fatalf("that is not a list of verbs:\n%s", out)
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 80 {
			t.Errorf("a line of %d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}

func TestReflow(t *testing.T) {
	long := strings.Repeat("words ", 14) + "end"
	for in, want := range map[string]string{
		"":                            "",
		"One line.":                   "One line.",
		"a\nb":                        "a\nb",
		long:                          strings.TrimSpace(strings.Repeat("words ", 12)) + "\nwords words end",
		long + "\nand more.\n\nNext.": strings.TrimSpace(strings.Repeat("words ", 12)) + "\nwords words end and more.\n\nNext.",
		long + "\nvalid: so.":         strings.TrimSpace(strings.Repeat("words ", 12)) + "\nwords words end valid: so.",
		"From: a\nTo:   b":            "From: a\nTo:   b",
		"  indented\n  text":          "  indented\n  text",
	} {
		if got := reflow(in, helpWidth); got != want {
			t.Errorf("reflow(%q) is %q, want %q", in, got, want)
		}
	}
}

// The texts of the verbs lose nothing when they are set anew.
func TestReflowKeepsEveryWord(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if got := reflow(c.Long, helpWidth); !slices.Equal(strings.Fields(got), strings.Fields(c.Long)) {
			t.Errorf("%s: %q", c.Name(), got)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &strings.Builder{}})))
}
