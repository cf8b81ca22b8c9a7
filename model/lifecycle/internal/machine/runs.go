package machine

import (
	"fmt"
	"math"

	"vespe/model"
)

// Tick writes what a run says of the acceptance criteria into the task's spec. That is bookkeeping:
// the terms of an acceptance have neither the state nor the evidence (terms.go).
func (s *Step) Tick(t *model.Task, p *model.RunReport) {
	if p == nil || t.Spec == nil {
		return
	}
	var sp *model.Spec
	for _, c := range p.Criteria {
		i := c.Criterion - 1
		switch {
		case i < 0 || i >= len(t.Spec.AcceptanceCriteria), c.State == "":
			continue
		case c.Text != "" && c.Text != model.CutText(t.Spec.AcceptanceCriteria[i].Text, maxReportText):
			s.Warnings = append(s.Warnings, fmt.Sprintf("criterion %d has changed since, so the run's result for it doesn't count", i+1))
			continue
		}
		if sp == nil {
			sp = t.Spec.Clone()
		}
		sp.AcceptanceCriteria[i].State, sp.AcceptanceCriteria[i].Evidence = c.State, c.Evidence
	}
	if sp != nil {
		t.Spec = sp
		s.Touched[t.UID].Files.Spec = true
	}
}

// WriteRun writes run.json of the live run: with an outcome when it is over, else as of one that is
// under way.
func (s *Step) WriteRun(t *model.Task, outcome string, report *model.RunReport) {
	st := &t.Status
	if !model.ValidRun(st.CurrentRun) {
		return // an id of another system that cannot name a directory
	}
	var run model.Run
	if b, err := s.Staged.RunFile(t.UID, st.CurrentRun); err == nil {
		was, problems := model.DecodeRun(model.RunPath(t.UID, st.CurrentRun, "run.json"), b)
		if !model.HasError(problems) {
			run.Extra = was.Extra
		}
	}
	run.ID, run.Worker, run.Started = st.CurrentRun, st.AssignedAgentUID, st.RunStartedAt
	if outcome != "" {
		run.Ended, run.Outcome, run.Report = s.Op.At, outcome, report
	}
	s.Write(model.RunPath(t.UID, st.CurrentRun, "run.json"), model.EncodeRun(run), false)
}

const maxCriteria = 1000

const maxReportText = 4 << 10 // bytes of each text of a report but Why, which is a note

// BoundedReport is the report as it is written: texts of workers and of their tools are cut to what can be
// read again, so that no run is refused its end for what it said.
func BoundedReport(p *model.RunReport) *model.RunReport {
	c := p.Clone()
	for _, text := range []*string{&c.Template, &c.Session, &c.Phase, &c.Base, &c.Result, &c.Integrated} {
		*text = model.CutText(*text, maxReportText)
	}
	c.Why = model.CutText(c.Why, MaxNote)
	if math.IsNaN(c.Cost) || math.IsInf(c.Cost, 0) {
		c.Cost = 0
	}
	c.Cost, c.In, c.Out, c.Attempt = max(c.Cost, 0), max(c.In, 0), max(c.Out, 0), max(c.Attempt, 0)
	c.Criteria = c.Criteria[:min(len(c.Criteria), maxCriteria)]
	for i := range c.Criteria {
		k := &c.Criteria[i]
		k.Text, k.State, k.Evidence = model.CutText(k.Text, maxReportText), model.CutText(k.State, maxReportText), model.CutText(k.Evidence, maxReportText)
	}
	return c
}
