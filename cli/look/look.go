// Package look is the verbs that show tasks and what happened to them.
package look

import (
	"github.com/spf13/cobra"

	"vespe/cli/core"
)

// app is one call of the program.
type app struct{ *core.App }

// Verbs are the verbs of this package.
func Verbs(c *core.App) []*cobra.Command {
	a := &app{c}
	return []*cobra.Command{
		a.lsVerb(), a.treeVerb(), a.showVerb(), a.inboxVerb(), a.reviewVerb(), a.graphVerb(), a.diffVerb(), a.historyVerb(),
		a.activityVerb(), a.statsVerb(), a.atVerb(), a.searchVerb(),
		a.nextVerb(), a.wavesVerb(), a.whyVerb(),
	}
}
