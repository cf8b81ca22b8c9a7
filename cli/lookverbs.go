// Package look is the verbs that show tasks and what happened to them.
package cli

import "github.com/spf13/cobra"

// lookVerbs are the verbs of this package.
func lookVerbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.lsVerb(), a.treeVerb(), a.boardVerb(), a.showVerb(), a.inboxVerb(), a.reviewVerb(), a.graphVerb(), a.diffVerb(), a.historyVerb(),
		a.activityVerb(), a.timelineVerb(), a.statsVerb(), a.atVerb(), a.complexityVerb(), a.searchVerb(), a.sqlVerb(),
		a.nextVerb(), a.wavesVerb(), a.whyVerb(), a.impactVerb(),
	}
}
