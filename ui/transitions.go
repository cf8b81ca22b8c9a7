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
func (a *App) which(names []string, targets []model.UID) (model.Name, error) {
	if len(names) == 0 || a.snap == nil || len(targets) == 0 {
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
			err := a.allowed(model.Op{Name: name, UID: uid, Actor: a.deps.Actor})
			if err == nil {
				return name, nil
			}
			t, ok := a.snap.Task(uid)
			fit := ok && slices.Contains(row.From, t.Status.CurrentState)
			switch {
			case name == model.Resume && ok:
				fit = t.Status.IsPaused
			case name == model.Revalidate:
				fit = ok && len(a.snap.Changes(t)) > 0
			}
			if best == "" || fit && !fits {
				best, bestErr, fits = name, err, fit
			}
		}
	}
	return best, bestErr
}

// begin starts a transition from a key: a sheet for accepting a plan, a line for a reason,
// or a question, each with a summary of what will happen.
func (a *App) begin(spec keymap.Spec) tea.Cmd {
	return a.beginWith(spec, a.targetsOf(spec))
}

// beginWith is begin for given tasks.
func (a *App) beginWith(spec keymap.Spec, targets []model.UID) tea.Cmd {
	name, err := a.which(spec.Transitions(), targets)
	if err != nil {
		return a.fail(a.proposer().Refused(name.Title(), err))
	}
	if name == model.AcceptPlan {
		return a.review(targets)
	}
	if name == model.ReviewAccepted {
		return a.reviewWork(targets)
	}
	var risky []string
	if name == model.Revalidate { // what it makes hold is another plan than was accepted
		var fit []model.UID
		if fit, risky = a.proposer().Alone(a.fit(name, targets)); len(risky) > 0 {
			targets = fit
		}
		if len(targets) == 0 {
			return a.oneByOne(risky)
		}
	}
	p, err := a.proposer().Propose(model.Op{Name: name}, targets, a.proposer().Read())
	if err != nil {
		return a.fail(a.proposer().Refused(name.Title(), err))
	}
	if len(risky) > 0 {
		p.Notes = append(p.Notes, verdict.LeftAlone(risky))
	}
	if name == model.Check && len(p.After) == 0 { // as far as is known there is nothing to ask about
		return a.fire(job{ops: p.Ops})
	}
	if name == model.UndoVerdict && a.panes.other != "" {
		p.Notes = append([]string{fmt.Sprintf("Your last action, %q, can't be undone: this undoes an earlier decision", a.panes.other.Title())}, p.Notes...)
	}
	return a.ask(p)
}

// ask shows a proposal and waits for the person: for a line of text when the transition
// takes one, otherwise for a yes.
func (a *App) ask(p verdict.Proposal) tea.Cmd {
	row, _ := lifecycle.Lookup(p.Name)
	// What needs no words is a question, and its safe answer has the focus: a line of text
	// would be sent by enter alone.
	arg, ok := verdict.Asks(row)
	switch {
	case ok && (takesWords(p.Name) || a.answers(p)):
		return a.compose(p, arg)
	case ok && (arg.Required || p.Name == model.Pause || p.Name == model.UndoVerdict):
		title := p.Name.Title()
		if p.Name == model.UndoVerdict { // an answer or a split may be what is taken back
			title = "Undo"
		}
		return a.openPrompt(dialog.Line{
			Title: title, Summary: p.Summary, Notes: slices.Concat(affectedLines(p.Affected), a.proposer().LaterLines(&p), p.Notes),
			Label: arg.Name, Help: arg.Help, Required: arg.Required,
			Done: func(typed string) tea.Cmd {
				return a.fire(job{ops: p.With(strings.TrimSpace(typed), arg)})
			},
		})
	}
	if p.Name == model.Revalidate {
		return a.confirmStands(p)
	}
	return a.confirm(p, nil)
}

// confirmStands asks whether tasks hold as they are now: what changed of each, and for one what the
// approval binds to.
func (a *App) confirmStands(p verdict.Proposal) tea.Cmd {
	var rows []overlay.Affected
	for i := range p.Ops {
		t, ok := a.snap.Task(p.Ops[i].UID)
		if !ok {
			continue
		}
		if len(p.Ops) == 1 && a.sheet != nil && a.sheet.UID == t.UID {
			rows = append(append(rows, a.proposer().SpecRows(t.UID)...), a.proposer().ReviewRows([]*taskdocs.Docs{a.sheet})...)
		}
		for _, c := range a.snap.Changes(t) {
			says := model.FileOf(a.snap, c.File)
			if len(p.Ops) > 1 {
				says = a.name(t.UID) + ": " + says
			}
			rows = append(rows, a.proposer().FactRow("changed", says))
		}
	}
	if hint := a.keyHint(keymap.Diff, "shows what changed"); hint != "" {
		p.Notes = append([]string{"read the changes first: close this, then " + hint}, p.Notes...)
	}
	return a.confirm(p, rows)
}

// confirm asks for a yes; rows stand before the tasks that it affects.
func (a *App) confirm(p verdict.Proposal, rows []overlay.Affected) tea.Cmd {
	row, _ := lifecycle.Lookup(p.Name)
	return a.openConfirm(dialog.Ask{
		Title: p.Name.Title(), Summary: p.Summary, Notes: p.Notes,
		Yes: p.Name.Title(), Danger: row.Dangerous, Affected: slices.Concat(rows, p.Affected, a.proposer().Later(&p)), Bottom: row.Verdict,
		Accepts: p.Name == model.ReviewAccepted || p.Name == model.Revalidate,
		Done:    func() tea.Cmd { return a.fire(job{ops: p.Ops}) },
	})
}

// answers reports whether a proposal lets a task continue that waits for somebody's answer.
func (a *App) answers(p verdict.Proposal) bool {
	if p.Name != model.Resume {
		return false
	}
	for _, op := range p.Ops {
		if _, waits := a.proposer().Asked(op.UID); waits {
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
