// Package agent is the verbs for agents' clients: what they are set up with, and what they start.
package agent

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
		a.installVerb(), a.doctorVerb(), a.primeVerb(), a.mcpVerb(), a.hookVerb(), a.gateVerb(),
	}
}
