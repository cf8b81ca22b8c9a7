package core

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CheckFlags refuses what no verb can mean: a flag whose value is empty, which is how an
// unset variable of a script arrives, and an actor that is none.
func (a *App) CheckFlags(cmd *cobra.Command) error {
	var empty string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Value.Type(), "string") && f.Name != MessageFlag && blank(f.Value) {
			empty = f.Name
		}
	})
	if empty != "" {
		return Usagef("--%s is empty: give it a value or omit it", empty)
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return Usagef("%s; see `%s --help`", together(err), cmd.CommandPath())
	}
	_, err := a.named()
	return err
}

// flagGroup finds the flags in cobra's words about those that were given and do not go together.
var flagGroup = lazyregexp.New(`; \[([^\]]+)\] were all set$`)

// together says which flags do not go together.
func together(err error) string {
	m := flagGroup.Get().FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	return "--" + strings.Join(strings.Fields(m[1]), " and --") + " can't be combined"
}

// AnyNumber is no limit to arguments.
const AnyNumber = 1 << 30

// Between checks the number of arguments.
func Between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var wrong string
		switch n := len(args); {
		case n > most && cmd.HasSubCommands():
			return Usagef("`%s` has no verb %q; %s", cmd.CommandPath(), args[0], Suggestion(cmd, args[0]))
		case n < least:
			wrong = "an argument is missing"
			if least-n > 1 {
				wrong = fmt.Sprintf("%d arguments are missing", least-n)
			}
		case n > most:
			wrong = "too many arguments (quote a name that has spaces)"
		default:
			return nil
		}
		use := strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
		return Usagef("%s; usage: `%s`; see `%s --help`", wrong, use, cmd.CommandPath())
	}
}

func blank(v pflag.Value) bool {
	if list, ok := v.(pflag.SliceValue); ok {
		return slices.ContainsFunc(list.GetSlice(), func(s string) bool { return strings.TrimSpace(s) == "" })
	}
	return strings.TrimSpace(v.String()) == ""
}

// mostSuggested is how many verbs or flags are suggested for one that does not exist.
const mostSuggested = 3

// Suggestion names the verbs that are nearest to a word, or begin with it: those of the command, or else of all groups.
// In a short word every letter counts.
func Suggestion(cmd *cobra.Command, word string) string {
	for distance := 1; distance <= min(2, (len(word)+2)/3); distance++ {
		names := near(cmd, "", word, distance)
		if len(names) == 0 {
			for _, group := range cmd.Root().Commands() {
				if group.GroupID != "" {
					names = append(names, near(group, group.Name()+" ", word, distance)...)
				}
			}
		}
		if len(names) > 0 {
			return "did you mean " + strings.Join(names[:min(len(names), mostSuggested)], " or ") + "?"
		}
	}
	return "see `" + cmd.CommandPath() + " --help`"
}

// near are the verbs below a command that are called like a word, or meant by it.
func near(cmd *cobra.Command, above, word string, distance int) (names []string) {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		called := &cobra.Command{SuggestionsMinimumDistance: distance}
		for _, name := range append([]string{c.Name(), strings.TrimSpace(above) + c.Name(), c.Annotations[OldName]}, c.SuggestFor...) {
			called.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
		}
		if len(called.SuggestionsFor(word)) > 0 {
			names = append(names, above+c.Name())
		}
	}
	return names
}

// SuggestedFlags names the flags of a command that begin with a name or are near to it; "" for none.
func SuggestedFlags(cmd *cobra.Command, name string) string {
	if len(name) < 2 {
		return ""
	}
	flags := &cobra.Command{SuggestionsMinimumDistance: min(2, (len(name)+2)/3)}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	names := flags.SuggestionsFor(name)
	if len(names) == 0 {
		return ""
	}
	return "did you mean --" + strings.Join(names[:min(len(names), mostSuggested)], " or --") + "?"
}

// FlagError is what pflag refuses, in words of our own.
func FlagError(cmd *cobra.Command, err error) error {
	hint := "see `" + cmd.CommandPath() + " --help`"
	text := err.Error()
	var unknown *pflag.NotExistError
	var alone *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var broken *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		text = "unknown flag -" + unknown.GetSpecifiedName()
	case errors.As(err, &unknown):
		text = "unknown flag --" + unknown.GetSpecifiedName()
		hint = cmp.Or(SuggestedFlags(cmd, unknown.GetSpecifiedName()), hint)
	case errors.As(err, &alone):
		text = "--" + alone.GetFlag().Name + " needs a value"
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		text = fmt.Sprintf("--%s is %q; it must be %s", f.Name, invalid.GetValue(), valueOf(f))
	case errors.As(err, &broken):
		text = "invalid flag " + broken.GetSpecifiedFlag()
	}
	return Usagef("%s; %s", text, hint)
}

// valueOf is what a flag takes.
func valueOf(f *pflag.Flag) string {
	if _, positive := f.Value.(*revisionFlag); positive {
		return "a positive whole number"
	}
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration, such as 90s or 2h"
	case "float64":
		return "a number"
	case "stringSlice":
		return "a list with commas"
	}
	return "a whole number"
}
