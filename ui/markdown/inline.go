package markdown

import (
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"vespe/ui/text"
)

// leaf is the inline content of one paragraph, heading or table cell, made ready for
// Glamour: a document of its own whose text is decoded, cleaned and marked.
//
// Glamour prints what it is given: it decodes entities after its caller could have cleaned
// them, undoes escapes a second time, drops HTML, titles and broken links, loses hard line
// breaks, and knows no source lines. So the tree that it gets is not goldmark's but one
// built from it, in which all that is already settled. What Glamour cannot say (source line,
// hidden text, links) is said by markers, OSC sequences that take no room and that runs
// reads back. Cleaned text has no ESC, so no document can forge one.
type leaf struct {
	doc    ast.Node
	buf    []byte   // what the segments of doc point into
	plain  string   // the text as it will be shown, without line breaks of the layout
	shown  string   // plain, and words that are shown by implication, for missing
	links  []string // targets, by the number in their markers
	hidden bool     // some of it would not be seen in a browser
}

// Markers: ESC ] 7777 ; code BEL.
const (
	markStart = "\x1b]7777;"
	markEnd   = "\a"

	markLine   = 'n' // followed by the source line, relative to the unit
	markBreak  = 'b'
	markLink   = 'l' // followed by the number of the target
	markStrike = 's'
	markHidden = 'h'
	markTag    = 't' // markup shown as it is written
	markURL    = 'u'
	markOff    = '-' // after one of the last five: it ends
)

type compiler struct {
	src     *source
	base    int // source line that markers count from
	line    int // last line marked
	leaf    *leaf
	plain   strings.Builder
	implied strings.Builder
	flag    string   // the sign of hidden text
	inside  []string // open tags of hidden elements
	depth   int
}

// maxNesting is how deep emphasis is followed; deeper text is shown, but plain.
const maxNesting = 24

// compile makes a leaf of inline nodes. level is that of a heading, 0 for other text.
func compile(src *source, nodes []ast.Node, base, level int, flag string) *leaf {
	c := &compiler{src: src, base: base, line: -1, flag: flag, leaf: &leaf{}}
	doc := ast.NewDocument()
	var block ast.Node = ast.NewParagraph()
	if level > 0 {
		block = ast.NewHeading(level)
	}
	doc.AppendChild(doc, block)
	for _, n := range nodes {
		c.node(block, n)
	}
	c.leaf.doc = doc
	c.leaf.plain = c.plain.String()
	c.leaf.shown = c.leaf.plain + c.implied.String()
	return c.leaf
}

func (c *compiler) node(dst, n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		c.textNode(dst, n)
	case *ast.String:
		c.text(dst, string(n.Value))
	case *ast.CodeSpan:
		c.codeSpan(dst, n)
	case *ast.Emphasis:
		if c.depth >= maxNesting {
			c.children(dst, n)
			return
		}
		e := ast.NewEmphasis(n.Level)
		dst.AppendChild(dst, e)
		c.depth++
		c.children(e, n)
		c.depth--
	case *east.Strikethrough:
		if p := n.Pos(); p >= 0 && p+1 < len(c.src.text) && c.src.text[p+1] != '~' {
			// One tilde before and after: HEAD~1, ~/bin. GitHub strikes it, nobody means it.
			c.text(dst, "~")
			c.children(dst, n)
			c.text(dst, "~")
			return
		}
		c.mark(dst, string(markStrike))
		c.children(dst, n)
		c.mark(dst, string(markStrike)+string(markOff))
	case *ast.Link:
		c.link(dst, n, n.Destination, n.Title, n.Reference)
	case *ast.Image:
		c.styled(dst, markTag, "image ")
		c.link(dst, n, n.Destination, n.Title, n.Reference)
	case *ast.AutoLink:
		c.lineOf(dst, n.Pos())
		url := string(n.URL(c.src.text))
		c.open(dst, url)
		c.text(dst, string(n.Label(c.src.text)))
		c.mark(dst, string(markLink)+string(markOff))
	case *ast.RawHTML:
		c.rawHTML(dst, n)
	case *east.TaskCheckBox: // drawn in place of the bullet
		c.implied.WriteString(" x X")
	default:
		c.children(dst, n)
	}
}

func (c *compiler) children(dst, n ast.Node) {
	for ch := n.FirstChild(); ch != nil; ch = ch.NextSibling() {
		c.node(dst, ch)
	}
}

func (c *compiler) textNode(dst ast.Node, n *ast.Text) {
	c.lineOf(dst, n.Segment.Start)
	s := string(n.Segment.Value(c.src.text))
	if !n.IsRaw() {
		s = decode(s)
	}
	c.text(dst, s)
	switch {
	case n.HardLineBreak():
		c.mark(dst, string(markBreak))
		c.plain.WriteByte(' ')
	case n.SoftLineBreak():
		c.text(dst, " ")
	}
}

func (c *compiler) codeSpan(dst ast.Node, n *ast.CodeSpan) {
	var b strings.Builder
	for ch := n.FirstChild(); ch != nil; ch = ch.NextSibling() {
		if t, ok := ch.(*ast.Text); ok {
			if b.Len() == 0 {
				c.lineOf(dst, t.Segment.Start)
			}
			b.Write(t.Segment.Value(c.src.text))
		}
	}
	s := text.Safe(strings.ReplaceAll(b.String(), "\n", " "))
	c.plain.WriteString(s)
	span := ast.NewCodeSpan()
	span.AppendChild(span, ast.NewTextSegment(c.put(strings.ReplaceAll(s, "&", "&amp;"))))
	dst.AppendChild(dst, span)
}

// link shows the text of a link or an image, and then everything else that it carries: a
// person who only sees the text does not see what an agent reads.
func (c *compiler) link(dst, n ast.Node, dest, title []byte, ref *ast.ReferenceLink) {
	from := c.plain.Len()
	c.open(dst, string(dest))
	c.children(dst, n)
	c.mark(dst, string(markLink)+string(markOff))
	shown := c.plain.String()[from:]
	var more strings.Builder
	if d := string(dest); d != shown {
		more.WriteString(" " + d)
	} else {
		c.implied.WriteString(" " + d)
	}
	if len(title) > 0 {
		more.WriteString(` "` + string(title) + `"`)
	}
	if ref != nil && ref.Type == ast.ReferenceLinkFull && string(ref.Value) != shown {
		more.WriteString(" [" + string(ref.Value) + "]")
	}
	if more.Len() > 0 {
		c.styled(dst, markURL, more.String())
	}
}

func (c *compiler) open(dst ast.Node, dest string) {
	c.leaf.links = append(c.leaf.links, safeLink(dest))
	c.mark(dst, string(markLink)+strconv.Itoa(len(c.leaf.links)-1))
}

// rawHTML shows a tag as it is written. What stands inside an element that a browser would
// not show is tinted up to its end.
func (c *compiler) rawHTML(dst ast.Node, n *ast.RawHTML) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		if i == 0 {
			c.lineOf(dst, seg.Start)
		}
		b.Write(seg.Value(c.src.text))
	}
	tag := strings.ReplaceAll(b.String(), "\n", " ")
	name, closing := tagName(tag)
	switch {
	case closing && len(c.inside) > 0 && c.inside[len(c.inside)-1] == name:
		c.inside = c.inside[:len(c.inside)-1]
		c.text(dst, tag)
		c.mark(dst, string(markHidden)+string(markOff))
	case hiddenHTML(tag):
		c.leaf.hidden = true
		c.mark(dst, string(markHidden))
		c.text(dst, c.flag+" "+tag)
		if name != "" && !closing && !strings.HasSuffix(tag, "/>") && !voidElement(name) {
			c.inside = append(c.inside, name) // the end tag ends the tint
			return
		}
		c.mark(dst, string(markHidden)+string(markOff))
	default:
		c.styled(dst, markTag, tag)
	}
}

func (c *compiler) styled(dst ast.Node, style rune, s string) {
	c.mark(dst, string(style))
	c.text(dst, s)
	c.mark(dst, string(style)+string(markOff))
}

// lineOf marks the source line of the byte at off, when it is another than before.
func (c *compiler) lineOf(dst ast.Node, off int) {
	if off < 0 {
		return
	}
	if l := c.src.lineAt(off) - c.base; l > c.line {
		c.line = l
		c.mark(dst, string(markLine)+strconv.Itoa(l))
	}
}

// text appends text that is decoded. Glamour will undo what glamourEscape does, and so
// print exactly s.
func (c *compiler) text(dst ast.Node, s string) {
	if s == "" {
		return
	}
	s = text.Safe(s)
	c.plain.WriteString(s)
	dst.AppendChild(dst, ast.NewTextSegment(c.put(glamourEscape(s))))
}

func glamourEscape(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		s = strings.ReplaceAll(s, `\`, `\\`)
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = strings.ReplaceAll(s, "&", "&amp;")
	}
	return s
}

func (c *compiler) mark(dst ast.Node, code string) {
	dst.AppendChild(dst, ast.NewTextSegment(c.put(markStart+code+markEnd)))
}

func (c *compiler) put(s string) gmtext.Segment {
	from := len(c.leaf.buf)
	c.leaf.buf = append(c.leaf.buf, s...)
	return gmtext.NewSegment(from, len(c.leaf.buf))
}

// decode resolves backslash escapes and entities as CommonMark does, in one pass, so that
// an escaped ampersand starts no entity.
func decode(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+34)], ';')
			if end > 0 {
				if e := s[i : i+end+1]; html.UnescapeString(e) != e {
					b.WriteString(html.UnescapeString(e))
					i += end
					continue
				}
			}
			b.WriteByte('&')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// simple reports whether a leaf is words in one style, without links or marks.
func (lf *leaf) simple() bool {
	block := lf.doc.FirstChild()
	for n := block.FirstChild(); n != nil; n = n.NextSibling() {
		t, ok := n.(*ast.Text)
		if !ok {
			return false
		}
		v := t.Segment.Value(lf.buf)
		if strings.HasPrefix(string(v), markStart) && v[len(markStart)] != markLine {
			return false
		}
	}
	return true
}
