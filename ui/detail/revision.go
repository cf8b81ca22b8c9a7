package detail

import (
	"errors"
	"fmt"
	"strconv"

	"vespe/model"
	"vespe/ui/diff"
	"vespe/ui/text"
)

// revisionLines is how many lines of a difference stand under an event; the rest is a key
// away.
const revisionLines = 120

// revision is the text of one revision, as it was handed over.
type revision struct {
	body string
	err  error
}

// change is the difference that an event made to a document.
type change struct {
	cmp   *diff.Comparison
	sheet diff.Sheet
}

// SetRevision hands over the text of one revision of a document.
func (d *Detail) SetRevision(uid model.UID, of model.DocRevision, body []byte, err error) {
	if uid != d.uid {
		return
	}
	p := &d.history
	if p.texts == nil {
		p.texts = map[model.DocRevision]revision{}
	}
	p.texts[of] = revision{string(body), err}
	p.page.valid = false
}

// Recorded are the revisions that the event under the cursor recorded.
func (d *Detail) Recorded() []model.DocRevision {
	p := &d.history
	if d.tab != History || d.idx < 0 || p.page.cur < 0 || p.page.cur >= len(p.events) {
		return nil
	}
	return p.events[p.page.cur].Recorded()
}

// neededRevisions are the texts that unfolded events are made of and that are not here yet.
func (d *Detail) neededRevisions() []Need {
	p := &d.history
	var out []Need
	for i := range p.events {
		if e := &p.events[i]; p.open[eventKey(e)] {
			for _, r := range e.Recorded() {
				for _, of := range withBefore(r) {
					if _, ok := p.texts[of]; !ok {
						out = append(out, Need{Kind: NeedRevision, UID: d.uid, Revision: of})
					}
				}
			}
		}
	}
	return out
}

// withBefore is a revision after the one that it followed.
func withBefore(r model.DocRevision) []model.DocRevision {
	if r.N < 2 {
		return []model.DocRevision{r}
	}
	return []model.DocRevision{{Doc: r.Doc, N: r.N - 1}, r}
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
	c, err := d.history.change(r)
	switch {
	case err != nil:
		reason := err.Error()
		if errors.Is(err, model.ErrNoContent) {
			reason = "not recorded: there is nothing to compare"
		}
		return []string{text.Truncate(title+"  "+st.Warn.Render(text.SafeLine(reason)), w)}
	case c == nil:
		return []string{title}
	case c.cmp.Same():
		return []string{text.Truncate(title+"  "+st.Muted.Render("as the one before"), w)}
	}
	added, taken := c.cmp.Changes()
	counts := st.Good.Render("+"+strconv.Itoa(added)) + " " + st.Bad.Render("-"+strconv.Itoa(taken))
	out := []string{text.Truncate(title+"  "+counts, w)}
	c.sheet.Lay(st, c.cmp, w, false)
	for i := range min(c.sheet.Len(), revisionLines) {
		out = append(out, c.sheet.Draw(i))
	}
	if n := c.sheet.Len() - revisionLines; n > 0 {
		more := fmt.Sprintf("%s %s more lines", st.Glyph.Ellipsis, text.Count(n))
		if key := d.keys("view.diff"); key != "" {
			more += ": " + key + " shows all"
		}
		out = append(out, st.Muted.Render(text.Truncate(more, w)))
	}
	return append(out, "")
}

// change compares a revision with the one before; nil while a text is not here yet.
func (p *historyPane) change(r model.DocRevision) (*change, error) {
	if c := p.changes[r]; c != nil {
		return c, nil
	}
	var texts []string
	for _, of := range withBefore(r) {
		t, ok := p.texts[of]
		if !ok {
			return nil, nil
		}
		if t.err != nil {
			return nil, t.err
		}
		texts = append(texts, t.body)
	}
	if len(texts) == 1 {
		texts = []string{"", texts[0]}
	}
	if p.changes == nil {
		p.changes = map[model.DocRevision]*change{}
	}
	c := &change{cmp: diff.Compare(texts[0], texts[1], false)}
	p.changes[r] = c
	return c, nil
}
