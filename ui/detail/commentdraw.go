package detail

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/anchor"
	"vespe/model/review"
	"vespe/ui/style"
	"vespe/ui/text"
)

// CommentInk is the color of a comment's state.
func CommentInk(st *style.Styles, c *model.Comment) style.Ink {
	switch {
	case c.State == model.CommentResolved:
		return st.Faint
	case c.Blocking && !c.Settled():
		return st.Bad
	case c.State == model.CommentOpen, c.State == model.CommentDeclined:
		return st.Warn
	}
	return st.Good
}

// DrawComment draws a comment whole, in rows of at most w cells, as between the lines of a
// document.
func (b *base) DrawComment(c *model.Comment, w int) []string {
	return b.drawAlone(&note{comment: c, place: c.Place}, w)
}

// DrawDraft is DrawComment for one that was not sent.
func (b *base) DrawDraft(t *review.Draft, w int) []string {
	return b.drawAlone(&note{draft: t, place: t.Place}, w)
}

func (b *base) drawAlone(n *note, w int) []string {
	bar := b.noteInk(n).Render(b.bar())
	out := b.drawWhole(n, w-1)
	for i := range out {
		out[i] = bar + out[i]
	}
	return out
}

// maxComment is the longest line of a comment: it is prose.
const maxComment = 90

// drawNote draws a comment or a draft in rows of at most w cells.
func (d *Detail) drawNote(n *note, w int) []string {
	if n.comment != nil && d.talk.isFolded(n.comment.ID, n.comment.State) {
		return []string{" " + d.foldedNote(n, w-1)}
	}
	return d.drawWhole(n, w)
}

func (b *base) drawWhole(n *note, w int) []string {
	const bar = " " // what stands before it has the gutter
	st := b.st
	room := max(8, min(w-1, maxComment))
	out := []string{bar + b.noteHead(n, w-1)}
	add := func(lead string, ink style.Ink, s string) {
		for i, l := range text.Wrap(text.Safe(strings.TrimSpace(s)), max(4, room-text.Width(lead))) {
			if i > 0 {
				lead = text.Spaces(text.Width(lead))
			}
			out = append(out, bar+st.Faint.Render(lead)+ink.Render(l))
		}
	}
	if on, _, quote := n.onWork(); on {
		for i, q := range quote {
			if i == 4 {
				add("", st.Faint, fmt.Sprintf("%s %d more lines", st.Glyph.Ellipsis, len(quote)-i))
				break
			}
			add("> ", st.Quote, q)
		}
	}
	if n.place.Lost() || n.place.Fate == anchor.Edited.String() {
		for i, q := range n.place.Quote {
			if !n.place.Lost() {
				break
			}
			if i == 4 {
				add("", st.Faint, fmt.Sprintf("%s %d more lines", st.Glyph.Ellipsis, len(n.place.Quote)-i))
				break
			}
			add("> ", st.Quote, q)
		}
	}
	if n.draft != nil {
		body := n.draft.Text
		if strings.TrimSpace(body) == "" {
			body = st.Glyph.Ellipsis
		}
		add("", st.Text, body)
		return out
	}
	add("", st.Text, n.comment.Text)
	arrow := "↳ "
	if st.Options.ASCII {
		arrow = "> "
	}
	for _, r := range n.comment.Replies {
		lead := fmt.Sprintf("%s by %s", stateWord(r.State), Voice(r.By, r.Via))
		if age := b.ago(r.At); age != "" {
			lead += ", " + age
		}
		out = append(out, bar+text.Truncate(st.Faint.Render(arrow)+st.Muted.Render(lead), w-1))
		if strings.TrimSpace(r.Text) != "" {
			add("  ", st.Text, r.Text)
		}
	}
	return out
}

func stateWord(s model.CommentState) string {
	if s == model.CommentOpen {
		return "reopened"
	}
	return text.SafeLine(string(s))
}

// noteHead is the first row of a comment: what it is, how it stands, whose it is.
func (b *base) noteHead(n *note, w int) string {
	st, ink := b.st, b.noteInk(n)
	dot := st.Faint.Render(" " + st.Glyph.Dot + " ")
	var parts []string
	if t := n.draft; t != nil {
		parts = []string{ink.Render("draft " + kindWord(t.Kind, t.Blocking)), st.Muted.Render("not sent")}
	} else {
		c := n.comment
		sign, signInk := b.ActorSign(c.By)
		parts = []string{
			ink.Render(kindWord(c.Kind, c.Blocking) + ", " + text.SafeLine(string(c.State))),
		}
		if n.place.Lost() { // what matters most about it
			parts = append(parts, st.Warn.Render(b.about(n)))
		}
		parts = append(parts, []string{
			signInk.Render(sign) + " " + st.Text.Render(Voice(c.By, c.Via)),
		}...)
		if age := b.ago(c.At); age != "" {
			parts = append(parts, st.Faint.Render(age))
		}
	}
	if about := b.about(n); about != "" && !n.place.Lost() {
		parts = append(parts, st.Muted.Render(about))
	}
	line := strings.Join(parts, dot)
	if n.comment != nil {
		if id := text.SafeLine(n.comment.ID); text.Width(line)+2+text.Width(id) <= min(w, maxComment) {
			line = text.Pad(line, min(w, maxComment)-text.Width(id)) + st.Faint.Render(id)
		}
	}
	return text.Truncate(line, w)
}

// about says what a comment means where that is not the line above it.
func (b *base) about(n *note) string {
	doc, spot, _ := n.onWork()
	switch p := n.place; {
	case doc && spot.File != "":
		return "on " + text.SafeLine(spot.String()) + " of the work"
	case doc:
		return "on the work"
	case p.IsZero():
		return "on the whole"
	case p.Lost():
		return fmt.Sprintf("lost: it was on line %d", p.From)
	case p.Fate == anchor.Edited.String():
		return "edited since"
	case p.Fate == anchor.Moved.String():
		return "moved since"
	case p.To > p.From:
		return strings.ReplaceAll(p.Lines(), "–", "-")
	}
	return ""
}

// onWork reports whether a comment is about the patch of a run that is not on screen, and about what of it.
func (n *note) onWork() (on bool, spot model.Spot, quote []string) {
	if n.draft != nil {
		return n.draft.Spot.Run != "", n.draft.Spot, n.draft.Place.Quote
	}
	return n.comment.Spot.Run != "", n.comment.Spot, n.comment.Place.Quote
}

func kindWord(k model.CommentKind, blocking bool) string {
	s := text.SafeLine(string(k))
	if blocking {
		s = "blocking " + s
	}
	return s
}

// Voice is whose a comment or an answer is; of what vespe was not given, only a file says so.
func Voice(by model.Actor, via string) string {
	if via == model.ViaFiles {
		return actor(by) + ", as a file says"
	}
	return actor(by)
}

// foldedNote is a comment in one row.
func (b *base) foldedNote(n *note, w int) string {
	st, c := b.st, n.comment
	line := st.Faint.Render(st.Glyph.Folded) + " " + b.noteInk(n).Render(kindWord(c.Kind, c.Blocking)+", "+text.SafeLine(string(c.State))) + "  " +
		st.Muted.Render(Voice(c.By, c.Via)+": "+words(c.Text))
	if k := len(c.Replies); k > 0 {
		tail := st.Faint.Render(fmt.Sprintf("  +%d", k))
		return text.Truncate(line, w-text.Width(tail)) + tail
	}
	return text.Truncate(line, w)
}
