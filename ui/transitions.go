package ui

import (
	"fmt"
	"slices"
	"strings"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
)

// which chooses among the transitions of one action: the first that is allowed for one of
// the targets. When none is, the refusal is of the one that fits the state best.
func (c *core) which(names []string, targets []model.UID) (model.Name, error) {
	if len(names) == 0 || c.snap == nil || len(targets) == 0 {
		return "", verdict.ErrNoTask
	}
	var (
		best    model.Name
		bestErr error
		fits    bool
	)
	for _, n := range names {
		name := model.Name(n)
		row, ok := lifecycle.Lookup(name)
		if !ok {
			continue
		}
		for _, uid := range targets {
			err := c.allowed(model.Op{Name: name, UID: uid, Actor: c.deps.Actor})
			if err == nil {
				return name, nil
			}
			t, ok := c.snap.Task(uid)
			fit := ok && slices.Contains(row.From, t.Status.CurrentState)
			switch {
			case name == model.Resume && ok:
				fit = t.Status.IsPaused
			case name == model.Revalidate:
				fit = ok && len(c.snap.Changes(t)) > 0
			}
			if best == "" || fit && !fits {
				best, bestErr, fits = name, err, fit
			}
		}
	}
	return best, bestErr
}

// begin starts a transition from a key: a dialog for accepting a plan, a line for a reason,
// or a question, each with a summary of what will happen.
func (d *decider) begin(spec keymap.Spec) tea.Cmd {
	return d.beginWith(spec, d.targetsOf(spec))
}

// beginWith is begin for given tasks.
func (d *decider) beginWith(spec keymap.Spec, targets []model.UID) tea.Cmd {
	name, err := d.which(spec.Transitions(), targets)
	if err != nil {
		return d.fail(d.proposer().Refused(name.Title(), err))
	}
	if name == model.AcceptPlan {
		return d.review(targets)
	}
	if name == model.ReviewAccepted {
		return d.reviewWork(targets)
	}
	var risky []string
	if name == model.Revalidate { // what it makes hold is another plan than was accepted
		var fit []model.UID
		if fit, risky = d.proposer().Alone(d.fit(name, targets)); len(risky) > 0 {
			targets = fit
		}
		if len(targets) == 0 {
			return d.oneByOne(risky)
		}
	}
	p, err := d.proposer().Propose(model.Op{Name: name}, targets, d.proposer().Read())
	if err != nil {
		return d.fail(d.proposer().Refused(name.Title(), err))
	}
	if len(risky) > 0 {
		p.Notes = append(p.Notes, verdict.LeftAlone(risky))
	}
	if name == model.Check && len(p.After) == 0 { // as far as is known there is nothing to ask about
		return d.fire(job{ops: p.Ops})
	}
	if t, ok := d.snap.Task(p.Ops[0].UID); ok && name == model.UndoVerdict {
		if _, at := lifecycle.LastDecision(d.snap, t); len(p.Ops) == 1 && !at.IsZero() {
			p.Notes = append(p.Notes, verdict.When(at, d.deps.Now()))
		}
	}
	return d.ask(p)
}

// ask shows a proposal and waits for the person: for a line of text when the transition
// takes one, otherwise for a yes.
func (d *decider) ask(p verdict.Proposal) tea.Cmd {
	row, _ := lifecycle.Lookup(p.Name)
	// What needs no words is a question, and its safe answer has the focus: a line of text
	// would be sent by enter alone.
	arg, ok := verdict.Asks(row)
	switch {
	case ok && (takesWords(p.Name) || d.answers(p)):
		return d.compose(p, arg)
	case ok && (arg.Required || p.Name == model.Pause || p.Name == model.UndoVerdict):
		title := p.Name.Title()
		if p.Name == model.UndoVerdict { // an answer or a split may be what is taken back
			title = "Undo"
		}
		return d.openPrompt(dialog.Line{
			Title: title, Summary: p.Summary, Notes: slices.Concat(affectedLines(p.Affected), d.proposer().LaterLines(&p), p.Notes),
			Label: arg.Name, Help: arg.Help, Required: arg.Required,
			Done: func(typed string) tea.Cmd {
				return d.fire(job{ops: p.With(strings.TrimSpace(typed), arg)})
			},
		})
	}
	if p.Name == model.Revalidate {
		return d.confirmStands(p)
	}
	return d.confirm(p, nil)
}

// confirmStands asks whether tasks hold as they are now: what changed of each, and for one what the
// approval binds to.
func (d *decider) confirmStands(p verdict.Proposal) tea.Cmd {
	var rows []overlay.Affected
	if s := d.docs; len(p.Ops) == 1 && s != nil && s.UID == p.Ops[0].UID {
		rows = append(d.proposer().SpecRows(s.UID), d.proposer().ReviewRows([]*taskdocs.Docs{s})...)
	}
	var changed []string
	again, hint := p, ""
	if len(p.Ops) == 1 {
		hint = d.keyHint(keymap.ConfirmDiff, "shows it")
	}
	for i := range p.Ops {
		name := d.name(p.Ops[i].UID) + ": "
		if len(p.Ops) == 1 {
			name = ""
		}
		for _, says := range d.proposer().Changed(p.Ops[i].UID, hint, d.deps.Now()) {
			changed = append(changed, name+says)
		}
	}
	p.Notes = append(changed, p.Notes...)
	ask := d.asking(p, rows)
	if len(p.Ops) == 1 {
		ask.Differs = func() tea.Cmd {
			d.dialogs.Drop(d.dialogs.Top())
			return d.comments.showStale(p.Ops[0].UID, func() tea.Cmd { return d.confirmStands(again) })
		}
	}
	return d.openConfirm(ask)
}

// confirm asks for a yes; rows stand before the tasks that it affects.
func (c *core) confirm(p verdict.Proposal, rows []overlay.Affected) tea.Cmd {
	return c.openConfirm(c.asking(p, rows))
}

// asking is the question about a proposal.
func (c *core) asking(p verdict.Proposal, rows []overlay.Affected) dialog.Ask {
	row, _ := lifecycle.Lookup(p.Name)
	return dialog.Ask{
		Title: p.Name.Title(), Summary: p.Summary, Notes: p.Notes,
		Yes: p.Name.Title(), Danger: row.Dangerous, Affected: slices.Concat(rows, p.Affected, c.proposer().Later(&p)), Bottom: row.Verdict,
		Accepts: p.Name == model.ReviewAccepted || p.Name == model.Revalidate,
		Done:    func() tea.Cmd { return c.fire(job{ops: p.Ops}) },
	}
}

// answers reports whether a proposal lets a task continue that waits for somebody's answer.
func (d *decider) answers(p verdict.Proposal) bool {
	if p.Name != model.Resume {
		return false
	}
	for _, op := range p.Ops {
		if _, waits := d.proposer().Asked(op.UID); waits {
			return true
		}
	}
	return false
}

// affectedLines list the other tasks that something changes, for a note.
func affectedLines(rows []overlay.Affected) []string {
	const most = 8
	var out []string
	for i, r := range rows {
		if i == most {
			out = append(out, fmt.Sprintf("  and %d more", len(rows)-i))
			break
		}
		out = append(out, fmt.Sprintf("  %s: %s", r.Title, r.Detail))
	}
	return out
}
