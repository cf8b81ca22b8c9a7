package detail

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/progress"
	"vespe/ui/style"
	"vespe/ui/text"
)

// historyPane is the tab with the task's events, the newest first.
type historyPane struct {
	loaded, stale bool
	events        []model.Event
	said          lifecycle.Said // the last verdict that says why
	hasSaid       bool
	report        *progress.WorkReport // on the last work that was completed
	problems      []model.Problem
	err           error
	open          map[string]bool // unfolded events, by file
	changes       map[model.DocRevision]*change
	page          page
}

// set takes the history as read, the oldest first. The cursor stays on its event.
func (p *historyPane) set(events []model.Event, problems []model.Problem, err error) {
	p.loaded, p.stale, p.err = true, false, err
	if err != nil && len(p.events) > 0 {
		return
	}
	was := ""
	if p.page.cur >= 0 && p.page.cur < len(p.events) {
		was = eventKey(&p.events[p.page.cur])
	}
	p.said, p.hasSaid = lifecycle.LastSaid(events)
	p.report = progress.LastReport(events)
	p.events = slices.Clone(events)
	slices.Reverse(p.events)
	p.problems = problems
	if was != "" {
		for i := range p.events {
			if eventKey(&p.events[i]) == was {
				p.page.cur = i
			}
		}
	}
}

// oldestFirst are the events as they were read.
func (p *historyPane) oldestFirst() []model.Event {
	out := slices.Clone(p.events)
	slices.Reverse(out)
	return out
}

func eventKey(e *model.Event) string {
	if e.File != "" {
		return e.File
	}
	return string(e.Name) + e.At.Format(time.RFC3339Nano) + e.OpID
}

func (d *Detail) historyView() []string {
	p := &d.history
	switch {
	case !p.loaded:
		return d.waiting()
	case p.err != nil && len(p.events) == 0:
		return d.failed(p.err)
	case len(p.events) == 0 && len(p.problems) == 0:
		return d.say("No activity on this task yet.", "Changes to it appear here.")
	}
	d.lay()
	return p.page.view(d.st, d.w, d.h, d.focused, d.find.page.Query())
}

// layHistory draws the events.
func (d *Detail) layHistory() {
	p := &d.history
	p.page.reset(d.w, true)
	s := &writer{d: d, p: &p.page, w: max(10, d.w-2)}
	for i := range p.events {
		e := &p.events[i]
		p.page.addStop(d.eventRows(e, s.w)...)
		if p.open[eventKey(e)] {
			p.page.unfold(d.eventChanges(s.w, e)...)
			p.page.unfold(d.eventDetails(s, e)...)
		}
	}
	if p.err != nil {
		s.blank()
		s.bullet(d.st.Glyph.Warning, d.st.Bad, d.st.Text, "Not read again: "+p.err.Error())
	}
	for _, x := range p.problems {
		s.blank()
		s.bullet(d.st.Glyph.Warning, d.st.Warn, d.st.Text, x.Reason)
		s.prose(d.st.Muted, x.Path, 4)
	}
}

// Widths of the columns of an event, their gaps included.
const (
	ageWidth   = 5
	stampWidth = 14
	actorWidth = 14
	// eventOneRow is the width from which an event fits on one row.
	eventOneRow = 66
)

// eventRows draws one event: a row, or two where there is little room.
func (b *base) eventRows(e *model.Event, w int) []string {
	st := b.st
	sign, ink := b.ActorSign(e.Actor)
	what := st.Text.Render(text.Capital(words(e.Name.Past())))
	move := b.eventMove(e, false)
	reason := words(e.RowWords())
	if w < eventOneRow {
		top := ink.Render(sign) + " " + what + move
		low := "  " + st.Muted.Render(text.SafeLine(e.Actor.Name())+", "+b.ago(e.At))
		if reason != "" {
			low += st.Faint.Render(" "+st.Glyph.Dot+" ") + st.Text.Render(reason)
		}
		return []string{text.Truncate(top, w), text.Truncate(low, w)}
	}
	row := st.Muted.Render(text.Pad(model.Age(b.now.Sub(e.At)), ageWidth))
	if w >= eventOneRow+stampWidth+10 {
		row += st.Faint.Render(text.Pad(b.stamp(e.At), stampWidth))
	}
	row += ink.Render(sign) + " " + st.Text.Render(text.Pad(text.SafeLine(e.Actor.Name()), actorWidth-3)) + " " + what
	if reason != "" {
		reason = "  " + st.Muted.Render(reason)
	}
	if text.Width(row+move+reason) > w {
		move = b.eventMove(e, true)
	}
	return []string{text.Truncate(row+move+reason, w)}
}

// eventMove is "  from → to" where the state has changed, or only "  → to".
func (b *base) eventMove(e *model.Event, short bool) string {
	st := b.st
	switch {
	case e.From == e.To || e.To == "":
		return ""
	case e.From == "" || short:
		return "  " + st.Faint.Render(st.Glyph.Arrow+" ") + st.Muted.Render(words(e.To.Label(true)))
	}
	return "  " + st.Muted.Render(words(e.Left())) + st.Faint.Render(" "+st.Glyph.Arrow+" ") + st.Muted.Render(words(e.To.Label(true)))
}

// eventDetails is what an event says; as raw text all of it, with ids and hashes.
func (b *base) eventDetails(s *writer, e *model.Event) []string {
	st := b.st
	const indent = 2
	label := 11
	for _, f := range e.Details {
		if b.raw {
			label = max(label, min(text.Width(words(f.Key))+1, s.w/3))
		}
	}
	var out []string
	put := func(name string, ink style.Ink, body string) {
		if strings.TrimSpace(body) == "" {
			return
		}
		for i, l := range s.wrapped(ink, body, s.w-indent-label) {
			n := ""
			if i == 0 {
				n = name
			}
			out = append(out, text.Spaces(indent)+st.Faint.Render(text.Pad(n, label-1))+" "+l)
		}
	}
	put("what", st.Text, e.Summary)
	put("why", st.Text, e.Reason)
	put("who", st.Text, Who(e.Actor))
	put("how", st.Muted, channelWords(e.Channel))
	if !e.At.IsZero() {
		put("when", st.Muted, b.local(e.At).Format("2006-01-02 15:04:05 -0700"))
	}
	if e.Cause != "" {
		name := string(e.Cause)
		if i, ok := b.snap.Index(e.Cause); ok {
			name = b.name(int32(i))
		}
		put("started by", st.Text, name)
	}
	switch {
	case b.raw:
		for _, f := range e.Details {
			put(words(f.Key), st.Muted, strings.Trim(string(f.Value), `"`))
		}
		if e.Seq > 0 {
			put("log entry", st.Faint, strconv.FormatUint(e.Seq, 10))
		}
		put("file", st.Faint, e.File)
	default:
		for _, key := range []string{"detail", "choice", "text", "summary"} {
			put(key, st.Muted, e.Text(key))
		}
	}
	return append(out, "")
}

// channelWords says by which way an operation came.
func channelWords(channel string) string {
	switch channel {
	case model.ChannelCLI:
		return "on the command line"
	case model.ChannelWorkbench:
		return "in the workbench"
	case model.ChannelFiles:
		return "in the files, outside vespe"
	}
	return channel
}

// ShowEvent shows the history, with an event of it unfolded under the cursor once it has been read.
func (d *Detail) ShowEvent(is func(*model.Event) bool) {
	d.event = is
	d.Show(History)
	d.toEvent()
}

func (d *Detail) toEvent() {
	p := &d.history
	if !p.loaded || d.event == nil {
		return
	}
	i := slices.IndexFunc(p.events, func(e model.Event) bool { return d.event(&e) })
	if d.event = nil; i >= 0 {
		p.page.cur, p.page.valid, p.open = i, false, map[string]bool{eventKey(&p.events[i]): true}
		d.lay()
		p.page.follow()
	}
}

// toggleEvent unfolds or folds the event under the cursor.
func (d *Detail) toggleEvent() bool {
	p := &d.history
	if d.idx < 0 || len(p.events) == 0 {
		return false
	}
	d.lay()
	if p.page.cur < 0 || p.page.cur >= len(p.events) {
		return false
	}
	if p.open == nil {
		p.open = map[string]bool{}
	}
	e := &p.events[p.page.cur]
	if key := eventKey(e); p.open[key] {
		delete(p.open, key)
		p.forgetFailed(e.Recorded())
	} else {
		p.open[key] = true
	}
	p.page.valid = false
	d.lay()
	p.page.follow()
	return true
}

// foldEvents folds every event and reports whether any was unfolded.
func (d *Detail) foldEvents() bool {
	any := len(d.history.open) > 0
	if any {
		d.history.open = nil
		d.history.forgetFailed(nil)
		d.history.page.valid = false
		d.lay()
		d.history.page.follow()
	}
	return any
}
