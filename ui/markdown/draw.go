package markdown

import (
	"strings"

	"vespe/ui/text"
)

// prepare compiles what a unit shows, once.
func (d *document) prepare(u *unit, flag string) {
	if u.leaf != nil || u.cells != nil {
		return
	}
	switch u.kind {
	case kindText, kindHeading:
		u.leaf = compile(&d.src, u.nodes, u.first, u.level, flag)
	case kindRow:
		cells := childrenOf(u.table.rows[u.lo])
		u.cells = make([]*leaf, len(cells))
		for i, c := range cells {
			u.cells[i] = compile(&d.src, childrenOf(c), u.first, 0, flag)
		}
	}
}

// texts is what a search looks through, one string a part.
func (d *document) texts(u *unit, lk *look) []string {
	switch u.kind {
	case kindText, kindHeading:
		d.prepare(u, lk.flag)
		return []string{u.leaf.plain}
	case kindRow:
		d.prepare(u, lk.flag)
		out := make([]string, len(u.cells))
		for i, c := range u.cells {
			out[i] = c.plain
		}
		return out
	case kindCode:
		var b strings.Builder
		for _, seg := range u.code.lines[u.lo:u.hi] {
			b.WriteString(text.Safe(strings.TrimRight(string(seg.Value(d.src.text)), "\n")))
			b.WriteByte('\n')
		}
		return []string{b.String()}
	case kindRaw:
		return []string{strings.Join(u.raw.lines[u.lo:u.hi], "\n")}
	}
	return nil
}

// swallowed reports whether the source of a unit has words that its rendering has not.
func (d *document) swallowed(u *unit) bool {
	if u.cut || len(u.body) == 0 {
		return false
	}
	switch u.kind {
	case kindText, kindHeading:
		return missing(u.joined(&d.src), u.leaf.shown)
	case kindRow:
		var b strings.Builder
		for _, c := range u.cells {
			b.WriteString(c.shown)
			b.WriteByte(' ')
		}
		return missing(u.joined(&d.src), b.String())
	}
	return false
}

// mayHide is a quick look whether hides or swallowed could be true: only HTML, links and
// cells too many leave anything out.
func (d *document) mayHide(u *unit) bool {
	body := u.joined(&d.src)
	return strings.ContainsAny(body, "<[") || u.kind == kindRow && strings.Count(body, "|") > len(u.table.align)+1
}

// hides reports whether some of a unit is flagged as hidden.
func (u *unit) hides() bool {
	if u.leaf != nil {
		return u.leaf.hidden
	}
	for _, c := range u.cells {
		if c.hidden {
			return true
		}
	}
	return false
}

// render draws one unit w cells wide, without the indentation of what it stands in.
func (p *pen) render(d *document, u *unit, w int) []line {
	d.prepare(u, p.look.flag)
	var out []line
	switch u.kind {
	case kindText:
		out = wrap(p.draw(u.leaf), w, 0)
	case kindHeading:
		out = p.heading(u, w)
	case kindCode:
		out = p.codeLines(&d.src, u, w)
	case kindRaw:
		out = p.rawLines(u, w)
	case kindRule:
		out = []line{{spans: []span{deco(p.look.rule, strings.Repeat(p.look.dash, w))}}}
	case kindRow:
		out = p.row(u, w)
	case kindEmpty:
		out = []line{{}}
	}
	if d.swallowed(u) {
		r := &rawBlock{lines: []string{text.Safe(strings.TrimSpace(u.joined(&d.src)))}, what: "not rendered", hidden: true}
		for _, l := range p.rawLines(&unit{kind: kindRaw, raw: r, hi: 1}, w) {
			for i := range l.spans {
				l.spans[i].part = -1 // the words that are shown have been counted above
			}
			out = append(out, l)
		}
	}
	return cover(out, u.last-u.first)
}

// cover makes the rows of a unit cover its source lines 0 to last without a gap.
func cover(ls []line, last int) []line {
	for i := range ls {
		ls[i].first, ls[i].last = min(ls[i].first, last), min(ls[i].last, last)
	}
	ls = monotone(ls)
	for i := range ls[:len(ls)-1] {
		ls[i].last = max(ls[i].last, ls[i+1].first-1)
	}
	ls[0].first = 0
	ls[len(ls)-1].last = last
	return ls
}

func (p *pen) heading(u *unit, w int) []line {
	out := wrap(p.draw(u.leaf), w, 0)
	if u.level == 1 {
		out = append(out, line{spans: []span{deco(p.look.rule, strings.Repeat(p.look.dash, w))}})
	}
	return out
}

// rawLines draws source as it is written: one line behind its label, several under it.
func (p *pen) rawLines(u *unit, w int) []line {
	r := u.raw
	sgr := p.look.tag
	label := r.what
	if r.hidden {
		sgr = p.look.hidden
		label = p.look.flagWord
		switch {
		case r.plain:
			label = p.look.flag + " " + r.what
		case w >= 60 && r.what != "":
			label += " " + r.what
		}
	}
	var out []line
	at, indent := 0, text.Width(label)+2
	single := len(r.lines) == 1 && w-indent >= 16
	lead := p.look.bar + " "
	if !single {
		indent = 2
		if u.lo == 0 {
			out = append(out, line{spans: []span{deco(sgr, text.Truncate(label, w))}})
		}
	}
	for i, s := range r.lines[u.lo:u.hi] {
		rows := wrap([]run{{text: s, sgr: sgr, line: i}}, max(1, w-indent), 0)
		for y, row := range rows {
			l := line{first: i, last: i}
			switch {
			case single && y == 0:
				l.add(deco(sgr, label+": "))
			case single:
				l.add(deco("", text.Spaces(indent)))
			default:
				l.add(deco(sgr, lead))
			}
			for _, sp := range row.spans {
				sp.at += at
				l.add(sp)
			}
			out = append(out, l)
		}
		at += inked(s)
	}
	if len(out) == 0 {
		out = []line{{}}
	}
	return out
}

// prefix returns the spans in front of a row: bullets, numbers and quote bars. first says
// that the bullets of path[fresh:] are due.
func (p *pen) prefix(path []*container, fresh int, first bool) (out []span, w int) {
	for i, c := range path {
		sgr, s := p.sign(c)
		if !c.quote && (!first || i < fresh) {
			s = text.Spaces(text.Width(s))
		}
		out = append(out, deco(sgr, s))
		w += text.Width(s)
	}
	return out, w
}

// sign is the mark of a container with the blank after it.
func (p *pen) sign(c *container) (sgr, s string) {
	switch {
	case c.quote:
		return p.look.quote, p.look.quoteBar + " "
	case c.task && c.ticked:
		return p.look.done, p.look.ticked + " "
	case c.task:
		return p.look.bullet, p.look.unticked + " "
	case c.number != "":
		return p.look.bullet, text.PadLeft(c.number, c.digits) + " "
	}
	return p.look.bullet, p.look.bullets[c.depth%len(p.look.bullets)] + " "
}

// minText is the least room for text beside its indentation; deep lists are cut to it.
const minText = 16

// maxText is the longest line of prose: longer ones are hard to read. Code and tables take
// what they need.
const maxText = 100

// room is the width left for a unit inside its containers.
func (p *pen) room(u *unit, w int) int {
	_, pw := p.prefix(u.path, u.fresh, true)
	return max(1, max(w-pw, min(w, minText)))
}

// measure is the width that a unit is broken at.
func measure(u *unit, room int) int {
	switch u.kind {
	case kindCode, kindRow:
		return room
	}
	return min(room, maxText)
}

// row joins a prefix and a row into exactly w cells.
func (p *pen) compose(prefix []span, pw int, l *line, w, room int) string {
	var b strings.Builder
	if pw > w-room { // too deep: the innermost part of the prefix
		var cut line
		left := w - room
		for i := len(prefix) - 1; i >= 0 && left > 0; i-- {
			sw := text.Width(prefix[i].text)
			if sw > left {
				break
			}
			cut.spans = append([]span{prefix[i]}, cut.spans...)
			left -= sw
		}
		b.WriteString(text.Spaces(left))
		prefix = cut.spans
	}
	for _, s := range prefix {
		writeSpan(&b, s)
	}
	if l != nil {
		l.write(&b)
		if used := l.width(); l.fill != "" && used < room {
			b.WriteString(l.fill)
			b.WriteString(text.Spaces(room - used))
			b.WriteString(ansiReset)
		}
	}
	return text.Pad(b.String(), w)
}
