package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"vespe/ui/text"
)

// Glamour's own code blocks are not used. They guess the language of a fence without one,
// which costs a try of every lexer; they drop what else stands after the fence; and they
// register one style for the life of the program, so that another theme would not show.

// Limits on what is highlighted. A lexer is a set of regular expressions with
// backtracking, and the text is not ours.
const (
	maxCodeLine  = 400   // bytes of the longest line
	maxCodeChunk = 16384 // bytes of a unit
)

// languages are the names after a fence that are highlighted, and the lexers they mean.
// Anything else is shown plain: an unknown name costs a look at every file pattern there is.
func lexerName(lang string) string {
	switch lang {
	case "go", "golang":
		return "go"
	case "c", "h":
		return "c"
	case "cpp", "c++", "cc", "hpp":
		return "c++"
	case "js", "javascript", "jsx", "mjs":
		return "javascript"
	case "ts", "typescript", "tsx":
		return "typescript"
	case "py", "python", "python3":
		return "python"
	case "sh", "bash", "shell", "zsh":
		return "bash"
	case "yml", "yaml":
		return "yaml"
	case "rs", "rust":
		return "rust"
	case "json", "jsonc", "json5":
		return "json"
	case "make", "makefile":
		return "makefile"
	case "docker", "dockerfile":
		return "docker"
	case "proto", "protobuf":
		return "protobuf"
	case "rb", "ruby":
		return "ruby"
	case "kt", "kotlin":
		return "kotlin"
	case "toml", "ini", "sql", "diff", "java", "css", "lua", "swift", "zig", "nix", "html", "xml", "graphql", "php", "elixir":
		return lang
	case "patch":
		return "diff"
	case "hcl", "terraform", "tf":
		return "terraform"
	}
	return ""
}

// codeLines draws lines lo to hi of a block, after its label where that has one.
func (p *pen) codeLines(src *source, u *unit, w int) []line {
	c := u.code
	lines := make([]string, 0, u.hi-u.lo)
	for _, seg := range c.lines[u.lo:u.hi] {
		lines = append(lines, strings.TrimRight(text.Safe(strings.TrimRight(string(seg.Value(src.text)), "\n")), " "))
	}
	var out []line
	base := 0
	if u.lo == 0 {
		if len(c.lines) > 0 {
			base = src.lineAt(c.lines[0].Start) - u.first
		}
		if c.info != "" {
			out = append(out, p.codeLabel(c.info, w))
		}
	}
	inner := max(1, w-2)
	at := 0
	for i, runs := range p.highlight(c.lang, lines) {
		for j := range runs {
			runs[j].line = base + i
		}
		var rows []line
		rows, at = wrapCode(runs, inner, 0, at)
		for _, r := range rows {
			l := line{first: base + i, last: base + i, fill: p.look.code}
			l.add(deco(p.look.codeBar, p.look.bar))
			l.add(deco(p.look.code, " "))
			for _, s := range r.spans {
				l.add(s)
			}
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		out = []line{{fill: p.look.code, spans: []span{deco(p.look.codeBar, p.look.bar)}}}
	}
	return out
}

// codeLabel shows what stands after the fence.
func (p *pen) codeLabel(info string, w int) line {
	l := line{fill: p.look.code}
	l.add(deco(p.look.codeBar, p.look.bar))
	l.add(deco(p.look.code, " "))
	l.add(deco(p.look.code+p.look.codeLabel, text.Truncate(info, max(1, w-2))))
	return l
}

// highlight returns the runs of each line.
func (p *pen) highlight(lang string, lines []string) [][]run {
	out := make([][]run, len(lines))
	toks, ok := p.tokens(lang, lines)
	if !ok {
		for i, l := range lines {
			out[i] = []run{{text: l, sgr: p.look.code}}
		}
		return out
	}
	n := 0
	for _, t := range toks {
		sgr := p.look.code + p.syntax(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				n++
			}
			if part != "" && n < len(out) {
				out[n] = append(out[n], run{text: part, sgr: sgr})
			}
		}
	}
	return out
}

// tokens runs the lexer. ok is false when there is none, when it is not worth it, or when
// what it returns is not exactly the text.
func (p *pen) tokens(lang string, lines []string) (toks []chroma.Token, ok bool) {
	name := lexerName(lang)
	if name == "" || p.look.st.Options.NoColor {
		return nil, false
	}
	size := 0
	for _, l := range lines {
		if size += len(l) + 1; len(l) > maxCodeLine || size > maxCodeChunk {
			return nil, false
		}
	}
	lexer := lexers.Get(name)
	if lexer == nil {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			toks, ok = nil, false
		}
	}()
	body := strings.Join(lines, "\n") + "\n"
	it, err := chroma.Coalesce(lexer).Tokenise(nil, body)
	if err != nil {
		return nil, false
	}
	left := body
	for t := it(); t != chroma.EOF; t = it() {
		rest, same := strings.CutPrefix(left, t.Value)
		if !same {
			return nil, false
		}
		left = rest
		toks = append(toks, t)
	}
	return toks, left == ""
}

// syntax is the style of a token.
func (p *pen) syntax(t chroma.TokenType) string {
	st := p.look.st
	switch {
	case t.InCategory(chroma.Keyword):
		if t.InSubCategory(chroma.KeywordType) {
			return st.SynType.Open()
		}
		return st.SynKeyword.Open()
	case t.InSubCategory(chroma.LiteralString):
		return st.SynString.Open()
	case t.InSubCategory(chroma.LiteralNumber):
		return st.SynNumber.Open()
	case t.InCategory(chroma.Comment):
		return st.SynComment.Open()
	}
	switch t {
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameDecorator, chroma.NameAttribute:
		return st.SynFunc.Open()
	case chroma.NameClass, chroma.NameTag, chroma.NameException, chroma.NameBuiltin:
		return st.SynType.Open()
	case chroma.GenericInserted:
		return st.Good.Open()
	case chroma.GenericDeleted:
		return st.Bad.Open()
	case chroma.GenericHeading, chroma.GenericSubheading:
		return st.Info.Open()
	}
	return ""
}
