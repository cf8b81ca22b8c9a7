// Package announce tells the terminal of what has come into the inbox.
package announce

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/text"
)

// Way is how the terminal is told that something waits for the person. Any other is none.
type Way string

// The ways.
const (
	Bell Way = "bell" // BEL: a sound, or whatever the terminal makes of it
	OSC9 Way = "osc9" // a notification of the desktop, where the terminal knows OSC 9
)

// rest is the least time between two announcements.
const rest = 10 * time.Second

// longest is how many characters of a title are announced.
const longest = 100

// waitsKey is what makes an item of the inbox the same in two snapshots.
type waitsKey struct {
	kind    snapshot.InboxKind
	uid     model.UID
	request string
	problem model.Problem
}

// Announcer knows what waits, to tell of what is new.
type Announcer struct {
	Way Way

	known   map[waitsKey]bool // nil: nothing has been looked at yet
	of      *snapshot.Snapshot
	expires time.Time // when the next request does
	last    time.Time // of the last announcement
	news    []string  // titles that have not been announced
}

// Tell tells of what has come into the inbox since it was last asked. What was there when the store was first read is
// no news, nor is what the person's own operation put there.
func (n *Announcer) Tell(s *snapshot.Snapshot, now time.Time, own bool) tea.Cmd {
	if n.Way != Bell && n.Way != OSC9 {
		return nil
	}
	if n.of != s || !n.expires.IsZero() && !now.Before(n.expires) {
		n.look(s, now, own)
	}
	if len(n.news) == 0 || !n.last.IsZero() && now.Sub(n.last) < rest {
		return nil
	}
	say := n.news[len(n.news)-1]
	if more := len(n.news) - 1; more > 0 {
		say = fmt.Sprintf("%s, and %d more", say, more)
	}
	n.last, n.news = now, nil
	if n.Way == Bell {
		return tea.Raw("\a")
	}
	// A title that began with a digit and a semicolon would be another command of OSC 9.
	return tea.Raw("\x1b]9;vespe: " + say + "\a")
}

// look compares what waits with what was known.
func (n *Announcer) look(s *snapshot.Snapshot, now time.Time, own bool) {
	first, was := n.known == nil, n.known
	n.known, n.of, n.expires = map[waitsKey]bool{}, s, time.Time{}
	items := s.InboxAt(now)
	for i := range items {
		it := &items[i]
		if it.Kind.IsParked() {
			continue
		}
		if e := it.Expires; it.Kind == snapshot.InboxWaiting && !e.IsZero() && (n.expires.IsZero() || e.Before(n.expires)) {
			n.expires = e
		}
		key := waitsKey{kind: it.Kind, request: it.Request}
		if it.Task >= 0 {
			key.uid = s.UID(int(it.Task))
		}
		if it.Problem >= 0 {
			key.problem = s.Problems()[it.Problem]
		}
		n.known[key] = true
		if !first && !own && !was[key] {
			n.news = append(n.news, announced(it))
		}
	}
}

// announced is an item in a few plain words.
func announced(it *snapshot.InboxItem) string {
	what := map[snapshot.InboxKind]string{
		snapshot.InboxPlan: "a plan to review", snapshot.InboxWork: "work to review", snapshot.InboxWaiting: "a request",
		snapshot.InboxExpired: "a request has expired", snapshot.InboxStale: "an approval of another text",
		snapshot.InboxChanged: "a task has changed", snapshot.InboxEscalation: "an escalation", snapshot.InboxFailed: "a failed attempt",
		snapshot.InboxElsewhere: "an acceptance to confirm", snapshot.InboxProblem: "a problem",
	}[it.Kind]
	if what == "" {
		what = it.Kind.String()
	}
	return what + ": " + text.Truncate(text.SafeLine(it.Title), longest)
}
