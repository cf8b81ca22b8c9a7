// Package lifecycle is a verb for each transition of model.Table, and requests and waiting beside them.
package lifecycle

import (
	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
)

// app is one call of the program.
type app struct{ *core.App }

// Verbs are the verbs of this package.
func Verbs(c *core.App) []*cobra.Command {
	a := &app{c}
	verbs := []*cobra.Command{a.confirmVerb(), a.requestsVerb(), a.waitVerb()}
	for _, t := range model.Table() {
		switch {
		case t.Who == model.WhoSystem:
		case t.Name == model.Ask:
			verbs = append(verbs, a.askVerb(t))
		case t.Name == model.Check:
			verbs = append(verbs, a.checkVerb(t))
		case t.Name == model.AnswerRequest:
			verbs = append(verbs, a.answerVerb(t))
		default:
			verbs = append(verbs, a.transitionVerb(t))
		}
	}
	return verbs
}
