package detail

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/specfields"
	"vespe/ui/style"
	"vespe/ui/text"
)

// facts is the table of what status.json and config.json say.
func (s *writer) facts(t *model.Task) {
	d, st := s.d, s.d.st
	f := s.newFacts(0, labelWidth)
	if _, total := d.snap.Progress(d.idx); total <= 1 {
		if percent, ok := t.Status.Percent(); ok {
			f.draw("Progress", st.Progress(percent, 100, 8)+" "+st.Text.Render(words(t.Status.Progress)))
		} else {
			f.put("Progress", st.Text, t.Status.Progress)
		}
	}
	f.put("Objective", st.Text, revisionOf(t.Status.ObjectiveRevision, t.HasObjective))
	f.put("Plan", st.Text, revisionOf(t.Status.PlanRevision, t.HasPlan))
	if a := t.Status.AcceptedPlan; a.IsElsewhere() {
		f.put("Accepted", st.Warn, "elsewhere; accept its plan before it starts")
	} else if a != nil {
		ink, body := st.Good, fmt.Sprintf("revision %d", a.PlanRevision)
		if a.PlanRevision != t.Status.PlanRevision {
			ink, body = st.Warn, body+", not the newest"
		}
		f.put("Accepted", ink, body+by(actor(a.By), d.ago(a.At)))
		d.putWithout(f, a)
	}
	f.put("Accepted", st.Warn, strings.TrimPrefix(t.ElsewhereWords(), "accepted "))
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
		f.put("Verdict", st.Warn, said.Words(0)+by("", d.ago(said.At)))
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

func (s *writer) running(t *model.Task, f *facts) {
	st := s.d.st
	if t.Status.AssignedAgentUID != "" {
		f.put("Worker", st.Text, actor(t.Status.AssignedAgentUID))
	}
	if t.Status.CurrentRun != "" {
		f.put("Run", st.Info, t.Status.CurrentRun)
	}
	if n := t.Status.RetryCount; n > 0 {
		most := model.AttemptsOf(t, s.d.snap.Policy())
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

func (s *writer) identity(t *model.Task, f *facts) {
	d, st := s.d, s.d.st
	for _, field := range specfields.All() {
		if t.Spec == nil || field.Kind != specfields.Line || field.Key == "milestone_id" {
			continue
		}
		body, ink := strings.Join(field.Lines(t.Spec), ", "), st.Text
		switch field.Key {
		case "risk":
			if body = model.RiskSaid(t); body == model.RiskHigh {
				ink = st.Warn
			}
		case "labels":
			ink = st.Teal
		case "estimated_complexity":
			if body != "" {
				body = "complexity " + body + " of 13"
			}
		}
		f.put(shortTitle(field), ink, body)
	}
	f.put("Milestone", st.Text, s.milestone(t.UID))
	f.put("Created", st.Text, strings.TrimPrefix(by(d.ago(t.Config.CreatedAt), actor(t.Config.CreatedBy)), ", "))
	if at := t.Status.LastUpdatedAt; !at.IsZero() && !at.Equal(t.Config.CreatedAt) {
		f.put("Updated", st.Text, d.ago(t.Status.LastUpdatedAt))
	}
	f.draw("Id", st.Faint.Render(text.SafeLine(string(t.UID))))
}

// milestone is the name of the one that a task is in; "" for none.
func (s *writer) milestone(uid model.UID) string {
	i, ok := s.d.snap.Index(uid)
	if !ok {
		return ""
	}
	id := s.d.snap.MilestoneID(i)
	if ms := s.d.snap.MilestoneFile(); ms.Index(id) >= 0 && ms.List[ms.Index(id)].Name != "" {
		return ms.List[ms.Index(id)].Name + " (" + id + ")"
	}
	if t := s.d.snap.At(i); id == "" && t.Spec != nil {
		return t.Spec.MilestoneID
	}
	return id
}

// shortTitle is the name of a field in the table of facts, whose column is narrow.
func shortTitle(f specfields.Field) string {
	switch f.Key {
	case "goal_type":
		return "Type"
	case "priority_by":
		return "Set by"
	case "requires_hitl":
		return "By person"
	case "estimated_complexity":
		return "Estimated"
	case "max_attempts":
		return "At most"
	}
	return f.Title
}

// values are a field of names and values, with a column of their own: the names are as long as others like.
func (s *writer) values(field specfields.Field, lines []string) {
	s.head(field.Title, "")
	label := func(line string) (name, value string) {
		name, value, _ = strings.Cut(line, ": ")
		if name = words(name); field.Key == "external" { // the keys are other tools' words
			name = text.Capital(strings.ReplaceAll(name, "_", " "))
		}
		return name, value
	}
	col := 0
	for _, l := range lines {
		name, _ := label(l)
		col = max(col, text.Width(name))
	}
	f := s.newFacts(2, min(col+2, s.w/2))
	for _, l := range lines {
		name, value := label(l)
		f.put(name, s.d.st.Text, value)
	}
	f.flush()
}

// spec is what spec.json says about the work, but for what is in the table of facts: field after field.
func (s *writer) spec(t *model.Task) {
	sp, st := t.Spec, s.d.st
	if sp == nil {
		return
	}
	for _, f := range specfields.All() {
		lines := f.Lines(sp)
		switch {
		case len(lines) == 0 || f.Kind == specfields.Line:
		case f.Key == "acceptance_criteria":
			s.criteria(sp)
		case f.Key == "steps":
			s.steps(sp)
		case f.Kind == specfields.Prose:
			s.head(f.Title, "")
			s.prose(st.Text, strings.Join(lines, "\n"), 2)
		case f.Kind == specfields.Values:
			s.values(f, lines)
		default:
			sign, ink, body := s.sign(f.Key)
			s.head(f.Title, "")
			for _, l := range lines {
				s.bullet(sign, ink, body, l)
			}
		}
	}
}

// sign is what stands before the items of a field, and how both are drawn.
func (s *writer) sign(key string) (sign string, ink, body style.Ink) {
	st := s.d.st
	switch key {
	case "files_to_create":
		return "+", st.Good, st.Text
	case "files_to_modify":
		return "~", st.Warn, st.Text
	case "test_files":
		return "t", st.Info, st.Text
	case "verify":
		return "$", st.Muted, st.Code
	}
	return st.Glyph.Bullet, st.Muted, st.Text
}

// criteria are the acceptance criteria with what a run has shown of each.
func (s *writer) criteria(sp *model.Spec) {
	st := s.d.st
	done := 0
	for _, c := range sp.AcceptanceCriteria {
		if met(c.State) {
			done++
		}
	}
	s.head("Acceptance criteria", fmt.Sprintf("%d of %d met", done, len(sp.AcceptanceCriteria)))
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

func (s *writer) steps(sp *model.Spec) {
	done := 0
	for _, x := range sp.Steps {
		if x.Done {
			done++
		}
	}
	s.head("Steps", fmt.Sprintf("%d of %d done", done, len(sp.Steps)))
	for _, x := range sp.Steps {
		sign, ink := s.tick(x.Done)
		s.bullet(sign, ink, s.d.st.Text, x.Step)
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

func (s *writer) tick(on bool) (string, style.Ink) {
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
func (s *writer) graph(t *model.Task) {
	d := s.d
	deps := d.snap.DependsOn(d.idx)
	if n := len(t.DependsOn); n > 0 {
		ended := 0
		for _, i := range deps {
			if d.snap.Status(int(i)) == model.StatusDone {
				ended++
			}
		}
		s.head("Depends on", fmt.Sprintf("%d of %d done", ended, n))
		s.tasks(deps)
		s.unknown(t.DependsOn)
	}
	if list := d.snap.Dependents(d.idx); len(list) > 0 {
		s.head("Needed by", fmt.Sprintf("%d directly", len(list)))
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
func (s *writer) unknown(list []model.UID) {
	st := s.d.st
	for _, uid := range list {
		if _, ok := s.d.snap.Index(uid); !ok {
			s.bullet(st.Glyph.Warning, st.Bad, st.Text, string(uid)+" is not in this store")
		}
	}
}
