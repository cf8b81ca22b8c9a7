// Package lifecycle is a verb for each transition of lifecycle.Table, and requests and waiting beside them.
package lifecycle

import (
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
)

// app is one call of the program.
type app struct{ *core.App }

// Verbs are the verbs of this package.
func Verbs(c *core.App) []*cobra.Command {
	a := &app{c}
	verbs := []*cobra.Command{a.confirmVerb(), a.requestsVerb(), a.waitVerb()}
	for _, t := range lifecycle.Table() {
		group, verb, ok := strings.Cut(t.Name.CommandPath(), " ")
		if !ok {
			continue
		}
		construct := a.transitionVerb
		switch t.Name {
		case model.Ask:
			construct = a.askVerb
		case model.Check:
			construct = a.checkVerb
		case model.AnswerRequest:
			construct = a.answerVerb
		}
		c := construct(t) // its Use are the arguments
		c.GroupID, c.Use, c.Aliases = group, verb+" "+c.Use, []string{t.Name.Verb()}
		verbs = append(verbs, c)
	}
	return verbs
}
