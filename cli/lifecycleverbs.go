// Package lifecycle is a verb for each transition of model.Table, and requests and waiting beside them.
package cli

import (
	"github.com/spf13/cobra"

	"vespe/model"
)

// lifecycleVerbs are the verbs of this package.
func lifecycleVerbs(a *app) []*cobra.Command {
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
