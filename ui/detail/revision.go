package detail

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"vespe/model"
	"vespe/ui/diff"
	"vespe/ui/text"
)

// revisionLines is how many lines of a difference stand under an event; the rest is a key
// away.
const revisionLines = 120

// revisionRows is how many rows of it are laid out: what is wrapped for every width must not
// be a whole book.
const revisionRows = 2 * revisionLines

// change is what a revision changed in a document, as it was handed over.
type change struct {
	cmp  *diff.Comparison // to count
	head *diff.Comparison // to draw
	laid diff.Layout
	err  error
}

// SetChange hands over how one revision of a document differs from the one before.
func (d *Detail) SetChange(uid model.UID, of model.DocRevision, cmp *diff.Comparison, err error) {
	if uid != d.uid {
		return
	}
	p := &d.history
	if p.changes == nil {
		p.changes = map[model.DocRevision]*change{}
	}
	c := &change{cmp: cmp, err: err}
	if err == nil {
		c.head = cmp.Head(revisionRows)
	}
	p.changes[of] = c
	p.page.keep(false)
	p.page.valid, d.over.valid = false, false
}

// forgetFailed drops what could not be read of some revisions, or of all of them, so that it
// is asked for again.
func (p *historyPane) forgetFailed(some []model.DocRevision) {
	for of, c := range p.changes {
		if c.err != nil && (some == nil || slices.Contains(some, of)) {
			delete(p.changes, of)
		}
	}
}

// Recorded are the revisions that the event under the cursor recorded.
func (d *Detail) Recorded() []model.DocRevision {
	p := &d.history
	if d.tab != History || d.idx < 0 || p.page.cur < 0 || p.page.cur >= len(p.events) {
		return nil
	}
	return p.events[p.page.cur].Recorded()
}

// sinceApproval are the last revisions of a task's texts that came after its approval, where that makes it changed.
func (d *Detail) sinceApproval(t *model.Task) (out []model.DocRevision) {
	a := t.Status.AcceptedPlan
	if a == nil || d.snap.Status(d.idx) != model.StatusChanged {
		return nil
	}
	for n := max(a.ObjectiveRevision+1, t.Status.ObjectiveRevision-1); n <= t.Status.ObjectiveRevision; n++ {
		out = append(out, model.DocRevision{Doc: model.Objective, N: n})
	}
	for n := max(a.PlanRevision+1, t.Status.PlanRevision-1); n <= t.Status.PlanRevision; n++ {
		out = append(out, model.DocRevision{Doc: model.Plan, N: n})
	}
	return out
}

// neededChanges are those that are shown and that are not here yet: of unfolded events, or since the approval.
func (d *Detail) neededChanges() (out []Need) {
	p := &d.history
	shown := d.sinceApproval(d.task())
	if d.tab == History {
		shown = nil
		for i := range p.events {
			if e := &p.events[i]; p.open[eventKey(e)] {
				shown = append(shown, e.Recorded()...)
			}
		}
	}
	for _, r := range shown {
		if p.changes[r] == nil {
			out = append(out, Need{Kind: NeedChange, UID: d.uid, Revision: r})
		}
	}
	return out
}

// eventChanges is how the revisions of an event differ from those before.
func (d *Detail) eventChanges(w int, e *model.Event) []string {
	const indent = 2
	var out []string
	for _, r := range e.Recorded() {
		out = append(out, d.changeRows(w-indent, r)...)
	}
	for i := range out {
		out[i] = text.Spaces(indent) + out[i]
	}
	return out
}

func (d *Detail) changeRows(w int, r model.DocRevision) []string {
	st := d.st
	title := st.Title.Render(fmt.Sprintf("%s revision %d", r.Doc, r.N))
	c := d.history.changes[r]
	switch {
	case c == nil:
		return []string{title}
	case c.err != nil:
		reason := c.err.Error()
		if errors.Is(c.err, model.ErrNoContent) {
			reason = "not stored: nothing to compare"
		}
		return []string{text.Truncate(title+"  "+st.Warn.Render(text.SafeLine(reason)), w)}
	case c.cmp.Same():
		return []string{text.Truncate(title+"  "+st.Muted.Render("as the one before"), w)}
	}
	added, taken := c.cmp.Changes()
	counts := st.Good.Render("+"+strconv.Itoa(added)) + " " + st.Bad.Render("-"+strconv.Itoa(taken))
	out := []string{text.Truncate(title+"  "+counts, w)}
	c.laid.Lay(st, c.head, w, false)
	for i := range min(c.laid.Len(), revisionLines) {
		out = append(out, c.laid.Draw(i))
	}
	if n := c.laid.Len() - revisionLines + c.cmp.Rows() - c.head.Rows(); n > 0 {
		more := fmt.Sprintf("%s %s more lines", st.Glyph.Ellipsis, text.Count(n))
		if key := d.keys("view.diff"); key != "" {
			more += ": " + key + " shows all"
		}
		out = append(out, st.Muted.Render(text.Truncate(more, w)))
	}
	return append(out, "")
}
