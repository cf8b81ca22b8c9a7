package ui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/drafts"
	"vespe/ui/panes"
	"vespe/ui/view"
)

// job is a set of operations that the store has been asked for and has not answered yet.
type job struct {
	ops     []model.Op
	draft   *draft          // the text that it defines, when it came from the editor
	session EditSession     // the editor's copy of that text
	words   *drafts.Key     // the text in it, which is kept until the store has taken it
	sent    []drafts.Sent   // the drafts that it sends
	asked   []model.Request // what it answers, as it was on the screen
	select_ bool            // put the cursor on the task that it makes
	shown   bool            // slow enough to be shown as pending
}

// jobs are those under way.
type jobs struct {
	last int // id of the newest
	open map[int]*job
	did  done // what was done last
}

// fire asks the store for the job's operations. The tasks are marked as pending once the
// answer takes longer than a flicker.
func (c *core) fire(j job) tea.Cmd {
	c.jobs.last++
	id := c.jobs.last
	j.sent = append(j.sent, c.typed.SentWith(j.ops)...)
	c.jobs.open[id] = &j
	return tea.Batch(c.fx.do(id, j.ops), view.After(view.FlickerFree, slowMsg{id}))
}

// onSlow shows a job that still has no answer as pending.
func (d *decider) onSlow(m slowMsg) tea.Cmd {
	if j, ok := d.jobs.open[m.gen]; ok {
		j.shown = true
	}
	return nil
}

// pending is how many operations wait for the store, long enough to be shown.
func (c *core) pending() map[model.UID]bool {
	out := map[model.UID]bool{}
	for _, j := range c.jobs.open {
		if !j.shown {
			continue
		}
		for _, op := range j.ops {
			out[op.UID] = true
		}
	}
	return out
}

// onApplied takes the store's answer: a new snapshot and a line of what happened, or the
// error, which stays until it is read.
func (d *decider) onApplied(m appliedMsg) tea.Cmd {
	j, ok := d.jobs.open[m.job]
	if !ok {
		return nil
	}
	delete(d.jobs.open, m.job)
	if m.err != nil && !isDone(m) {
		return d.onRefused(j, m.err)
	}
	var cmds []tea.Cmd
	d.panes.Staying = !slices.ContainsFunc(j.ops, func(op model.Op) bool { return op.Name != model.AddComment }) // no verdict: it continues
	d.panes.Advance = !d.panes.Staying
	cmds = append(cmds, d.loader.announce(false), d.loader.adopt(m.applied.Snapshot), d.loader.announce(true))
	if d.panes.Advance && d.panes.View == panes.Inbox && d.panes.Inbox.Leave() { // the store's own news came first
		cmds = append(cmds, d.nav.showItem(false), d.nav.onMoved())
	}
	d.panes.Staying, d.panes.Advance = false, false
	if ch := m.applied.Change; ch != nil {
		d.readFailures(d.notices.Last) // an older failure has been read by anyone who continued
		cmds = append(cmds, d.say(d.proposer().Done(j.ops, ch)))
		if j.select_ && len(ch.Tasks) > 0 {
			d.panes.Detail.Show(detail.Overview) // the tab of another task says nothing of it yet
			cmds = append(cmds, d.nav.goTo(ch.Tasks[0].UID))
		}
	}
	if m.err != nil {
		n := d.proposer().Refused(j.ops[0].Name.Title(), m.err)
		cmds = append(cmds, d.fail(view.Notice{Text: "Done, but it may not be on the disk yet", Why: n.Why, Hint: n.Hint, Guard: n.Guard}))
	}
	for _, w := range m.applied.Warnings {
		cmds = append(cmds, d.fail(view.Notice{Text: "Done, but with a warning", Why: w}))
	}
	if d.ofSelection(j.ops) {
		d.clearSelection()
	}
	d.remember(j.ops)
	d.hear(view.Applied{Ops: j.ops})
	for _, q := range j.asked {
		cmds = append(cmds, d.typed.DropAnswers(&q))
	}
	cmds = append(cmds, d.back(j.ops))
	if j.words != nil {
		cmds = append(cmds, d.typed.Taken(*j.words))
	}
	cmds = append(cmds, d.typed.DropSent(j.sent))
	if j.draft != nil {
		delete(d.tasks.editor.texts, j.draft.key())
		cmds = append(cmds, d.fx.discardEdit(j.session))
	}
	return tea.Batch(cmds...)
}

// isDone says whether an error is that of something that is done all the same.
func isDone(m appliedMsg) bool {
	var r *model.Refusal
	return errors.As(m.err, &r) && r.Code == model.CodeNotDurable && m.applied.Snapshot != nil
}

// onRefused says why the store did not do it. Bytes that changed under the person are
// shown as a difference; a text that could not be defined stays in its draft.
func (d *decider) onRefused(j *job, err error) tea.Cmd {
	what := j.ops[0].Name.Title()
	n := d.proposer().Refused(what, err)
	var r *model.Refusal
	isRefusal := errors.As(err, &r)
	var cmds []tea.Cmd
	if len(j.ops) > 1 && isRefusal {
		n.Why += fmt.Sprintf("; none of the %d was changed", len(j.ops))
	}
	if j.draft != nil {
		n.AddHint("your text is saved: edit again to continue")
		if j.draft.path != "" {
			n.AddHint("there is a copy at " + j.draft.path)
		}
	}
	if len(j.sent) > 0 && j.words == nil {
		n.AddHint("your comments are saved as drafts")
	}
	if j.words != nil {
		n.AddHint("your text is saved: the same key continues it")
	}
	switch { // what an overlay tells needs no line besides
	case isRefusal && j.draft != nil && r.Code == model.CodeConflict:
		cmds = append(cmds, d.showConflict(j.draft, n))
	case isRefusal && len(r.Changed) > 0:
		cmds = append(cmds, d.showChanged(r, d.record(n)))
	case isRefusal && r.Guard == model.GuardSeen && len(j.asked) > 0:
		d.requests.Differ(j.asked) // shown when what is asked now has been read
		cmds = append(cmds, d.fail(n))
	case isRefusal && len(r.Cycle) > 0:
		d.record(n)
		cmds = append(cmds, d.tasks.showCycle(r))
	default:
		cmds = append(cmds, d.fail(n))
	}
	// What is on screen may be old: look again. Bytes that are not what they were may have
	// been written without a transaction, and only a whole reading finds those.
	if isRefusal && r.Code != model.CodeConflict {
		return tea.Batch(append(cmds, d.loader.refresh())...)
	}
	return tea.Batch(append(cmds, d.loader.reload())...)
}
