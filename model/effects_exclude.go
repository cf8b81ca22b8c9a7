package model

import (
	"fmt"
	"slices"
	"strings"
)

// needExcludable refuses to leave out what is not there.
var needExcludable = check{GuardInfo{GuardExcluded, "for what is left out: a section of the plan, or an open subtask"}, func(s *step) *Refusal {
	if len(s.op.Excluded) == 0 {
		return nil
	}
	plan, known, r := s.doc(s.task, Plan)
	if r != nil {
		return r
	}
	sections := Sections(string(plan.Body))
	for i, what := range s.op.Excluded {
		switch child, isTask := s.w.Task(UID(what)); {
		case slices.Contains(s.op.Excluded[:i], what):
			return s.refuse(CodeInvalid, GuardExcluded, quote(what)+" is left out twice", "name it once")
		case isTask && child.Config.ParentUID != s.task.UID:
			return s.refuse(CodeInvalid, GuardExcluded, quoted(child)+" is no subtask of it", "leave out its own subtasks, or sections of its plan")
		case isTask && child.ended():
			return s.refuse(CodeRefused, GuardExcluded, quoted(child)+" "+endedHow(child), "it can be left out no more")
		case isTask, !known || plan.Hash == "":
		case !slices.ContainsFunc(sections, func(o Section) bool { return o.Title == what }):
			return s.refuse(CodeInvalid, GuardExcluded, "its plan has no section "+quote(what), "name a heading as it is written, or the uid of a subtask")
		}
	}
	if known && plan.Hash != "" && allLeftOut(string(plan.Body), sections, s.op.Excluded) {
		return s.refuse(CodeRefused, GuardExcluded, "this leaves out all of its plan", "accept a part of it, or reject it")
	}
	return nil
}}

// allLeftOut reports whether nothing is left of a text but blank lines.
func allLeftOut(text string, sections []Section, titles []string) bool {
	out := LeftOut(sections, titles)
	n, some := 0, false
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) == "" {
			continue
		}
		some = true
		covered := false
		for i, s := range sections {
			covered = covered || out[i] && s.From <= n && n <= s.To
		}
		if !covered {
			return false
		}
	}
	return some
}

// exclude pauses the subtasks that an acceptance leaves out. What they waited for before does not let
// them go on: a pause for a request or for subtasks comes back when a person resumes them.
func (s *step) exclude(t *Task) {
	for _, what := range s.op.Excluded {
		child, isTask := s.w.Task(UID(what))
		if !isTask || child.Config.ParentUID != t.UID || child.Status.IsPaused && strings.HasPrefix(child.Status.PauseReason, excludedReason) {
			continue
		}
		c := s.edit(child.UID)
		reason := excludedReason + "the plan of " + quoted(t) + " was accepted without it"
		if was := c.Status.PauseReason; c.Status.IsPaused && was != "" {
			reason += "; it was paused before: " + was
		}
		c.Status.IsPaused, c.Status.PauseReason = true, reason
		s.emit(Event{
			Name: Pause, UID: c.UID, Actor: s.op.Actor, Cause: t.UID, From: c.Status.CurrentState, To: c.Status.CurrentState,
			Reason: c.Status.PauseReason, Summary: fmt.Sprintf("pause %s: it was left out of the plan of %s", quoted(c), quoted(t)),
		})
	}
	s.sayLeftOut("left out", "", s.op.Excluded)
}

// sayLeftOut names what of a plan is not accepted, and warns of sections that a text has no more; the
// text may be "" where that is known.
func (s *step) sayLeftOut(how, text string, parts []string) {
	if len(parts) == 0 {
		return
	}
	s.say(fmt.Sprintf("%s: %s", plural(len(parts), "part of it is "+how, "parts of it are "+how), s.partNames(parts)))
	s.detail(ListField("excluded", parts))
	if text == "" {
		return
	}
	sections := Sections(text)
	for _, what := range parts {
		_, isTask := s.w.Task(UID(what))
		if !isTask && !slices.ContainsFunc(sections, func(o Section) bool { return o.Title == what }) {
			s.warnings = append(s.warnings, fmt.Sprintf("the acceptance leaves out %s, and its plan has no such section any more", quote(what)))
		}
	}
}

// sayTakenIn warns of what the acceptance that stood left out and this one does not.
func (s *step) sayTakenIn(t *Task) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return
	}
	in := slices.DeleteFunc(slices.Clone(a.Excluded), func(what string) bool { return slices.Contains(s.op.Excluded, what) })
	if len(in) > 0 {
		s.warnings = append(s.warnings, "the acceptance before it left out what this one accepts: "+s.partNames(in))
	}
}

// sameParts refuses to make an acceptance hold again that leaves out other parts than its approval does.
func (s *step) sameParts(t *Task) *Refusal {
	body, known, r := s.approval(t)
	if r != nil || !known || body == nil {
		return r
	}
	a, err := DecodeApproval(body)
	if err != nil || slices.Equal(a.Excluded, t.Status.AcceptedPlan.Excluded) {
		return nil // one that cannot be read is what it is revalidated for
	}
	return s.refuse(CodeConflict, GuardApproval, approvalsDir+t.Status.AcceptedPlan.Approval+" leaves out other parts than status.json says",
		"restore status.json from git, or replan it")
}

// partNames are sections and subtasks as the object of a sentence.
func (x *tx) partNames(parts []string) string {
	const most = 5
	var words []string
	for i, what := range parts {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(parts)-i))
			break
		}
		if t, ok := x.w.Task(UID(what)); ok {
			words = append(words, "the subtask "+quoted(t))
			continue
		}
		words = append(words, "the section "+quote(what))
	}
	return listing(words)
}
