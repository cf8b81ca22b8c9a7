package detail

import (
	"fmt"
	"strings"
	"time"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

// ago is how long ago t was, in a sentence; "" for no time, and the date where it isn't known what time it is now.
func (b *base) ago(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case b.now.IsZero():
		return b.local(t).Format("2 Jan 2006")
	}
	return model.Ago(b.now.Sub(t))
}

// local is t in the time zone that the root's clock has.
func (b *base) local(t time.Time) time.Time { return t.In(b.now.Location()) }

// stamp is the moment itself, short: the year only when it differs.
func (b *base) stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = b.local(t)
	if t.Year() != b.now.Year() {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("02 Jan 15:04")
}

// ActorSign tells people from programs at a glance; the name stands beside it.
func (b *base) ActorSign(a model.Actor) (string, style.Ink) { return b.st.Actor(a) }

// actor is who it was, with what kind of actor unless it was a person.
func actor(a model.Actor) string { return text.SafeLine(a.Label()) }

// bytes is a size in words, "12 kB".
func Size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	case n < 1000*1000*1000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

func plural(n int, one string) string { return text.Plural(n, one) }

// short is the part of a hash that people compare.
func short(hash string) string {
	h := strings.TrimPrefix(hash, "sha256-")
	if h == "" {
		return "nothing"
	}
	return text.SafeLine(h[:min(len(h), 8)])
}

// words is untrusted text as one line.
func words(s string) string { return text.SafeLine(strings.Join(strings.Fields(s), " ")) }

// Who is an actor for people: "ann", "robot (agent)".
func Who(a model.Actor) string { return actor(a) }
