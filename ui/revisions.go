package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/ui/detail"
	"vespe/ui/panes"
	"vespe/ui/text"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// onHistory reports whether the keys are those of the history: what they act on is the event
// under the cursor.
func (cm *commenter) onHistory() bool {
	if cm.panes.Right {
		return cm.panes.Detail.Tab() == detail.History
	}
	return cm.panes.View == panes.History
}

// noText says that the event under the cursor changed no text.
func (cm *commenter) noText() string {
	if cm.docs == nil || cm.docs.UID != cm.selected() {
		return "the task is being read"
	}
	if on := cm.keyHint(keymap.Diff, "on the plan tab shows what its last revision changed"); on != "" {
		return "this event changed no text; " + on
	}
	return "this event changed no text"
}

// recorded are the revisions that the event under the cursor recorded.
func (cm *commenter) recorded() []model.DocRevision {
	switch {
	case !cm.onHistory() || cm.docs == nil || cm.docs.UID != cm.selected():
		return nil
	case cm.panes.Right:
		return cm.panes.Detail.Recorded()
	}
	m, ok := cm.panes.History.Moment()
	if !ok {
		return nil
	}
	i := slices.IndexFunc(cm.docs.History, func(e model.Event) bool { return isOf(&e, m) })
	if i < 0 {
		return nil
	}
	return cm.docs.History[i].Recorded()
}

// showRevisions shows what revisions changed: each against the one before it, the last of
// them on top.
func (cm *commenter) showRevisions(of []model.DocRevision) tea.Cmd {
	var texts []model.DocRevision
	for _, r := range of {
		if r.N > 1 {
			texts = append(texts, model.DocRevision{Doc: r.Doc, N: r.N - 1})
		}
		texts = append(texts, r)
	}
	uid := cm.selected()
	return cm.await("The difference", func() opening { return cm.fx.revisions(uid, texts) })
}

// onChanges hands the detail what revisions changed.
func (cm *commenter) onChanges(m changesMsg) tea.Cmd {
	for _, c := range m.changes {
		cm.panes.Detail.SetChange(m.uid, c.of, c.cmp, c.err)
	}
	return nil
}

// revisionTexts are texts of recorded revisions of a task's documents.
type revisionTexts struct {
	uid   model.UID
	texts []revisionText
}

type revisionText struct {
	of   model.DocRevision
	body []byte
	err  error
}

func (m revisionTexts) open(a *App) tea.Cmd {
	textOf := func(of model.DocRevision) *revisionText {
		if i := slices.IndexFunc(m.texts, func(t revisionText) bool { return t.of == of }); i >= 0 {
			return &m.texts[i]
		}
		return nil
	}
	var cmds []tea.Cmd
	for i := range m.texts {
		now := &m.texts[i]
		if textOf(model.DocRevision{Doc: now.of.Doc, N: now.of.N + 1}) != nil {
			continue // the one before another
		}
		in := diffInput{
			title: text.Capital(string(now.of.Doc)) + " of " + a.name(m.uid), now: now.body,
			oldName: "nothing", nowName: fmt.Sprintf("revision %d", now.of.N),
		}
		err := now.err
		if before := textOf(model.DocRevision{Doc: now.of.Doc, N: now.of.N - 1}); before != nil {
			in.old, in.oldName = before.body, fmt.Sprintf("revision %d", before.of.N)
			if err == nil {
				err = before.err
			}
		}
		switch {
		case errors.Is(err, model.ErrNoContent):
			cmds = append(cmds, a.remark(fmt.Sprintf("revision %d of the %s, or the one before it, is missing", now.of.N, now.of.Doc)))
		case err != nil:
			cmds = append(cmds, a.fail(view.Notice{Text: readFailed, Why: err.Error()}))
		default:
			cmds = append(cmds, a.comments.openDiff(in))
		}
	}
	return tea.Batch(cmds...)
}

// isStale reports that a task is no longer what a person approved.
func (cm *commenter) isStale(t *model.Task) bool {
	return t.Status.AcceptedPlan != nil && len(cm.snap.Changes(t)) > 0
}

// sinceApproval is what became of the files that an approval binds to.
type sinceApproval struct {
	uid      model.UID
	approval review.Approval
	files    []binding.Compared
	err      error
	then     func() tea.Cmd
}

// showStale shows how what is there differs from what was approved, and continues when that has been closed.
func (cm *commenter) showStale(uid model.UID, then func() tea.Cmd) tea.Cmd {
	return cm.await("The difference", func() opening {
		m := sinceApproval{uid: uid, then: then}
		m.approval, m.files, m.err = cm.fx.Store.SinceApproval(cm.fx.ctx, uid)
		return m
	})
}

func (m sinceApproval) open(a *App) tea.Cmd {
	if m.err != nil {
		return a.fail(view.Refusal("The difference", m.err))
	}
	var cmds []tea.Cmd
	then := m.then
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
		cmds = append(cmds, a.comments.openDiff(diffInput{
			title: fmt.Sprintf("%s since %s was approved", model.FileOf(a.snap, c.File), a.name(m.uid)), note: note,
			old: c.Was, now: c.Now,
			oldName: fmt.Sprintf("what %s approved (%s)", m.approval.Approver, verdict.ShortHash(c.WasHash)),
			nowName: "what is there now (" + verdict.ShortHash(c.NowHash) + ")", then: then,
		}))
		then = nil // the first is closed last
	}
	if len(cmds) == 0 {
		return a.remark("everything is as approved again")
	}
	return tea.Batch(cmds...)
}
