package detail

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

// layOverview draws the overview: what the task is, what it waits for, and then everything
// that its files say, the most urgent first.
func (d *Detail) layOverview() {
	d.over.reset(d.w, false)
	d.overLinks, d.overAsks = d.overLinks[:0], map[int]string{}
	s := &writer{d: d, p: &d.over, w: max(10, d.w-2)}
	t := d.task()
	s.title(t)
	s.report(overviewReport)
	hints, above := s.why(t), len(s.p.rows)
	s.troubles(t)
	if hints != "" {
		if len(s.p.rows) == above {
			s.blank()
		}
		s.add(hints)
	}
	s.requests(t)
	s.facts(t)
	s.lastRun(t)
	s.spec(t)
	s.graph(t)
	s.complexity(t)
	s.schedule()
}

// title says where the task stands, what it is called and what it is.
func (s *writer) title(t *model.Task) {
	d, st := s.d, s.d.st
	if p := d.snap.Parent(d.idx); p >= 0 {
		var crumbs []string
		for i, n := p, 0; i >= 0 && n < 6; i, n = d.snap.Parent(int(i)), n+1 {
			crumbs = append([]string{d.name(i)}, crumbs...)
		}
		sep := " " + st.Glyph.Crumb + " "
		row := strings.Join(crumbs, sep)
		for text.Width(row) > s.w && len(crumbs) > 1 { // the nearest parent is what counts
			crumbs = crumbs[1:]
			row = st.Glyph.Ellipsis + sep + strings.Join(crumbs, sep)
		}
		s.link(d.snap.UID(int(p)), st.Muted.Render(text.Truncate(row, s.w)))
	}
	s.prose(st.Heading, d.name(int32(d.idx)), 0)
	dot := st.Faint.Render(" " + st.Glyph.Dot + " ")
	badge := st.Badge(d.snap.Status(d.idx))
	if word := d.snap.StatusWord(d.idx); word != d.snap.Status(d.idx).Label() {
		ink := st.Muted
		if d.snap.StatusReason(d.idx) != "" {
			_, ink = st.Status(d.snap.Status(d.idx))
		}
		badge = st.StatusGlyph(d.snap.Status(d.idx)) + " " + ink.Render(word)
	}
	parts := []string{badge}
	if t.Spec != nil && t.Spec.Priority != "" {
		ink := st.Muted
		if t.Spec.Priority.Rank() < 2 {
			ink = st.Warn
		}
		parts = append(parts, ink.Render(words(string(t.Spec.Priority))+" priority"))
	}
	if done, total := d.snap.Progress(d.idx); total > 1 { // by leaf tasks
		parts = append(parts, st.Progress(done, total, 8)+st.Muted.Render(fmt.Sprintf(" %d of %d leaf tasks", done, total)))
	}
	row := parts[0]
	for _, p := range parts[1:] {
		if text.Width(row)+text.Width(p)+3 > s.w {
			break
		}
		row += dot + p
	}
	s.add(row)
}

// why tells what the task waits for, and which keys move it on: those it returns belong
// below the section that says it.
func (s *writer) why(t *model.Task) (hints string) {
	d, st := s.d, s.d.st
	reasons := d.snap.Why(d.idx)
	hints = s.hints(t)
	if len(reasons) == 0 && hints == "" {
		return ""
	}
	s.blank()
	for _, r := range reasons {
		if r.UID == t.UID && r.Depth == 0 && saidBelow(r.Status) {
			continue
		}
		_, ink := st.Status(r.Status)
		indent := min(2*r.Depth, s.w/3)
		lead := text.Spaces(indent)
		if r.Depth > 0 {
			lead = text.Spaces(indent-2) + st.Border.Render(st.Glyph.Last)
		}
		body := words(r.Text)
		if r.Depth == 0 {
			body = text.Capital(body)
		}
		var lines []string
		for i, l := range s.wrapped(st.Text, body, s.w-indent-2) {
			if i == 0 {
				g, _ := st.Status(r.Status)
				lines = append(lines, lead+ink.Render(g)+" "+l)
			} else {
				lines = append(lines, text.Spaces(indent+2)+l)
			}
		}
		if _, there := d.snap.Index(r.UID); r.UID == t.UID || !there { // nothing to open
			for _, l := range lines {
				s.add(l)
			}
			continue
		}
		s.link(r.UID, lines...)
	}
	if saidBelow(d.snap.Status(d.idx)) {
		return hints
	}
	if hints != "" {
		s.add(hints)
	}
	return ""
}

// saidBelow reports whether a section of its own tells all about a status.
func saidBelow(st model.Status) bool {
	switch st {
	case model.StatusProblem, model.StatusError, model.StatusChanged, model.StatusWaiting, model.StatusPaused:
		return true
	}
	return false
}

// hint is an action and what it does here.
type hint struct{ action, title string }

// hints are the keys that move a task on from where it is.
func (s *writer) hints(t *model.Task) string {
	var list []hint
	switch s.d.snap.Status(s.d.idx) {
	case model.StatusReviewPlan:
		list = []hint{{"tab.plan", "read it"}, {"task.accept", "accept"}}
		if s.d.snap.StatusReason(s.d.idx) == "" { // it is accepted: nothing is left to reject
			list = append(list, hint{"task.reject", "reject"})
		}
		if t.Status.PlanRevision > 1 {
			list = append(list, hint{"view.diff", "what changed"})
		}
	case model.StatusReviewWork:
		list = []hint{{"tab.result", "see the result"}, {"task.accept", "accept"}, {"task.reject", "reject"}}
		if n := len(s.d.runs.list); n > 0 && s.d.runs.list[0].Outcome == model.RunCompleted {
			list = append([]hint{{"view.diff", "read the patch"}}, list...)
		}
	case model.StatusChanged:
		list = []hint{{"view.diff", "what changed"}, {"task.accept", "still right"}, {"task.replan", "plan again"}}
	case model.StatusError:
		list = []hint{{"task.start", "retry"}, {"task.replan", "plan again"}, {"task.abort", "abort"}}
	case model.StatusReady:
		list = []hint{{"task.start", "start"}}
	case model.StatusRunning:
		list = []hint{{"task.done", "done"}, {"task.error", "error"}, {"task.pause", "pause"}}
	case model.StatusPaused:
		list = []hint{{"task.pause", "resume"}}
	case model.StatusWaiting:
		list = s.answering(t)
	case model.StatusCreated:
		list = []hint{{"task.edit", "write the objective"}}
	case model.StatusPlanning, model.StatusReplan:
		list = []hint{{"task.edit-plan", "write the plan"}}
	case model.StatusBlocked:
		list = []hint{{"jump.dependency", "go to a dependency"}}
		if len(s.d.snap.DependsOn(s.d.idx)) == 0 { // what it is part of was left out
			list = []hint{{"jump.parent", "go to its parent"}}
		}
	case model.StatusSubtasks:
		list = []hint{{"jump.child", "go to a subtask"}}
	}
	var hs []style.Hint
	for _, h := range list {
		if k := s.d.keys(h.action); k != "" {
			if len(k) > 1 && k[0] == ':' { // what to type in the palette says it itself
				h.title = ""
			}
			hs = append(hs, style.Hint{Key: k, Title: h.title})
		}
	}
	if len(hs) == 0 {
		return ""
	}
	return "  " + s.d.st.Hints(hs, s.w-2)
}

// answering are the keys for a task that waits for answers. Words are all that a single question
// takes; anything else has to be opened.
func (s *writer) answering(t *model.Task) []hint {
	var open []model.Request
	for _, r := range s.d.snap.Requests() {
		if r.TaskUID == t.UID && r.IsOpen() {
			open = append(open, r)
		}
	}
	words := hint{"task.pause", "answer"}
	switch {
	case len(open) == 0:
		return []hint{words}
	case len(open) == 1 && open[0].TakesWords():
		return []hint{{"request.open", "open request"}, words}
	}
	return []hint{{"request.open", "open request"}}
}

// troubles are what is wrong: problems of the files, an error, and what has changed.
func (s *writer) troubles(t *model.Task) {
	st := s.d.st
	if list := s.d.problems(t); len(list) > 0 {
		s.head("Problems", "")
		for _, p := range list {
			sign, ink := st.Glyph.Warning, st.Warn
			if p.Severity == model.Error {
				ink = st.Bad
			}
			s.bullet(sign, ink, st.Text, p.Reason)
			where := p.Path
			if p.Line > 0 {
				where = fmt.Sprintf("%s:%d", p.Path, p.Line)
			}
			s.prose(st.Muted, where, 4)
			if p.Hint != "" {
				s.prose(st.Faint, p.Hint, 4)
			}
		}
	}
	if e := t.Status.ErrorDetails; strings.TrimSpace(e) != "" {
		note := ""
		if t.Status.PreviousState != "" {
			note = "from " + words(string(t.Status.PreviousState))
		}
		s.head("Error", note)
		s.prose(st.Text, e, 2)
	}
	if cs := s.d.snap.Changes(t); len(cs) > 0 {
		s.head("Changed since it was accepted", "")
		for _, c := range cs {
			s.changed(t, c)
		}
		for _, r := range s.d.sinceApproval(t) {
			for _, row := range s.d.changeRows(s.w-2, r) {
				s.add("  " + row)
			}
		}
	}
	for _, p := range []struct{ kind, say string }{{"hitl", "Waits for a person"}, {"other", "Paused"}} {
		if t.Status.IsPaused && t.Status.PauseKind() == p.kind {
			reason := t.Status.PauseText()
			if p.kind == "hitl" && reason != "" && reason == s.askedTitles(t) {
				continue // each has its rows below
			}
			s.head(p.say, "")
			if reason == "" {
				reason = "No reason was given."
			}
			s.prose(st.Text, reason, 2)
		}
	}
}

// problems is everything that is wrong with a task: with its files, and with its place in
// the tree and the graph.
func (b *base) problems(t *model.Task) []model.Problem {
	list := slices.Clone(t.Problems)
	for _, p := range b.snap.Problems() {
		if p.UID == t.UID && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// changed names one file that is not what it was; a task's file leads to the task.
func (s *writer) changed(t *model.Task, c model.ChangeReason) {
	st, sign := s.d.st, "≠"
	if st.Options.ASCII {
		sign = "~"
	}
	says := c.Changed(t, s.d.snap, s.d.history.oldestFirst(), s.d.now)
	if s.d.raw {
		says += " " + short(c.Old) + " " + st.Glyph.Arrow + " " + short(c.New)
	}
	uid, _, ok := strings.Cut(c.File, "/")
	if _, known := s.d.snap.Index(model.UID(uid)); ok && known && uid != string(t.UID) {
		lines := s.wrapped(st.Text, says, s.w-4)
		for i, l := range lines {
			lines[i] = "    " + l
		}
		lines[0] = "  " + st.Violet.Render(sign) + lines[0][3:]
		s.link(model.UID(uid), lines...)
		return
	}
	s.bullet(sign, st.Violet, st.Text, says)
}
