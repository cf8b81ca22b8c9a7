// Package write is the verbs that make and edit tasks and milestones.
package cli

import "github.com/spf13/cobra"

// writeVerbs are the verbs of this package.
func writeVerbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.newVerb(), a.renameVerb(), a.stepVerb(), a.setVerb(), a.depVerb(), a.milestoneVerb(), a.prioritizeVerb(),
		a.decomposeVerb(), a.reflectVerb(), a.promptVerb(), a.progressVerb(),
	}
}
