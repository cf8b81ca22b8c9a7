package model

import (
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// Run is one attempt by one worker at one task: persistent/runs/<id>/run.json.
type Run struct {
	ID      string     `file:"run,always,vital"`
	Task    UID        // whose directory it lies in
	Worker  Actor      `file:"worker,always"`
	Started time.Time  `file:"started_at"` // zero where it is not known
	Ended   time.Time  `file:"ended_at"`   // zero: it is under way
	Outcome string     `file:"outcome"`    // one of the Run constants; "" while it is under way
	Report  *RunReport `file:"report"`
	Extra   Extra
}

// How a run ended (Run.Outcome).
const (
	RunCompleted = "completed"
	RunErrored   = "error"
	RunFailed    = "failed"
	RunCanceled  = "cancelled" // somebody stopped it: no attempt is counted
	RunReplanned = "replanned"
	RunAborted   = "aborted"
)

// RunReport is what the loop or agent that ran a worker knows of a run that has ended (Completion, ErrorReport, RunEnd).
type RunReport struct {
	Attempt    int              `file:"attempt"`             // which attempt at the task it was, from 1; 0 where nobody counted
	Template   string           `file:"template"`            // what the worker was started by
	Session    string           `file:"session"`             // of the worker's own client, to go on with
	Phase      string           `file:"phase"`               // the last one that it came to: setup, work, snapshot, verify, integrate
	Why        string           `file:"why"`                 // it ended so: one line or more, for people and for the next attempt
	Exit       int              `file:"exit,always,as=exit"` // code of the worker's process
	Base       string           `file:"base"`                // commit that the work began from
	Result     string           `file:"result"`              // commit that holds the work
	Integrated string           `file:"integrated"`          // commit on the integration branch; "" while there is none
	Cost       float64          `file:"cost_usd"`
	In         int64            `file:"input_tokens"` // as far as the client says
	Out        int64            `file:"output_tokens"`
	Tested     bool             `file:"tested,always"`   // tests were found and ran
	Verified   bool             `file:"verified,always"` // every check passed on the committed tree
	Criteria   []CriterionState `file:"criteria"`
	Patch      string           `file:"patch_sha256"`    // hash of changes.patch as the run left it (HashBytes); "" where there is none
	Evidence   string           `file:"evidence_sha256"` // of verify.json
	Extra      Extra
}

// CriterionState is what a run says of one acceptance criterion.
type CriterionState struct {
	Criterion int    `file:"criterion"`        // its place in the spec, from 1
	Text      string `file:"text,always,lone"` // what it said; it counts only while the spec still has this text
	State     string `file:"state"`            // passed, failed, not_run
	Evidence  string `file:"evidence"`         // what shows it: the check, its exit code
	Extra     Extra
}

var runFormat, reportFormat = formatOf[Run](), formatOf[RunReport]()

// ValidRun reports whether an id can name a run's directory: letters, digits, ".", "_" and "-", at
// most 64 of them.
func ValidRun(id string) bool { return runPattern.Get().MatchString(id) }

// Live reports that the run is not over, as far as its file says.
func (r *Run) Live() bool { return r.Ended.IsZero() && r.Outcome == "" }

// Took is how long the run took; 0 where it is not known, or under way.
func (r *Run) Took() time.Duration {
	if r.Started.IsZero() || r.Ended.IsZero() {
		return 0
	}
	return max(0, r.Ended.Sub(r.Started))
}

// DecodeRun reads a run.json. The task, and an id that is absent, are those of its path.
func DecodeRun(file string, b []byte) (Run, []Problem) {
	r := reader{path: file, src: b}
	run := &Run{Task: taskOfPath(file)}
	m, ok := r.document()
	if !ok {
		return *run, r.problems
	}
	runFormat().read(&r, m, reflect.ValueOf(run).Elem())
	if parts := strings.Split(file, "/"); run.ID == "" && len(parts) > 1 && !hasKey(r.extra, "run") {
		run.ID = parts[len(parts)-2]
	}
	run.Extra = r.kept(runFormat().keys)
	return *run, r.problems
}

// EncodeRun writes run.json. What it does not say is left out.
func EncodeRun(run Run) []byte { return encoded(runFormat(), &run) }

// Clone is a deep copy; nil of nil.
func (p *RunReport) Clone() *RunReport { return cloned(reportFormat(), p) }

// CutText is text that is valid and has at most so many bytes; one that is cut says so.
func CutText(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	most -= len("…")
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// EndRun closes the live run in s. Where its worker ended it, and not somebody who stopped it, what it
// took is counted, if it is known when it began: a started second counts as one, and a clock that
// went back as none.
func (s *StatusFile) EndRun(at time.Time, byWorker bool) {
	if byWorker && s.CurrentRun != "" && !s.RunStartedAt.IsZero() {
		s.Runs++
		s.RunSeconds += int(max(0, at.Sub(s.RunStartedAt)+time.Second-1) / time.Second)
	}
	s.CurrentRun, s.RunStartedAt = "", time.Time{}
}
