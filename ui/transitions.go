package ui

import (
	"fmt"
	"slices"
	"strings"

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
		return "", errNoTask
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
		return a.fail(a.refused(name.Title(), err))
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
		if fit, risky = a.alone(a.fit(name, targets)); len(risky) > 0 {
			targets = fit
		}
		if len(targets) == 0 {
			return a.oneByOne(name, risky)
		}
	}
	p, err := a.propose(model.Op{Name: name}, targets, a.sheets())
	if err != nil {
		return a.fail(a.refused(name.Title(), err))
	}
	if len(risky) > 0 {
		p.notes = append(p.notes, leftAlone(risky))
	}
	if name == model.Check && len(p.after) == 0 { // as far as is known there is nothing to ask about
		return a.fire(job{ops: p.ops})
	}
	return a.ask(p)
}

// ask shows a proposal and waits for the person: for a line of text when the transition
// takes one, otherwise for a yes.
func (a *App) ask(p proposal) tea.Cmd {
	row, _ := lifecycle.Lookup(p.name)
	// What needs no words is a question, and its safe answer has the focus: a line of text
	// would be sent by enter alone.
	arg, ok := asks(row)
	switch {
	case ok && (takesWords(p.name) || a.answers(p)):
		return a.compose(p, arg)
	case ok && (arg.Required || p.name == model.Pause || p.name == model.UndoVerdict):
		title := p.name.Title()
		if p.name == model.UndoVerdict { // an answer or a split may be what is taken back
			title = "Undo"
		}
		return a.openPrompt(dialog.Line{
			Title: title, Summary: p.summary, Notes: slices.Concat(affectedLines(p.affected), a.laterLines(&p), p.notes),
			Label: arg.Name, Help: arg.Help, Required: arg.Required,
			Done: func(typed string) tea.Cmd {
				return a.fire(job{ops: p.with(strings.TrimSpace(typed), arg)})
			},
		})
	}
	if p.name == model.Revalidate {
		return a.confirmStands(p)
	}
	return a.confirm(p, nil)
}

// confirmStands asks whether tasks hold as they are now: what changed of each, and for one what the
// approval binds to.
func (a *App) confirmStands(p proposal) tea.Cmd {
	var rows []overlay.Affected
	for i := range p.ops {
		t, ok := a.snap.Task(p.ops[i].UID)
		if !ok {
			continue
		}
		if len(p.ops) == 1 && a.sheet != nil && a.sheet.uid == t.UID {
			rows = append(append(rows, a.specRows(t.UID)...), a.reviewRows([]*sheet{a.sheet})...)
		}
		for _, c := range a.snap.Changes(t) {
			says := model.FileOf(a.snap, c.File)
			if len(p.ops) > 1 {
				says = a.name(t.UID) + ": " + says
			}
			rows = append(rows, a.factRow("changed", says))
		}
	}
	if hint := a.keyHint(keymap.Diff, "shows what changed"); hint != "" {
		p.notes = append([]string{"read the changes first: close this, then " + hint}, p.notes...)
	}
	return a.confirm(p, rows)
}

// confirm asks for a yes; rows stand before the tasks that it affects.
func (a *App) confirm(p proposal, rows []overlay.Affected) tea.Cmd {
	row, _ := lifecycle.Lookup(p.name)
	return a.openConfirm(dialog.Ask{
		Title: p.name.Title(), Summary: p.summary, Notes: p.notes,
		Yes: p.name.Title(), Danger: row.Dangerous, Affected: slices.Concat(rows, p.affected, a.later(&p)), Bottom: row.Verdict,
		Accepts: p.name == model.ReviewAccepted || p.name == model.Revalidate,
		Done:    func() tea.Cmd { return a.fire(job{ops: p.ops}) },
	})
}

// answers reports whether a proposal lets a task continue that waits for somebody's answer.
func (a *App) answers(p proposal) bool {
	if p.name != model.Resume {
		return false
	}
	for _, op := range p.ops {
		if _, waits := a.waitsForAnswer(op.UID); waits {
			return true
		}
	}
	return false
}

// sheets are the sheets that have been read, by task: today only that of the task under
// the cursor.
func (a *App) sheets() map[model.UID]*sheet {
	if a.sheet == nil {
		return nil
	}
	return map[model.UID]*sheet{a.sheet.uid: a.sheet}
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
