package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/view"
)

// level says what kind of notice it is.
type level int

const (
	success level = iota // fades after fadeAfter
	remark               // fades too
	failure              // stays until somebody has read it: dismissed it, or gone on
)

// notice is one message to the person at the screen.
type notice struct {
	id    int
	level level
	at    time.Time
	text  string // one line: what happened or what was not done
	why   string // failure: what is so
	hint  string // failure: what to do
	guard string // failure: the guard that did not hold, for the log
	lasts bool   // failure: it is about something that continues, and ends with that
}

// line is the notice in one line, for the log.
func (n notice) line() string {
	parts := []string{n.text}
	for _, p := range []string{n.why, n.hint} {
		if p != "" && !strings.Contains(n.text, p) {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " — ")
}

// keptNotices is how many the log holds.
const keptNotices = 200

// notices holds what is to be read now and what has been.
type notices struct {
	last int
	live []notice // failures first come, first read; successes come and go
	log  []notice // everything, oldest first
}

// add puts a notice on the screen and into the log, and returns its id.
func (ns *notices) add(n notice) int {
	ns.last++
	n.id = ns.last
	if n.level != failure { // a newer success replaces an older one
		ns.dropFading()
	} else if ns.repeats(n) {
		return n.id
	}
	ns.live = append(ns.live, n)
	ns.keep(n)
	return n.id
}

// repeats reports whether the same failure is on screen already: a poll that fails every
// second is one message.
func (ns *notices) repeats(n notice) bool {
	for _, o := range ns.live {
		if o.level == failure && o.text == n.text && o.why == n.why {
			return true
		}
	}
	return false
}

func (ns *notices) dropFading() {
	kept := ns.live[:0]
	for _, n := range ns.live {
		if n.level == failure {
			kept = append(kept, n)
		}
	}
	ns.live = kept
}

// dropRemark takes what fades and tells why nothing was done off the screen; false without one.
func (ns *notices) dropRemark() bool {
	n, ok := ns.fading()
	if ok = ok && n.level == remark; ok {
		ns.dropFading()
	}
	return ok
}

// expire takes one fading notice off the screen.
func (ns *notices) expire(id int) {
	for i, n := range ns.live {
		if n.id == id && n.level != failure {
			ns.live = append(ns.live[:i], ns.live[i+1:]...)
			return
		}
	}
}

// dismiss marks the oldest failure as read and reports whether there was one.
func (ns *notices) dismiss() bool {
	for i, n := range ns.live {
		if n.level == failure {
			ns.live = append(ns.live[:i], ns.live[i+1:]...)
			return true
		}
	}
	return false
}

// readAfter is how long a failure has been on screen before going on counts as having read
// it: keys that were on their way when it came say nothing.
const readAfter = 700 * time.Millisecond

// read takes the failures and remarks off the screen that somebody has gone on after: those up to an
// id that have been there long enough. It reports whether there were any.
func (ns *notices) read(upTo int, now time.Time) bool {
	kept := ns.live[:0]
	for _, n := range ns.live {
		if n.level == success || n.lasts || n.id > upTo || now.Sub(n.at) < readAfter {
			kept = append(kept, n)
		}
	}
	some := len(kept) < len(ns.live)
	ns.live = kept
	return some
}

// failedSince reports whether a failure came after an id.
func (ns *notices) failedSince(id int) bool {
	return slices.ContainsFunc(ns.live, func(n notice) bool { return n.level == failure && n.id > id })
}

// record puts a notice into the log alone.
func (ns *notices) record(n notice) {
	ns.last++
	n.id = ns.last
	ns.keep(n)
}

func (ns *notices) keep(n notice) {
	ns.log = append(ns.log, n)
	if over := len(ns.log) - keptNotices; over > 0 {
		ns.log = append([]notice(nil), ns.log[over:]...)
	}
}

// dismissLike drops failures with this text: what they complained of is over.
func (ns *notices) dismissLike(text string) {
	kept := ns.live[:0]
	for _, n := range ns.live {
		if n.level != failure || n.text != text {
			kept = append(kept, n)
		}
	}
	ns.live = kept
}

// failure returns the failure to read now, and how many more wait behind it.
func (ns *notices) failure() (n notice, more int, ok bool) {
	for _, o := range ns.live {
		if o.level != failure {
			continue
		}
		if !ok {
			n, ok = o, true
		} else {
			more++
		}
	}
	return n, more, ok
}

// fading returns the success or remark on screen.
func (ns *notices) fading() (notice, bool) {
	for i := len(ns.live) - 1; i >= 0; i-- {
		if ns.live[i].level != failure {
			return ns.live[i], true
		}
	}
	return notice{}, false
}

// refusalNotice says an error as a person needs it: what was not done, which guard did
// not hold, why, and what would help.
func refusalNotice(what string, err error) notice {
	var r *model.Refusal
	if !errors.As(err, &r) {
		return notice{level: failure, text: what + " failed", why: err.Error()}
	}
	text := what + " failed"
	if r.Op != "" {
		text = capital(r.Attempt())
	}
	return notice{level: failure, text: text, why: r.Why, hint: r.Hint, guard: string(r.Guard)}
}

// say shows a line of success for a while.
func (a *App) say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	id := a.notices.add(notice{text: text, at: a.deps.Now()})
	a.relayout() // it may take several lines
	return view.After(fadeAfter, expireMsg{id})
}

// remark shows a line that is no success for a while.
func (a *App) remark(text string) tea.Cmd {
	id := a.notices.add(notice{level: remark, text: text, at: a.deps.Now()})
	a.requests.Note(capital(text))
	a.relayout()
	return view.After(fadeAfter, expireMsg{id})
}

// fail shows an error until it is read. It returns no command, so that it can end a
// handler.
func (a *App) fail(n notice) tea.Cmd {
	n.level, n.at = failure, a.deps.Now()
	a.notices.add(n)
	a.requests.Note(n.line())
	a.relayout()
	return nil
}

// record puts a failure that an overlay tells of into the log, and returns it in a line.
func (a *App) record(n notice) string {
	n.level, n.at = failure, a.deps.Now()
	a.notices.record(n)
	return n.line()
}

// readFailures takes the failures up to an id off the screen: the person has gone on.
func (a *App) readFailures(upTo int) {
	if !a.notices.failedSince(upTo) && a.notices.read(upTo, a.deps.Now()) {
		a.relayout()
	}
}

// Unread are the failures that nobody has read yet.
func (a *App) Unread() []string {
	var out []string
	for _, n := range a.notices.live {
		if n.level == failure {
			out = append(out, n.line())
		}
	}
	return out
}

// Leftovers is what a person has to know after leaving: failures that were not read and
// texts that were not taken.
func (a *App) Leftovers() []string {
	out := a.Unread()
	for _, d := range a.editor.texts {
		if d.path != "" {
			out = append(out, fmt.Sprintf("your text for the %s of %s was not saved; it is at %s", d.doc, d.uid, d.path))
		}
	}
	return append(out, a.unkept()...)
}

// openLog lists every message of the session.
func (a *App) openLog() tea.Cmd {
	entries := make([]overlay.LogEntry, 0, len(a.notices.log))
	for _, n := range a.notices.log {
		e := overlay.LogEntry{At: n.at, Text: n.text, Why: n.why, Hint: n.hint}
		switch n.level {
		case success:
			e.Level = overlay.Success
		case failure:
			e.Level = overlay.Failure
			if n.guard != "" {
				e.Hint = joinHints(n.hint, "guard "+n.guard)
			}
		}
		entries = append(entries, e)
	}
	return a.dialogs.Push(dialog.NewReader(overlay.NewLog(a.st, entries)))
}
