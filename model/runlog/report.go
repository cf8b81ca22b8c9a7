package runlog

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Status is how a check ended.
type Status string

// The statuses of checks and criteria.
const (
	Pass   Status = "pass"
	Fail   Status = "fail"
	NotRun Status = "not_run" // it could not be run, or nothing checks it; Why says which
)

// MaxOutput is how much of what a check prints is kept, in bytes: its end.
const MaxOutput = 16 << 10

// Evidence is what became of one check of a commit.
type Evidence struct {
	Name   string   `json:"name"`
	Argv   []string `json:"argv,omitzero"`
	Source string   `json:"source"` // "files", "verify", or "detected: " and the runner
	Status Status   `json:"status"`
	Exit   int      `json:"exit"`
	// Millis is how long it took, in milliseconds.
	Millis int64  `json:"millis"`
	Output string `json:"output,omitzero"` // the end of what it printed, at most MaxOutput
	Bytes  int64  `json:"bytes,omitzero"`  // how much that was in all
	Why    string `json:"why,omitzero"`
}

// Took is how long the check took.
func (e *Evidence) Took() time.Duration { return time.Duration(e.Millis) * time.Millisecond }

// Criterion is what is known of one acceptance criterion of a task.
type Criterion struct {
	Text   string `json:"text"`
	Status Status `json:"status"`
	By     string `json:"by,omitzero"` // the name of the check that says so
	Why    string `json:"why,omitzero"`
}

// Report is what verification found: verify.json of a run.
type Report struct {
	Commit string `json:"commit"` // what was checked
	Tree   string `json:"tree,omitzero"`
	// OK says that nothing failed that was checked. Without Tested that is no more than that nothing was
	// found to be wrong: no test was there to be run.
	OK       bool        `json:"ok"`
	Tested   bool        `json:"tested"`
	Why      string      `json:"why,omitzero"`     // of a report that is not OK, or not Tested: one line
	Missing  []string    `json:"missing,omitzero"` // files that were to be created and are not there
	Outside  []string    `json:"outside,omitzero"` // files that were changed and that the task does not name, where it names any
	Checks   []Evidence  `json:"checks"`
	Criteria []Criterion `json:"criteria,omitzero"`
}

// Encode is verify.json.
func (r *Report) Encode() []byte {
	b, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true), jsontext.WithIndent("  "), jsontext.EscapeForHTML(false))
	if err != nil { // no value of a Report is without a JSON form
		return []byte("{}\n")
	}
	return append(b, '\n')
}

// DecodeReport reads verify.json.
func DecodeReport(b []byte) (Report, error) {
	var r Report
	if err := json.Unmarshal(b, &r, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Report{}, fmt.Errorf("can't read verify.json: %w", err)
	}
	return r, nil
}
