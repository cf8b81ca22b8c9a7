package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
)

// kind says what a unit is.
type kind uint8

const (
	kindText kind = iota
	kindHeading
	kindCode
	kindRaw // source shown as it is written: hidden text, HTML
	kindRule
	kindRow // of a table
	kindEmpty
)

// unit is the smallest part of a document that is rendered by itself: a paragraph, a
// heading, one row of a table, some lines of a fence. A unit costs little, so that a screen
// of them does too, whatever the length of the document.
type unit struct {
	kind        kind
	first, last int // source lines, 1-based, both included

	// What the unit stands in, outermost first: list items and quotes. The first row of the
	// unit draws the bullets of path[fresh:]; earlier units have drawn the others.
	path  []*container
	fresh int

	gap      bool // a blank row comes first …
	gapDepth int  // … inside path[:gapDepth]

	level  int              // kindHeading: 1 to 6
	nodes  []ast.Node       // kindText, kindHeading: inline content
	body   []gmtext.Segment // the source of the content, without the marks of its containers
	code   *codeBlock       // kindCode
	raw    *rawBlock        // kindRaw
	table  *table           // kindRow
	cut    bool             // a part of a long paragraph: what is missing cannot be told from it
	lo, hi int              // kindCode, kindRaw: which lines of the block; kindRow: lo is the row

	leaf  *leaf   // made when needed: leafOf
	cells []*leaf // kindRow
}

// container is one list item or quote.
type container struct {
	quote  bool
	number string // "12." of an ordered list; "" of another
	digits int    // width of the longest number of the list
	depth  int    // of lists without numbers, for the bullet
	task   bool
	ticked bool
	used   bool // the bullet has been drawn; only while building
}

// rawBlock is source that is shown as it is written.
type rawBlock struct {
	lines  []string
	what   string // "comment", "link definition", …
	hidden bool   // rendering would not show it
	plain  bool   // it lies beyond the bounds of what is rendered
}

// codeBlock is a fence or an indented block.
type codeBlock struct {
	lang  string // first word of info, in lower case
	info  string // everything after the fence, cleaned
	lines []gmtext.Segment
}

// chunk is how many lines of a block of code or HTML make one unit.
const chunk = 64

// joined is the source of a unit's content.
func (u *unit) joined(src *source) string {
	var b strings.Builder
	for _, s := range u.body {
		b.Write(s.Value(src.text))
	}
	return b.String()
}

// continues reports whether u is a further part of the block that prev belongs to.
func (u *unit) continues(prev *unit) bool {
	switch {
	case u.kind != prev.kind:
		return false
	case u.kind == kindCode:
		return u.code == prev.code
	case u.kind == kindRaw:
		return u.raw == prev.raw
	case u.kind == kindRow:
		return u.table == prev.table
	}
	return u.cut && prev.cut && u.lo > 0
}
