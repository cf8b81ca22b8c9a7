package markdown

import (
	"slices"
	"strings"

	"vespe/internal/lazyregexp"

	"github.com/yuin/goldmark/ast"
)

// A reviewer must see what an agent reads. Rendered Markdown leaves out comments, scripts,
// definitions of links and elements that a style dialog makes invisible; here they are
// shown as they are written, tinted and flagged.

var (
	hiddenElement   = lazyregexp.New(`(?i)<\s*/?\s*(script|style|template|noscript|head|title|meta|link|object|embed|iframe)\b`)
	hiddenAttribute = lazyregexp.New(`(?i)<[^>]*(\bhidden\b|aria-hidden|display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|` +
		`font-size\s*:\s*0|opacity\s*:\s*0?\.?0*\s*[;"']|(height|width)\s*[:=]\s*["']?\s*0(px)?\s*[;"'\s>]|` +
		`color\s*:\s*(transparent|white|#fff)|text-indent\s*:\s*-|left\s*:\s*-\d{3})`)
)

// hiddenHTML reports whether a browser would show nothing, or nothing visible, of s, which
// is a tag or a whole block of HTML.
func hiddenHTML(s string) bool {
	for _, start := range []string{"<!--", "<?", "<!"} {
		if strings.Contains(s, start) {
			return true
		}
	}
	return hiddenElement.Get().MatchString(s) || hiddenAttribute.Get().MatchString(s)
}

// hiddenBlock is hiddenHTML for a block, whose kind goldmark already knows.
func hiddenBlock(n *ast.HTMLBlock, body string) bool {
	switch n.HTMLBlockType {
	case ast.HTMLBlockType2, ast.HTMLBlockType3, ast.HTMLBlockType4, ast.HTMLBlockType5:
		return true
	}
	return hiddenHTML(body)
}

// tagName returns the lower-case name of a tag and whether it is an end tag; "" for
// anything else.
func tagName(tag string) (name string, closing bool) {
	s, ok := strings.CutPrefix(tag, "<")
	if !ok {
		return "", false
	}
	s, closing = strings.CutPrefix(s, "/")
	end := strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
	})
	if end < 0 {
		end = len(s)
	}
	return strings.ToLower(s[:end]), closing
}

// voidElement reports whether an element has no end tag.
func voidElement(name string) bool {
	return slices.Contains([]string{
		"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
	}, name)
}

// safeLink returns a target that may be put into an OSC 8 hyperlink: http, https or mailto,
// printable ASCII only. "" for everything else; its text is shown all the same.
func safeLink(dest string) string {
	low := strings.ToLower(dest)
	if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") && !strings.HasPrefix(low, "mailto:") {
		return ""
	}
	if len(dest) > 2048 {
		return ""
	}
	for i := range len(dest) {
		if dest[i] <= ' ' || dest[i] >= 0x7f {
			return ""
		}
	}
	return dest
}

// hiddenWhat names what a hidden block is.
func hiddenWhat(n *ast.HTMLBlock, body string) string {
	if n.HTMLBlockType == ast.HTMLBlockType2 {
		return "comment"
	}
	if m := hiddenElement.Get().FindStringSubmatch(body); m != nil {
		return strings.ToLower(m[1])
	}
	return "html"
}
