package beads

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"vespe/model"
)

const (
	maxFile = 256 << 20 // bytes
	maxLine = 16 << 20  // bytes of one issue
)

// Issues are the issues of one file, in file order, each id once.
type Issues []Issue

// Issue is one line of the file. Rest holds every key that vespe has no field for.
type Issue struct {
	ID                 string    `json:"id"`
	Title              string    `json:"title"`
	Description        string    `json:"description"`
	Design             string    `json:"design"`
	AcceptanceCriteria string    `json:"acceptance_criteria"`
	Notes              string    `json:"notes"`
	Status             string    `json:"status"`
	Priority           *int      `json:"priority"`
	IssueType          string    `json:"issue_type"`
	Labels             []string  `json:"labels"`
	CreatedAt          time.Time `json:"created_at"`
	CreatedBy          string    `json:"created_by"`
	UpdatedAt          time.Time `json:"updated_at"`
	Ending
	Owner        string       `json:"owner"`
	Assignee     string       `json:"assignee"`
	Dependencies []Dependency `json:"dependencies"`
	Comments     []Comment    `json:"comments"`

	Rest []model.ExtraField `json:"-"`
	Line int                `json:"-"`
}

// Ending says when and why an issue was closed or deleted.
type Ending struct {
	ClosedAt     time.Time `json:"closed_at"`
	CloseReason  string    `json:"close_reason"`
	DeletedAt    time.Time `json:"deleted_at"`
	DeletedBy    string    `json:"deleted_by"`
	DeleteReason string    `json:"delete_reason"`
}

// Dependency is one link of an issue to another.
type Dependency struct {
	DependsOnID string `json:"depends_on_id"`
	Type        string `json:"type"`
}

// Comment is one remark on an issue.
type Comment struct {
	Author    string    `json:"author"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at"`
}

// Parse reads a JSONL file; name is what problems call it. A line that is no issue
// becomes a problem with its number, and the others are read all the same.
func Parse(name string, r io.Reader) (issues Issues, problems []model.Problem) {
	line := 1
	bad := func(severity model.Severity, code, reason, hint string) {
		problems = append(problems, model.Problem{
			Path: name, Line: line, Severity: severity, Code: code, Reason: reason, Hint: hint,
		})
	}
	src, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	seen := map[string]int{}
	for text := range bytes.Lines(src[:min(len(src), maxFile)]) {
		issue, wrong := parseIssue(text)
		issue.Line = line
		var ofType *json.UnmarshalTypeError
		if errors.As(wrong, &ofType) && ofType.Field != "" && issue.ID != "" {
			bad(model.Warning, "wrong-type",
				fmt.Sprintf("%s: %s is a %s and was ignored", issue.ID, ofType.Field, ofType.Value),
				"correct it if it matters, before the issue is imported")
			wrong = nil
		}
		switch {
		case len(text) > maxLine:
			bad(model.Error, "too-large", fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "split or remove it")
		case len(bytes.TrimSpace(text)) == 0:
		case wrong != nil:
			bad(model.Error, "bad-json", wrong.Error(), "correct or remove the line")
		case strings.TrimSpace(issue.ID) == "":
			bad(model.Error, "missing-id", "the issue has no id", "give it one")
		case seen[issue.ID] > 0:
			bad(model.Error, "duplicate-id", fmt.Sprintf("%s is already on line %d", issue.ID, seen[issue.ID]),
				"only the first one is imported")
		default:
			seen[issue.ID] = line
			issues = append(issues, issue)
		}
		line++
	}
	if len(src) > maxFile {
		bad(model.Error, "too-large", fmt.Sprintf("the file is larger than %d MiB", maxFile>>20), "split it")
	}
	if err != nil {
		bad(model.Error, "unreadable", err.Error(), "")
	}
	return issues, problems
}

// parseIssue reads one line. With a *json.UnmarshalTypeError the issue holds all else.
func parseIssue(text []byte) (issue Issue, bad error) {
	bad = json.Unmarshal(text, &issue) // a value of the wrong type leaves the others readable
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return issue, err
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Issue]()) {
		if key, tagged := field.Tag.Lookup("json"); tagged {
			delete(all, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		issue.Rest = append(issue.Rest, model.ExtraField{Key: key, Value: all[key]})
	}
	return issue, bad
}
