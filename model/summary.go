package model

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxQuoted bounds a name inside a sentence, in runes.
const MaxQuoted = 60

// Quoted is a task's name for a sentence: in quotes, with everything that cannot be seen
// escaped, and not too long.
func Quoted(t *Task) string {
	name := t.Config.Name
	if name == "" {
		name = string(t.UID)
	}
	return Quote(name)
}

// Quote is a text for a sentence: in quotes, at most MaxQuoted long, with what cannot be seen escaped.
func Quote(text string) string {
	if r := []rune(text); len(r) > MaxQuoted {
		text = string(r[:MaxQuoted-1]) + "…"
	}
	return strconv.Quote(text)
}

// Plural is "1 task", "3 tasks".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// VerbFor picks the form that fits n.
func VerbFor(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// FileOf says which file a ChangeReason means, with a task's name in place of its uid:
// `plan.md of "Parse config"`.
func FileOf(tasks interface{ Task(UID) (*Task, bool) }, file string) string {
	if file == BoundProtections {
		return "the gate or hitl settings in the project's config.json"
	}
	uid, rest, ok := strings.Cut(file, "/")
	if !ok {
		return file
	}
	t, ok := tasks.Task(UID(uid))
	if !ok {
		return file
	}
	return rest + " of " + Quoted(t)
}

// OrSomebody is the actor, or a word for nobody known.
func OrSomebody(a Actor) Actor {
	if a == "" {
		return "somebody"
	}
	return a
}

// Plain is text from a file as part of a sentence: one line, at most 120 characters.
func Plain(s string) string {
	const most = 120
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
