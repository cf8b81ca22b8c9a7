package ui

import (
	"context"
	"time"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/snapshot"
	"vespe/ui/diff"
	"vespe/ui/overlay"
	"vespe/ui/view"
)

// The times of the workbench.
const (
	pollEvery = time.Second            // after which a wait for the store ends in any case
	idleAfter = 120 * time.Millisecond // after this the text on screen is drawn on ahead
	idleStep  = 12 * time.Millisecond  // between two parts of it
	fadeAfter = 6 * time.Second        // a message of success
)

// effects makes every command of the workbench: the only place from which the store, the
// editor and the clock are asked. A command never touches the App; it answers with a
// message.
type effects struct {
	ctx context.Context
	*Deps
}

// docs reads the documents of tasks.
func (e effects) docs() taskdocs.Reader {
	return taskdocs.Reader{Store: e.Store, Drafts: e.Drafts, Runs: e.Runs, Actor: e.Actor}
}

func (e effects) load(gen int, g *view.Gauge) tea.Cmd {
	return func() tea.Msg {
		snap, err := e.Store.Load(e.ctx, g.Set)
		return loadedMsg{gen: gen, snap: snap, err: err}
	}
}

// search looks through the texts of tasks; nil when they have no index.
func (e effects) search() func(s *snapshot.Snapshot, text string) (snapshot.SearchAnswer, error) {
	if e.Search == nil {
		return nil
	}
	return func(s *snapshot.Snapshot, text string) (snapshot.SearchAnswer, error) {
		return e.Search.Search(e.ctx, s, snapshot.SearchQuery{Text: text})
	}
}

// warm is the first thing that is asked. That it fails, the load that follows says.
func (e effects) warm(gen int) tea.Cmd {
	return func() tea.Msg {
		snap, ok, err := e.Store.Warm(e.ctx)
		if !ok || err != nil {
			return nil
		}
		return earlyMsg{gen, snap}
	}
}

func (e effects) refresh(gen int) tea.Cmd {
	return func() tea.Msg {
		snap, err := e.Store.Refresh(e.ctx)
		return loadedMsg{gen: gen, snap: snap, err: err}
	}
}

// poll waits for the store to change, with some tasks on the screen: one message for the
// waiting and the answer.
func (e effects) poll(seen []model.UID) tea.Cmd {
	return func() tea.Msg {
		e.Store.Watch(seen)
		u, err := e.Store.Wait(e.ctx, pollEvery)
		if e.ctx.Err() != nil {
			return nil
		}
		return pollMsg{headMsg{u.Seq, u.Edited, u.Stale, err}}
	}
}

func (e effects) head() tea.Cmd {
	return func() tea.Msg {
		seq, err := e.Store.Head(e.ctx)
		return headMsg{seq: seq, err: err}
	}
}

func (e effects) docsOf(gen int, w taskdocs.Wanted) tea.Cmd {
	return func() tea.Msg { return docsMsg{gen, e.docs().Read(e.ctx, w)} }
}

// proposal reads the tasks that the plan of a task lists.
func (e effects) proposal(snap *snapshot.Snapshot, t *model.Task) opening {
	p, err := e.Plans.Proposal(e.ctx, snap, t)
	return planTasks{t.UID, p, err}
}

// bounds reads what a verdict binds to of other tasks, for documents that have been read.
func (e effects) bounds(op model.Name, docs []*taskdocs.Docs, then func([]*taskdocs.Docs) tea.Cmd) opening {
	out := docsRead{then: then}
	for _, s := range docs {
		bound, err := e.Store.Bound(e.ctx, op, s.UID)
		if err != nil {
			return docsRead{err: err}
		}
		with := *s
		with.Bound = bound
		out.docs = append(out.docs, &with)
	}
	return out
}

func (e effects) docsOfAll(tasks []taskdocs.Wanted, then func([]*taskdocs.Docs) tea.Cmd) opening {
	out := docsRead{then: then}
	for _, w := range tasks {
		s := e.docs().Read(e.ctx, w)
		if s.Err != nil {
			return docsRead{err: s.Err}
		}
		out.docs = append(out.docs, s)
	}
	return out
}

// glance reads only the documents of a task that is on screen, or the files of its result,
// and the rest when they are others than those of old: an editor or an agent may write them
// without a word to the store.
func (e effects) glance(gen int, w taskdocs.Wanted, old *taskdocs.Docs) tea.Cmd {
	return func() tea.Msg {
		s, took := e.docs().ReadAgain(e.ctx, w, old)
		return glanceMsg{docsMsg{gen, s}, took}
	}
}

// resultFile reads the beginning of a result file for the screen, or all of it for the editor.
func (e effects) resultFile(uid model.UID, path string, edit bool) tea.Cmd {
	return func() tea.Msg {
		m := resultFileMsg{uid: uid, path: path, edit: edit}
		if edit {
			m.body, m.err = e.Store.ReadResult(e.ctx, uid, path, taskdocs.MostRead)
		} else {
			m.body, m.parsed, m.err = e.docs().ReadResult(e.ctx, uid, path)
		}
		return m
	}
}

// revisions reads recorded revisions of a task's documents.
func (e effects) revisions(uid model.UID, of []model.DocRevision) opening {
	m := revisionTexts{uid: uid}
	for _, r := range of {
		c, err := e.Store.Revision(e.ctx, uid, r.Doc, r.N)
		m.texts = append(m.texts, revisionText{r, c.Body, err})
	}
	return m
}

// changes reads recorded revisions, and compares each with the one before it.
func (e effects) changes(uid model.UID, of []model.DocRevision) tea.Cmd {
	return func() tea.Msg {
		m := changesMsg{uid: uid}
		for _, r := range of {
			var old model.Content
			now, err := e.Store.Revision(e.ctx, uid, r.Doc, r.N)
			if err == nil && r.N > 1 {
				old, err = e.Store.Revision(e.ctx, uid, r.Doc, r.N-1)
			}
			c := revisionChange{of: r, err: err}
			if err == nil {
				c.cmp = diff.Compare(string(old.Body), string(now.Body)).Folded()
			}
			m.changes = append(m.changes, c)
		}
		return m
	}
}

// compare compares the texts of a difference that has been opened.
func (e effects) compare(box *overlay.Diff) tea.Cmd {
	return func() tea.Msg { return comparedMsg{box, box.Compare()} }
}

// do fires operations: one by Do, several in one transaction.
func (e effects) do(job int, ops []model.Op) tea.Cmd {
	for i := range ops {
		ops[i].Channel = model.ChannelWorkbench
	}
	return func() tea.Msg {
		var (
			a   snapshot.Applied
			err error
		)
		if err = e.sign(ops); err != nil {
			return appliedMsg{job: job, ops: ops, err: err}
		}
		if len(ops) == 1 {
			a, err = e.Store.Do(e.ctx, ops[0])
		} else {
			a, err = e.Store.DoAll(e.ctx, ops)
		}
		return appliedMsg{job: job, ops: ops, applied: a, err: err}
	}
}

// sign signs the approvals that operations write, where the person has a key for it. One that
// cannot be signed keeps all of them from being done.
func (e effects) sign(ops []model.Op) error {
	if e.Keys == nil || !e.Keys.CanSign() {
		return nil
	}
	for i := range ops {
		op := &ops[i]
		if op.At.IsZero() {
			op.At = e.Now()
		}
		statement, writes := binding.SignedOp(e.Store.StoreID(), op)
		if !writes || statement == nil || op.Signature != "" {
			continue
		}
		var err error
		if op.Signature, err = e.Keys.Sign(e.ctx, statement); err != nil {
			return &model.Refusal{
				Code: model.CodeRefused, Op: op.Name, UID: op.UID, Guard: model.GuardLevel, Why: err.Error(),
				Hint: "nothing was changed: check the signing key, then decide again",
			}
		}
	}
	return nil
}

// noticeMsg is a remark from a command.
type noticeMsg struct{ text string }

// copyText puts text on the terminal's clipboard (OSC 52).
func (e effects) copyText(s string) tea.Cmd { return tea.SetClipboard(s) }
