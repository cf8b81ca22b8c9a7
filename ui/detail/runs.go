package detail

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/runs"
	"vespe/ui/style"
	"vespe/ui/text"
)

// runsPane is the tab with the attempts at the task, the newest first.
type runsPane struct {
	loaded bool
	list   []runs.Run
	report *runlog.Report // of the newest that was verified; nil for none
	of     string         // the run that it is of
	err    error
	page   page
}

// SetRuns hands over the attempts at the task, the oldest first, and what verification found of the run
// of, or nil.
func (d *Detail) SetRuns(uid model.UID, list []model.Run, of string, report *runlog.Report, err error) {
	if uid != d.uid {
		return
	}
	p := &d.runs
	was, _ := d.Run()
	p.loaded, p.err, p.report, p.of, p.list = true, err, report, of, nil
	for i := range list {
		k := len(list) - 1 - i
		p.list = append(p.list, runs.Run{Run: list[k], Attempt: runs.AttemptOf(&list[k], k)})
	}
	for i := range p.list {
		if p.list[i].ID == was {
			p.page.cur = i
		}
	}
	d.touch()
}

// Run is the run under the cursor of the tab with the attempts.
func (d *Detail) Run() (id string, ok bool) {
	p := &d.runs
	if d.tab != Runs || d.idx < 0 || p.page.cur < 0 || p.page.cur >= len(p.list) {
		return "", false
	}
	return p.list[p.page.cur].ID, true
}

// LastRun is the newest attempt at the task that is known.
func (d *Detail) LastRun() (id string, ok bool) {
	if len(d.runs.list) == 0 {
		return "", false
	}
	return d.runs.list[0].ID, true
}

func (d *Detail) runsView() []string {
	p := &d.runs
	switch {
	case !p.loaded:
		return d.waiting()
	case p.err != nil && len(p.list) == 0:
		return d.failed(p.err)
	case len(p.list) == 0:
		lines := []string{"No worker has worked on it yet."}
		if d.snap.Status(d.idx) == model.StatusReady {
			lines = append(lines, d.keyLine("loop.run-task", "let a worker do it"), d.keyLine("task.start", "record work by hand"))
		}
		return d.say(lines...)
	}
	d.lay()
	return p.page.view(d.st, d.w, d.h, d.focused, d.find.page.Query())
}

// layRuns draws the attempts.
func (d *Detail) layRuns() {
	p := &d.runs
	p.page.reset(d.w, true)
	w := max(10, d.w-2)
	t := d.task()
	for i := range p.list {
		r := &p.list[i]
		rows := runs.Attempt(d.st, r, runs.AttemptLook{
			Here: r.ID == t.Status.CurrentRun, Waits: t.Status.IsPaused, Zone: d.now.Location(),
		}, w)
		p.page.addStop(rows[0])
		p.page.unfold(rows[1:]...)
	}
	p.page.add("")
	if hint := d.keyLine("view.open", "shows the run: its log, evidence and patch"); hint != "" {
		p.page.add("  " + text.Truncate(hint, w-2))
	}
}

// lastRun is the section of the overview about the newest attempt, and what shows that its work is right.
func (s *writer) lastRun(t *model.Task) {
	d, st := s.d, s.d.st
	if len(d.runs.list) == 0 {
		return
	}
	r := &d.runs.list[0]
	note, shows := "", " shows more of it"
	if n := len(d.runs.list); n > 1 {
		note, shows = plural(n, "attempt"), " shows all"
	}
	if key := d.keys("tab.runs"); key != "" {
		note = strings.TrimSpace(note + "  " + key + shows)
	}
	s.head("Last run", note)
	rep := d.runs.report
	rows := runs.Attempt(st, r, runs.AttemptLook{Waits: t.Status.IsPaused, Zone: d.now.Location()}, s.w)
	if rep != nil && d.runs.of == r.ID { // it says why in more words
		rows = rows[:1]
	}
	for _, row := range rows {
		s.add(row)
	}
	if rep == nil || d.runs.of != r.ID {
		if r.Outcome == model.RunCompleted && r.Report == nil {
			s.bullet(st.Glyph.Warning, st.Warn, st.Warn, "Nothing was verified: it was only reported as done.")
		}
		return
	}
	if !rep.OK && rep.Why != "" {
		s.bullet(crossSign(st), st.Bad, st.Text, runlog.FirstLine(rep.Why))
	}
	if !rep.Tested {
		s.bullet(st.Glyph.Warning, st.Warn, st.Warn, "Not tested: "+notTested(rep))
	}
	for _, m := range rep.Missing {
		s.bullet(crossSign(st), st.Bad, st.Text, "missing: "+m)
	}
	for _, f := range rep.Outside {
		s.bullet(st.Glyph.Warning, st.Warn, st.Text, "changed, but not named by the task: "+f)
	}
	for i := range rep.Checks {
		c := &rep.Checks[i]
		sign, ink := checkSign(st, c.Status)
		s.bullet(sign, ink, st.Text, checkWords(c))
	}
}

// notTested says why nothing was tested.
func notTested(rep *runlog.Report) string {
	if say := runlog.FirstLine(rep.Why); rep.OK && say != "" {
		return say
	}
	return "no test was found"
}

// checkWords is a check in a line: its name, its command, how it ended.
func checkWords(c *runlog.Evidence) string {
	out := words(c.Name)
	if argv := strings.Join(c.Argv, " "); argv != "" && argv != c.Name {
		out += ": $ " + words(argv)
	}
	switch {
	case c.Status == runlog.NotRun:
		out += ", not run"
	case len(c.Argv) > 0:
		out += fmt.Sprintf(", exit %d", c.Exit)
	}
	if c.Why != "" {
		out += ": " + words(c.Why)
	}
	return out
}

func crossSign(st *style.Styles) string {
	if st.Options.ASCII {
		return "X"
	}
	return "✗"
}

// checkSign is the sign of how a check, or a criterion, came out.
func checkSign(st *style.Styles, s runlog.Status) (string, style.Ink) {
	switch {
	case s == runlog.Pass && st.Options.ASCII:
		return "ok", st.Good
	case s == runlog.Pass:
		return "✓", st.Good
	case s == runlog.Fail:
		return crossSign(st), st.Bad
	case st.Options.ASCII:
		return "-", st.Warn
	}
	return "○", st.Warn
}

// criterion is what the last verification says of an acceptance criterion.
func (d *Detail) criterion(said string) (c runlog.Criterion, by *runlog.Evidence, ok bool) {
	rep := d.runs.report
	if rep == nil || len(d.runs.list) == 0 || d.runs.of != d.runs.list[0].ID {
		return c, nil, false
	}
	for _, c := range rep.Criteria {
		if c.Text != said {
			continue
		}
		for i := range rep.Checks {
			if rep.Checks[i].Name == c.By {
				return c, &rep.Checks[i], true
			}
		}
		return c, nil, true
	}
	return c, nil, false
}

// proven adds a criterion with what shows that it holds, or that it does not.
func (s *writer) proven(c *runlog.Criterion, by *runlog.Evidence, body string) {
	st := s.d.st
	sign, ink := checkSign(st, c.Status)
	s.bullet(sign, ink, st.Text, body)
	say := map[runlog.Status]string{runlog.Pass: "pass", runlog.Fail: "fail"}[c.Status]
	if say == "" {
		say = "not run"
	}
	switch {
	case by != nil:
		say += ": " + checkWords(by)
	case c.Why != "":
		say += ": " + c.Why
	case c.By != "":
		say += ": " + c.By
	}
	s.prose(st.Muted, say, 4)
}
