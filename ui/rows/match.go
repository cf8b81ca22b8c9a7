package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/ui/style"
	"vespe/ui/text"
)

// Fold is the form in which texts are compared: lower case, rune by rune.
func Fold(s string) string { return strings.Map(unicode.ToLower, s) }

// Occurrences are the ranges of bytes of s at which a folded query occurs, whatever their
// case, without overlap.
func Occurrences(s, query string) [][2]int {
	if query == "" || s == "" {
		return nil
	}
	folded := Fold(s)
	if !strings.Contains(folded, query) {
		return nil
	}
	var out [][2]int
	if len(folded) == len(s) && isASCII(s) {
		for at := 0; ; {
			i := strings.Index(folded[at:], query)
			if i < 0 {
				return out
			}
			out = append(out, [2]int{at + i, at + i + len(query)})
			at += i + len(query)
		}
	}
	// Folding may change the length of a rune, so the way back is by runes.
	var origin []int
	for i, r := range s {
		for range utf8.RuneLen(unicode.ToLower(r)) {
			origin = append(origin, i)
		}
	}
	origin = append(origin, len(s))
	for at := 0; at < len(origin); {
		i := strings.Index(folded[at:], query)
		if i < 0 {
			break
		}
		out = append(out, [2]int{origin[at+i], origin[at+i+len(query)]})
		at += i + len(query)
	}
	return out
}

// Highlight marks what a folded query finds in a drawn row; now: it is the match that the reader is at.
func Highlight(st *style.Styles, row, query string, now bool) string {
	if query == "" {
		return row
	}
	plain := text.Strip(row)
	hits := Occurrences(plain, query)
	if len(hits) == 0 {
		return row
	}
	ink := st.Match
	if now {
		ink = st.MatchNow
	}
	return text.Highlight(row, text.ByteCells(plain, hits), ink.Open())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
