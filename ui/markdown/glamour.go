package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"vespe/model/visible"
	"vespe/ui/text"
)

// pen draws leaves with Glamour. It is not safe for concurrent use.
type pen struct {
	look *look
	r    renderer.Renderer
}

func newPen(lk *look) *pen {
	p := &pen{look: lk}
	p.reset()
	return p
}

// reset makes a new renderer. Glamour's keeps a stack of blocks, which a panic would leave
// in disorder. A word wrap of 0 turns off its wrapping and padding, which cost more than
// everything else and know neither our widths nor hanging indents.
func (p *pen) reset() {
	ar := ansi.NewRenderer(ansi.Options{Styles: p.look.glamour})
	p.r = renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ar, 1000)))
}

// draw renders a leaf to runs. Should Glamour fail, the text is shown plain.
func (p *pen) draw(lf *leaf) []run {
	out, ok := p.print(lf)
	if !ok {
		p.reset()
		return []run{{text: lf.plain, sgr: p.look.text}}
	}
	return p.read(lf, out)
}

func (p *pen) print(lf *leaf) (out string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var b bytes.Buffer
	if err := p.r.Render(&b, lf.buf, lf.doc); err != nil {
		return "", false
	}
	return b.String(), true
}

// plainRun is draw without Glamour for a leaf that is plain words, such as most cells of a
// table.
func (p *pen) plainRun(lf *leaf, sgr string) []run { return []run{{text: lf.plain, sgr: sgr}} }

// reader turns what Glamour printed into runs.
type reader struct {
	lf   *leaf
	look *look
	out  []run

	sgr                      string // what Glamour has set since its last reset
	line                     int
	link                     []int
	hidden, tag, url, strike int
}

func (p *pen) read(lf *leaf, s string) []run {
	rd := reader{lf: lf, look: p.look}
	s = strings.Trim(s, "\n")
	for s != "" {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			i = len(s)
		}
		rd.text(s[:i])
		s = s[i:]
		if s != "" {
			s = rd.escape(s)
		}
	}
	return rd.out
}

func (rd *reader) text(s string) {
	if s == "" {
		return
	}
	if visible.Has(s) { // nothing gets here uncleaned; if it does, it is still not drawn
		s = text.Safe(s)
	}
	r := run{text: s, sgr: rd.style(), line: rd.line}
	if n := len(rd.link); n > 0 {
		r.link = rd.lf.links[rd.link[n-1]]
	}
	rd.out = append(rd.out, r)
}

func (rd *reader) style() string {
	sgr := rd.sgr
	switch {
	case rd.hidden > 0:
		sgr = rd.look.hidden
	case rd.tag > 0:
		sgr = rd.look.tag
	case rd.url > 0:
		sgr = rd.look.url
	case len(rd.link) > 0:
		sgr += rd.look.link
	}
	if rd.strike > 0 {
		sgr += strike
	}
	return sgr
}

// escape reads one escape sequence at the start of s and returns what follows it.
func (rd *reader) escape(s string) string {
	if strings.HasPrefix(s, "\x1b[") {
		end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
		if end < 0 {
			return ""
		}
		seq, rest := s[:2+end+1], s[2+end+1:]
		switch {
		case seq[len(seq)-1] != 'm':
		case seq == ansiReset || seq == "\x1b[0m":
			rd.sgr = ""
		default:
			rd.sgr += seq
		}
		return rest
	}
	if strings.HasPrefix(s, "\x1b]") {
		end := strings.IndexByte(s, markEnd[0])
		if end < 0 {
			return ""
		}
		if code, ok := strings.CutPrefix(s[:end], markStart); ok {
			rd.marker(code)
		}
		return s[end+1:]
	}
	return s[1:]
}

const ansiReset = "\x1b[m"

func (rd *reader) marker(code string) {
	if code == "" {
		return
	}
	n := 1
	if code[1:] == string(markOff) {
		n = -1
	}
	switch rune(code[0]) {
	case markLine:
		rd.line, _ = strconv.Atoi(code[1:])
	case markBreak:
		rd.out = append(rd.out, run{brk: true, line: rd.line})
	case markStrike:
		rd.strike += n
	case markHidden:
		rd.hidden += n
	case markTag:
		rd.tag += n
	case markURL:
		rd.url += n
	case markLink:
		if n < 0 {
			rd.link = rd.link[:max(0, len(rd.link)-1)]
			return
		}
		if i, err := strconv.Atoi(code[1:]); err == nil && i < len(rd.lf.links) {
			rd.link = append(rd.link, i)
		}
	}
}
