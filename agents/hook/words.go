package hook

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vespe/agents/desk"
	"vespe/model/visible"
)

// What agents are told. It is said as an order: what reads as a remark is passed over.

const (
	notDecided = "No one has decided yet. This is neither a yes nor a no. "
	notAnother = "Do not try to do the same in another way. "
	endTurn    = "End your turn now. You are called again once a person has decided; then make exactly this call again."
)

func pendingText(r *desk.Review) string {
	return fmt.Sprintf("THIS CALL WAITS FOR A PERSON, recorded as %s. %s%s%s", r.ReviewID, notDecided, notAnother, endTurn)
}

func onePendingText(id string) string {
	return fmt.Sprintf("THIS CALL WAS NOT MADE: another one, %s, waits for a person, and only one can wait at a time. %sRetry this call after that one is decided.", id, notAnother)
}

// decidedText says why a call is not to be made, of a review that is over.
func decidedText(r *desk.Review, what string) string {
	said := strings.TrimSpace(visible.String(r.Text))
	by := ""
	if r.By != "" {
		by = " (" + visible.Line(r.By) + ", " + r.ReviewID + ")"
	}
	switch r.State {
	case desk.StateDenied:
		return fmt.Sprintf("A PERSON DENIED %s%s. Do not do it, and do not try to do the same in another way. %s", what, by, because(said, "Do what they say instead: "))
	case desk.StateAnswered:
		return fmt.Sprintf("A PERSON DID NOT ALLOW %s and answered instead%s. Do what they say: %s", what, by, said)
	case desk.StateEdited:
		return fmt.Sprintf("A PERSON ALLOWED SOMETHING ELSE than %s%s. Do not make your call. Make it once with exactly this input instead: %s\n%s", what, by, visible.String(string(r.Args)), said)
	}
	return fmt.Sprintf("%s IS NOT ALLOWED: the question about it (%s) is %s. %sIf it is still needed, make the call again.", upperFirst(what), r.ReviewID, r.State, notAnother)
}

func because(said, lead string) string {
	if said == "" {
		return "Continue without it."
	}
	return lead + said
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// changedText is for a call whose id or place was decided on with another input.
const changedText = "THIS CALL IS NOT ALLOWED: a person decided on a different input. Do not change a call after asking about it. If you need this one, make it as a new call."

// brokenText is for whatever keeps vespe from finding out what is to become of a call.
func brokenText(err error) string {
	return "vespe can't tell whether this call is allowed, so it is not: " + strings.TrimSuffix(visible.String(clip(err.Error(), 2<<10)), ".") +
		". Do not try to do the same in another way, and do not repair .vespe yourself. Tell the person what this says (they can run `vespe store doctor`), and stop."
}

// clip is at most n bytes of a text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for !utf8.ValidString(s) && s != "" {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// title is a text in one line of at most n characters, with nothing hidden.
func title(s string, n int) string {
	s = visible.Line(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " "))
	if r := []rune(s); len(r) > n {
		s = strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return s
}

// fence is a text as a Markdown block that nothing in it ends.
func fence(lang, text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + mark + "\n"
}
