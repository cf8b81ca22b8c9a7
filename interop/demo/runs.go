package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"vespe/model"
	"vespe/model/runlog"
)

// trial is an attempt of the story: what lies under persistent/runs/<run>/ of it.
type trial struct {
	key     string
	attempt int // which one at its task
	run     string
	began   time.Time
	at      time.Time // of its last event
	log     []byte
	checks  []byte // verify.json
	end     *model.RunReport
}

// begin makes the attempt that a start of a task opens.
func (s *story) begin(key string) string {
	n := 1
	if was := s.trial(key); was != nil {
		n = was.attempt + 1
	}
	t := &trial{key: key, attempt: n, run: fmt.Sprintf("run-%s-%d", key, n), began: s.now, at: s.now}
	s.trials = append(s.trials, t)
	return t.run
}

// trial is the attempt at a task that was begun last; nil for none.
func (s *story) trial(key string) *trial {
	for i := len(s.trials) - 1; i >= 0; i-- {
		if s.trials[i].key == key {
			return s.trials[i]
		}
	}
	return nil
}

// happens reads the log of an attempt, texts/RUN.jsonl, whose times begin with 0, and what its checks found. p is the
// rest of its run.json.
func (s *story) happens(key string, p model.RunReport) {
	t := s.trial(key)
	t.at = t.began
	log, err := texts.ReadFile("texts/" + t.run + ".jsonl")
	if err != nil {
		s.fail("%v", err)
	}
	for line := range bytes.Lines(log) {
		e, err := runlog.Parse(line)
		if err != nil {
			s.fail("%s: %v", t.run, err)
		}
		t.at = t.began.Add(e.At.Sub(time.Unix(0, 0)))
		e.At = t.at
		t.log = append(t.log, e.Line()...)
		if e.Kind == runlog.KindPhase && e.Phase != runlog.PhaseEnded {
			p.Phase = string(e.Phase)
		}
		p.Cost, p.In, p.Out = max(p.Cost, e.Cost), max(p.In, e.In), max(p.Out, e.Out)
	}
	if t.checks, err = texts.ReadFile("texts/" + t.run + ".verify.json"); err != nil {
		return // it is under way
	}
	r, err := runlog.DecodeReport(t.checks)
	if err != nil {
		s.fail("%s: %v", t.run, err)
	}
	p.Verified, p.Tested, p.Result = r.OK, r.Tested, r.Commit
	if p.Why == "" {
		p.Why = r.Why
	}
	for i, c := range r.Criteria {
		state := map[runlog.Status]string{runlog.Pass: "passed", runlog.Fail: "failed", runlog.NotRun: "not_run"}[c.Status]
		p.Criteria = append(p.Criteria, model.CriterionState{Criterion: i + 1, Text: c.Text, State: state, Evidence: c.By})
	}
	t.end = &p
}

// prompt is what the worker was given.
func (t *trial) prompt(task *model.Task, plan string) string {
	out := "# Task: " + task.Config.Name + "\n\nWork in this worktree. Leave the plan's limits alone, and ask where it is not clear.\n\n## The approved plan\n\n" + plan
	if task.Spec != nil && len(task.Spec.AcceptanceCriteria) > 0 {
		out += "\n## Done when\n\n"
		for _, c := range task.Spec.AcceptanceCriteria {
			out += "- " + c.Text + "\n"
		}
	}
	return out
}

// keepRuns writes the files of the attempts of the story.
func (s *story) keepRuns(ctx context.Context, to Store) error {
	snap, err := to.Refresh(ctx)
	if err != nil {
		return err
	}
	for _, t := range s.trials {
		if len(t.log) == 0 {
			continue
		}
		uid := s.uid(t.key)
		files := map[string][]byte{"output.jsonl": t.log}
		if task, ok := snap.Task(uid); ok {
			files["prompt.md"] = []byte(t.prompt(task, s.planned(uid)))
		}
		if t.checks != nil {
			files["verify.json"] = t.checks
		}
		if b, err := texts.ReadFile("texts/" + t.run + ".patch"); err == nil {
			files["changes.patch"] = b
		}
		for name, b := range files {
			if err := to.WriteRunFile(ctx, uid, t.run, name, b); err != nil {
				return fmt.Errorf("%s of %s: %w", name, t.run, err)
			}
		}
	}
	return nil
}
