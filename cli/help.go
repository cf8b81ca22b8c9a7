package cli

import (
	"slices"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"vespe/model"
)

// setHelp lets fang draw the help for people at a terminal. fang has the call only then: it
// asks the terminal for its background, with an escape sequence, whatever NO_COLOR says,
// and waits for seconds where nothing answers, as in an agent's pseudo-terminal; and it
// would ask before each error message too.
func (a *app) setHelp(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !a.IsTerminal || a.plain() || a.agentHere() != "" {
			plain(cmd, args)
			return
		}
		if a.out.Flush() != nil {
			return // Main says so
		}
		styled := newApp(a.Deps)
		styled.Stdout = a.direct
		fresh := styled.root()
		fresh.SetArgs(append(strings.Fields(cmd.CommandPath())[1:], "--help"))
		_ = fang.Execute(cmd.Root().Context(), fresh, fang.WithoutManpage(), fang.WithVersion(a.Version)) // --help has no errors
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [VERB]", Short: "Help about a verb", Example: "  vespe help accept-plan",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			at, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range at.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), typed) {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no verb %q; see `vespe --help`", strings.Join(args, " "))
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	})
}

// filterArgs lets a filter's `-is:done` through, which would be read as flags: in the
// arguments of `ls` it becomes `!is:done`, the same filter.
func filterArgs(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != "ls" || cmd.Parent() != root {
		return args
	}
	keys, _ := model.FilterKeys()
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		key, _, ok := strings.Cut(strings.TrimPrefix(arg, "-"), ":")
		if ok && strings.HasPrefix(arg, "-") && slices.Contains(keys, key) {
			args[i] = "!" + arg[1:]
		}
	}
	return args
}
