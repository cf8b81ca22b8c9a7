package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/agent"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/visible"
)

// step is a choice: the verbs that it runs, and whether welcome ends with them.
type step struct {
	title string
	verbs [][]string
	ends  bool
}

// welcome offers first steps in a directory without a store, and after `vespe init`. Each choice runs a verb that one
// could have typed.
func welcome(ctx context.Context, a *core.App) error {
	a.Choosing = true
	defer func() { a.Choosing = false }()
	var flags []string // as given; each call of a verb begins with none
	for flag, on := range map[string]bool{"--as=" + a.As: a.As != "", "--here": a.Here, "--no-color": a.NoColor, "--dir=" + a.StartDir: a.StartDir != ""} {
		if on {
			flags = append(flags, flag)
		}
	}
	done := map[string]bool{}
	for {
		dir, has, err := where(a)
		if err != nil {
			return err
		}
		if has {
			fmt.Fprintf(a.Stdout, "\nThe store is %s/.vespe. What next?\n\n", visible.Line(dir))
		} else {
			fmt.Fprintf(a.Stdout, "There is no store in %s or above it.\n\n", visible.Line(dir))
		}
		var steps []step
		for _, s := range firstSteps(dir, has) {
			if !done[s.title] {
				steps = append(steps, s)
				fmt.Fprintf(a.Stdout, "  %d  %s\n", len(steps), visible.Line(s.title))
			}
		}
		fmt.Fprint(a.Stdout, "  q  quit\n\n> ")
		if err := a.Out.Flush(); err != nil {
			return err
		}
		word, ok := a.Line()
		n, err := strconv.Atoi(word)
		switch {
		case !ok, word == "q":
			return nil
		case err != nil || n < 1 || n > len(steps):
			fmt.Fprintf(a.Stdout, "Type a number from 1 to %d, or q.\n\n", len(steps))
			continue
		}
		chosen := steps[n-1]
		for _, args := range chosen.verbs {
			fmt.Fprintf(a.Stdout, "$ %s\n", visible.Line(strings.Join(append([]string{"vespe"}, args...), " ")))
			if err = verb(ctx, a, slices.Concat(flags, args)); err != nil {
				break
			}
		}
		if chosen.ends {
			return err
		}
		if err != nil {
			a.PrintError(err)
		}
		done[chosen.title] = err == nil
	}
}

// where is the directory that a store is in or would be made in.
func where(a *core.App) (dir string, has bool, err error) {
	at, err := a.Locate()
	switch {
	case err == nil:
		return at.Root, true, nil
	case core.CodeOf(err) == model.CodeNotFound:
		dir, err = a.Start()
	}
	return dir, false, err
}

// firstSteps are the choices in a directory.
func firstSteps(dir string, has bool) []step {
	var out []step
	add := func(title string, verbs ...[]string) {
		if !has {
			verbs = append([][]string{{"init"}}, verbs...)
		}
		out = append(out, step{title: title, verbs: verbs})
	}
	if has {
		out = append(out, step{"open the workbench", [][]string{{}}, true})
	} else {
		add("create a store here")
	}
	for _, step := range agent.Steps() {
		add(step.Title, []string{"install", step.Client})
	}
	for _, found := range []struct{ file, what string }{
		{".beads/issues.jsonl", "beads"}, {"tasks.json", "--format=tasks-spec"},
	} {
		if _, err := os.Lstat(filepath.Join(dir, found.file)); err == nil {
			add("import "+found.file, []string{"store", "import", found.what, filepath.Join(dir, found.file)})
		}
	}
	return append(out, step{"look at a demo", [][]string{{"demo"}}, true})
}

// verb calls a verb as the command line would.
func verb(ctx context.Context, a *core.App, args []string) error {
	root := newRoot(a)
	a.Args = args
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// offersSteps has `vespe init` end with the first steps, if a person is at the terminal.
func offersSteps(a *core.App, c *cobra.Command) {
	does := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := does(cmd, args); err != nil || !someone(a) || a.Choosing || len(args) > 0 {
			return err
		}
		return welcome(cmd.Context(), a)
	}
}

// someone reports whether a person is at the terminal.
func someone(a *core.App) bool { return a.Opens() && a.StdinTerminal && a.AgentHere() == "" }
