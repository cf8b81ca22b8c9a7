package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/ui/text"
)

// missing reports whether src, a part of the source, has words that shown does not have.
// It is the net under everything that Markdown leaves out without a word: the extra cells
// of a table's row, titles of links, labels, whatever a later version of the parser may
// swallow. It errs on the side of showing too much.
func missing(src, shown string) bool {
	src = text.Safe(html.UnescapeString(src))
	have := map[string]int{}
	for w := nextWord(shown); w != ""; w = nextWord(shown) {
		have[w]++
		shown = after(shown, w)
	}
	for w := nextWord(src); w != ""; w = nextWord(src) {
		if have[w] == 0 {
			return true
		}
		have[w]--
		src = after(src, w)
	}
	return false
}

// nextWord returns the first run of letters and digits of s; "" when there is none.
func nextWord(s string) string {
	i := strings.IndexFunc(s, wordRune)
	if i < 0 {
		return ""
	}
	s = s[i:]
	if j := strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) }); j >= 0 {
		return s[:j]
	}
	return s
}

// after is what follows the first occurrence of word, which nextWord returned for s.
func after(s, word string) string {
	return s[strings.Index(s, word)+len(word):]
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
