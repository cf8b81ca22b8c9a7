package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
)

// isStale reports that a task is no longer what a person approved.
func (a *App) isStale(t *model.Task) bool {
	return t.Status.AcceptedPlan != nil && len(a.snap.Changes(t)) > 0
}

// sinceMsg is what became of the files that an approval binds to.
type sinceMsg struct {
	gen      int
	uid      model.UID
	approval model.Approval
	files    []model.Compared
	err      error
}

func (e effects) since(gen int, uid model.UID) tea.Cmd {
	return func() tea.Msg {
		m := sinceMsg{gen: gen, uid: uid}
		m.approval, m.files, m.err = e.store.SinceApproval(e.ctx, uid)
		return m
	}
}

// showStale shows how what is there differs from what was approved.
func (a *App) showStale(uid model.UID) tea.Cmd {
	return a.fx.since(a.await("The difference", justShown), uid)
}

func (a *App) onSince(m sinceMsg) tea.Cmd {
	if _, ok := a.answered(m.gen); !ok {
		return nil
	}
	if m.err != nil {
		return a.fail(refusalNotice("The difference", m.err))
	}
	var cmds []tea.Cmd
	for i := range m.files {
		c := &m.files[i]
		if !c.Differs() {
			continue
		}
		note := ""
		if c.Was == nil && c.WasHash != "" {
			note = "the approved bytes are no longer stored"
		} else if strings.HasSuffix(c.File, "/result") {
			note = "the files with their hashes: results are not stored"
		}
		cmds = append(cmds, a.openDiff(diffInput{
			title: fmt.Sprintf("%s since %s was approved", model.FileOf(a.snap, c.File), a.name(m.uid)), note: note,
			old: c.Was, now: c.Now,
			oldName: fmt.Sprintf("what %s approved (%s)", m.approval.Approver, shortHash(c.WasHash)),
			nowName: "what is there now (" + shortHash(c.NowHash) + ")",
		}))
	}
	if len(cmds) == 0 {
		return a.remark("everything is as approved again")
	}
	return tea.Batch(cmds...)
}
