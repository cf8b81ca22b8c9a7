package runs

import (
	"fmt"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Widths of the columns behind the name, without the blank before each.
const (
	whatWidth    = 10 // the phase, or what came of it
	tookWidth    = 6
	costWidth    = 7
	attemptWidth = 4
	workerWidth  = 12

	leastName = 20
	shortName = 16 // beside the attempt: without it the attempts at one task look alike
	mostName  = 38
)

// View draws the rows in view: h lines of w cells, which are not to be changed.
func (l *List) View(w, h int) []string {
	if !l.Dirty && l.Width == w && len(l.frame) == h {
		return l.frame
	}
	head := l.drawBanner(w, h)
	l.top = len(head)
	l.frame, l.Width = append(head, l.List.View(w, h-len(head))...), w
	return l.frame
}

func (l *List) draw(lines []string, w int) {
	switch {
	case len(l.rows) > 0:
		c := l.columns(w)
		l.Win.Draw(lines, w, len(l.rows), func(r int) string { return l.drawRow(r, w, c) })
	case !l.known && len(l.reading) > 0:
		rows.Notice(lines, w, l.Styles, l.reading)
	case l.total > 0 && l.Test != nil:
		rows.Notice(lines, w, l.Styles, l.Unmatched)
	default:
		rows.Notice(lines, w, l.Styles, l.Empty)
	}
}

// drawBanner draws the lines above the runs, at most a third of h rows.
func (l *List) drawBanner(w, h int) (out []string) {
	most := h / 3
	for k, b := range l.banner {
		parts := text.Wrap(text.SafeLine(b.Text), max(1, w-2))
		for i, s := range parts {
			if len(out) == most {
				return out
			}
			if len(out) == most-1 && (i < len(parts)-1 || k < len(l.banner)-1) { // not all of it is here
				s = text.Truncate(s, max(1, w-4)) + " " + l.Styles.Glyph.Ellipsis
			}
			out = append(out, rows.NewLine(w, style.Ink{}).Space(1).Add(b.Ink, s).String())
		}
	}
	return out
}

// columns says how wide the name is, and which columns there is room for.
type columns struct {
	name                  int
	cost, attempt, worker bool
}

func (l *List) columns(w int) columns {
	room := w - 4 - 1 - whatWidth - 1 - tookWidth - 1 // gutter, glyph and blanks; what always stands there; a blank at the end
	c := columns{}
	take := func(n, least int) bool {
		if room-n-1 < least {
			return false
		}
		room -= n + 1
		return true
	}
	c.attempt = take(attemptWidth, shortName)
	c.cost = take(costWidth, leastName)
	if room > leastName+workerWidth+12 {
		c.worker = take(workerWidth, leastName)
	}
	longest := leastName
	from, to := l.Win.Span(len(l.rows))
	for i := from; i < to; i++ {
		if l.rows[i].run != nil {
			longest = max(longest, text.Width(text.SafeLine(l.name(&l.rows[i]))))
		}
	}
	if c.name = min(room, mostName, longest); room-c.name < 16 { // no room for words behind it
		c.name = room
	}
	return c
}

func (l *List) drawRow(r, w int, c columns) string {
	e := &l.rows[r]
	line := &l.line
	if e.run == nil {
		line.Reset(w, style.Ink{})
		line.Space(1).Add(l.Styles.HeadingMinor, e.in.String())
		if n := l.count(r); n > 0 {
			line.Space(1).Add(l.Styles.Muted, text.Count(n))
		}
		return line.String()
	}
	on := r == l.Cur
	line.Reset(w, l.Base(on))
	rows.Gutter(line, l.Styles, on, l.Focused, l.IsMarked(e.run.Task))
	glyph, ink := Look(l.Styles, e.run, e.in == waiting, e.in != ended)
	line.Space(1).Add(ink, glyph).Space(1)
	hit, query := l.Styles.Match, l.Query()
	if on {
		hit = l.Styles.MatchNow
	}
	nameInk := l.Styles.Bold
	if e.in == ended {
		nameInk = l.Styles.Text
	}
	if e.task < 0 {
		nameInk = l.Styles.Faint
	}
	name := text.Truncate(text.SafeLine(l.name(e)), c.name)
	end := line.Used() + c.name
	line.AddMatches(nameInk, hit, name, rows.Occurrences(name, query)).To(end)
	line.Space(1).Add(ink, text.Pad(text.SafeLine(outcome(e)), whatWidth))
	line.Space(1).Add(l.Styles.Text, text.PadLeft(Span(l.took(e.run)), tookWidth))
	if c.cost {
		line.Space(1).Add(l.Styles.Muted, text.PadLeft(Dollars(cost(e.run)), costWidth))
	}
	if c.attempt {
		line.Space(1).Add(l.Styles.Muted, text.PadLeft(l.attempt(e), attemptWidth))
	}
	if c.worker {
		line.Space(1).Add(l.Styles.Muted, text.Pad(text.SafeLine(e.run.Worker.Name()), workerWidth))
	}
	if line.Left() > 7 {
		say := text.Truncate(text.SafeLine(l.why(e)), line.Left()-3)
		line.Space(2).AddMatches(l.Styles.Muted, hit, say, rows.Occurrences(say, query))
	}
	return line.String()
}

// count is how many runs stand below the head at a row.
func (l *List) count(r int) int {
	n := 0
	for k := r + 1; k < len(l.rows) && l.rows[k].run != nil; k++ {
		if n++; l.rows[r].in == ended {
			return len(l.rows) - r - 1 // it is the last group
		}
	}
	return n
}

// name is what the task of a run is called; by its uid when it has gone.
func (l *List) name(e *entry) string {
	if e.task >= 0 {
		if t := l.snap.At(int(e.task)); t.Config.Name != "" {
			return t.Config.Name
		}
	}
	return string(e.run.Task)
}

// attempt is "2/3": which attempt it is, of how many that the task may take.
func (l *List) attempt(e *entry) string {
	if e.run.Attempt == 0 {
		return ""
	}
	if e.task < 0 {
		return fmt.Sprintf("%d", e.run.Attempt)
	}
	return fmt.Sprintf("%d/%d", e.run.Attempt, max(model.AttemptsOf(l.snap.At(int(e.task)), l.snap.Policy()), e.run.Attempt))
}

func (l *List) took(r *Run) time.Duration {
	switch {
	case r.Started.IsZero():
		return 0
	case r.Ended.IsZero():
		return max(0, l.now.Sub(r.Started))
	}
	return max(0, r.Ended.Sub(r.Started))
}

// outcome is the phase that a run is in, or what came of it, in a word.
func outcome(e *entry) string {
	switch {
	case e.in == waiting:
		return "waits"
	case e.in == running && e.run.Live != nil && e.run.Live.Phase != "" && e.run.Live.Phase != runlog.PhaseEnded:
		return string(e.run.Live.Phase)
	case e.in == running:
		return "running"
	}
	return Outcome(&e.run.Run)
}

// Outcome is what came of a run that has ended, in a word or two.
func Outcome(r *model.Run) string {
	switch {
	case r.Outcome == model.RunCompleted && r.Report != nil && !r.Report.Tested:
		return "not tested"
	case r.Outcome == "":
		return "ended"
	}
	return strings.ReplaceAll(r.Outcome, "_", " ")
}

// why is the last thing that happened in a run, what it asks, or why it came to what it did.
func (l *List) why(e *entry) string {
	switch {
	case e.in == waiting && e.task >= 0:
		return l.snap.At(int(e.task)).Status.PauseText()
	case e.in != ended && e.run.Live != nil:
		return e.run.Live.Action
	case e.in != ended || e.run.Report == nil:
		return ""
	}
	return runlog.FirstLine(e.run.Report.Why)
}

func cost(r *Run) float64 {
	switch {
	case r.Live != nil:
		return r.Live.Cost
	case r.Report != nil:
		return r.Report.Cost
	}
	return 0
}

// Look is the sign of a run and its ink: that of the status which goes with it.
func Look(st *style.Styles, r *Run, waits, live bool) (glyph string, ink style.Ink) {
	switch {
	case waits:
		return st.Status(model.StatusWaiting)
	case live:
		return st.Status(model.StatusRunning)
	}
	switch r.Outcome {
	case model.RunCompleted:
		if r.Report != nil && !r.Report.Tested {
			return st.Glyph.Warning, st.Warn
		}
		return st.Status(model.StatusDone)
	case model.RunErrored:
		return st.Status(model.StatusError)
	case model.RunFailed:
		return st.Status(model.StatusFailed)
	case model.RunReplanned:
		return st.Status(model.StatusReplan)
	}
	return st.Status(model.StatusAborted)
}

// Span is a time in at most six cells: "42s", "7m05s", "3h07m", "12d03h".
func Span(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case s <= 0:
		return "0s"
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*24*3600:
		return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
	}
	return fmt.Sprintf("%dd", s/86400)
}

// Dollars is a sum in at most seven cells; "" when nothing is known.
func Dollars(c float64) string {
	switch {
	case c <= 0 || c != c:
		return ""
	case c < 0.005:
		return "<$0.01"
	case c < 1000:
		return fmt.Sprintf("$%.2f", c)
	case c < 100_000:
		return fmt.Sprintf("$%.0f", c)
	}
	return ">$100k"
}
