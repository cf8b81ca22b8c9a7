package cli

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/visible"
)

// leftOutOf is what the acceptance of a revision of a plan leaves out, in words; nil where that one
// is not accepted, or all of it.
func leftOutOf(snap *model.Snapshot, t *model.Task, revision int) []string {
	p := t.Status.AcceptedPlan
	if p == nil || p.PlanRevision != revision {
		return nil
	}
	var out []string
	for _, what := range p.Excluded {
		if child, ok := snap.Task(model.UID(what)); ok {
			out = append(out, fmt.Sprintf("the subtask %q (%s)", child.Config.Name, child.UID))
			continue
		}
		out = append(out, fmt.Sprintf("the section %q, with those below it", what))
	}
	return out
}

// leftOut is what of the plan is not to be done, as a paragraph; "" for nothing.
func (o *reviewObject) leftOut() string {
	if len(o.leftOutWords) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("These parts are not accepted:\n\n")
	for _, what := range o.leftOutWords {
		fmt.Fprintf(&b, "- %s\n", visible.Line(what))
	}
	return b.String()
}
