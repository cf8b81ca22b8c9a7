package cli

import (
	"context"
	"errors"
	"fmt"
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
		Long: "vespe is the review desk for work done by AI agents. Agents write objectives, plans and\n" +
			"results as plain files under .vespe/; people read them, and accept or reject them.\n\n" +
			"Without a verb it opens the workbench. When standard output is not a terminal it prints\n" +
			"the task tree and what is waiting for a person.",
		Example: "  vespe                       # open the workbench\n" +
			"  vespe demo                  # create a demo store to try it on\n" +
			"  vespe new \"Parse config\" --objective objective.md\n" +
			"  vespe next --json           # what an agent should do next",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return core.Usagef("unknown verb %q; %s", args[0], core.Suggestion(cmd, args[0]))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.CheckFlags(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.OpenOrPrint(cmd.Context()) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           a.Version,
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
		text, _, _ := strings.Cut(err.Error(), ": strconv.")
		return core.Usagef("%s; see `%s --help`", text, cmd.CommandPath())
	})
	root.AddGroup(
		&cobra.Group{ID: "look", Title: "Look"},
		&cobra.Group{ID: "edit", Title: "Write"},
		&cobra.Group{ID: "life", Title: "Lifecycle"},
		&cobra.Group{ID: "run", Title: "Run"},
		&cobra.Group{ID: "agent", Title: "Agents"},
		&cobra.Group{ID: "store", Title: "Store"},
	)
	for _, verbs := range []func(*core.App) []*cobra.Command{look.Verbs, write.Verbs, lifecycle.Verbs, run.Verbs, agent.Verbs, admin.Verbs} {
		root.AddCommand(verbs(a)...)
	}
	if doctor, _, err := root.Find([]string{"doctor"}); err == nil {
		doctor.AddCommand(agent.DoctorVerb(a))
	}
	completionVerb(a, root)
	setHelp(a, root)
	_ = root.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(
		[]string{model.Human + ":", model.Agent + ":", model.System + ":", model.MCPClient + ":"},
		cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
	return root
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
