package beads

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vespe/model"
)

// maxLine bounds one issue: 16 MiB.
const maxLine = 16 << 20

// Issues are the issues of one file, in file order, each id once.
type Issues []Issue

// Issue is one line of the file. Rest holds every key that vespe has no field for.
type Issue struct {
	ID                 string       `json:"id"`
	Title              string       `json:"title"`
	Description        string       `json:"description"`
	Design             string       `json:"design"`
	AcceptanceCriteria string       `json:"acceptance_criteria"`
	Notes              string       `json:"notes"`
	Status             string       `json:"status"`
	Priority           *int         `json:"priority"`
	IssueType          string       `json:"issue_type"`
	Labels             []string     `json:"labels"`
	CreatedAt          time.Time    `json:"created_at"`
	CreatedBy          string       `json:"created_by"`
	UpdatedAt          time.Time    `json:"updated_at"`
	ClosedAt           time.Time    `json:"closed_at"`
	CloseReason        string       `json:"close_reason"`
	DeletedAt          time.Time    `json:"deleted_at"`
	DeletedBy          string       `json:"deleted_by"`
	DeleteReason       string       `json:"delete_reason"`
	Owner              string       `json:"owner"`
	Assignee           string       `json:"assignee"`
	Dependencies       []Dependency `json:"dependencies"`
	Comments           []Comment    `json:"comments"`

	Rest []model.ExtraField `json:"-"`
	Line int                `json:"-"`
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

// known are the keys that Issue has fields for.
func known() []string {
	return []string{
		"id", "title", "description", "design", "acceptance_criteria", "notes", "status", "priority", "issue_type",
		"labels", "created_at", "created_by", "updated_at", "closed_at", "close_reason", "deleted_at", "deleted_by",
		"delete_reason", "owner", "assignee", "dependencies", "comments",
	}
}

// Parse reads a JSONL file; name is what problems call it. A line that is no issue
// becomes a problem with its number, and the others are read all the same.
func Parse(name string, r io.Reader) (Issues, []model.Problem) {
	var issues Issues
	var problems []model.Problem
	bad := func(line int, code, reason, hint string) {
		problems = append(problems, model.Problem{Path: name, Line: line, Severity: model.Error, Code: code, Reason: reason, Hint: hint})
	}
	seen := map[string]int{}
	fields := known()
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		raw, err := readLine(in)
		if errors.Is(err, errLong) {
			bad(line, "too-large", fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "split or remove it")
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			bad(line, "unreadable", err.Error(), "")
			return issues, problems
		}
		if text := bytes.TrimSpace(raw); len(text) > 0 {
			issue, perr := parseIssue(text, fields)
			issue.Line = line
			var wrong *json.UnmarshalTypeError
			if errors.As(perr, &wrong) && wrong.Field != "" && issue.ID != "" {
				problems = append(problems, model.Problem{
					Path: name, Line: line, Severity: model.Warning, Code: "wrong-type",
					Reason: fmt.Sprintf("%s: %s is a %s, and was left out", issue.ID, wrong.Field, wrong.Value),
					Hint:   "correct it if it matters, before the issue is imported",
				})
				perr = nil
			}
			first, again := seen[issue.ID]
			switch {
			case perr != nil:
				bad(line, "bad-json", perr.Error(), "correct or remove the line")
			case strings.TrimSpace(issue.ID) == "":
				bad(line, "missing-id", "the issue has no id", "give it one")
			case again:
				bad(line, "duplicate-id", fmt.Sprintf("%s is on line %d already", issue.ID, first), "the first one is imported")
			default:
				seen[issue.ID] = line
				issues = append(issues, issue)
			}
		}
		if err != nil {
			return issues, problems
		}
	}
}

var errLong = errors.New("line too long")

// readLine reads one line of at most maxLine bytes and passes over the rest of a longer
// one.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
			long = len(line) > maxLine
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			if err != nil {
				return nil, err
			}
			return nil, errLong
		}
		return line, err
	}
}

// parseIssue reads one line. With a *json.UnmarshalTypeError the issue holds all else.
func parseIssue(text []byte, fields []string) (Issue, error) {
	var issue Issue
	bad := json.Unmarshal(text, &issue) // a value of the wrong type leaves the others readable
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return issue, err
	}
	for key, value := range all {
		if !slices.Contains(fields, key) {
			issue.Rest = append(issue.Rest, model.ExtraField{Key: key, Value: value})
		}
	}
	slices.SortFunc(issue.Rest, func(a, b model.ExtraField) int { return strings.Compare(a.Key, b.Key) })
	return issue, bad
}
