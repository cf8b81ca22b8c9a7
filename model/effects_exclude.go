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
	headings := Headings(string(plan.Body))
	for i, what := range s.op.Excluded {
		switch child, isTask := s.w.Task(UID(what)); {
		case slices.Contains(s.op.Excluded[:i], what):
			return s.refuse(CodeInvalid, GuardExcluded, quote(what)+" is left out twice", "name it once")
		case isTask && child.Config.ParentUID != s.task.UID:
			return s.refuse(CodeInvalid, GuardExcluded, quoted(child)+" is no subtask of it", "leave out its own subtasks, or sections of its plan")
		case isTask && child.ended():
			return s.refuse(CodeRefused, GuardExcluded, quoted(child)+" "+endedHow(child), "it can be left out no more")
		case isTask, !known || plan.Hash == "":
		case !slices.Contains(headings, what):
			return s.refuse(CodeInvalid, GuardExcluded, "its plan has no section "+quote(what), "name a heading as it is written, or the uid of a subtask")
		}
	}
	return nil
}}

// exclude pauses the subtasks that an acceptance leaves out.
func (s *step) exclude(t *Task) {
	for _, what := range s.op.Excluded {
		if child, isTask := s.w.Task(UID(what)); isTask && child.Config.ParentUID == t.UID && !child.Status.IsPaused {
			c := s.edit(child.UID)
			c.Status.IsPaused, c.Status.PauseReason = true, excludedReason+"the plan of "+quoted(t)+" was accepted without it"
			s.emit(Event{
				Name: Pause, UID: c.UID, Actor: s.op.Actor, Cause: t.UID, From: c.Status.CurrentState, To: c.Status.CurrentState,
				Reason: c.Status.PauseReason, Summary: fmt.Sprintf("pause %s: it was left out of the plan of %s", quoted(c), quoted(t)),
			})
		}
	}
	if n := len(s.op.Excluded); n > 0 {
		s.say(plural(n, "part of it is", "parts of it are") + " left out")
		s.detail(ListField("excluded", s.op.Excluded))
	}
}

// Headings are the headings of a Markdown text as they are written, without their marks: those
// that begin with # (CommonMark: ATX headings), outside of fenced code.
func Headings(text string) (out []string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		inner := strings.TrimLeft(line, " ")
		if len(line)-len(inner) > 3 {
			continue
		}
		if mark := fenceOf(inner); fence == "" && mark != "" {
			fence = mark
			continue
		} else if fence != "" {
			if strings.HasPrefix(mark, fence) && strings.Trim(inner, string(fence[0])+" ") == "" {
				fence = ""
			}
			continue
		}
		title := strings.TrimLeft(inner, "#")
		if n := len(inner) - len(title); n == 0 || n > 6 || title != "" && title[0] != ' ' && title[0] != '\t' {
			continue
		}
		title = strings.TrimSpace(title)
		if cut := strings.TrimRight(title, "#"); cut == "" || strings.HasSuffix(cut, " ") {
			title = strings.TrimSpace(cut)
		}
		if title != "" {
			out = append(out, title)
		}
	}
	return out
}

// fenceOf is the row of backquotes or tildes that opens or closes fenced code.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 && (c == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}
