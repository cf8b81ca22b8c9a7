package model

import (
	"strings"
)

// firstLine is the beginning of a text, for a message.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// endedHow says how a task ended, after "it ".
func endedHow(t *Task) string {
	switch t.Status.CurrentState {
	case Failed:
		return "failed"
	case Aborted:
		return "was aborted"
	case Completed:
		if t.IsReviewed() {
			return "is completed and its work was accepted"
		}
		return "is completed"
	}
	return "is " + string(t.Status.CurrentState)
}

// pausedHow says why a task is paused, after "it is ".
func pausedHow(t *Task) string {
	switch t.Status.PauseKind() {
	case "subtasks":
		return "waiting for its subtasks"
	case "hitl":
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t.Status.PauseReason, "hitl"), ":"))
		if text == "" {
			return "waiting for a person"
		}
		return "waiting for a person: " + Quote(text)
	}
	if text := strings.TrimSpace(t.Status.PauseReason); text != "" {
		return "paused: " + Quote(text)
	}
	return "paused"
}

func unpauseHint(t *Task) string {
	switch t.Status.PauseKind() {
	case "subtasks":
		return "complete or abort its subtasks; then it resumes by itself"
	case "hitl":
		return "a person can resume it"
	}
	return "resume it first"
}
