// Package run is the verbs of the loop and of its runs, and the demo, on which the loop can work.
package cli

import "github.com/spf13/cobra"

// runVerbs are the verbs of this package.
func runVerbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.runVerb(), a.runsVerb(), a.logsVerb(), a.cancelVerb(), a.integrateVerb(), a.demoVerb(),
	}
}
