package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
)

// verbs are all commands with a RunE of their own, with their arguments.
func verbs(c *cobra.Command, path []string) [][]string {
	var out [][]string
	for _, sub := range c.Commands() {
		at := append(slices.Clone(path), sub.Name())
		out = append(out, at)
		out = append(out, verbs(sub, at)...)
	}
	return out
}

func TestEveryVerbHasHelpAndExample(t *testing.T) {
	c := at(t, t.TempDir())
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &bytes.Buffer{}}))
	all := verbs(root, nil)
	if len(all) < 35 {
		t.Fatalf("only %d verbs", len(all))
	}
	for _, path := range all {
		cmd, _, err := root.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "vespe ") {
				t.Errorf("%v: the example %q does not show a call", path, line)
			}
		}
		out := c.must(append(slices.Clone(path), "--help")...)
		call := cmd.CommandPath()
		short := "vespe " + cmd.Name() // the old name of most
		switch call {
		case "vespe task", "vespe task list":
			short = "vespe ls"
		case "vespe agent":
			short = "vespe install"
		}
		// An old name shows the new one.
		if !strings.Contains(out, "Examples:\n") || !cmd.Hidden && !strings.Contains(cmd.Example, call) && !strings.Contains(cmd.Example, short) {
			t.Errorf("%v: the help has no example of %q:\n%s", path, call, out)
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%v: short help %q", path, cmd.Short)
		}
		help := c.must(append([]string{"help"}, path...)...)
		if help != out {
			t.Errorf("%v: help and --help differ", path)
		}
	}
}

// Each row of the table that people or agents fire is a verb, and no other row is.
func TestVerbsOfTheTable(t *testing.T) {
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &bytes.Buffer{}}))
	for _, row := range lifecycle.Table() {
		cmd, _, err := root.Find([]string{row.Name.Verb()})
		found := err == nil && cmd.Name() == row.Name.Verb()
		if found != (row.Who != model.WhoSystem) {
			t.Errorf("%s (%s): a verb is %v", row.Name, row.Who, found)
			continue
		}
		if !found {
			continue
		}
		for _, flag := range []string{"op-id", "if-revision", "dry-run"} {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s has no --%s", row.Name, flag)
			}
		}
		if grouped, _, err := root.Find(strings.Fields(row.Name.CommandPath())); err != nil || grouped.Flags() != cmd.Flags() || grouped.CommandPath() != row.Name.Command() {
			t.Errorf("%s is not %s", row.Name.Command(), row.Name.Verb())
		}
		_, text := argOf(row, model.ArgText)
		if (cmd.Flags().Lookup("file") != nil) != text {
			t.Errorf("%s: --file does not go with its arguments", row.Name)
		}
		_, reason := argOf(row, model.ArgReason)
		if (cmd.Flags().Lookup(core.MessageFlag) != nil) != (text || reason) {
			t.Errorf("%s: -m does not go with its arguments", row.Name)
		}
	}
}

func TestFilterArguments(t *testing.T) {
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &bytes.Buffer{}}))
	for _, tt := range []struct{ in, want []string }{
		{[]string{"ls", "-is:done"}, []string{"ls", "!is:done"}},
		{[]string{"-C", "x", "ls", "a", "-under:b"}, []string{"-C", "x", "ls", "a", "!under:b"}},
		{[]string{"ls", "--", "-is:done"}, []string{"ls", "--", "-is:done"}},
		{[]string{"ls", "--limit", "3", "-x"}, []string{"ls", "--limit", "3", "-x"}},
		{[]string{"tree", "-is:done"}, []string{"tree", "-is:done"}},
		{[]string{"dep", "ls", "-is:done"}, []string{"dep", "ls", "-is:done"}},
		{[]string{"task", "list", "-is:done"}, []string{"task", "list", "!is:done"}},
		{[]string{"task", "search", "a", "-bc"}, []string{"task", "search", "a", "!bc"}},
		{[]string{"run", "list", "-is:done"}, []string{"run", "list", "-is:done"}},
		{[]string{"milestone", "ls", "-is:done"}, []string{"milestone", "ls", "-is:done"}},
	} {
		in := slices.Clone(tt.in)
		if got := filterArgs(root, in); !slices.Equal(got, tt.want) || !slices.Equal(in, tt.in) {
			t.Errorf("%v became %v, want %v", tt.in, got, tt.want)
		}
	}
}

// What a dry run says is what then happens.
func TestDryRunTellsTheTruth(t *testing.T) {
	c := fresh(t)
	c.stdin = "An objective.\n"
	c.must("new", "A", "--objective", "-")
	for _, args := range [][]string{
		{"define-plan", "A", "p"},
		{"reject-plan", "A", "-m", "no"},
		{"define-plan", "A", "q"},
		{"set", "A", "risk=high"},
		{"accept-plan", "A"},
		{"start", "A"},
		{"error", "A", "x"},
		{"retry", "A"},
		{"pause", "A", "-m", "x"},
		{"rename", "A", "A"},
		{"resume", "A"},
		{"start", "A"},
		{"work-completed", "A", "done"},
		{"review-accepted", "A"},
		{"undo", "A"},
		{"start", "A"},
	} {
		var dry, done struct {
			Summary string
			Changed []string
			DryRun  bool `json:"dry_run"`
			Error   *core.ErrorObject
		}
		before := c.must("--json", "ls")
		dryCode := c.object(&dry, append(slices.Clone(args), "--dry-run")...)
		if after := c.must("--json", "ls"); after != before {
			t.Fatalf("%v --dry-run changed something", args)
		}
		code := c.object(&done, args...)
		if dryCode != code || dry.Summary != done.Summary || !slices.Equal(dry.Changed, done.Changed) {
			t.Errorf("%v: %d %+v was foretold, %d %+v happened", args, dryCode, dry, code, done)
		}
		if code == core.ExitOK && !dry.DryRun {
			t.Errorf("%v: the answer does not say that it was a dry run", args)
		}
	}
	// Bytes count, too: what was seen is not what is there.
	c.must("new", "B", "--objective", "-")
	c.must("define-plan", "B", "p")
	zeros := "sha256-" + strings.Repeat("0", 64)
	if code, _, errs := c.run("accept-plan", "B", "--seen", zeros, "--dry-run"); code != core.ExitConflict {
		t.Errorf("a dry run of accepting something else: exit code %d, %q", code, errs)
	}
}
