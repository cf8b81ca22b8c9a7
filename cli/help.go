package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vespe/cli/core"
	"vespe/cli/look"
	"vespe/model/snapshot"
)

// setHelp lets fang draw the help for people at a terminal. fang has the call only then: it
// asks the terminal for its background, with an escape sequence, whatever NO_COLOR says,
// and waits for seconds where nothing answers, as in an agent's pseudo-terminal; and it
// would ask before each error message too.
func setHelp(a *core.App, root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			fmt.Fprint(a.Stdout, overview(root))
			return
		}
		if !a.IsTerminal || a.Plain() || a.AgentHere() != "" {
			cmd.Long = reflow(cmd.Long, helpWidth)
			plain(cmd, args)
			return
		}
		if a.Out.Flush() != nil {
			return // Main says so
		}
		styled := core.NewApp(a.Deps)
		styled.Stdout = a.Direct
		fresh := newRoot(styled)
		fresh.InitDefaultHelpCmd()
		fitHelp(fresh, strings.Fields(cmd.CommandPath())[1:])
		fresh.SetArgs(append(strings.Fields(cmd.CommandPath())[1:], "--help"))
		_ = fang.Execute(cmd.Root().Context(), fresh, fang.WithoutManpage(), fang.WithVersion(a.Version)) // --help has no errors
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [VERB]", Short: "Help about a verb", Example: "  vespe help plan accept",
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
				return core.Usagef("unknown verb %q; see `vespe --help`", strings.Join(args, " "))
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	})
}

// overview is the help of vespe itself, which fits a screen.
func overview(root *cobra.Command) string {
	b := root.Short + ". `vespe` alone opens the workbench.\n\n"
	for _, name := range daily()[:listed] {
		if c, _, err := root.Find([]string{name}); err == nil {
			b += "  " + core.Pad(name, 11) + c.Short + "\n"
		}
	}
	b += "\nGroups: `vespe GROUP --help` lists the verbs of one, `vespe verbs` lists all\n"
	for _, g := range root.Groups() {
		b += "  " + core.Pad(g.ID, 11) + g.Title + "\n"
	}
	return b
}

// Columns of help in a terminal of 80: for a text beside its margin, and for what is said
// beside a verb or a flag.
const (
	helpWidth   = 74
	besideWidth = 58
)

// fitHelp makes one verb's help fit a terminal of 80 columns. fang breaks what is too long
// for a line anywhere, and lists verbs with their arguments, which leaves no room for what
// they do: they are in each verb's own help. The verbs of root are changed, and good for help only.
func fitHelp(root *cobra.Command, path []string) {
	cmd, _, err := root.Find(path)
	if err != nil {
		return
	}
	cmd.Long = reflow(cmd.Long, helpWidth)
	for _, sub := range cmd.Commands() {
		sub.Use, sub.Short = sub.Name(), reflow(sub.Short, besideWidth)
		sub.ResetFlags()
		sub.RemoveCommand(sub.Commands()...)
	}
	fit := func(f *pflag.Flag) { f.Usage = reflow(f.Usage, besideWidth) }
	root.PersistentFlags().VisitAll(fit)
	cmd.Flags().VisitAll(fit)
}

// fullLine is from how many characters on a line is taken to continue in the next one.
const fullLine = 60

// reflow breaks lines between words at a width, and joins those that were broken before.
// Indented lines, short ones and those that begin with a label, such as From:, stay as they are.
func reflow(text string, width int) string {
	var out []string
	open := false // the last line continues
	for line := range strings.SplitSeq(text, "\n") {
		prose := line != "" && line[0] != ' ' && line[0] != '\t'
		label, _, labeled := strings.Cut(line, ": ")
		labeled = labeled && !strings.Contains(label, " ") && label != strings.ToLower(label)
		full := utf8.RuneCountInString(line) >= fullLine
		if open && prose && !labeled {
			line = out[len(out)-1] + " " + line
			out = out[:len(out)-1]
		}
		for prose && utf8.RuneCountInString(line) > width {
			end := len(string([]rune(line)[:width+1]))
			space := strings.LastIndexByte(line[:end], ' ')
			if space <= 0 {
				break
			}
			out, line = append(out, line[:space]), line[space+1:]
		}
		out, open = append(out, line), prose && full
	}
	return strings.Join(out, "\n")
}

// filterArgs lets a filter's `-is:done` through, which would be read as flags: in the
// arguments of `ls` and `search` it becomes `!is:done`, the same filter.
func filterArgs(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil {
		return args
	}
	name := cmp.Or(cmd.Annotations[core.OldName], cmd.Name())
	if name != "ls" && name != "search" || cmd.Parent() != root && cmd.Parent().GroupID != "task" {
		return args
	}
	keys, _ := snapshot.FilterKeys()
	if name == "search" {
		keys = append(keys, look.FieldNames()...)
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		key, _, ok := strings.Cut(strings.TrimPrefix(arg, "-"), ":")
		if !ok && name == "search" && len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && cmd.Flag("dir").Shorthand != arg[1:2] && arg[1] != 'h' {
			args[i] = "!" + arg[1:] // a word to leave out
		}
		if ok && strings.HasPrefix(arg, "-") && slices.Contains(keys, key) {
			args[i] = "!" + arg[1:]
		}
	}
	return args
}
