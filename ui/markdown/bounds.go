package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmark looks through the rest of a block for many a mark, and through all open containers for every line.
// These bounds keep its work in proportion to the size of a text. What lies beyond them is shown as it is
// written, and flagged.
const (
	// maxMarks is how many marks of a block are looked at, in a block of up to maxScan/maxMarks bytes.
	maxMarks = 1000
	// maxScan is how many bytes the marks of one block may make it look through.
	maxScan = 8 << 20
	// fewMarks are looked at however long a block is.
	fewMarks = 8
	// maxDefinitions is how many lines of link definitions may follow each other.
	maxDefinitions = 500
	// maxColumns is how many columns a table may have.
	maxColumns = 200
)

var boundsKey = parser.NewContextKey()

// bounds is what a parse has left out.
type bounds struct {
	block ast.Node // whose marks are counted
	left  int
	plain map[ast.Node]bool // blocks of which not every mark was looked at
	deep  map[int]bool      // offsets of containers that were not opened
}

func boundsOf(pc parser.Context) *bounds { return pc.Get(boundsKey).(*bounds) }

// mark takes one of a block's marks; false when it has had its share.
func (b *bounds) mark(block ast.Node) bool {
	if b.block != block {
		size := 1
		for i := range block.Lines().Len() {
			seg := block.Lines().At(i)
			size += seg.Len()
		}
		b.block, b.left = block, min(maxMarks, max(fewMarks, maxScan/size))
	}
	if b.left--; b.left < 0 {
		b.plain[block] = true
		return false
	}
	return true
}

// parseWithin parses a text, and says what of it lies beyond the bounds.
func parseWithin(body []byte) (ast.Node, *bounds) {
	b := &bounds{plain: map[ast.Node]bool{}, deep: map[int]bool{}}
	pc := parser.NewContext()
	pc.Set(boundsKey, b)
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900), util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(counted{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(countedLink{counted{parser.NewLinkParser()}}, 200), util.Prioritized(counted{parser.NewAutoLinkParser()}, 300),
			util.Prioritized(counted{parser.NewRawHTMLParser()}, 400), util.Prioritized(counted{parser.NewEmphasisParser()}, 500),
			util.Prioritized(counted{extension.NewStrikethroughParser()}, 500), util.Prioritized(extension.NewLinkifyParser(), 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	return p.Parse(gmtext.NewReader(body), parser.WithContext(pc)), b
}

// shallow is a parser of containers that opens none below maxDepth others.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader gmtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		switch n.(type) {
		case *ast.Blockquote, *ast.List:
			depth++
		}
	}
	if depth < maxDepth {
		return s.BlockParser.Open(parent, reader, pc)
	}
	_, at := reader.Position()
	boundsOf(pc).deep[at.Start+max(0, pc.BlockOffset())] = true
	return nil, parser.NoChildren
}

// counted is a parser of marks that looks at a share of those of each block.
type counted struct{ parser.InlineParser }

func (c counted) Parse(parent ast.Node, block gmtext.Reader, pc parser.Context) ast.Node {
	if !boundsOf(pc).mark(parent) {
		return nil
	}
	return c.InlineParser.Parse(parent, block, pc)
}

// countedLink also closes what it has opened.
type countedLink struct{ counted }

func (c countedLink) CloseBlock(parent ast.Node, block gmtext.Reader, pc parser.Context) {
	if cb, ok := c.InlineParser.(parser.CloseBlocker); ok {
		cb.CloseBlock(parent, block, pc)
	}
}

// definitions looks for link definitions in paragraphs that are not too many lines.
type definitions struct{ parser.ParagraphTransformer }

func (d definitions) Transform(n *ast.Paragraph, reader gmtext.Reader, pc parser.Context) {
	if n.Lines().Len() <= maxDefinitions {
		d.ParagraphTransformer.Transform(n, reader, pc)
	}
}

// tables makes tables of paragraphs, unless they would have more columns than anybody reads, or many more
// cells than bytes: a short row is filled up.
type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(n *ast.Paragraph, reader gmtext.Reader, pc parser.Context) {
	size, columns := 0, 0
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := seg.Value(reader.Source())
		size += len(line)
		if len(bytes.Trim(line, "|-: \t\r\n")) == 0 {
			columns = max(columns, 1+bytes.Count(line, []byte("|")))
		}
	}
	if columns > maxColumns+2 || columns*n.Lines().Len() > 4*size+4096 {
		boundsOf(pc).plain[n] = true
		return
	}
	t.ParagraphTransformer.Transform(n, reader, pc)
}
