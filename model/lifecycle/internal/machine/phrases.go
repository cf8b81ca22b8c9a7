package machine

import (
	"strings"

	"vespe/model"
)

// FirstLine is the beginning of a text, for a message.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// EndedHow says how a task ended, after "it ".
func EndedHow(t *model.Task) string {
	switch t.Status.CurrentState {
	case model.Failed:
		return "failed"
	case model.Aborted:
		return "was aborted"
	case model.Completed:
		if t.IsReviewed() {
			return "is completed and its work was accepted"
		}
		return "is completed"
	}
	return "is " + string(t.Status.CurrentState)
}

// PausedHow says why a task is paused, after "it is ".
func PausedHow(t *model.Task) string {
	switch t.Status.PauseKind() {
	case "subtasks":
		return "waiting for its subtasks"
	case "hitl":
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(t.Status.PauseReason, "hitl"), ":"))
		if text == "" {
			return "waiting for a person"
		}
		return "waiting for a person: " + model.Quote(text)
	}
	if text := strings.TrimSpace(t.Status.PauseReason); text != "" {
		return "paused: " + model.Quote(text)
	}
	return "paused"
}

// UnpauseHint is how a paused task resumes, as a request.
func UnpauseHint(t *model.Task) string {
	switch t.Status.PauseKind() {
	case "subtasks":
		return "complete or abort its subtasks, and it resumes"
	case "hitl":
		return "a person can resume it"
	}
	return "resume it first"
}
