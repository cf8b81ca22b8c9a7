package detail

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

// facts is the table of what status.json and config.json say.
func (s *sheet) facts(t *model.Task) {
	d, st := s.d, s.d.st
	f := s.newFacts(0, labelWidth)
	state := string(t.Status.CurrentState)
	if state == "" {
		state = string(model.Created)
	}
	if t.Status.IsPaused {
		state += ", paused"
		if r := t.Status.PauseReason; r != "" {
			state += " (" + words(r) + ")"
		}
	}
	f.put("State", st.Text, state)
	if _, total := d.snap.Progress(d.idx); total <= 1 {
		f.put("Progress", st.Text, t.Status.Progress)
	}
	f.put("Objective", st.Text, revisionOf(t.Status.ObjectiveRevision, t.HasObjective))
	f.put("Plan", st.Text, revisionOf(t.Status.PlanRevision, t.HasPlan))
	if a := t.Status.AcceptedPlan; a != nil {
		ink, body := st.Good, fmt.Sprintf("revision %d", a.PlanRevision)
		if a.PlanRevision != t.Status.PlanRevision {
			ink, body = st.Warn, body+", not the newest"
		}
		f.put("Accepted", ink, body+by(actor(a.By), d.ago(a.At)))
		d.putWithout(f, a)
	}
	if r := t.Status.Review; r != nil {
		ink := st.Good
		if r.Verdict == "rejected" {
			ink = st.Bad
		}
		what := words(r.Of)
		if r.Of == "plan" && r.Revision > 0 {
			what = fmt.Sprintf("plan revision %d", r.Revision)
		}
		body := what + " " + words(r.Verdict) + by(actor(r.By), d.ago(r.At))
		f.put("Review", ink, body)
		f.put("", st.Text, r.Reason)
	} else if said := &d.history.said; d.history.hasSaid {
		f.put("Last said", st.Warn, said.Words(0)+by("", d.ago(said.At)))
		f.put("", st.Text, said.Reason)
	}
	s.running(t, f)
	s.identity(t, f)
	f.flush()
}

// by is ", ann, 3 h ago", of which either may be missing.
func by(who, when string) string {
	out := ""
	for _, p := range []string{who, when} {
		if p != "" {
			out += ", " + p
		}
	}
	return out
}

// revisionOf says which revision of a document there is; "" when there is none.
func revisionOf(n int, exists bool) string {
	switch {
	case n > 0 && exists:
		return fmt.Sprintf("revision %d", n)
	case n > 0:
		return fmt.Sprintf("revision %d, but the file is gone", n)
	case exists:
		return "not recorded as a revision yet"
	}
	return ""
}

func (s *sheet) running(t *model.Task, f *facts) {
	st := s.d.st
	if t.Status.AssignedAgentUID != "" {
		f.put("Worker", st.Text, actor(t.Status.AssignedAgentUID))
	}
	if t.Status.CurrentRun != "" {
		f.put("Run", st.Info, t.Status.CurrentRun)
	}
	if n := t.Status.RetryCount; n > 0 {
		most := s.d.snap.Policy().MaxAttempts
		if t.Spec != nil && t.Spec.MaxAttempts > 0 {
			most = t.Spec.MaxAttempts
		}
		ink := st.Text
		if most > 0 && n >= most-1 {
			ink = st.Warn
		}
		body := plural(n, "retry")
		if n != 1 {
			body = fmt.Sprintf("%d retries", n)
		}
		if most > 0 {
			body += fmt.Sprintf(", %d attempts at most", most)
		}
		f.put("Attempts", ink, body)
	}
}

func (s *sheet) identity(t *model.Task, f *facts) {
	d, st := s.d, s.d.st
	if sp := t.Spec; sp != nil {
		f.put("Labels", st.Teal, strings.Join(sp.Labels, ", "))
		f.put("Type", st.Text, sp.GoalType)
		ink := st.Text
		risk := model.RiskSaid(t)
		if risk == model.RiskHigh {
			ink = st.Warn
		}
		f.put("Risk", ink, risk)
		if sp.EstimatedComplexity > 0 {
			f.put("Estimated", st.Text, fmt.Sprintf("complexity %.1f of 13", sp.EstimatedComplexity))
		}
		if rule := sp.RuledPriority(); rule != "" {
			f.put("Priority", st.Text, string(sp.Priority)+", by "+rule)
		}
		f.put("Requester", st.Text, sp.Requester)
		f.put("Source", st.Text, sp.Source)
	}
	f.put("Milestone", st.Text, s.milestone(t.UID))
	f.put("Created", st.Text, strings.TrimPrefix(by(d.ago(t.Config.CreatedAt), actor(t.Config.CreatedBy)), ", "))
	if !t.Status.LastUpdatedAt.Equal(t.Config.CreatedAt) {
		f.put("Updated", st.Text, d.ago(t.Status.LastUpdatedAt))
	}
	f.draw("Id", st.Faint.Render(text.SafeLine(string(t.UID))))
}

// milestone is the name of the one that a task is in; "" for none.
func (s *sheet) milestone(uid model.UID) string {
	i, ok := s.d.snap.Index(uid)
	if !ok {
		return ""
	}
	id := s.d.snap.MilestoneID(i)
	if ms := s.d.snap.MilestoneFile(); ms.Index(id) >= 0 && ms.List[ms.Index(id)].Name != "" {
		return ms.List[ms.Index(id)].Name
	}
	return id
}

// external are the ids and dates under which other tools know the task, with a column of
// their own: their names are as long as those tools like.
func (s *sheet) external(t *model.Task) {
	if t.Spec == nil || len(t.Spec.External) == 0 {
		return
	}
	labels := make([]string, len(t.Spec.External))
	col := 0
	for i, e := range t.Spec.External {
		labels[i] = capital(strings.ReplaceAll(words(e.Key), "_", " "))
		col = max(col, text.Width(labels[i]))
	}
	s.head("Elsewhere", "")
	f := s.newFacts(2, min(col+2, s.w/2))
	for i, e := range t.Spec.External {
		f.put(labels[i], s.d.st.Text, strings.Trim(string(e.Value), `"`))
	}
	f.flush()
}

// spec is what spec.json says about the work.
func (s *sheet) spec(t *model.Task) {
	sp, st := t.Spec, s.d.st
	if sp == nil {
		return
	}
	for _, p := range []struct{ title, body string }{
		{"About", sp.Description}, {"User story", sp.UserStory}, {"Intent", sp.Intent},
	} {
		if strings.TrimSpace(p.body) != "" {
			s.head(p.title, "")
			s.prose(st.Text, p.body, 2)
		}
	}
	if n := len(sp.AcceptanceCriteria); n > 0 {
		done := 0
		for _, c := range sp.AcceptanceCriteria {
			if met(c.State) {
				done++
			}
		}
		s.head("Acceptance criteria", fmt.Sprintf("%d of %d met", done, n))
		for _, c := range sp.AcceptanceCriteria {
			if said, by, ok := s.d.criterion(c.Text); ok {
				s.proven(&said, by, c.Text)
				continue
			}
			sign, ink := s.tick(met(c.State))
			s.bullet(sign, ink, st.Text, c.Text)
			if c.State != "" && !met(c.State) && c.State != "open" && c.State != "pending" {
				s.prose(st.Warn, c.State, 4)
			}
			if c.Evidence != "" {
				s.prose(st.Muted, c.Evidence, 4)
			}
		}
	}
	if n := len(sp.Steps); n > 0 {
		done := 0
		for _, x := range sp.Steps {
			if x.Done {
				done++
			}
		}
		s.head("Steps", fmt.Sprintf("%d of %d done", done, n))
		for _, x := range sp.Steps {
			sign, ink := s.tick(x.Done)
			s.bullet(sign, ink, st.Text, x.Step)
		}
	}
	if len(sp.Constraints) > 0 {
		s.head("Constraints", "")
		for _, c := range sp.Constraints {
			s.bullet(st.Glyph.Bullet, st.Muted, st.Text, c)
		}
	}
}

// met reports whether the state of a criterion says that it holds.
func met(state string) bool {
	switch strings.ToLower(state) {
	case "met", "done", "passed", "satisfied", "verified", "true", "yes", "complete", "completed":
		return true
	}
	return false
}

func (s *sheet) tick(on bool) (string, style.Ink) {
	st := s.d.st
	switch {
	case st.Options.ASCII && on:
		return "[x]", st.Good
	case st.Options.ASCII:
		return "[ ]", st.Muted
	case on:
		return "✓", st.Good
	}
	return "☐", st.Muted
}

// graph lists the tasks around this one; each leads there.
func (s *sheet) graph(t *model.Task) {
	d := s.d
	deps := d.snap.DependsOn(d.idx)
	if n := len(t.DependsOn); n > 0 {
		ended := 0
		for _, i := range deps {
			if d.snap.At(int(i)).Status.CurrentState == model.Completed {
				ended++
			}
		}
		s.head("Depends on", fmt.Sprintf("%d of %d done", ended, n))
		s.tasks(deps)
		s.unknown(t.DependsOn)
	}
	if list := d.snap.Dependants(d.idx); len(list) > 0 {
		s.head("Needed by", plural(len(list), "task"))
		s.tasks(list)
	}
	if list := d.snap.Children(d.idx); len(list) > 0 {
		ended := 0
		for _, i := range list {
			if d.snap.At(int(i)).Status.CurrentState == model.Completed {
				ended++
			}
		}
		s.head("Subtasks", fmt.Sprintf("%d of %d done", ended, len(list)))
		s.tasks(list)
	}
}

// unknown names dependencies that are no tasks of the store.
func (s *sheet) unknown(list []model.UID) {
	st := s.d.st
	for _, uid := range list {
		if _, ok := s.d.snap.Index(uid); !ok {
			s.bullet(st.Glyph.Warning, st.Bad, st.Text, string(uid)+" is not in this store")
		}
	}
}

// files lists what the task says it will touch, and how it is verified.
func (s *sheet) files(t *model.Task) {
	sp, st := t.Spec, s.d.st
	if sp == nil {
		return
	}
	if len(sp.FilesToCreate)+len(sp.FilesToModify)+len(sp.TestFiles) > 0 {
		s.head("Files", "")
		for _, g := range []struct {
			sign string
			ink  style.Ink
			list []string
		}{{"+", st.Good, sp.FilesToCreate}, {"~", st.Warn, sp.FilesToModify}, {"t", st.Info, sp.TestFiles}} {
			for _, file := range g.list {
				s.bullet(g.sign, g.ink, st.Text, file)
			}
		}
	}
	if len(sp.Verify) > 0 {
		s.head("Verified by", "")
		for _, argv := range sp.Verify {
			s.bullet("$", st.Muted, st.Code, strings.Join(argv, " "))
		}
	}
}
