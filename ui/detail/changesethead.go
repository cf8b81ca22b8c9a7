package detail

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/ui/text"
)

// head draws what stands above a document of a member, or the line of one that is not in.
func (c *Changeset) head(m *member, tab Tab, w int, cursor bool) []string {
	var out []string
	at := 0
	switch tab {
	case Overview:
		if m.apart {
			out, at = append(out, ""), 1
		}
		out = append(out, c.lineOf(m, w))
	case Objective:
		if m != c.members[0] {
			out, at = append(out, ""), 1
		}
		out = append(out, c.titleOf(m, w), c.factsOf(m, w), "", c.docTitle(m, tab, w))
	default:
		out, at = []string{"", c.docTitle(m, tab, w)}, 1
	}
	if cursor {
		out[at] = text.Paint(text.Pad(out[at], w), w, c.st.Select.Open())
	}
	return out
}

// indent is how far a member is to the right, at most half of the row.
func indent(m *member, w int) string { return text.Spaces(min(2*m.Depth, w/2)) }

func (c *Changeset) status(m *member) (is model.Status, word string, ok bool) {
	if i, ok := c.snap.Index(m.UID); ok {
		return c.snap.Status(i), c.snap.StatusWord(i), true
	}
	return 0, "", false
}

func (c *Changeset) name(m *member) string {
	if t := m.d.task(); t != nil && t.Config.Name != "" {
		return text.SafeLine(t.Config.Name)
	}
	return string(m.UID)
}

// lineOf is a member that is not in, and why.
func (c *Changeset) lineOf(m *member, w int) string {
	st := c.st
	lead := "  " + indent(m, w)
	if is, _, ok := c.status(m); ok {
		glyph, ink := st.Status(is)
		lead += ink.Render(glyph) + " "
	}
	line := lead + st.Muted.Render(c.name(m)) + "  " + st.Faint.Render("not part of it: "+text.SafeLine(m.Why)+"  "+m.UID.Short())
	return text.Truncate(line, w)
}

// titleOf is the name of a member between rules.
func (c *Changeset) titleOf(m *member, w int) string {
	st := c.st
	lead := st.Border.Render(strings.Repeat(st.Glyph.Rule, 2)) + " " + indent(m, w/2)
	tail := ""
	if is, word, ok := c.status(m); ok {
		glyph, ink := st.Status(is)
		lead += ink.Render(glyph) + " "
		tail = " " + ink.Render(word) + " "
	}
	lead += st.Bold.Render(text.Truncate(c.name(m), max(4, w-text.Width(lead)-text.Width(tail)-4))) + " "
	rest := max(1, w-text.Width(lead)-text.Width(tail)-2)
	return text.Truncate(lead+st.Border.Render(strings.Repeat(st.Glyph.Rule, rest))+tail+st.Border.Render(strings.Repeat(st.Glyph.Rule, 2)), w)
}

// factsOf is what matters of a member for a verdict.
func (c *Changeset) factsOf(m *member, w int) string {
	st, t := c.st, m.d.task()
	if t == nil {
		return "   " + st.Bad.Render("this task is no longer in the store")
	}
	parts := []string{st.Faint.Render(m.UID.Short())}
	if m.Depth > 1 {
		if p, ok := c.snap.Task(t.Config.ParentUID); ok {
			parts = append(parts, st.Muted.Render("in "+text.SafeLine(p.Config.Name)))
		}
	}
	if !m.In {
		parts = append(parts, st.Warn.Render("not part of the verdict: "+text.SafeLine(m.Why)))
	}
	if t.Status.PlanRevision > 0 {
		parts = append(parts, st.Muted.Render(fmt.Sprintf("plan revision %d", t.Status.PlanRevision)))
	}
	if risk := model.RiskSaid(t); risk != "" {
		ink := st.Muted
		if !strings.EqualFold(risk, model.RiskLow) {
			ink = st.Warn
		}
		parts = append(parts, ink.Render(text.SafeLine(risk)+" risk"))
	}
	parts = append(parts, c.talked(m)...)
	if m.In && m.loaded {
		parts = append(parts, c.readOf(m))
	}
	return text.Truncate("   "+strings.Join(parts, st.Faint.Render(" "+st.Glyph.Dot+" ")), w)
}

// talked counts the comments on the texts of a member.
func (c *Changeset) talked(m *member) (out []string) {
	k := &m.d.talk
	open, blocking := 0, 0
	for i := range k.comments {
		switch n := &k.comments[i]; {
		case n.Blocking && !n.Settled():
			blocking++
		case n.State == model.CommentOpen:
			open++
		}
	}
	if n := len(k.comments); n > 0 {
		out = append(out, c.st.Muted.Render(plural(n, "comment")))
	}
	if open > 0 {
		out = append(out, c.st.Warn.Render(fmt.Sprintf("%d open", open)))
	}
	if blocking > 0 {
		out = append(out, c.st.Bad.Render(fmt.Sprintf("%d blocking", blocking)))
	}
	if n := len(k.drafts); n > 0 {
		out = append(out, c.st.Violet.Render(plural(n, "draft")))
	}
	return out
}

// readOf says how much of a plan has been on the screen.
func (c *Changeset) readOf(m *member) string {
	switch n := c.Read(m.UID); n {
	case 100:
		return c.st.Good.Render("read")
	case 0:
		return c.st.Muted.Render("not read")
	default:
		return c.st.Muted.Render(fmt.Sprintf("%d%% read", n))
	}
}

// contentWords names a version of a document.
func contentWords(c *model.Content) string {
	if c.Revision == 0 {
		return "edited outside vespe, no revision yet"
	}
	return fmt.Sprintf("revision %d", c.Revision)
}

// docTitle says which document follows, or why there is none.
func (c *Changeset) docTitle(m *member, tab Tab, w int) string {
	st, p := c.st, m.doc(tab)
	what := text.Capital(tab.String())
	switch {
	case m.gone != nil:
		return text.Truncate("   "+st.Bad.Render(what+" can't be read: "+text.SafeLine(m.gone.Error())), w)
	case !m.loaded:
		return text.Truncate("   "+st.Faint.Render("loading"+st.Glyph.Ellipsis), w)
	case p.content == nil:
		return text.Truncate("   "+st.Muted.Render("There is no "+tab.String()+"."), w)
	}
	line := st.Bold.Render(what) + "  " + st.Muted.Render(contentWords(p.content))
	if p.parsed && p.hidden > 0 {
		line += "  " + st.HiddenText.Render(plural(p.hidden, "passage")+" hidden by rendering, shown marked")
	}
	return text.Truncate("   "+line, w)
}
