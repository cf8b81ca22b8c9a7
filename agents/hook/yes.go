package hook

import (
	"fmt"
	"strings"

	"vespe/agents/desk"
	"vespe/model/plantext"
	"vespe/model/visible"
)

// A yes may come with words, comments and parts that are left out, and the clients have no field for any of them. So they
// are an order of their own, which reaches the model by what the event allows: in the plan that the client hands to it
// (PermissionRequest and the permission_prompt tool), beside the call (PreToolUse), or after it (PostToolUse).

// saidWith is what a person said with their yes, as an order; "" where they said nothing but yes.
func saidWith(r *desk.Review) string {
	text := strings.TrimSpace(visible.String(r.Text))
	list, _ := openComments(r)
	switch {
	case r.State == desk.StateEdited:
		out := fmt.Sprintf("%s CHANGED YOUR INPUT, and the call was made with the new one (%s):\n%s", visible.Line(r.By), r.ReviewID, fence("json", visible.String(string(r.Args))))
		return out + theirWords(text)
	case r.State != desk.StateAccepted, text == "" && len(r.Excluded) == 0 && list == "":
		return ""
	case r.Kind != desk.KindPlan:
		return fmt.Sprintf("%s ALLOWED THIS CALL WITH INSTRUCTIONS (%s). Follow them.\n", visible.Line(r.By), r.ReviewID) + theirWords(text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s ACCEPTED THIS PLAN ONLY WITH WHAT FOLLOWS (%s). It overrides the plan.\n", visible.Line(r.By), r.ReviewID)
	b.WriteString(theirWords(text))
	if len(r.Excluded) > 0 {
		b.WriteString("These parts are NOT accepted. Do not do them:\n")
		for _, what := range r.Excluded {
			fmt.Fprintf(&b, "- %s\n", visible.Line(what))
		}
	}
	if list != "" {
		b.WriteString("Their comments. They are notes on the work, and need no other plan:\n" + list)
	}
	return b.String()
}

func theirWords(text string) string {
	if text == "" {
		return ""
	}
	return "They say:\n" + fence("", text)
}

// asAccepted is an accepted plan as a session is to have it: what was said with the acceptance, then the plan without
// the sections that were left out; the plan as it is where nothing was said.
func asAccepted(said, plan string, excluded []string) string {
	if said == "" {
		return plan
	}
	sections := plantext.Sections(plan)
	left := plantext.LeftOut(sections, excluded)
	var b strings.Builder
	b.WriteString(said + "\n---\n\n")
	n, until := 0, 0
	for line := range strings.Lines(plan) {
		n++
		for i, s := range sections {
			if left[i] && s.From == n && n > until {
				until = s.To
				fmt.Fprintf(&b, "(Not accepted, and not to be done: the section %q.)\n\n", visible.Line(s.Title))
			}
		}
		if n > until {
			b.WriteString(line)
		}
	}
	return b.String()
}
