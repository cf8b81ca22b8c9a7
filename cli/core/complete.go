package core

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// complete is what cobra asks when a shell completes an argument.
type complete = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// OldName is the annotation of a verb in a group: its name without the group, from before there were groups.
const OldName = "old name"

// NeedsVerb is a verb that only holds others: people get its help, and a program that asked
// for an object is told so.
func (a *App) NeedsVerb(cmd *cobra.Command, _ []string) error {
	if !a.JSON {
		return cmd.Help()
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return Usagef("`%s` needs a verb: %s; see `%s --help`", cmd.CommandPath(), strings.Join(names, ", "), cmd.CommandPath())
}

// CompleteTask offers uids with their names for the first n arguments.
func (a *App) CompleteTask(n int) complete {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_, snap, err := a.Load(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		for i := range snap.Len() {
			uid := string(snap.UID(i))
			if strings.HasPrefix(uid, typed) && !slices.Contains(args, uid) {
				out = append(out, uid+"\t"+visible.Line(snap.Name(i)))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteSet offers a task, then the keys of spec.json.
func (a *App) CompleteSet(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.CompleteTask(1)(cmd, args, typed)
	}
	var out []string
	for _, key := range model.SpecKeys() {
		if strings.HasPrefix(key, typed) {
			out = append(out, key+"=")
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// CompleteFilter offers the keys of a filter, then the values of those that have a list.
func CompleteFilter(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	keys, values := snapshot.FilterKeys()
	key, _, inValue := strings.Cut(typed, ":")
	offers := values[key]
	if !inValue {
		key, offers = "", keys
	}
	var out []string
	for _, offer := range offers {
		if inValue {
			offer = key + ":" + offer
		} else {
			offer += ":"
		}
		if strings.HasPrefix(offer, typed) {
			out = append(out, offer)
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if !inValue {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return out, directive
}
