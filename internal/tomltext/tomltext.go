// Package tomltext is what the readers of a person's TOML files share: a file as a struct (Fill), the place of a
// mistake, and the word that was meant. internal/config reads config.toml with it, keymap keys.toml, themes a theme.
package tomltext

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Key joins the parts of an expression's key with dots, and says which line it begins in.
func Key(p *unstable.Parser, e *unstable.Node) (key string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if line == 0 {
			line = p.Shape(n.Raw).Start.Line
		}
		parts = append(parts, string(n.Data))
	}
	return strings.Join(parts, "."), line
}

// Line finds the line of a part of the source, from 1; 0 for nil, and for what is surely no part of it.
func Line(p *unstable.Parser, part []byte) int {
	off := cap(p.Data()) - cap(part)
	if part == nil || off < 0 || off+len(part) > len(p.Data()) {
		return 0
	}
	return p.Shape(p.Range(part)).Start.Line
}

// Nearest is the known word that the fewest single letters make of a mistyped one, the first of
// several; "" when each takes more than most.
func Nearest(word string, known []string, most int) (best string) {
	for _, k := range known {
		if d := distance(word, k); d <= most {
			best, most = k, d-1
		}
	}
	return best
}

// distance is Levenshtein's, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(b)]
}
