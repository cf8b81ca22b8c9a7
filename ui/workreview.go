package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/detail"
	"vespe/ui/discussion"
	"vespe/ui/runpane"
	"vespe/ui/runs"
	"vespe/ui/runview"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// workPatch is the patch of a run.
type workPatch struct {
	uid  model.UID
	run  string
	file runpane.File
	then func() tea.Cmd
}

// hasWork reports whether a task is finished work of a run, whose patch is what is reviewed.
func (c *core) hasWork(t *model.Task) (run string, ok bool) {
	s := c.docs
	if t.Status.CurrentState != model.Completed || s == nil || s.UID != t.UID || len(s.Runs) == 0 {
		return "", false
	}
	last := s.Runs[len(s.Runs)-1]
	return last.ID, last.Outcome == model.RunCompleted
}

// ofThisRun says why work can't be judged from the run under the cursor: the work under review is not what it did.
func (c *core) ofThisRun(op model.Op) error {
	if op.Name != model.ReviewAccepted && op.Name != model.ReviewRejected {
		return nil
	}
	r, on := c.panes.Runs.Run()
	if !on {
		return nil
	}
	t, ok := c.snap.Task(op.UID)
	if !ok || r.Task != op.UID || t.Status.CurrentState != model.Completed {
		return nil
	}
	no := &model.Refusal{Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: c.name(op.UID), Guard: model.GuardRun}
	at, list := c.panes.Runs.Of(op.UID)
	if at != t.Status.Revision {
		no.Why = "its runs are still loading"
		return no
	}
	for k, did := range slices.Backward(list) {
		switch {
		case did.Outcome != model.RunCompleted:
			continue
		case did.ID == r.ID:
			return nil
		}
		no.Why = fmt.Sprintf("attempt %d did not do the work under review; attempt %d did", r.Attempt, runs.AttemptOf(&did, k))
		no.Hint = "select attempt " + strconv.Itoa(runs.AttemptOf(&did, k))
		return no
	}
	no.Why, no.Hint = "no run did the work under review", "review it in the inbox"
	return no
}

// isWork reports whether what is read of a task under review is the patch of a run.
func (c *core) isWork(t *model.Task) bool {
	_, ok := c.hasWork(t)
	return ok
}

// workShown is isWork of the task under the cursor.
func (c *core) workShown() bool {
	t, ok := c.current()
	return ok && c.isWork(t)
}

// showWork shows what a run changes, as a difference with what is said about its lines.
func (c *core) showWork(uid model.UID, run string, then func() tea.Cmd) tea.Cmd {
	f := runview.File{Task: uid, Run: run, Name: runview.PatchName}
	return c.await("The patch", func() opening { return workPatch{uid, run, f.Read(c.fx.ctx, c.deps.Runs), then} })
}

func (m workPatch) open(a *App) tea.Cmd {
	switch {
	case m.file.Err != nil:
		return a.fail(view.Notice{Text: "Can't read the patch", Why: m.file.Err.Error()})
	case m.file.None:
		return a.remark("the run left no patch: what it did is in the result, or in the project's own history")
	}
	t, ok := a.snap.Task(m.uid)
	if !ok {
		return nil
	}
	p := &discussion.Discussion{
		UID: m.uid, Run: m.run, Now: &model.Content{Doc: model.Changes, Body: m.file.Body, Hash: model.HashBytes(m.file.Body), Revision: t.Status.PlanRevision},
	}
	work, attempt := runlog.Work{Run: m.run}, 0
	if s := a.docs; s != nil && s.UID == m.uid {
		p.NowReview = s.Review
		if s.ReportOf == m.run {
			work.Report = s.Report
		}
		work.Err = s.Errs.Report
		for k := range s.Runs {
			if s.Runs[k].ID == m.run {
				attempt = runs.AttemptOf(&s.Runs[k], k)
			}
		}
	}
	name := "the patch of " + m.run
	if attempt > 0 {
		name = fmt.Sprintf("attempt %d, %s", attempt, m.run)
	}
	loud := []string{work.Verified()}
	if work.Sound() {
		name, loud = name+"  "+a.st.Glyph.Dot+"  "+work.Verified(), nil
	}
	var head func(st *style.Styles, w int) []string
	if s := a.docs; s != nil && s.UID == m.uid {
		if r := a.proposer().ReportOn(s); r != nil {
			drawn := &detail.DrawnReport{}
			head = func(st *style.Styles, w int) []string {
				return append([]string{st.Bold.Render("Report") + "  " + st.Muted.Render("by "+detail.Who(r.By))}, drawn.Rows(r.Text, st, w)...)
			}
		}
	}
	note := text.Safe(strings.Join(loud, "\n"))
	if int64(len(m.file.Body)) < m.file.Size {
		note = strings.TrimPrefix(note+"\nThe patch is long. This is its beginning.", "\n")
	}
	return a.comments.openDiff(diffInput{
		title: "Work on " + a.name(m.uid), nowName: name, patch: m.file.Body, note: note, head: head, plan: p, then: m.then,
	})
}

// runActions open the patch of the run on the right.
func (d *decider) runActions() map[keymap.Action]view.Action {
	return map[keymap.Action]view.Action{keymap.RunPatch: {
		Do: func() tea.Cmd {
			r, _ := d.panes.Runs.Run()
			return d.showWork(r.Task, r.ID, nil)
		},
		Off: func() string { return d.panes.Runs.NoPatch() },
	}}
}
