package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"vespe/cli/admin"
	"vespe/cli/agent"
	"vespe/cli/core"
	"vespe/cli/lifecycle"
	"vespe/cli/look"
	"vespe/cli/run"
	"vespe/cli/write"
	"vespe/model"
)

// Main runs one call and returns its exit code.
func Main(ctx context.Context, d core.Deps) int {
	a := core.NewApp(d)
	root := newRoot(a)
	root.SetArgs(filterArgs(root, d.Args))
	err := root.ExecuteContext(ctx)
	if errors.Is(err, syscall.EPIPE) {
		err = nil
	}
	if err != nil {
		a.PrintError(err)
	}
	code := core.ExitCode(err)
	if werr := a.Out.Flush(); werr != nil && !errors.Is(werr, syscall.EPIPE) {
		fmt.Fprintln(d.Stderr, "vespe: can't write the output:", werr)
		switch {
		case a.Wrote && (code == core.ExitOK || code == core.ExitFailed):
			fmt.Fprintln(d.Stderr, "  the operation succeeded; to print its output again, repeat it with the same --op-id")
			code = core.ExitUnsure
		case code == core.ExitOK:
			code = core.ExitFailed
		}
	}
	for _, s := range a.Opened {
		if cerr := s.Close(); cerr != nil && code == core.ExitOK {
			fmt.Fprintln(d.Stderr, "vespe: can't close the store:", cerr)
			code = core.ExitFailed
		}
	}
	if a.Hooked {
		code = core.ExitOK
	}
	// cobra keeps the completions of flags for as long as the process runs, and by way of them
	// the app: anyone who calls Main again and again must not pay for each call's buffer and stores.
	*a = core.App{}
	return code
}

// ForWorkbench reports whether the arguments have a verb that opens the workbench.
func ForWorkbench(d core.Deps) bool {
	root := newRoot(core.NewApp(d))
	c, _, err := root.Find(filterArgs(root, d.Args))
	return err == nil && (c == root || c.Name() == "demo")
}

// newRoot is vespe itself, with its verbs.
func newRoot(a *core.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "vespe",
		Short: "The review desk for work done by AI agents",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return core.Usagef("unknown verb %q; %s", args[0], core.Suggestion(cmd, args[0]))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.CheckFlags(cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, has, err := where(a); err == nil && !has && someone(a) {
				return welcome(cmd.Context(), a)
			}
			return a.OpenOrPrint(cmd.Context())
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       a.Version,
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.PersistentFlags().StringVarP(&a.StartDir, "dir", "C", "", "look for the store starting in this directory")
	root.PersistentFlags().BoolVar(&a.Here, "here", false, "use the store of this git worktree, not the main one")
	root.PersistentFlags().BoolVar(&a.JSON, "json", false, "print one JSON object")
	root.PersistentFlags().StringVar(&a.As, "as", "", "act as KIND:NAME (human, agent, system, mcp_client)")
	root.PersistentFlags().BoolVar(&a.NoColor, "no-color", false, "no colors; NO_COLOR does the same")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return core.FlagError(cmd, err)
	})
	root.AddGroup(
		&cobra.Group{ID: "task", Title: "Create, find, edit and explain tasks"},
		&cobra.Group{ID: "plan", Title: "Write plans, review them and decide on them"},
		&cobra.Group{ID: "comment", Title: "Comment on a plan, and answer or resolve comments"},
		&cobra.Group{ID: "work", Title: "Report work, and accept it or send it back"},
		&cobra.Group{ID: "request", Title: "Ask a person, answer, and wait for answers"},
		&cobra.Group{ID: "run", Title: "Work through ready tasks; start, show and stop runs"},
		&cobra.Group{ID: "milestone", Title: "Create, edit, list and assign milestones"},
		&cobra.Group{ID: "store", Title: "Create, check, import and export a store"},
		&cobra.Group{ID: "agent", Title: "Set up agents, and what their clients call"},
	)
	var verbs []*cobra.Command
	for _, of := range []func(*core.App) []*cobra.Command{look.Verbs, write.Verbs, lifecycle.Verbs, run.Verbs, admin.Verbs, agent.Verbs} {
		verbs = append(verbs, of(a)...)
	}
	for _, c := range verbs {
		if c.Name() == "init" {
			offersSteps(a, c)
		}
	}
	mount(a, root, verbs)
	completionVerb(a, root)
	setHelp(a, root)
	_ = root.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(
		[]string{model.Human + ":", model.Agent + ":", model.System + ":", model.MCPClient + ":"},
		cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
	return root
}

// daily are the verbs that are called without their group. The help lists the first of them.
func daily() []string {
	return []string{"inbox", "ls", "show", "history", "next", "new", "undo", "init", "install", "demo", "search", "wait"}
}

// listed is how many of daily there is room for in the help.
const listed = 10

// mount adds each verb to its group. Its older name, which is its alias or else the same, stays a verb of root: a copy
// that shares functions and flags. A verb with the name of a group is that group's own action.
func mount(a *core.App, root *cobra.Command, verbs []*cobra.Command) {
	grouped := map[string][]*cobra.Command{}
	top := map[string]*cobra.Command{} // the verbs of root
	for _, c := range verbs {
		group, old := c.GroupID, *c
		c.GroupID, old.GroupID = "", ""
		if group == "" {
			top[c.Name()] = c
			continue
		}
		name := c.Name()
		if len(c.Aliases) > 0 {
			name = c.Aliases[0]
			c.Aliases, old.Aliases = nil, nil
		}
		above, last, below := strings.Cut(name, " ")
		old.Use = cmp.Or(last, name) + strings.TrimPrefix(c.Use, c.Name())
		old.Hidden = !slices.Contains(daily(), name)
		c.Annotations = map[string]string{core.OldName: name}
		grouped[group] = append(grouped[group], c)
		if below {
			top[above].AddCommand(&old)
		} else {
			top[name] = &old
		}
	}
	for _, g := range root.Groups() {
		c := top[g.ID]
		if c == nil {
			first, _, _ := strings.Cut(grouped[g.ID][0].Example, "\n")
			c = &cobra.Command{Use: g.ID, Args: core.Between(0, 0), RunE: a.NeedsVerb, Example: first + "\n  vespe " + g.ID + " --help"}
			top[g.ID] = c
		}
		c.GroupID, c.Short, c.Hidden = g.ID, g.Title, false
		c.AddCommand(grouped[g.ID]...)
	}
	root.AddCommand(slices.Collect(maps.Values(top))...)
}

// completionVerb makes cobra's verb like the others: an example each, and what is no shell is refused.
func completionVerb(a *core.App, root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	c.Args, c.RunE = core.Between(0, 0), a.NeedsVerb
	c.Example = "  vespe completion bash"
	for _, shell := range c.Commands() {
		shell.Example = "  " + shell.CommandPath()
	}
}
