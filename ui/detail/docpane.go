package detail

import (
	"bytes"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/ui/markdown"
	"vespe/ui/style"
	"vespe/ui/text"
)

// docPane is a tab that shows one document.
type docPane struct {
	loaded  bool
	stale   bool // the task has moved on since it was read
	content *model.Content
	err     error
	parsed  bool // doc is of content
	doc     *markdown.Doc
	hidden  int // passages that rendering would not show

	noted bool   // doc has the comments between its lines
	notes []note // in the order in which they stand

	changes *Changes // since an earlier revision; nil: it was compared with none
	changed bool     // doc has their signs
}

// set takes a document as read. The same bytes leave the view as it is; other bytes keep
// the source line at the top of the window. Nothing is parsed before it is looked at.
func (p *docPane) set(c *model.Content, err error) {
	p.loaded, p.stale, p.err = true, false, err
	if err != nil && p.content != nil {
		return // what was read before stays, under the error
	}
	same := p.content != nil && c != nil && p.content.Hash == c.Hash
	p.content = c
	switch {
	case c == nil:
		p.doc, p.parsed = nil, true
	case !same:
		p.parsed = false
	}
}

// ready parses the document when that is still to be done.
func (p *docPane) ready(d *Detail) *markdown.Doc {
	if p.parsed || p.content == nil {
		d.note(p)
		d.markChanges(p)
		return p.doc
	}
	line, at := 0, 0
	if p.doc != nil {
		if !p.doc.AtTop() {
			line, _ = p.doc.SourceAt(0)
		}
		at, _ = p.doc.Cursor()
	}
	pre := d.parsed[p.content.Hash]
	if pre == nil {
		pre = markdown.Parse(p.content.Body)
	}
	p.doc, p.parsed = markdown.NewFrom(pre, d.st), true
	p.doc.SetRaw(d.raw)
	p.doc.SetSize(d.docRoom())
	p.doc.SetCursor(true)
	p.doc.SetFocused(d.focused)
	p.noted, p.changed = false, false
	d.note(p)
	d.markChanges(p)
	if line > 0 {
		p.doc.ScrollTo(line)
	}
	switch {
	case at > 1:
		p.doc.CursorTo(at)
	case bytes.HasPrefix(p.content.Body, []byte("# ")): // nothing is said about a title
		p.doc.CursorBy(1)
	}
	p.hidden = len(p.doc.Hidden())
	return p.doc
}

// docSize is the room of a document: a margin on both sides, a line about it above.
func (d *Detail) docSize() (w, h int) { return max(1, d.w-2), max(1, d.h-d.headRows()) }

// docRoom is that of a document with a gutter, which is its left margin.
func (d *Detail) docRoom() (w, h int) {
	w, h = d.docSize()
	return min(w+1, d.w), h
}

// headRows is how many rows stand above a document.
func (d *Detail) headRows() int {
	if d.h < leastHead {
		return len(d.saidLines())
	}
	return 2 + len(d.saidLines())
}

// leastHead is from how many rows on there is room for the line about a document.
const leastHead = 8

// saidLines are what was said with the last verdict, above the plan. The overview and the history have the whole
// of it.
func (d *Detail) saidLines() []string {
	p := &d.docs[1]
	if d.tab != Plan || !d.history.hasSaid || p.content == nil {
		return nil
	}
	most := min(2, d.h-1)
	if d.h >= 24 {
		most = 4
	}
	who := text.SafeLine(d.history.said.Words(p.content.Revision)) + ":"
	lines := text.Wrap(who+" "+words(d.history.said.Reason), max(10, d.w-2))
	if len(lines) > most && most > 0 {
		lines[most-1] = text.Truncate(lines[most-1]+" "+lines[most], max(10, d.w-2))
	}
	lines = lines[:min(len(lines), most)]
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, who); ok && i == 0 {
			l = d.st.Muted.Render(who) + d.st.Text.Render(rest)
		} else {
			l = d.st.Text.Render(l)
		}
		lines[i] = " " + text.Pad(l, max(0, d.w-1))
	}
	return lines
}

// docView draws a document tab.
func (d *Detail) docView(p *docPane, which model.Doc) []string {
	p.ready(d)
	switch {
	case !p.loaded:
		return d.waiting()
	case p.doc == nil && p.err != nil:
		return d.failed(p.err)
	case p.doc == nil:
		return d.noDoc(which)
	case p.doc.Empty():
		return d.say(fmt.Sprintf("The %s is an empty file.", which), d.keyLine("task.edit", "write it"))
	}
	w, h := d.docRoom()
	out := d.saidLines()
	if d.h >= leastHead {
		out = append(append([]string{d.docHead(p, which)}, out...), text.Spaces(d.w))
	}
	for _, l := range p.doc.View(w, h) {
		out = append(out, l+" ")
	}
	if which == model.Plan {
		d.see(p)
	}
	return text.Fit(out, d.w, d.h)
}

func (d *Detail) see(p *docPane) {
	if seen, ok := d.drawn[p.content.Hash]; !ok || seen != nil {
		d.drawn[p.content.Hash] = p.doc.See(seen)
	}
}

// Drawn is how much of the plan is or was on the screen, in percent; 100 also where what was not is at most a third of
// it and fills no window.
func (d *Detail) Drawn() int {
	p := &d.docs[1]
	if p.ready(d) == nil {
		return 100
	}
	d.see(p)
	seen := d.drawn[p.content.Hash]
	_, h := d.docSize()
	if n := seen.Percent(); seen != nil && (n < 67 || p.doc.Unseen(seen) >= h) {
		return n
	}
	return 100
}

// SetDrawn says that a plan has been on the screen elsewhere, all of it.
func (d *Detail) SetDrawn(hash string) { d.drawn[hash] = nil }

// Hidden is how many passages of a document rendering does not show.
func (d *Detail) Hidden(doc model.Doc) int {
	p := &d.docs[0]
	if doc == model.Plan {
		p = &d.docs[1]
	}
	if p.ready(d) == nil {
		return 0
	}
	return p.hidden
}

// docHead is the line about a document: which revision it is and what was decided on it.
func (d *Detail) docHead(p *docPane, which model.Doc) string {
	st := d.st
	left := []string{d.revision(p, which)}
	if p.err != nil {
		left = []string{st.Bad.Render(st.Glyph.Warning + " not read again: " + text.SafeLine(p.err.Error()))}
	} else if which == model.Plan {
		left = append(left, d.decided(p)...)
	}
	var right []headPart
	if p.hidden > 0 {
		flag := "⚑"
		if st.Options.ASCII {
			flag = "!"
		}
		right = append(right, headPart{st.HiddenText.Render(fmt.Sprintf("%s %d hidden", flag, p.hidden)), 0})
	}
	if part, ok := d.changeCount(p); ok {
		right = append(right, part)
	}
	right = append(right, d.talkCounts(p)...)
	if which == model.Plan {
		right = append(right, d.sizePart()...)
	}
	if d.raw {
		right = append(right, headPart{st.Muted.Render("raw"), 4})
	}
	dot := st.Faint.Render(" " + st.Glyph.Dot + " ")
	lead := strings.Join(left, dot)
	for {
		tail := joinParts(right, dot)
		if len(right) == 0 || text.Width(lead)+2+text.Width(tail) <= d.w-2 {
			return spread(lead, tail, d.w)
		}
		right = withoutLeast(right)
	}
}

// headPart is a part of the line above a document; the higher its rank, the sooner it gives way.
type headPart struct {
	s    string
	rank int
}

func joinParts(parts []headPart, dot string) string {
	var out []string
	for _, p := range parts {
		out = append(out, p.s)
	}
	return strings.Join(out, dot)
}

// withoutLeast leaves out the part that gives way first.
func withoutLeast(parts []headPart) []headPart {
	least := 0
	for i := range parts {
		if parts[i].rank > parts[least].rank {
			least = i
		}
	}
	return append(parts[:least:least], parts[least+1:]...)
}

func (b *base) revision(p *docPane, which model.Doc) string {
	if p.content.Revision == 0 {
		return b.st.Warn.Render("edited outside vespe, no revision yet")
	}
	return b.st.Muted.Render(fmt.Sprintf("%s, revision %d", which, p.content.Revision))
}

// decided says what a person has decided about the plan on screen.
func (b *base) decided(p *docPane) []string {
	t := b.task()
	if t == nil {
		return nil
	}
	st := b.st
	if a := t.Status.AcceptedPlan; a != nil {
		who := text.SafeLine(a.By.Name())
		switch {
		case a.PlanHash == p.content.Hash:
			out := []string{st.Good.Render("accepted by " + who)}
			if n := len(a.Excluded); n > 0 {
				out = append(out, st.Warn.Render(plural(n, "part")+" left out"))
			}
			return out
		case a.PlanRevision > 0:
			return []string{st.Warn.Render(fmt.Sprintf("%s accepted revision %d; this text is different", who, a.PlanRevision))}
		}
	}
	if r := t.Status.Review; r != nil && r.Verdict == model.VerdictRejected && r.Revision == p.content.Revision {
		word := "rejected by "
		if r.Of == "work" {
			word = "its work was rejected by "
		}
		return []string{st.Bad.Render(word + text.SafeLine(r.By.Name()))}
	}
	return []string{st.Faint.Render("not decided")}
}

// noDoc says that a document is missing and how it is made.
func (b *base) noDoc(which model.Doc) []string {
	lines := []string{fmt.Sprintf("There is no %s yet.", which)}
	if t := b.task(); which == model.Plan && (t == nil || !t.HasObjective && t.Status.ObjectiveRevision == 0) {
		return b.say(append(lines, "The objective comes first.", b.keyLine("task.edit", "write the objective"))...)
	}
	if which == model.Plan {
		lines = append(lines, "An agent submits it, or you write it.")
	}
	return b.say(append(lines, b.keyLine("task.edit", "write the "+string(which)))...)
}

// spread sets two styled texts at the ends of a row of w cells with a margin; the right one
// gives way.
func spread(left, right string, w int) string {
	room := max(0, w-2)
	rw := text.Width(right)
	if text.Width(left)+2+rw > room && rw > room/2 {
		right, rw = "", 0
	}
	if rw > 0 {
		left = text.Pad(left, max(0, room-rw))
	}
	return text.Pad(" "+left+right, w)
}

// waiting is what is shown while something is read.
func (b *base) waiting() []string {
	if !b.slow {
		return text.Fit(nil, b.w, b.h)
	}
	return b.say("loading" + b.st.Glyph.Ellipsis)
}

// failed shows an error in place of what could not be read.
func (b *base) failed(err error) []string {
	st := b.st
	lines := []string{"", " " + st.Bad.Render(st.Glyph.Warning+" Can't read this.")}
	for _, l := range text.Wrap(text.Safe(err.Error()), max(1, b.w-4)) {
		lines = append(lines, "   "+st.Text.Render(l))
	}
	if k := b.keyLine("app.refresh", "try again"); k != "" {
		lines = append(lines, "", "   "+k)
	}
	return text.Fit(lines, b.w, b.h)
}

// say draws an empty place: what is missing, and how it is made.
func (b *base) say(lines ...string) []string {
	var shown []string
	for i, l := range lines {
		if l == "" {
			continue
		}
		if strings.IndexByte(l, 0x1b) >= 0 {
			shown = append(shown, "", l)
			continue
		}
		ink := b.st.Faint
		if i == 0 {
			ink = b.st.Muted
		}
		for _, row := range text.Wrap(l, max(1, b.w-4)) {
			shown = append(shown, ink.Render(row))
		}
	}
	out := make([]string, 0, b.h)
	for range max(0, (b.h-len(shown))/3) {
		out = append(out, "")
	}
	for _, l := range shown {
		out = append(out, text.Center(l, b.w))
	}
	return text.Fit(out, b.w, b.h)
}

// keyLine is the hint of one action, "e write it"; "" when it has no key.
func (b *base) keyLine(action, title string) string {
	label := b.keys(action)
	if label == "" {
		return ""
	}
	if len(label) > 1 && label[0] == ':' { // what to type in the palette says it itself
		title = ""
	}
	return b.st.Hint(style.Hint{Key: label, Title: title})
}
