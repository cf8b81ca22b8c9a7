// Package write is the verbs that make and edit tasks and milestones.
package write

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
		a.newVerb(), a.renameVerb(), a.stepVerb(), a.setVerb(), a.depVerb(), a.milestoneVerb(), a.prioritizeVerb(),
		a.decomposeVerb(), a.reflectVerb(), a.promptVerb(), a.progressVerb(),
	}
}
