package detail

import (
	"fmt"

	"vespe/model"
	"vespe/ui/markdown"
)

// contents is what the pane knows of how documents are read.
type contents struct {
	seen  map[string]*markdown.Seen // by the hash of the text
	order []string                  // in which they were opened
}

// mostSeen is of how many texts it is remembered what has been read.
const mostSeen = 64

// seenOf is what of a text has been on screen. It is remembered while other tasks are looked at.
func (d *Detail) seenOf(c *model.Content) *markdown.Seen {
	k := &d.contents
	if s, ok := k.seen[c.Hash]; ok {
		return s
	}
	if k.seen == nil {
		k.seen = map[string]*markdown.Seen{}
	}
	if len(k.order) >= mostSeen {
		delete(k.seen, k.order[0])
		k.order = k.order[1:]
	}
	s := &markdown.Seen{}
	k.seen[c.Hash], k.order = s, append(k.order, c.Hash)
	return s
}

// section is the lines of a heading: up to the next one, of whatever level.
func (p *docPane) section(i int) (from, to int) {
	from, to = p.heads[i].Line, p.doc.Lines()
	if i == 0 {
		from = 1
	}
	if i+1 < len(p.heads) {
		to = p.heads[i+1].Line - 1
	}
	return from, max(from, to)
}

// ReadOf says how much of the section under a heading has been on screen, in a word.
func (d *Detail) ReadOf(i int) string {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil || i >= len(p.heads) {
		return ""
	}
	switch n := p.doc.ReadOf(p.section(i)); n {
	case 0:
		return "not read"
	case 100:
		return "read"
	default:
		return fmt.Sprintf("%d%% read", n)
	}
}

// readPart says how much of a document has been on screen.
func (d *Detail) readPart(p *docPane) headPart {
	if n := p.doc.ReadPercent(); n < 100 {
		return headPart{d.st.Faint.Render(fmt.Sprintf("%d%% read", n)), 5}
	}
	return headPart{d.st.Good.Render("all read"), 5}
}
