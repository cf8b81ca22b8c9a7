package model

import "strings"

// statusWords are the words that people see, one a status, in the order of the constants.
var statusWords = [NumStatuses]string{
	StatusProblem:    "problem",
	StatusAborted:    "aborted",
	StatusFailed:     "failed",
	StatusError:      "error",
	StatusChanged:    "changed",
	StatusWaiting:    "waiting",
	StatusPaused:     "paused",
	StatusSubtasks:   "subtasks",
	StatusDone:       "done",
	StatusReviewPlan: "review plan",
	StatusReviewWork: "review work",
	StatusBlocked:    "blocked",
	StatusRunning:    "running",
	StatusReady:      "ready",
	StatusReplan:     "replan",
	StatusPlanning:   "planning",
	StatusCreated:    "created",
}

// String is the word for s; "unknown" when s is none of the constants.
func (s Status) String() string {
	if int(s) >= NumStatuses {
		return "unknown"
	}
	return statusWords[s]
}

// statusGlyphs are the signs that stand beside the words, in Unicode and in ASCII. They are
// the signs of a tape recorder for what runs (ready ▷, running ►, paused ∥, aborted ■, sent
// back ◁), diamonds for what a person must judge (a plan hollow, work solid), marks for how
// it ended. Each is one cell by every rule of width, none is an emoji, and common fonts
// for terminals have them all.
var statusGlyphs = [NumStatuses][2]string{
	StatusProblem:    {"▲", "#"},
	StatusAborted:    {"■", "x"},
	StatusFailed:     {"✗", "X"},
	StatusError:      {"!", "!"},
	StatusChanged:    {"≠", "~"},
	StatusWaiting:    {"?", "?"},
	StatusPaused:     {"∥", "="},
	StatusSubtasks:   {"⋯", ":"},
	StatusDone:       {"✓", "+"},
	StatusReviewPlan: {"◇", "P"},
	StatusReviewWork: {"◆", "W"},
	StatusBlocked:    {"⊗", "-"},
	StatusRunning:    {"►", "*"},
	StatusReady:      {"▷", ">"},
	StatusReplan:     {"◁", "<"},
	StatusPlanning:   {"◔", "o"},
	StatusCreated:    {"◦", "."},
}

// Glyph is the sign for s, one cell wide; no two statuses share one, so that it tells them
// apart without colors.
func (s Status) Glyph(ascii bool) string {
	switch {
	case int(s) >= NumStatuses:
		return "?"
	case ascii:
		return statusGlyphs[s][1]
	}
	return statusGlyphs[s][0]
}

// ParseStatus finds the status of a word. Case does not matter, and "review-plan",
// "review_plan" and "reviewplan" all read as "review plan", so that a filter needs no
// quotes.
func ParseStatus(word string) (Status, bool) {
	word = foldWord(word)
	for i, w := range statusWords {
		if word == strings.ReplaceAll(w, " ", "") {
			return Status(i), true
		}
	}
	return 0, false
}

// foldWord lower-cases ASCII letters and drops spaces, "-" and "_".
func foldWord(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-' || r == '_':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimSpace(s))
}

// Statuses lists every status in its order of precedence, as a fresh slice.
func Statuses() []Status {
	out := make([]Status, NumStatuses)
	for i := range out {
		out[i] = Status(i)
	}
	return out
}

// String is "warning" or "error".
func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}
