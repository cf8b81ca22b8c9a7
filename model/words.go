package model

import "strings"

// statusWords are the words of filters, of --json and of files, one a status, in the order of the constants.
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

// statusLabels are what people see.
var statusLabels = [NumStatuses]string{
	StatusProblem:    "Problem",
	StatusAborted:    "Aborted",
	StatusFailed:     "Failed",
	StatusError:      "Error",
	StatusChanged:    "Changed",
	StatusWaiting:    "Waiting for you",
	StatusPaused:     "Paused",
	StatusSubtasks:   "Subtasks",
	StatusDone:       "Done",
	StatusReviewPlan: "Plan review",
	StatusReviewWork: "Work review",
	StatusBlocked:    "Blocked",
	StatusRunning:    "Running",
	StatusReady:      "Ready",
	StatusReplan:     "Replan",
	StatusPlanning:   "To plan",
	StatusCreated:    "New",
}

const (
	// LabelWidth is the width of the longest label, in cells.
	LabelWidth = len("Waiting for you")
	// ColumnWidth is that of the longest in a column of a list (StatusShort).
	ColumnWidth = len("Plan review")
)

// Label is a stored state in the words of the screen: the status that a task has once it comes to it, or had when it left it.
func (s State) Label(come bool) string {
	status, ok := map[State]Status{
		Created: StatusCreated, ObjectiveDefined: StatusPlanning, PlanDefined: StatusReviewPlan, Working: StatusReady, Errored: StatusError,
		Completed: StatusReviewWork, Replanned: StatusReplan, Failed: StatusFailed, Aborted: StatusAborted,
	}[s]
	switch {
	case !ok:
		return strings.ReplaceAll(string(s), "_", " ")
	case s == Working && !come:
		status = StatusRunning
	}
	return status.Label()
}

// Left is the status that a task had before an event. A verdict that was taken back had let nothing start.
func (e *Event) Left() string { return e.From.Label(e.Name == UndoVerdict) }

// Label is what people see for s; "Unknown" when s is none of the constants.
func (s Status) Label() string {
	if int(s) >= NumStatuses {
		return "Unknown"
	}
	return statusLabels[s]
}

// Slug is the label as it is typed in a filter: in small letters, with - for a space.
func (s Status) Slug() string { return strings.ReplaceAll(strings.ToLower(s.Label()), " ", "-") }

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

// ParseStatus finds the status of a word or a label. Case does not matter, and "review-plan",
// "review_plan" and "reviewplan" all read as "review plan", so that a filter needs no
// quotes.
func ParseStatus(word string) (Status, bool) {
	word = FoldWord(word)
	for i, w := range statusWords {
		if word == strings.ReplaceAll(w, " ", "") || word == FoldWord(statusLabels[i]) {
			return Status(i), true
		}
	}
	return 0, false
}

// FoldWord lower-cases ASCII letters and drops spaces, "-" and "_".
func FoldWord(s string) string {
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

// Nearest is the word of known that is most like word; "" when none is.
func Nearest(word string, known []string) string {
	best, bestAt := "", 1+max(1, len(word)/3)
	for _, k := range known {
		d := editDistance(word, k)
		if strings.HasPrefix(k, word) && len(word) > 1 {
			d = min(d, 1)
		}
		if d < bestAt {
			best, bestAt = k, d
		}
	}
	return best
}

// editDistance is how many letters must be added, dropped, changed or swapped with
// their neighbor to make b of a.
func editDistance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
