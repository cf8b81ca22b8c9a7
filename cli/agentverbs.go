// Package agent is the verbs for agents' clients: what they are set up with, and what they start.
package cli

import "github.com/spf13/cobra"

// agentVerbs are the verbs of this package.
func agentVerbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.installVerb(), a.primeVerb(), a.mcpVerb(), a.hookVerb(), a.gateVerb(),
	}
}
