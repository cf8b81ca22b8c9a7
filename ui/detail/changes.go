package detail

import (
	"bytes"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/ui/diff"
	"vespe/ui/markdown"
	"vespe/ui/style"
)

// Changes are what differs between the plan and an earlier revision of it.
type Changes struct {
	Hash  string // of the plan that has them
	Since int    // the revision that it was compared with
	List  []Change
}

// Change is one difference, as the plan shows it.
type Change struct {
	diff.Change
	Unasked bool // no comment was about these lines
}

// SetChanges hands over what changed in the plan; nil marks nothing.
func (d *Detail) SetChanges(uid model.UID, c *Changes) {
	if uid != d.uid {
		return
	}
	p := &d.docs[1]
	p.changes, p.changed = c, false
}

// Changes are what is marked in the plan; nil when it was compared with nothing.
func (d *Detail) Changes() *Changes { return d.docs[1].fresh() }

// fresh are the changes of the text that the pane has.
func (p *docPane) fresh() *Changes {
	if p.changes == nil || p.content == nil || p.changes.Hash != p.content.Hash {
		return nil
	}
	return p.changes
}

// unaskedFlag stands beside the sign of a change that no comment was about.
const unaskedFlag = "!"

// ChangeSign is a sign in the gutter of a plan.
type ChangeSign struct {
	Sign, Title, Help string
	Ink               style.Ink
}

// ChangeSigns are the signs in the gutter of a plan, for a legend.
func ChangeSigns(st *style.Styles) []ChangeSign {
	kinds := []diff.LineKind{diff.Added, diff.Changed, diff.Removed, diff.Cut}
	out := make([]ChangeSign, 0, len(kinds)+1)
	for _, k := range kinds {
		out = append(out, changeSign(st, k))
	}
	return append(out, ChangeSign{unaskedFlag, "unasked change", "Beside a change: no comment asked for it.", st.Warn})
}

func changeSign(st *style.Styles, k diff.LineKind) ChangeSign {
	const since = " the revision of your last decision."
	switch k {
	case diff.Added:
		return ChangeSign{"+", "added line", "In the gutter of a plan: new since" + since, st.Good}
	case diff.Changed:
		return ChangeSign{"~", "changed line", "In the gutter of a plan: changed since" + since, st.Info}
	case diff.Removed:
		return ChangeSign{"-", "removed here", "In the gutter of a plan: lines removed below since" + since, st.Bad}
	}
	sign := "±"
	if st.Options.ASCII {
		sign = "="
	}
	return ChangeSign{sign, "changed and removed", "In the gutter of a plan: changed, with lines removed beside it, since" + since, st.Bad}
}

// markChanges puts the signs of what changed beside the lines of a plan.
func (b *base) markChanges(p *docPane) {
	if p.changed || p.doc == nil {
		return
	}
	p.changed = true
	c := p.fresh()
	if c == nil {
		p.doc.SetChanges(nil)
		return
	}
	marks := map[int]markdown.ChangeMark{}
	for i := range c.List {
		x := &c.List[i]
		for k, kind := range x.Kinds {
			sign := changeSign(b.st, kind)
			m := markdown.ChangeMark{
				Sign:  markdown.Mark{Glyph: sign.Sign, SGR: sign.Ink.Open()},
				Below: kind == diff.Removed && x.NewTo > 0,
			}
			if x.Unasked {
				m.Flag = markdown.Mark{Glyph: unaskedFlag, SGR: b.st.Warn.Open()}
			}
			marks[x.From+k] = m
		}
	}
	p.doc.SetChanges(marks)
}

// onChange is the change that the cursor of the plan is on, as an index; -1 for none.
func (p *docPane) onChange() int {
	c := p.fresh()
	if c == nil || p.doc == nil {
		return -1
	}
	line, _ := p.doc.Cursor()
	for i := range c.List {
		if x := &c.List[i]; line >= x.From && line <= x.To {
			return i
		}
	}
	return -1
}

// changeCount says how much of the plan changed, or which change the cursor is on.
func (b *base) changeCount(p *docPane) (headPart, bool) {
	c := p.fresh()
	if c == nil || len(c.List) == 0 {
		return headPart{}, false
	}
	st := b.st
	if i := p.onChange(); i >= 0 {
		x := &c.List[i]
		s := st.Info.Render(fmt.Sprintf("change %d/%d", i+1, len(c.List)))
		if x.Gone > 0 {
			s += st.Bad.Render(fmt.Sprintf(", %s gone", plural(x.Gone, "line")))
		}
		if x.Unasked {
			s += st.Warn.Render(", unasked")
		}
		return headPart{s, 3}, true
	}
	unasked := 0
	for i := range c.List {
		if c.List[i].Unasked {
			unasked++
		}
	}
	s := st.Info.Render(plural(len(c.List), "change"))
	if unasked > 0 {
		s += st.Warn.Render(fmt.Sprintf(", %d unasked", unasked))
	}
	return headPart{s, 3}, true
}

// NextPlace goes to the next change or comment (1) or the one before (-1), around the ends, and in a text without any to a
// heading; false when there is none.
func (d *Detail) NextPlace(n int) bool { return d.next(n) || d.NextHeading(n) }

func (d *Detail) next(n int) bool {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil {
		return false
	}
	type place struct {
		line int
		id   string // of a comment
	}
	var all []place
	if p.fresh() != nil {
		for i := range p.changes.List {
			all = append(all, place{line: p.changeLine(&p.changes.List[i])})
		}
	}
	for _, o := range p.notes {
		all = append(all, place{o.under, o.id()})
	}
	if len(all) == 0 {
		return false
	}
	slices.SortStableFunc(all, func(a, b place) int { return a.line - b.line })
	line, id := p.doc.Cursor()
	at := slices.Index(all, place{line, id})
	if at < 0 { // the first one behind the cursor
		at = slices.IndexFunc(all, func(o place) bool { return o.line > line || o.line == line && o.id != "" && id == "" })
		if at < 0 {
			at = len(all)
		}
		if n > 0 {
			at--
		}
	}
	defer d.moveMark()
	to := all[(at+n+len(all))%len(all)]
	if to.id != "" {
		return p.doc.CursorToInset(to.id)
	}
	p.doc.CursorTo(to.line)
	return true
}

// changeLine is where the cursor goes to for a change: its first line that says something, as what is
// said there is about that line.
func (p *docPane) changeLine(c *Change) int {
	lines := bytes.Split(p.content.Body, []byte("\n"))
	for n := c.From; n <= c.To && n <= len(lines); n++ {
		if len(bytes.TrimSpace(lines[n-1])) > 0 {
			return n
		}
	}
	return c.From
}
