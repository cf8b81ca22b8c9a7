package model

import (
	"fmt"
	"math"
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
	RunCancelled = "cancelled" // somebody stopped it: no attempt is counted
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

const (
	maxReportText = 4 << 10 // bytes of each text of a report but Why, which is a note
	maxCriteria   = 1000
)

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

// bounded is the report as it is written: texts of workers and of their tools are cut to what can be
// read again, so that no run is refused its end for what it said.
func (p *RunReport) bounded() *RunReport {
	c := p.Clone()
	for _, text := range []*string{&c.Template, &c.Session, &c.Phase, &c.Base, &c.Result, &c.Integrated} {
		*text = CutText(*text, maxReportText)
	}
	c.Why = CutText(c.Why, maxNote)
	if math.IsNaN(c.Cost) || math.IsInf(c.Cost, 0) {
		c.Cost = 0
	}
	c.Cost, c.In, c.Out, c.Attempt = max(c.Cost, 0), max(c.In, 0), max(c.Out, 0), max(c.Attempt, 0)
	c.Criteria = c.Criteria[:min(len(c.Criteria), maxCriteria)]
	for i := range c.Criteria {
		k := &c.Criteria[i]
		k.Text, k.State, k.Evidence = CutText(k.Text, maxReportText), CutText(k.State, maxReportText), CutText(k.Evidence, maxReportText)
	}
	return c
}

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

// tick writes what a run says of the acceptance criteria into the task's spec. That is bookkeeping:
// the terms of an acceptance have neither the state nor the evidence (terms.go).
func (s *step) tick(t *Task, p *RunReport) {
	if p == nil || t.Spec == nil {
		return
	}
	var sp *Spec
	for _, c := range p.Criteria {
		i := c.Criterion - 1
		switch {
		case i < 0 || i >= len(t.Spec.AcceptanceCriteria), c.State == "":
			continue
		case c.Text != "" && c.Text != CutText(t.Spec.AcceptanceCriteria[i].Text, maxReportText):
			s.warnings = append(s.warnings, fmt.Sprintf("criterion %d has changed since, so the run's result for it doesn't count", i+1))
			continue
		}
		if sp == nil {
			sp = t.Spec.Clone()
		}
		sp.AcceptanceCriteria[i].State, sp.AcceptanceCriteria[i].Evidence = c.State, c.Evidence
	}
	if sp != nil {
		t.Spec = sp
		s.touched[t.UID].files.Spec = true
	}
}

// RunFiles is what a World may know besides: the run.json of a run, so that what others wrote into it
// survives. ErrNoContent when there is none.
type RunFiles interface {
	RunFile(uid UID, run string) ([]byte, error)
}

func runPath(uid UID, run string) string { return runFilePath(uid, run, "run.json") }

func runFilePath(uid UID, run, name string) string {
	return taskFile(uid, "persistent/runs/"+run+"/"+name)
}

// writeRun writes run.json of the live run: with an outcome when it is over, else as of one that is
// under way.
func (s *step) writeRun(t *Task, outcome string, report *RunReport) {
	st := &t.Status
	if !ValidRun(st.CurrentRun) {
		return // an id of another system that cannot name a directory
	}
	var run Run
	if b, err := s.o.RunFile(t.UID, st.CurrentRun); err == nil {
		was, problems := DecodeRun(runPath(t.UID, st.CurrentRun), b)
		if !hasError(problems) {
			run.Extra = was.Extra
		}
	}
	run.ID, run.Worker, run.Started = st.CurrentRun, st.AssignedAgentUID, st.RunStartedAt
	if outcome != "" {
		run.Ended, run.Outcome, run.Report = s.op.At, outcome, report
	}
	s.write(runPath(t.UID, st.CurrentRun), EncodeRun(run), false)
}
