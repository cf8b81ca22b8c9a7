package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Deed is what an operation does: a verb and what follows it, as {"accept", `the plan of "Parser"`}. Without a verb it is
// what happened by itself, in words of its own.
type Deed struct{ Verb, Object string }

// Deed is what an operation of this name does to something, which is named by what people call it.
func (n Name) Deed(object string) Deed {
	verb, rest, _ := strings.Cut(n.Phrase(), " ")
	return Deed{verb, strings.TrimSpace(rest + " " + object)}
}

// Did is what an operation of this name has done, where it is clear to what: "Accepted the plan".
func (n Name) Did() string {
	verb, rest, _ := strings.Cut(n.words(false), " ")
	return Deed{verb, rest}.Done()
}

// Past is what an event of this name is called in a list, beside the task's name: "Accepted plan", "Created".
func (n Name) Past() string {
	title := n.Title()
	verb, rest, _ := strings.Cut(title, " ")
	switch does, _, _ := strings.Cut(n.Phrase(), " "); {
	case does == "", n == ExternalEdit: // which vespe only records
		return title
	case !strings.EqualFold(does, verb):
		return n.Did()
	}
	return Deed{strings.ToLower(verb), rest}.Done()
}

// Do is the deed before it is done: `accept the plan of "Parser"`.
func (d Deed) Do() string { return strings.TrimSpace(d.Verb + " " + d.Object) }

// Done is the deed when it has been done: `Accepted the plan of "Parser"`.
func (d Deed) Done() string {
	if d.Verb == "" {
		return Capital(d.Object)
	}
	return strings.TrimSpace(Capital(past(d.Verb)) + " " + d.Object)
}

// past is a verb in the past tense.
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

// Told is the deed when it has been done, and what came of it, a sentence each.
func (d Deed) Told(effects []Effect) string { return sentences(d.Done(), effects) }

func sentences(head string, effects []Effect) string {
	if len(effects) == 0 {
		return head
	}
	return head + ". " + strings.Join(Texts(effects), " ")
}

// asSentence is a clause with a capital and a period. Files and actors stay as they are.
func asSentence(clause string) string {
	if clause == "" {
		return ""
	}
	clause = Capital(clause)
	if quote := strings.HasPrefix(clause, `"`) && strings.Count(clause, `"`) == 2 && strings.HasSuffix(clause, `"`); !quote && !strings.ContainsAny(clause[len(clause)-1:], ".?!") {
		clause += "."
	}
	return clause
}

// Capital is a sentence with a capital. Files and actors at its beginning stay as they are.
func Capital(sentence string) string {
	r, n := utf8.DecodeRuneInString(sentence)
	if first, _, _ := strings.Cut(sentence, " "); n == 0 || strings.ContainsAny(strings.TrimRight(first, ":"), ":/.") {
		return sentence
	}
	return string(unicode.ToUpper(r)) + sentence[n:]
}
