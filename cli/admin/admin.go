// Package admin is the verbs of a whole store.
package admin

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
		a.initVerb(), a.importVerb(), a.exportVerb(), a.doctorVerb(), a.verifyVerb(), a.mergeVerb(), a.trustVerb(),
		a.versionVerb(), a.verbsVerb(),
	}
}
