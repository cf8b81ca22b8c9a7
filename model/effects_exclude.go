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
	if n := len(s.op.Excluded); n > 0 {
		s.say(plural(n, "part of it is", "parts of it are") + " left out")
		s.detail(ListField("excluded", s.op.Excluded))
	}
}
