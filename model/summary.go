package model

import (
	"fmt"
	"strconv"
	"strings"
)

// maxQuoted bounds a name inside a sentence, in runes.
const maxQuoted = 60

// quoted is a task's name for a sentence: in quotes, with everything that cannot be seen
// escaped, and not too long.
func quoted(t *Task) string {
	name := t.Config.Name
	if name == "" {
		name = string(t.UID)
	}
	return quote(name)
}

func quote(text string) string {
	if r := []rune(text); len(r) > maxQuoted {
		text = string(r[:maxQuoted-1]) + "…"
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

// verb picks the form that fits n.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// listed is a few names and how many more there are.
func (x *tx) listed(uids []UID) string {
	const most = 5
	var b strings.Builder
	for i, uid := range uids {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(uids)-most)
			break
		}
		switch {
		case i > 0 && i == len(uids)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(x.named(uid))
	}
	return b.String()
}

// named is the quoted name of a task, or its uid when there is none.
func (x *tx) named(uid UID) string {
	if t, ok := x.w.Task(uid); ok {
		return quoted(t)
	}
	return quote(string(uid))
}

// endedHow says how a task ended, after "it ".
func endedHow(t *Task) string {
	switch t.Status.CurrentState {
	case Failed:
		return "failed"
	case Aborted:
		return "was aborted"
	case Completed:
		if t.reviewed() {
			return "is completed and its work was accepted"
		}
		return "is completed"
	}
	return "is " + string(t.Status.CurrentState)
}

// pausedHow says why a task is paused, after "it is ".
func pausedHow(t *Task) string {
	switch t.Status.PauseKind() {
	case "subtasks":
		return "waiting for its subtasks"
	case "hitl":
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t.Status.PauseReason, "hitl"), ":"))
		if text == "" {
			return "waiting for a person"
		}
		return "waiting for a person: " + quote(text)
	}
	if text := strings.TrimSpace(t.Status.PauseReason); text != "" {
		return "paused: " + quote(text)
	}
	return "paused"
}

func unpauseHint(t *Task) string {
	switch t.Status.PauseKind() {
	case "subtasks":
		return "complete or abort its subtasks; then it resumes by itself"
	case "hitl":
		return "a person can resume it"
	}
	return "resume it first"
}
