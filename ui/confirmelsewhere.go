package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/verdict"
)

// Confirmer makes a person's own what was accepted in another clone. Its method is called from commands, and must be safe for
// concurrent use.
type Confirmer interface {
	// Confirmation is the operation that confirms the acceptance of a task; the error says why there is none.
	Confirmation(ctx context.Context, uid model.UID) (model.Op, error)
}

// confirmations are the operations that confirm tasks; refused says why others aren't.
type confirmations struct {
	ops     []model.Op
	refused []error
	alone   int // tasks that are confirmed one at a time
}

func (e effects) confirmations(uids []model.UID, alone int) opening {
	m := confirmations{alone: alone}
	for _, uid := range uids {
		op, err := e.Confirms.Confirmation(e.ctx, uid)
		if err != nil {
			m.refused = append(m.refused, err)
			continue
		}
		m.ops = append(m.ops, op)
	}
	return m
}

// noConfirm says why there is nothing to confirm.
func (d *decider) noConfirm() string {
	if d.snap == nil {
		return verdict.ErrNotLoaded.Error()
	}
	together, alone := d.snap.ToConfirm()
	switch {
	case d.deps.Confirms == nil:
		return "nothing can be confirmed here"
	case len(together)+len(alone) == 0:
		return "no acceptance from another clone waits for you"
	case len(together) == 0 && !slices.Contains(alone, d.selected()):
		return "the risk is medium or high: go to each task and confirm it on its own"
	}
	return ""
}

// confirmElsewhere confirms all acceptances from elsewhere that may be confirmed together; where the task under the cursor
// is one that is confirmed on its own, only that.
func (d *decider) confirmElsewhere() tea.Cmd {
	uids, alone := d.snap.ToConfirm()
	if slices.Contains(alone, d.selected()) {
		uids, alone = []model.UID{d.selected()}, nil
	}
	return d.await("Confirm", func() opening { return d.fx.confirmations(uids, len(alone)) })
}

func (m confirmations) open(a *App) tea.Cmd {
	var notes []string
	for _, err := range m.refused {
		notes = append(notes, a.proposer().Refused("Confirm", err).Line())
	}
	if len(m.ops) == 0 {
		if len(m.refused) == 0 {
			return a.remark("no acceptance from another clone waits for you")
		}
		return a.fail(a.proposer().Refused("Confirm", m.refused[0]))
	}
	if m.alone > 0 {
		notes = append(notes, text.Plural(m.alone, "task")+" with medium or high risk: confirm each on its own")
	}
	var rows []overlay.Affected
	for i := range m.ops {
		op := &m.ops[i]
		op.ID, op.Actor, op.At = a.deps.NewID(), a.deps.Actor, a.deps.Now()
		if t, ok := a.snap.Task(op.UID); ok {
			rows = append(rows, overlay.Affected{Title: a.name(op.UID), Detail: t.ElsewhereWords()})
		}
	}
	title := fmt.Sprintf("Confirm %s?", text.Plural(len(m.ops), "acceptance"))
	return a.openConfirm(dialog.Ask{
		Title: title, Summary: "You accept each of them, with the same bytes.", Notes: notes, Affected: rows,
		Yes: "Confirm", Accepts: true,
		Done: func() tea.Cmd { return a.fire(job{ops: m.ops}) },
	})
}
