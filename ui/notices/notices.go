// Package notices keeps what is to be read on the screen now, and what has been.
package notices

import (
	"slices"
	"time"

	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Notice is one of them.
type Notice struct {
	view.Notice
	ID int
	At time.Time
}

// keptNotices is how many the log holds.
const keptNotices = 200

// Notices holds what is to be read now and what has been.
type Notices struct {
	Last int      // id of the newest
	live []Notice // oldest first; failures stay until they are read, successes come and go
	log  []Notice // everything, oldest first
}

// Add puts a notice on the screen and into the log, and returns its id.
func (ns *Notices) Add(said view.Notice, at time.Time) int {
	ns.Last++
	n := Notice{said, ns.Last, at}
	if n.Level != view.Failure { // a newer success replaces an older one
		ns.dropFading()
	} else if slices.ContainsFunc(ns.live, func(o Notice) bool { return o.Level == view.Failure && o.Text == n.Text && o.Why == n.Why }) {
		return n.ID // a poll that fails every second is one message
	}
	ns.live = append(ns.live, n)
	ns.keep(n)
	return n.ID
}

func (ns *Notices) dropFading() {
	ns.live = slices.DeleteFunc(ns.live, func(n Notice) bool { return n.Level != view.Failure })
}

// DropRemark takes what fades and tells why nothing was done off the screen; false without one.
func (ns *Notices) DropRemark() bool {
	n, ok := ns.Fading()
	if ok = ok && n.Level == view.Remark; ok {
		ns.dropFading()
	}
	return ok
}

// DropOld is DropRemark for one that has been there long enough to be read.
func (ns *Notices) DropOld(now time.Time) bool {
	n, ok := ns.Fading()
	return ok && now.Sub(n.At) >= ReadAfter && ns.DropRemark()
}

// Expire takes one fading notice off the screen.
func (ns *Notices) Expire(id int) {
	ns.live = slices.DeleteFunc(ns.live, func(n Notice) bool { return n.ID == id && n.Level != view.Failure })
}

// Dismiss marks the failure on screen as read and reports whether there was one. One that has just taken the place of
// another is left for the next key: this one was on its way.
func (ns *Notices) Dismiss(now time.Time) bool {
	i := ns.failure()
	if old := slices.IndexFunc(ns.live, func(n Notice) bool { return n.Level == view.Failure && now.Sub(n.At) >= ReadAfter }); old >= 0 && now.Sub(ns.live[i].At) < ReadAfter {
		i = old
	}
	if i >= 0 {
		ns.live = slices.Delete(ns.live, i, i+1)
	}
	return i >= 0
}

// failure is the index of the one to be read now: the oldest, but those that last come after the others, which
// answer what the person did. It is -1 without one.
func (ns *Notices) failure() int {
	at := slices.IndexFunc(ns.live, func(n Notice) bool { return n.Level == view.Failure && !n.Lasts })
	if at < 0 {
		at = slices.IndexFunc(ns.live, func(n Notice) bool { return n.Level == view.Failure })
	}
	return at
}

// ReadAfter is how long a failure has been on screen before going on counts as having read
// it: keys that were on their way when it came say nothing.
const ReadAfter = 700 * time.Millisecond

// Read removes the messages up to an id that were on screen long enough, once the person went on without another failure.
// It reports whether there were any.
func (ns *Notices) Read(upTo int, now time.Time) bool {
	before := len(ns.live)
	if slices.ContainsFunc(ns.live, func(n Notice) bool { return n.Level == view.Failure && n.ID > upTo }) {
		return false
	}
	ns.live = slices.DeleteFunc(ns.live, func(n Notice) bool {
		return !n.Lasts && n.ID <= upTo && now.Sub(n.At) >= ReadAfter
	})
	return len(ns.live) < before
}

// Record puts a notice into the log alone.
func (ns *Notices) Record(said view.Notice, at time.Time) {
	ns.Last++
	ns.keep(Notice{said, ns.Last, at})
}

func (ns *Notices) keep(n Notice) {
	ns.log = append(ns.log, n)
	if over := len(ns.log) - keptNotices; over > 0 {
		ns.log = append([]Notice(nil), ns.log[over:]...)
	}
}

// DismissLike drops failures with this text: what they complained of is over.
func (ns *Notices) DismissLike(text string) {
	ns.live = slices.DeleteFunc(ns.live, func(n Notice) bool { return n.Level == view.Failure && n.Text == text })
}

// Failure returns the failure to read now, and how many more wait behind it.
func (ns *Notices) Failure() (n Notice, more int, ok bool) {
	at := ns.failure()
	if at < 0 {
		return n, 0, false
	}
	return ns.live[at], len(ns.Unread()) - 1, true
}

// Fading returns the success or remark on screen.
func (ns *Notices) Fading() (Notice, bool) {
	for i := len(ns.live) - 1; i >= 0; i-- {
		if ns.live[i].Level != view.Failure {
			return ns.live[i], true
		}
	}
	return Notice{}, false
}

// Unread are the failures that nobody has read yet.
func (ns *Notices) Unread() []string {
	var out []string
	for _, n := range ns.live {
		if n.Level == view.Failure {
			out = append(out, n.Line())
		}
	}
	return out
}

// Log draws all of them in lines of at most w cells, the newest first.
func (ns *Notices) Log(st *style.Styles, w int) (lines []string) {
	day := ""
	for i := len(ns.log) - 1; i >= 0; i-- {
		n := ns.log[i]
		if d := n.At.Format("Monday, 2 January 2006"); d != day {
			day, lines = d, append(lines, st.Faint.Render(d))
		}
		glyph, ink := st.Glyph.Dot, st.Muted
		switch n.Level {
		case view.Success, view.Done:
			glyph, ink = st.Glyph.Bullet, st.Good
		case view.Failure:
			glyph, ink = st.Glyph.Warning, st.Bad
			if n.Guard != "" {
				n.AddHint("guard " + n.Guard)
			}
		}
		lead, body := st.Faint.Render(n.At.Format("15:04:05"))+" "+ink.Render(glyph)+" ", st.Text
		for _, part := range []string{n.Text, n.Why, n.Hint} {
			if part == "" {
				continue
			}
			for _, line := range text.Wrap(text.Safe(part), max(1, w-text.Width(lead))) {
				lines = append(lines, lead+body.Render(line))
				lead = text.Spaces(text.Width(lead))
			}
			body = st.Muted
		}
	}
	if len(lines) == 0 {
		lines = []string{st.Muted.Render("No activity yet.")}
	}
	return lines
}
