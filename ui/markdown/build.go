package markdown

import (
	"bytes"
	"sort"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"

	"vespe/ui/text"
)

const (
	// maxDepth is how deep lists and quotes are drawn inside each other.
	maxDepth = 32
	// maxLeaf is how many bytes of a paragraph are rendered at once.
	maxLeaf = 4096
)

// document is a parsed source: its units in order.
type document struct {
	src   source
	units []unit
}

type builder struct {
	src   *source
	units []unit

	beyond *bounds
}

// parse reads a whole source. It costs about 40 ms a megabyte; nothing is rendered.
func parse(raw []byte) *document {
	d := &document{src: newSource(raw)}
	b := &builder{src: &d.src}
	body := d.src.text
	if d.src.front > 0 {
		b.frontMatter()
		body = bytes.Clone(body)
		for i := range body[:d.src.body()] {
			if body[i] != '\n' {
				body[i] = ' '
			}
		}
	}
	root, beyond := parseWithin(body)
	b.beyond = beyond
	b.children(root, nil)
	sort.SliceStable(b.units, func(i, j int) bool { return b.units[i].first < b.units[j].first })
	b.cover()
	b.gaps()
	d.units = b.units
	return d
}

func (b *builder) emit(u unit) {
	u.fresh = len(u.path)
	for u.fresh > 0 && !u.path[u.fresh-1].used {
		u.fresh--
		u.path[u.fresh].used = true
	}
	if u.first < 1 {
		u.first = 1
		if n := len(b.units); n > 0 {
			u.first = b.units[n-1].last
		}
	}
	u.last = max(u.last, u.first)
	b.units = append(b.units, u)
}

func (b *builder) children(n ast.Node, path []*container) {
	for ch := n.FirstChild(); ch != nil; ch = ch.NextSibling() {
		b.block(ch, path)
	}
}

func (b *builder) block(n ast.Node, path []*container) {
	if what := b.plainly(n); what != "" {
		b.plain(n, what, path)
		return
	}
	switch n := n.(type) {
	case *ast.Heading:
		u := b.leafUnit(kindHeading, n, path)
		u.level, u.nodes = n.Level, childrenOf(n)
		b.emit(u)
	case *ast.Paragraph, *ast.TextBlock:
		b.paragraph(n, path)
	case *ast.FencedCodeBlock:
		info := ""
		if n.Info != nil {
			info = string(n.Info.Segment.Value(b.src.text))
		}
		b.codeUnits(n, info, path)
	case *ast.CodeBlock:
		b.codeUnits(n, "", path)
	case *ast.HTMLBlock:
		b.html(n, path)
	case *ast.LinkReferenceDefinition:
		lines := segmentLines(b.src, n.Lines())
		b.rawUnits(&rawBlock{lines: lines, what: "link definition", hidden: true}, b.firstLine(n), path)
	case *ast.Blockquote:
		b.container(n, &container{quote: true}, path)
	case *ast.List:
		b.list(n, path)
	case *ast.ThematicBreak:
		at := b.src.lineAt(max(0, n.Pos()))
		b.emit(unit{kind: kindRule, first: at, last: at, path: path})
	case *east.Table:
		b.table(n, path)
	default:
		b.children(n, path)
	}
}

// container walks what stands in a list item or quote. One that is empty still has a row.
func (b *builder) container(n ast.Node, c *container, path []*container) {
	if len(path) < maxDepth {
		path = append(path[:len(path):len(path)], c)
	} else {
		c.used = true
	}
	b.children(n, path)
	if !c.used {
		at := b.firstLine(n)
		b.emit(unit{kind: kindEmpty, first: at, last: at, path: path})
	}
}

func (b *builder) list(n *ast.List, path []*container) {
	depth := 0
	for _, c := range path {
		if !c.quote && c.number == "" {
			depth++
		}
	}
	digits := len(strconv.Itoa(n.Start + max(0, n.ChildCount()-1)))
	i := 0
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		c := &container{depth: depth}
		if n.IsOrdered() {
			c.number, c.digits = strconv.Itoa(n.Start+i)+string(n.Marker), digits+1
		}
		if first := item.FirstChild(); first != nil {
			if box, ok := first.FirstChild().(*east.TaskCheckBox); ok {
				c.task, c.ticked = true, box.IsChecked
			}
		}
		b.container(item, c, path)
		i++
	}
}

// leafUnit is a unit for a block whose lines are its content.
func (b *builder) leafUnit(k kind, n ast.Node, path []*container) unit {
	u := unit{kind: k, path: path, first: b.firstLine(n)}
	u.last = u.first
	if ls := n.Lines(); ls.Len() > 0 {
		u.body = ls.Sliced(0, ls.Len())
		u.last = b.src.lineAt(max(u.body[0].Start, ls.At(ls.Len()-1).Stop-1))
	}
	return u
}

// firstLine is the source line that a block begins on; 0 when it is not known.
func (b *builder) firstLine(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
		return b.src.lineAt(n.Lines().At(0).Start)
	}
	if p := n.Pos(); p >= 0 {
		return b.src.lineAt(p)
	}
	return 0
}

// paragraph emits a paragraph, in parts when it is long.
func (b *builder) paragraph(n ast.Node, path []*container) {
	u := b.leafUnit(kindText, n, path)
	u.nodes = childrenOf(n)
	size := 0
	for _, s := range u.body {
		size += s.Len()
	}
	if size <= maxLeaf {
		b.emit(u)
		return
	}
	groups := b.split(u.nodes)
	for i, g := range groups {
		part := u
		part.nodes, part.lo, part.cut = g, i, true
		from, to := start(g[0]), u.body[len(u.body)-1].Stop
		if i+1 < len(groups) {
			to = max(from, start(groups[i+1][0]))
		}
		part.body = []gmtext.Segment{gmtext.NewSegment(from, to)}
		part.first = b.src.lineAt(from)
		part.last = b.src.lineAt(max(from, to-1))
		b.emit(part)
	}
}

// split groups inline nodes into parts of about maxLeaf bytes. Texts longer than that are
// taken apart at a space.
func (b *builder) split(nodes []ast.Node) [][]ast.Node {
	var small []ast.Node
	for _, n := range nodes {
		t, ok := n.(*ast.Text)
		if !ok || t.Segment.Len() <= maxLeaf {
			small = append(small, n)
			continue
		}
		seg := t.Segment
		for seg.Len() > maxLeaf {
			v := seg.Value(b.src.text)
			at := bytes.LastIndexByte(v[:maxLeaf], ' ') + 1
			if at <= 0 {
				for at = maxLeaf; at > 1 && v[at]&0xc0 == 0x80; {
					at--
				}
			}
			small = append(small, ast.NewTextSegment(seg.WithStop(seg.Start+at)))
			seg = seg.WithStart(seg.Start + at)
		}
		rest := ast.NewTextSegment(seg)
		rest.SetSoftLineBreak(t.SoftLineBreak())
		rest.SetHardLineBreak(t.HardLineBreak())
		small = append(small, rest)
	}
	var out [][]ast.Node
	from, begin := 0, 0
	for i, n := range small {
		if i == from {
			begin = start(n)
			continue
		}
		if start(n)-begin >= maxLeaf {
			out = append(out, small[from:i])
			from, begin = i, start(n)
		}
	}
	return append(out, small[from:])
}

// start is the offset of the first byte of an inline node; 0 when it is not known.
func start(n ast.Node) int {
	if t, ok := n.(*ast.Text); ok {
		return t.Segment.Start
	}
	if p := n.Pos(); p > 0 {
		return p
	}
	if ch := n.FirstChild(); ch != nil {
		return start(ch)
	}
	return 0
}

func childrenOf(n ast.Node) []ast.Node {
	var out []ast.Node
	for ch := n.FirstChild(); ch != nil; ch = ch.NextSibling() {
		out = append(out, ch)
	}
	return out
}

func (b *builder) codeUnits(n ast.Node, info string, path []*container) {
	c := &codeBlock{info: text.SafeLine(strings.TrimSpace(info))}
	lang, _, _ := strings.Cut(strings.ToLower(c.info), " ")
	c.lang = strings.Trim(lang, "{}.")
	ls := n.Lines()
	c.lines = ls.Sliced(0, ls.Len())
	at := 0
	if p := n.Pos(); p >= 0 {
		at = b.src.lineAt(p)
	}
	if len(c.lines) == 0 {
		b.emit(unit{kind: kindCode, first: at, last: at, path: path, code: c})
		return
	}
	for lo := 0; lo < len(c.lines); lo += chunk {
		u := unit{kind: kindCode, path: path, code: c, lo: lo, hi: min(lo+chunk, len(c.lines))}
		u.first, u.last = b.src.lineAt(c.lines[lo].Start), b.src.lineAt(c.lines[u.hi-1].Start)
		if lo == 0 && at > 0 {
			u.first = min(u.first, at)
		}
		b.emit(u)
	}
}

func (b *builder) html(n *ast.HTMLBlock, path []*container) {
	lines := segmentLines(b.src, n.Lines())
	if n.HasClosure() {
		lines = append(lines, strings.TrimRight(string(n.ClosureLine.Value(b.src.text)), "\n"))
	}
	body := strings.Join(lines, "\n")
	r := &rawBlock{lines: lines, what: "html", hidden: hiddenBlock(n, body)}
	if r.hidden {
		r.what = hiddenWhat(n, body)
	}
	b.rawUnits(r, b.firstLine(n), path)
}

// rawUnits emits lines of source from the given line on.
func (b *builder) rawUnits(r *rawBlock, first int, path []*container) {
	for i, l := range r.lines {
		r.lines[i] = text.Safe(l)
	}
	for lo := 0; lo < len(r.lines); lo += chunk {
		hi := min(lo+chunk, len(r.lines))
		b.emit(unit{kind: kindRaw, raw: r, lo: lo, hi: hi, first: first + lo, last: first + hi - 1, path: path})
	}
}

// plainly says why the text of a block is shown as it is written; "" where it is not.
func (b *builder) plainly(n ast.Node) string {
	if n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
		return ""
	}
	if b.beyond.plain[n] {
		return "too much markup, shown as text"
	}
	if len(b.beyond.deep) > 0 {
		for i := range n.Lines().Len() {
			if b.beyond.deep[n.Lines().At(i).Start] {
				return "nested too deep, shown as text"
			}
		}
	}
	return ""
}

// plain emits the lines of a block as they are written, long ones in parts.
func (b *builder) plain(n ast.Node, what string, path []*container) {
	r := &rawBlock{what: what, hidden: true, plain: true}
	var at []int
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		for rest := seg.Value(b.src.text); len(rest) > 0; {
			part := rest
			if len(part) > maxLeaf {
				part = part[:maxLeaf]
				for len(part) > maxLeaf-4 && rest[len(part)]&0xc0 == 0x80 {
					part = part[:len(part)-1]
				}
			}
			rest = rest[len(part):]
			r.lines = append(r.lines, text.Safe(strings.TrimRight(string(part), "\n")))
			at = append(at, b.src.lineAt(seg.Start))
		}
	}
	for lo := 0; lo < len(r.lines); {
		hi := lo + 1
		for size := len(r.lines[lo]); hi < len(r.lines) && hi < lo+chunk && size+len(r.lines[hi]) <= maxLeaf && at[hi] == at[lo]+hi-lo; hi++ {
			size += len(r.lines[hi])
		}
		b.emit(unit{kind: kindRaw, raw: r, lo: lo, hi: hi, first: at[lo], last: at[hi-1], path: path})
		lo = hi
	}
}

func (b *builder) frontMatter() {
	r := &rawBlock{what: "front matter", hidden: true}
	for n := 1; n <= b.src.front; n++ {
		r.lines = append(r.lines, b.src.line(n))
	}
	b.rawUnits(r, 1, nil)
}

func segmentLines(src *source, ls *gmtext.Segments) []string {
	var out []string
	for i := range ls.Len() {
		seg := ls.At(i)
		out = append(out, strings.TrimRight(string(seg.Value(src.text)), "\n"))
	}
	return out
}

// cover gives every line of the source that no unit shows to one: markup to the unit before
// it, anything with words to a unit of its own that shows it as it is written.
func (b *builder) cover() {
	n := b.src.lines()
	covered := make([]bool, n+2)
	for i := range b.units {
		u := &b.units[i]
		u.last = min(u.last, n)
		for l := u.first; l <= u.last; l++ {
			covered[l] = true
		}
	}
	var out []unit
	next := 0
	for l := 1; l <= n; l++ {
		for next < len(b.units) && b.units[next].first <= l {
			out = append(out, b.units[next])
			next++
		}
		if covered[l] || separator(b.src.line(l)) {
			continue
		}
		line := b.src.line(l)
		switch {
		case !wordless(line):
			r := &rawBlock{lines: []string{text.Safe(line)}, what: "not rendered", hidden: true}
			out = append(out, unit{kind: kindRaw, raw: r, hi: 1, first: l, last: l})
		case len(out) > 0:
			last := &out[len(out)-1]
			last.last = max(last.last, l)
		case next < len(b.units):
			b.units[next].first = l
		}
	}
	b.units = append(out, b.units[next:]...)
}

// separator reports whether a line has nothing but the marks of quotes.
func separator(line string) bool { return strings.Trim(line, "> \t") == "" }

// gaps decides where blank rows go: where the author left one, and around what needs room.
func (b *builder) gaps() {
	for i := 1; i < len(b.units); i++ {
		u, prev := &b.units[i], &b.units[i-1]
		if u.continues(prev) {
			continue
		}
		u.gap = roomy(u.kind) || roomy(prev.kind) && prev.kind != kindHeading
		for l := prev.last + 1; l < u.first && !u.gap; l++ {
			u.gap = separator(b.src.line(l))
		}
		for u.gapDepth < min(len(u.path), len(prev.path)) && u.path[u.gapDepth] == prev.path[u.gapDepth] {
			u.gapDepth++
		}
	}
}

func roomy(k kind) bool {
	return k == kindHeading || k == kindCode || k == kindRow || k == kindRule
}
