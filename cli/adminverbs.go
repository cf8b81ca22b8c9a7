// Package admin is the verbs of a whole store.
package cli

import "github.com/spf13/cobra"

// adminVerbs are the verbs of this package.
func adminVerbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		a.initVerb(), a.importVerb(), a.exportVerb(), a.doctorVerb(), a.verifyVerb(), a.mergeVerb(), a.gcVerb(), a.trustVerb(),
		a.versionVerb(), a.verbsVerb(),
	}
}
