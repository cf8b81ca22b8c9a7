package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Run is one attempt by one worker at one task: persistent/runs/<id>/run.json.
type Run struct {
	ID      string
	Task    UID // whose directory it lies in
	Worker  Actor
	Started time.Time // zero where it is not known
	Ended   time.Time // zero: it is under way
	Outcome string    // one of the Run constants; "" while it is under way
	Report  *RunReport
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

// RunReport is what whoever ran a worker knows of a run once it is over (Op.Report).
type RunReport struct {
	Attempt    int    // which attempt at the task it was, from 1; 0 where nobody counted
	Template   string // what the worker was started by
	Session    string // of the worker's own client, to go on with
	Phase      string // the last one that it came to: setup, work, snapshot, verify, integrate
	Why        string // it ended so: one line or more, for people and for the next attempt
	Exit       int    // code of the worker's process
	Base       string // commit that the work began from
	Result     string // commit that holds the work
	Integrated string // commit on the integration branch; "" while there is none
	Cost       float64
	In, Out    int64 // tokens, as far as the client says
	Tested     bool  // tests were found and ran
	Verified   bool  // every check passed on the committed tree
	Criteria   []CriterionState
	// Patch and Evidence are the hashes of changes.patch and verify.json as the run left them (HashBytes); ""
	// where there is none.
	Patch, Evidence string
	Extra           Extra
}

// CriterionState is what a run says of one acceptance criterion.
type CriterionState struct {
	Criterion int    // its place in the spec, from 1
	Text      string // what it said; where the spec says something else by now, nothing is said of it
	State     string // passed, failed, not_run
	Evidence  string // what shows it: the check, its exit code
	Extra     Extra
}

var (
	runKeys    = []string{"run", "worker", "started_at", "ended_at", "outcome", "report"}
	reportKeys = []string{
		"attempt", "template", "session", "phase", "why", "exit", "base", "result", "integrated",
		"cost_usd", "input_tokens", "output_tokens", "tested", "verified", "criteria",
		"patch_sha256", "evidence_sha256",
	}
	criterionStateKeys = []string{"criterion", "text", "state", "evidence"}
)

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
	run := Run{Task: taskOfPath(file)}
	m, ok := r.document()
	if !ok {
		return run, r.problems
	}
	for m.next() {
		switch string(m.bare()) {
		case "run":
			readText(&r, &m, &run.ID)
		case "worker":
			readText(&r, &m, &run.Worker)
		case "started_at":
			r.time(&m, &run.Started)
		case "ended_at":
			r.time(&m, &run.Ended)
		case "outcome":
			readText(&r, &m, &run.Outcome)
		case "report":
			r.report(&m, &run.Report)
		default:
			r.unknown(&m, runKeys, "run")
		}
	}
	if parts := strings.Split(file, "/"); run.ID == "" && len(parts) > 1 && !hasKey(r.extra, "run") {
		run.ID = parts[len(parts)-2]
	}
	run.Extra = r.kept(runKeys)
	return run, r.problems
}

func (r *reader) report(m *members, dst **RunReport) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	p := new(RunReport)
	for in.next() {
		switch string(in.bare()) {
		case "attempt":
			sub.int(&in, &p.Attempt)
		case "template":
			readText(&sub, &in, &p.Template)
		case "session":
			readText(&sub, &in, &p.Session)
		case "phase":
			readText(&sub, &in, &p.Phase)
		case "why":
			readText(&sub, &in, &p.Why)
		case "exit":
			sub.exit(&in, &p.Exit)
		case "base":
			readText(&sub, &in, &p.Base)
		case "result":
			readText(&sub, &in, &p.Result)
		case "integrated":
			readText(&sub, &in, &p.Integrated)
		case "cost_usd":
			sub.number(&in, &p.Cost)
		case "input_tokens":
			sub.count(&in, &p.In)
		case "output_tokens":
			sub.count(&in, &p.Out)
		case "tested":
			sub.bool(&in, &p.Tested)
		case "verified":
			sub.bool(&in, &p.Verified)
		case "criteria":
			sub.criterionStates(&in, &p.Criteria)
		case "patch_sha256":
			readText(&sub, &in, &p.Patch)
		case "evidence_sha256":
			readText(&sub, &in, &p.Evidence)
		default:
			sub.unknown(&in, reportKeys)
		}
	}
	if r.join(m, &sub) {
		p.Extra = sub.extra
		*dst = p
	}
}

func (r *reader) criterionStates(m *members, dst *[]CriterionState) {
	readItems(r, m, dst, "a list of criteria", func(text string) CriterionState { return CriterionState{Text: text} },
		func(sub *reader, in *members, c *CriterionState) {
			switch string(in.bare()) {
			case "criterion":
				sub.int(in, &c.Criterion)
			case "text":
				readText(sub, in, &c.Text)
			case "state":
				readText(sub, in, &c.State)
			case "evidence":
				readText(sub, in, &c.Evidence)
			default:
				sub.unknown(in, criterionStateKeys)
			}
			c.Extra = sub.extra
		})
}

// EncodeRun writes run.json. What it does not say is left out.
func EncodeRun(run Run) []byte {
	w := writer{buf: make([]byte, 0, 512), extra: run.Extra}
	w.open('{')
	w.text("run", run.ID, true)
	w.text("worker", string(run.Worker), true)
	w.time("started_at", run.Started, false)
	w.time("ended_at", run.Ended, false)
	w.text("outcome", run.Outcome, false)
	w.report(run.Report)
	w.rest(runKeys)
	return w.file()
}

func (w *writer) report(p *RunReport) {
	if !w.member("report", p == nil, false) {
		return
	}
	outer := w.nested('{', p.Extra)
	w.int("attempt", p.Attempt, false)
	w.text("template", p.Template, false)
	w.text("session", p.Session, false)
	w.text("phase", p.Phase, false)
	w.text("why", p.Why, false)
	w.int("exit", p.Exit, true)
	w.text("base", p.Base, false)
	w.text("result", p.Result, false)
	w.text("integrated", p.Integrated, false)
	w.number("cost_usd", p.Cost)
	w.int("input_tokens", int(p.In), false)
	w.int("output_tokens", int(p.Out), false)
	w.bool("tested", p.Tested, true)
	w.bool("verified", p.Verified, true)
	if w.member("criteria", len(p.Criteria) == 0, false) {
		w.open('[')
		for _, c := range p.Criteria {
			w.item()
			list := w.nested('{', c.Extra)
			w.int("criterion", c.Criterion, false)
			w.text("text", c.Text, true)
			w.text("state", c.State, false)
			w.text("evidence", c.Evidence, false)
			w.rest(criterionStateKeys)
			w.endNested('}', list)
		}
		w.close(']')
	}
	w.text("patch_sha256", p.Patch, false)
	w.text("evidence_sha256", p.Evidence, false)
	w.rest(reportKeys)
	w.endNested('}', outer)
}

// Clone is a deep copy.
func (p *RunReport) Clone() *RunReport {
	if p == nil {
		return nil
	}
	c := *p
	c.Criteria, c.Extra = slices.Clone(p.Criteria), p.Extra.Clone()
	for i := range c.Criteria {
		c.Criteria[i].Extra = c.Criteria[i].Extra.Clone()
	}
	return &c
}

// bounded is the report as it is written: texts of workers and of their tools are cut to what can be
// read again, so that no run is refused its end for what it said.
func (p *RunReport) bounded() *RunReport {
	c := p.Clone()
	for _, text := range []*string{&c.Template, &c.Session, &c.Phase, &c.Base, &c.Result, &c.Integrated} {
		*text = cutText(*text, maxReportText)
	}
	c.Why = cutText(c.Why, maxNote)
	if math.IsNaN(c.Cost) || math.IsInf(c.Cost, 0) {
		c.Cost = 0
	}
	c.Cost, c.In, c.Out, c.Attempt = max(c.Cost, 0), max(c.In, 0), max(c.Out, 0), max(c.Attempt, 0)
	c.Criteria = c.Criteria[:min(len(c.Criteria), maxCriteria)]
	for i := range c.Criteria {
		k := &c.Criteria[i]
		k.Text, k.State, k.Evidence = cutText(k.Text, maxReportText), cutText(k.State, maxReportText), cutText(k.Evidence, maxReportText)
	}
	return c
}

// cutText is text that is valid and has at most so many bytes; one that is cut says so.
func cutText(text string, most int) string {
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
		case c.Text != "" && c.Text != cutText(t.Spec.AcceptanceCriteria[i].Text, maxReportText):
			s.warnings = append(s.warnings, fmt.Sprintf("criterion %d says something else by now, so the run says nothing of it", i+1))
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
