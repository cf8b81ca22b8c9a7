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
	}
}

// The help of vespe itself fits a screen, at a terminal and elsewhere, and lists each group. That of a group lists its verbs.
func TestTheHelpFitsAScreen(t *testing.T) {
	c := at(t, t.TempDir())
	out := c.must("--help")
	c.terminal = true
	if atTerminal := c.must("help"); atTerminal != out {
		t.Errorf("at a terminal the help is\n%s", atTerminal)
	}
	if n := strings.Count(out, "\n"); n > 23 || n < 20 {
		t.Errorf("%d lines:\n%s", n, out)
	}
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 80 {
			t.Errorf("a line of %d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &strings.Builder{}}))
	for _, name := range daily()[:listed] {
		if cmd, _, err := root.Find([]string{name}); err != nil || !strings.Contains(out, "\n  "+core.Pad(name, 11)+cmd.Short+"\n") {
			t.Errorf("%s is not in the help: %v", name, err)
		}
	}
	c.terminal = false
	for _, g := range root.Groups() {
		if !strings.Contains(out, "\n  "+core.Pad(g.ID, 11)+g.Title+"\n") {
			t.Errorf("the group %s is not in the help", g.ID)
		}
		group, _, err := root.Find([]string{g.ID})
		if err != nil {
			t.Fatal(err)
		}
		help := c.must(g.ID, "--help")
		for _, verb := range group.Commands() {
			if !strings.Contains(help, "\n  "+verb.Name()+" ") || !strings.Contains(help, " "+verb.Short+"\n") {
				t.Errorf("the help of %s does not list %s", g.ID, verb.Name())
			}
		}
	}
}

// For a word that is no verb the nearest are named, and none that is only a little like it.
func TestNearVerbs(t *testing.T) {
	c := at(t, t.TempDir())
	for words, want := range map[string]string{
		"acept": "plan accept or work accept", "aprove": "plan accept or request answer or work accept", "undoo": "undo", "lst": "ls",
		"deny": "request answer", "inbx": "inbox", "hist": "history", "plan acept": "accept", "plan aprove": "accept",
		"request acept": "plan accept or work accept", "acceptplan": "plan accept", "planaccept": "plan accept", "frobnicate": "",
	} {
		code, _, errs := c.run(strings.Fields(words)...)
		if want != "" {
			want = "did you mean " + want + "?"
		}
		if code != core.ExitUsage || !strings.Contains(errs, want) || want == "" && strings.Contains(errs, "did you mean") {
			t.Errorf("%s: exit code %d, %s", words, code, errs)
		}
	}
}

// Every verb from before there were groups is another name of exactly one verb in a group, with the same help.
func TestEachOldNameIsOneVerbOfAGroup(t *testing.T) {
	c := at(t, t.TempDir())
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &strings.Builder{}}))
	of := map[string][]string{}
	for _, g := range root.Groups() {
		group, _, _ := root.Find([]string{g.ID})
		for _, verb := range group.Commands() {
			if old := verb.Annotations[core.OldName]; old != "" {
				of[old] = append(of[old], strings.TrimPrefix(verb.CommandPath(), "vespe "))
			}
		}
	}
	// The verbs of the last version without groups.
	for _, old := range strings.Fields("activity at diff graph history inbox ls next prompt requests review search show stats " +
		"tree wait waves why decompose dep new prioritize progress reflect rename set step abort accept-plan answer answer-comments ask check " +
		"comment confirm defer-plan define-objective define-plan error pause question-plan reject-plan reopen reopen-comment replan resolve-comment " +
		"resume retry revalidate review-accepted review-rejected skip spawn-subtask start stop undo work-completed cancel integrate logs runs gate hook " +
		"install mcp prime demo doctor export import init merge trust verify") {
		if len(of[old]) != 1 {
			t.Errorf("%s is %q", old, of[old])
			continue
		}
		path := strings.Fields(of[old][0])
		body := func(help, name string) string {
			_, flags, _ := strings.Cut(help, "\nFlags:\n")
			flags, _, _ = strings.Cut(flags, "\nUse \"")
			return strings.ReplaceAll(flags, "help for "+name, "help")
		}
		grouped, alias := c.must(append(path, "--help")...), c.must(old, "--help")
		if body(alias, old) != body(grouped, path[1]) {
			t.Errorf("%s and %s have different flags:\n%s\n%s", old, of[old][0], alias, grouped)
		}
		if long := strings.Split(grouped, "\nUsage:\n")[0]; !strings.HasPrefix(alias, long) {
			t.Errorf("%s says\n%s\nand %s\n%s", old, alias, of[old][0], grouped)
		}
		cmd, _, err := root.Find([]string{old})
		if err != nil || !cmd.Hidden && cmd.GroupID == "" && !slices.Contains(daily(), old) {
			t.Errorf("%s is listed (%v)", old, err)
		}
		delete(of, old)
	}
	for old, verbs := range of {
		if len(verbs) > 1 {
			t.Errorf("`vespe %s` is %q: one of them needs another name in Aliases", old, verbs)
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
