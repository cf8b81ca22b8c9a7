package decompose

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"vespe/model/yamltext"
)

// parse reads YAML, of which JSON is a part; nil with a problem where it is none.
func (d *data) parse(text string) (n ast.Node) {
	if len(text) > maxBlock {
		d.bad(nil, "the block has %d bytes; the limit is %d: put the rest into another block", len(text), maxBlock)
		return nil
	}
	json := strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "[")
	for l := range strings.Lines(text) {
		if d.at++; len(l) > maxBlockRow && !json {
			d.at--
			d.bad(nil, "the line has %d bytes; the limit in YAML is %d", len(l), maxBlockRow)
			return nil
		}
	}
	d.at = d.first - 1
	if yamltext.Depth([]byte(text)) > maxDepth {
		d.bad(nil, "brackets are nested deeper than %d", maxDepth)
		return nil
	}
	if json {
		text = strings.ReplaceAll(text, "\t", " ") // JSON may be indented so, YAML may not
	}
	f, err := yamltext.Parse([]byte(text))
	if err != nil {
		why, line := yamltext.Why(err)
		if line > 0 {
			d.at = d.first + line - 1
		}
		d.bad(nil, "this is neither YAML nor JSON: %s", why)
		return nil
	}
	for _, doc := range f.Docs {
		switch {
		case doc.Body == nil:
		case n != nil:
			d.bad(doc.Body, "there are two documents in one block; keep one of them")
			return nil
		default:
			n = doc.Body
		}
	}
	if n == nil {
		d.bad(nil, "the block is empty")
	}
	return n
}

type member struct {
	key  string
	at   ast.Node
	node ast.Node
}

// members are the entries of a mapping; false where it is none.
func (d *data) members(n ast.Node) ([]member, bool) {
	values, ok := yamltext.Pairs(n)
	if !ok {
		return nil, false
	}
	var out []member
	for _, v := range values {
		key, ok := yamltext.Scalar(v.Key)
		if !ok {
			d.bad(v, "a key must be a word; write KEY: VALUE")
			continue
		}
		if slices.ContainsFunc(out, func(m member) bool { return m.key == key }) {
			d.bad(v.Key, "%q is given twice", key)
			continue
		}
		out = append(out, member{key, v.Key, v.Value})
	}
	return out, true
}

func (d *data) word(key string, n ast.Node) string {
	if _, null := n.(*ast.NullNode); null || n == nil {
		return ""
	}
	s, ok := yamltext.Scalar(n)
	if !ok {
		d.bad(n, "%s must be a string", key)
	}
	return s
}

// words are the items of a list of texts, or one text.
func (d *data) words(key string, n ast.Node) []string {
	switch s := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.SequenceNode:
		var out []string
		for _, v := range s.Values {
			if w := d.word("each of "+key, v); strings.TrimSpace(w) != "" {
				out = append(out, strings.TrimSpace(w))
			}
		}
		return out
	}
	if w := strings.TrimSpace(d.word(key, n)); w != "" {
		return []string{w}
	}
	return nil
}
