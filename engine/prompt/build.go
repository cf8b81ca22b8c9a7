package prompt

import (
	"bytes"
	"fmt"

	"vespe/model"
	"vespe/model/runlog"
)

// The bounds of the sections, in bytes of what others wrote.
const (
	maxObjective  = 12 << 10
	maxPlan       = 48 << 10
	maxGuidelines = 8 << 10
	maxResults    = 10 << 10 // of all dependencies
	maxResultFile = 3 << 10
	maxReport     = 3 << 10 // of one dependency
	maxFailures   = 10 << 10
	maxTail       = 3 << 10 // of one check
	maxRejections = 6 << 10
	maxAnswers    = 4 << 10
	maxList       = 4 << 10 // of a list, of lines of at most maxLine
	maxLine       = 600

	// MaxPrompt is how long a prompt is at most, in bytes.
	MaxPrompt = 192 << 10
)

// Input is what a prompt is made of. Only Task is needed.
type Input struct {
	Task      *model.Task
	Objective []byte
	// Plan are the bytes that a person accepted, PlanHash is their hash. PlanFile is where the revision
	// lies, for one that is too long to be here.
	Plan     []byte
	PlanHash string
	PlanFile string
	Excluded []string // what of the plan is not accepted: headings of sections
	// StatusReason is why the acceptance does not count for anyone who reads the store; "" where it does.
	StatusReason string
	Above        []string // names of the tasks that this one is a part of, the nearest first

	Guidelines []byte
	Deps       []Dep
	Verify     [][]string  // argv lists
	Answers    []Decision  // of people to what was asked, the oldest first
	Comments   []string    // of people, on the accepted plan
	Failures   []Failure   // attempts before this one, the oldest first
	Rejected   []Rejection // the oldest first

	Attempt     int // from 1; 0 where nobody counts
	MaxAttempts int
	Vespe       string // how vespe is called; "vespe" when empty
	CanResume   bool   // the worker continues with its session when a person has answered
}

// Dep is a task whose result this one may use.
type Dep struct {
	UID, Name, Status string
	Report            string // what was said when its work was reported as done
	Dir               string // of its result, absolute
	Files             []ResultFile
	More              int // files that are not in Files
}

// ResultFile is a file of a result. Body is its beginning where it is a text; Size is in bytes.
type ResultFile struct {
	Path string
	Size int64
	Body []byte
}

// Decision is what a person said to a request.
type Decision struct {
	Title, Decision, Choice, Text string
	Args                          []byte
	By                            model.Actor
}

// Failure is an attempt that did not succeed.
type Failure struct {
	Run     string
	Attempt int
	Phase   string
	Why     string
	Missing []string // files that were to be there
	Checks  []runlog.Evidence
}

// Rejection is a person's verdict against a plan, or against work that was done by one.
type Rejection struct {
	Of       string // "plan" or "work"
	Revision int    // of the plan
	By       model.Actor
	Reason   string
	Comments []string
}

// Build writes the prompt. The same Input gives the same bytes.
func Build(in Input) []byte {
	if in.Vespe == "" {
		in.Vespe = "vespe"
	}
	var b bytes.Buffer
	w := writer{&b, &in}
	w.title()
	w.goal()
	w.criteria()
	w.plan()
	w.steps()
	w.constraints()
	w.files()
	w.about()
	w.results()
	w.guidelines()
	w.verify()
	w.answers()
	w.failures()
	w.rejected()
	w.rules()
	return b.Bytes()
}

// writer writes the sections of one prompt.
type writer struct {
	*bytes.Buffer
	in *Input
}

func (w *writer) heading(text string) { fmt.Fprintf(w, "\n## %s\n\n", text) }

func (w *writer) f(format string, args ...any) { fmt.Fprintf(w, format, args...) }
