package text

import "strings"

// verbs are those with which the summary of an operation may begin.
const verbs = " abort accept add answer approve ask assign check choose comment complete create decline decompose defer define deny edit" +
	" escalate fail fetch handle import make pause prioritize re-open record reject remove rename replan report resolve resume retry revalidate reopen set settle" +
	" skip spawn start stop unassign undo "

// Past says the summary of an operation in the past tense: its verb, with a space behind it, and the rest. Without a
// verb all is the rest.
func Past(summary string) (verb, rest string) {
	verb, rest, _ = strings.Cut(summary, " ")
	if !strings.Contains(verbs, " "+verb+" ") {
		return "", Capital(summary)
	}
	for _, noun := range []string{"plan of ", "work of ", "objective of "} {
		if strings.HasPrefix(rest, noun) {
			rest = "the " + rest
		}
	}
	if strings.HasPrefix(rest, "error of ") {
		rest = "an " + rest
	}
	if changed, ok := strings.CutPrefix(rest, "and approve "); ok {
		return "Approved with changes: ", changed
	}
	if verb == "replan" {
		return "Sent back for a new plan: ", rest
	}
	return Capital(past(verb)) + " ", rest
}

// past is a regular verb, or one of a few others, in the past tense.
func past(verb string) string {
	switch verb {
	case "choose":
		return "chose"
	case "make":
		return "made"
	case "set":
		return verb
	case "undo":
		return "undid"
	case "skip", "stop", "defer":
		return verb + verb[len(verb)-1:] + "ed"
	case "deny", "retry":
		return strings.TrimSuffix(verb, "y") + "ied"
	}
	return strings.TrimSuffix(verb, "e") + "ed"
}
