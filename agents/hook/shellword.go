package hook

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// words are those that a word of a script becomes, without patterns of files.
func (r *reading) words(w *syntax.Word) []word {
	if w == nil {
		return nil
	}
	w = &syntax.Word{Parts: slices.Clone(w.Parts)} // the script is walked on as it is
	syntax.SplitBraces(w)
	if braces(w) > maxBraces { // each makes several words, and even one of them costs the square of how many there are
		return []word{{text: "\x00", unsure: true}}
	}
	var out []word
	for one, err := range expand.BracesSeq(nil, w) {
		if err != nil || len(out) == maxBraces {
			return []word{{text: "\x00", unsure: true}}
		}
		out = append(out, r.word(one))
	}
	return out
}

// braces is how many pairs of braces there are in a word, one in another among them.
func braces(w *syntax.Word) (n int) {
	for todo := []*syntax.Word{w}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, part := range last.Parts {
			if b, ok := part.(*syntax.BraceExp); ok {
				n++
				todo = append(todo, b.Elems...)
			}
		}
	}
	return n
}

func (r *reading) word(w *syntax.Word) word {
	out := word{quoted: true}
	var b strings.Builder
	for i, part := range w.Parts {
		r.part(&b, part, &out, i == 0)
	}
	out.text = b.String()
	return out
}

func (r *reading) part(b *strings.Builder, part syntax.WordPart, out *word, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		text := p.Value
		if rest, ok := strings.CutPrefix(text, "~"); first && ok && (rest == "" || rest[0] == '/') {
			if r.home == "" {
				out.unsure = true
			}
			text = r.home + rest
		} else if first && ok {
			out.unsure = true // somebody else's home, or where the shell was
		}
		plain, pattern := unescape(text)
		b.WriteString(plain)
		if pattern {
			out.unsure, out.quoted = true, false
		}
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			var err error
			if text, _, err = expand.Format(nil, text, nil); err != nil {
				out.unsure = true
			}
			known, _, cut := strings.Cut(text, "\x00") // bash takes nothing after it, others do
			text, out.unsure = known, out.unsure || cut
		}
		b.WriteString(text)
	case *syntax.DblQuoted:
		for _, in := range p.Parts {
			if lit, ok := in.(*syntax.Lit); ok {
				b.WriteString(unescapeQuoted(lit.Value))
				continue
			}
			r.part(b, in, out, false)
		}
	case *syntax.ParamExp:
		if p.Param != nil && p.Param.Value == "HOME" && r.home != "" && p.Index == nil && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length && !p.Excl {
			b.WriteString(r.home)
			return
		}
		out.unsure = true
		b.WriteString("\x00")
	default:
		out.unsure = true
		b.WriteString("\x00") // stands for what is not known
	}
	switch part.(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.Lit:
	default:
		out.quoted = false
	}
}

// unescape takes the backslashes out of a bare word, and reports a pattern of file names in it.
func unescape(s string) (plain string, pattern bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case c == '*' || c == '?' || c == '[':
			pattern = true
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), pattern
}

// unescapeQuoted does so within double quotes.
func unescapeQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
