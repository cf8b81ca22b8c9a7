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
	"time"

	"vespe/interop/records"
	"vespe/model"
)

const (
	maxFile = 256 << 20 // bytes
	maxLine = 16 << 20  // bytes of one issue
)

// Issue is what vespe has a place for of one line of the file.
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

// read reads a JSONL file. A line that is no issue becomes a problem with its number, and the others are read all the
// same.
func read(in records.Input) (list []records.Record, problems []model.Problem) {
	line := 1
	bad := func(severity model.Severity, code, reason, hint string) {
		problems = append(problems, model.Problem{
			Path: in.Name, Line: line, Severity: severity, Code: code, Reason: reason, Hint: hint,
		})
	}
	src, err := io.ReadAll(io.LimitReader(in.File, maxFile+1))
	for text := range bytes.Lines(bytes.ToValidUTF8(src[:min(len(src), maxFile)], []byte("\ufffd"))) {
		issue, fields, wrong := parseIssue(text)
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
		default:
			list = append(list, records.Record{Fields: fields, Raw: text, Path: in.Name, Line: line, Index: line})
		}
		line++
	}
	if len(src) > maxFile {
		bad(model.Error, "too-large", fmt.Sprintf("the file is larger than %d MiB", maxFile>>20), "split it")
	}
	if err != nil {
		bad(model.Error, "unreadable", err.Error(), "")
	}
	return list, problems
}

// parseIssue reads one line. With a *json.UnmarshalTypeError the issue holds all else.
func parseIssue(text []byte) (issue Issue, fields model.Extra, bad error) {
	bad = json.Unmarshal(text, &issue) // a value of the wrong type leaves the others readable
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return issue, nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fields = append(fields, model.ExtraField{Key: key, Value: all[key]})
	}
	return issue, fields, bad
}

// issueOf is the issue of a record. What is of the wrong type in it was reported when it was read.
func issueOf(fields model.Extra) Issue {
	issue, _, _ := parseIssue(model.EncodeFields(fields))
	return issue
}

// rest are the members that an Issue has no field for.
func rest(fields model.Extra) model.Extra {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Issue]()) {
		if key, tagged := field.Tag.Lookup("json"); tagged {
			fields = fields.Without(key)
		}
	}
	return fields
}
