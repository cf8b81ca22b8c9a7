package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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

// Changed says in a sentence which file of a task is not what it was accepted with, who changed it, and when, as far as
// the task's history tells.
func (c ChangeReason) Changed(t *Task, tasks interface{ Task(UID) (*Task, bool) }, history []Event, now time.Time) string {
	what, by := FileOf(tasks, c.File), ""
	uid, file, of := strings.Cut(c.File, "/")
	own := !of || uid == string(t.UID)
	if !of {
		file = c.File
	}
	if doc := Doc(strings.TrimSuffix(file, ".md")); doc == Objective || doc == Plan {
		if where, known := strings.CutPrefix(what, file); own {
			what = "the " + string(doc)
		} else if known {
			what = "the " + string(doc) + where
		}
		for _, e := range slices.Backward(history) {
			if own && slices.ContainsFunc(e.Recorded(), func(r DocRevision) bool { return r.Doc == doc }) {
				if by = " by " + Plain(e.Actor.Label()); e.Name == ExternalEdit {
					by = " outside vespe"
				}
				by += " " + Ago(now.Sub(e.At)) + ","
				break
			}
		}
	}
	was := " was changed"
	switch {
	case own && file == "spec.json":
		what = "the specification"
	case c.File == ChangedUnrecorded:
		what = "something that is not recorded"
	case c.File == BoundProtections:
		was = " were changed"
	}
	return Capital(what) + was + by + " after the approval."
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

// Age is a duration as people say how long ago something was, in at most four cells: "now",
// "5m", "3h", "12d", "8w", "2y". A time to come is "now".
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 21*day:
		return fmt.Sprintf("%dd", d/day)
	case d < 365*day:
		return fmt.Sprintf("%dw", d/(7*day))
	default:
		return fmt.Sprintf("%dy", d/(365*day))
	}
}

// Ago is how long ago something was, in a sentence: "just now", "12m ago".
func Ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return Age(d) + " ago"
}

// Earlier is how long before something else it was: "just before", "12m earlier".
func Earlier(d time.Duration) string {
	if d < time.Minute {
		return "just before"
	}
	return Age(d) + " earlier"
}

// Lasting is how long something takes, rounded up to what matters of it: "40s", "12m", "2h05m", "3d4h".
func Lasting(d time.Duration) string {
	const day = 24 * time.Hour
	up := func(unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
	switch {
	case d <= 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", up(time.Second)/time.Second)
	case up(time.Minute) < time.Hour:
		return fmt.Sprintf("%dm", up(time.Minute)/time.Minute)
	case up(time.Minute) < day:
		d = up(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	d = up(time.Hour)
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}
