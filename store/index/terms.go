package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word of a text: its bytes there, and how it is compared.
type token struct {
	from, to int
	term     string // lower case, without diacritics
}

// isWord says what words are made of, as unicode61 has it.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Co, r)
}

// isAlone says of a character that it is written without spaces around words: each is a token of its own.
func isAlone(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.Is(unicode.Mn, r))
}

// eachToken calls do with the words of a text until it says false. term is only good during the call.
func eachToken(s string, do func(from, to int, term []byte) bool) {
	var buf []byte
	from := -1
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
				if from < 0 {
					from, buf = i, buf[:0]
				}
				buf = append(buf, c)
			} else if from >= 0 {
				if !do(from, i, buf) {
					return
				}
				from = -1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		alone := isAlone(r)
		if from >= 0 && (alone || !isWord(r)) {
			if !do(from, i, buf) {
				return
			}
			from = -1
		}
		switch {
		case alone:
			if !do(i, i+n, utf8.AppendRune(buf[:0], r)) {
				return
			}
		case isWord(r):
			if from < 0 {
				from, buf = i, buf[:0]
			}
			buf = appendFolded(buf, r)
		}
		i += n
	}
	if from >= 0 {
		do(from, len(s), buf)
	}
}

// appendFolded adds a character in lower case and without its diacritics.
func appendFolded(b []byte, r rune) []byte {
	var from [utf8.UTFMax]byte
	n := utf8.EncodeRune(from[:], unicode.ToLower(r))
	for _, r := range string(norm.NFD.Bytes(from[:n])) {
		if !unicode.Is(unicode.Mn, r) {
			b = utf8.AppendRune(b, unicode.ToLower(r))
		}
	}
	return b
}

// tokens are the words of a text.
func tokens(s string) (out []token) {
	eachToken(s, func(from, to int, term []byte) bool {
		if len(term) > 0 {
			out = append(out, token{from, to, string(term)})
		}
		return true
	})
	return out
}

// spaced is a text for the full-text index: characters that stand alone are set apart.
func spaced(s string) string {
	at := strings.IndexFunc(s, isAlone)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	b.WriteString(s[:at])
	for _, r := range s[at:] {
		if isAlone(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Bounds of a term that can be found by what is within it. Shorter ones are found as a whole, and
// longer ones are keys and hashes.
const (
	leastTerm = 4
	mostTerm  = 40
)

// vocabulary gathers the terms of texts that are not known yet.
type vocabulary map[string]struct{}

func (v vocabulary) add(s string) {
	eachToken(s, func(_, _ int, term []byte) bool {
		if len(term) >= leastTerm && len(term) <= mostTerm {
			if _, ok := v[string(term)]; !ok {
				v[string(term)] = struct{}{}
			}
		}
		return true
	})
}
