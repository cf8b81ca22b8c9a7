package ui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/ui/diff"
	"vespe/ui/overlay"
	"vespe/ui/runview"
	"vespe/ui/view"
)

// The times of the workbench.
const (
	pollEvery   = time.Second            // after which a wait for the store ends in any case
	idleAfter   = 120 * time.Millisecond // after this the text on screen is drawn on ahead
	idleStep    = 12 * time.Millisecond  // between two parts of it
	fadeAfter   = 6 * time.Second        // a message of success
	resultBytes = 256 << 10              // of a result file that are kept for the screen
	resultMost  = 32 << 20               // of a result file that is read at all
)

// effects makes every command of the workbench: the only place from which the store, the
// editor and the clock are asked. A command never touches the App; it answers with a
// message.
type effects struct {
	ctx context.Context
	*Deps
}

func (e effects) load(gen int, g *view.Gauge) tea.Cmd {
	return func() tea.Msg {
		snap, err := e.Store.Load(e.ctx, g.Set)
		return loadedMsg{gen: gen, snap: snap, err: err}
	}
}

// search looks through the texts of tasks.
func (e effects) search(gen int, snap *snapshot.Snapshot, text string) tea.Cmd {
	return func() tea.Msg {
		answer, err := e.Search.Search(e.ctx, snap, snapshot.SearchQuery{Text: text})
		return foundMsg{gen, text, answer, err}
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

func (e effects) partial(gen int) tea.Cmd {
	return func() tea.Msg { return earlyMsg{gen, e.Store.Partial()} }
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

func (e effects) settle(gen int) tea.Cmd {
	return func() tea.Msg { return settleMsg{gen} }
}

func (e effects) sheet(gen int, w wanted) tea.Cmd {
	return func() tea.Msg { return sheetMsg{gen, e.readSheet(w)} }
}

// proposal reads the tasks that the plan of a task lists.
func (e effects) proposal(snap *snapshot.Snapshot, t *model.Task) opening {
	p, err := e.Plans.Proposal(e.ctx, snap, t)
	return planTasks{t.UID, p, err}
}

// bounds reads what a verdict binds to of other tasks, for sheets that have been read.
func (e effects) bounds(op model.Name, sheets []*sheet, then func([]*sheet) tea.Cmd) opening {
	out := sheetsRead{then: then}
	for _, s := range sheets {
		bound, err := e.Store.Bound(e.ctx, op, s.uid)
		if err != nil {
			return sheetsRead{err: err}
		}
		with := *s
		with.bound = bound
		out.sheets = append(out.sheets, &with)
	}
	return out
}

// wanted names one task whose sheet is to be read.
type wanted struct {
	uid    model.UID
	base   int  // plan revision to compare with; 0 for none
	latest int  // newest recorded plan revision; 0 for none
	at     int  // revision of status.json
	writes int  // typed.writes
	result bool // its result is on the screen
}

func (e effects) sheets(tasks []wanted, then func([]*sheet) tea.Cmd) opening {
	out := sheetsRead{then: then}
	for _, w := range tasks {
		s := e.readSheet(w)
		if s.err != nil {
			return sheetsRead{err: s.err}
		}
		out.sheets = append(out.sheets, s)
	}
	return out
}

// readSheet reads everything that the detail shows. What cannot be read does not keep the
// rest from being shown.
func (e effects) readSheet(w wanted) *sheet {
	s := &sheet{uid: w.uid, revision: w.at, writes: w.writes}
	s.objective, s.errs.objective = e.content(w.uid, model.Objective)
	s.plan, s.errs.plan = e.content(w.uid, model.Plan)
	s.parse()
	s.history, s.problems, s.errs.history = e.Store.History(e.ctx, w.uid)
	if s.review, s.errs.review = e.Store.Review(e.ctx, w.uid, 0); errors.Is(s.errs.review, model.ErrNoContent) {
		s.errs.review = nil
	}
	if e.Drafts != nil {
		s.drafts, s.errs.drafts = e.Drafts.Drafts(e.Store.StoreID(), w.uid)
	}
	if s.plan != nil {
		base := w.base
		before := w.latest
		if s.plan.Revision == 0 { // no revision yet: the latest one is an earlier text
			before++
		}
		if s.decided = decidedBy(s.history, e.Actor, before); s.decided > 0 {
			base = s.decided
		}
		if s.plan.Revision == 0 && base == 0 { // edited past vespe: compare with what was recorded last
			base = w.latest
		}
		if base > 0 && base != s.plan.Revision {
			if c, err := e.Store.Revision(e.ctx, w.uid, model.Plan, base); err == nil {
				s.base = &c
				s.baseReview, s.between = e.reviews(w.uid, base, w.latest)
			} // without it there is no difference to show, and the key says so
		}
	}
	s.results, s.errs.results = e.Store.Results(e.ctx, w.uid)
	if slices.ContainsFunc(s.results, func(f model.ResultFile) bool { return f.Path == summaryName }) {
		if b, err := e.beginning(w.uid, summaryName); err == nil {
			s.summary, s.summarized = b, parsedLarge(b)
		} // the list has the file, and opening it says why it cannot be read
	}
	e.readLastRun(s, w.latest)
	s.err = cmp.Or(s.errs.objective, s.errs.plan, s.errs.history, s.errs.results)
	return s
}

// readLastRun reads the attempts at a task, and what the newest of them that was verified came to.
func (e effects) readLastRun(s *sheet, plans int) {
	if e.Runs == nil || plans == 0 { // nobody starts it without a plan
		return
	}
	s.runs, s.errs.runs = e.Runs.Runs(e.ctx, s.uid)
	for _, r := range slices.Backward(s.runs) {
		f := runview.File{Task: s.uid, Run: r.ID, Name: runview.VerifyName}.Read(e.ctx, e.Runs)
		if f.None || f.Err != nil {
			if r.Live() {
				continue
			}
			s.errs.report = f.Err
			break // what an older one found says nothing about this one
		}
		rep, err := runlog.DecodeReport(f.Body)
		if s.errs.report = err; err == nil {
			s.reportOf, s.report = r.ID, &rep
		}
		break
	}
}

// summaryName is the result file that says what was done.
const summaryName = "summary.md"

// glance reads only the documents of a task that is on screen, or the files of its result,
// and the rest when they are others than those of old: an editor or an agent may write them
// without a word to the store.
func (e effects) glance(gen int, w wanted, old *sheet) tea.Cmd {
	return func() tea.Msg {
		objective, err1 := e.content(w.uid, model.Objective)
		plan, err2 := e.content(w.uid, model.Plan)
		if err1 != nil || err2 != nil {
			return glanceMsg{} // what cannot be read now is said when something else is read
		}
		changed := !same(objective, old.objective) || !same(plan, old.plan)
		var m glanceMsg
		if w.result {
			began := time.Now()
			files, err := e.Store.Results(e.ctx, w.uid)
			m.results = time.Since(began)
			changed = changed || err == nil && !slices.Equal(files, old.results)
		}
		if changed {
			m.sheetMsg = sheetMsg{gen, e.readSheet(w)}
		}
		return m
	}
}

func same(a, b *model.Content) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Hash == b.Hash && a.Revision == b.Revision
}

// content is a document; nil without an error when there is none.
func (e effects) content(uid model.UID, doc model.Doc) (*model.Content, error) {
	c, err := e.Store.Content(e.ctx, uid, doc)
	switch {
	case errors.Is(err, model.ErrNoContent):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &c, nil
}

// beginning is the beginning of a result file: what the screen has a use for.
func (e effects) beginning(uid model.UID, path string) ([]byte, error) {
	b, err := e.Store.ReadResult(e.ctx, uid, path, resultMost)
	if len(b) > resultBytes {
		b = slices.Clone(b[:resultBytes])
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
			b = b[:end+1]
		}
	}
	return b, err
}

// resultFile reads the beginning of a result file for the screen, or all of it for the editor.
func (e effects) resultFile(uid model.UID, path string, edit bool) tea.Cmd {
	return func() tea.Msg {
		if edit {
			b, err := e.Store.ReadResult(e.ctx, uid, path, resultMost)
			return resultFileMsg{uid: uid, path: path, body: b, err: err, edit: true}
		}
		b, err := e.beginning(uid, path)
		return resultFileMsg{uid: uid, path: path, body: b, parsed: parsedLarge(b), err: err}
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

// mostReviews is how many revisions between two are looked at for answers.
const mostReviews = 20

// reviews are what was said about a revision of a plan, and about those between it and a later
// one, the newest first. What cannot be read is left out: it is not what is compared.
func (e effects) reviews(uid model.UID, n, later int) (of *model.ReviewFile, between []*model.ReviewFile) {
	of, err := e.Store.Review(e.ctx, uid, n)
	if err != nil {
		of = nil
	}
	for k := later - 1; k > max(n, later-mostReviews); k-- {
		if f, err := e.Store.Review(e.ctx, uid, k); err == nil && f != nil {
			between = append(between, f)
		}
	}
	return of, between
}

// revisionPair reads two revisions of a plan, and what was said about them.
func (e effects) revisionPair(uid model.UID, old, now int) opening {
	p := &planDiff{uid: uid}
	for _, r := range []struct {
		n      int
		text   **model.Content
		review **model.ReviewFile
	}{{old, &p.old, &p.oldReview}, {now, &p.now, &p.nowReview}} {
		c, err := e.Store.Revision(e.ctx, uid, model.Plan, r.n)
		if err != nil {
			return revisionPair{p, err}
		}
		*r.text = &c
		*r.review, _ = e.reviews(uid, r.n, r.n)
	}
	_, p.between = e.reviews(uid, old, now)
	return revisionPair{p, nil}
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
