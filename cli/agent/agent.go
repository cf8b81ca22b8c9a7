// Package agent is the verbs for agents' clients: what they are set up with, and what they start.
package agent

import (
	"github.com/spf13/cobra"

	"vespe/agents/doctor"
	"vespe/agents/install"
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

// Steps are the clients that a person may connect first, with a title each: those that are installed, and any other.
func Steps() (out []struct{ Title, Client string }) {
	for _, client := range doctor.Installed() {
		out = append(out, struct{ Title, Client string }{"connect " + client + " (installed)", client})
	}
	which := "an agent"
	if len(out) > 0 {
		which = "another agent"
	}
	return append(out, struct{ Title, Client string }{"connect " + which + " through AGENTS.md", install.Generic})
}
