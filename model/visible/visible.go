package visible

import (
	"strings"
	"unicode/utf8"
)

// String makes everything in s visible but the line feeds and tabs that lay it out.
func String(s string) string { return escape(s, false) }

// Line is String for text that must stay on one line: a line feed becomes ␊ as well, and
// a tab one space.
func Line(s string) string { return escape(s, true) }

// Has reports whether s has anything that String would make visible.
func Has(s string) bool { return next(s, 0, false) < len(s) }

// Bytes is String for bytes.
func Bytes(b []byte) string { return String(string(b)) }

func escape(s string, line bool) string {
	i := next(s, 0, line)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/4 + 16)
	clean := 0
	for i < len(s) {
		b.WriteString(s[clean:i])
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			writeByte(&b, s[i])
		} else {
			writeRune(&b, r)
		}
		clean = i + size
		i = next(s, clean, line)
	}
	b.WriteString(s[clean:])
	return b.String()
}

// next is the offset, from i on, of the first character that must be made visible;
// len(s) when there is none.
func next(s string, i int, line bool) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' && (line || c != '\n' && c != '\t') || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		if hidden(r) && !partOfEmoji(s, i, size, r) {
			return i
		}
		i += size
	}
	return len(s)
}

const (
	zwj    = '\u200d'
	vs16   = '\ufe0f'
	keycap = '\u20e3'
)

// partOfEmoji reports whether the hidden character at i only holds an emoji together.
func partOfEmoji(s string, i, size int, r rune) bool {
	if r != vs16 && r != zwj {
		return false
	}
	before, width := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+size:])
	if r == vs16 {
		return pictographic(before) || after == keycap && keycapBase(before)
	}
	if !pictographic(after) {
		return false
	}
	if before == vs16 || skinTone(before) {
		before, _ = utf8.DecodeLastRuneInString(s[:i-width])
	}
	return pictographic(before)
}

const hex = "0123456789ABCDEF"

func writeByte(b *strings.Builder, c byte) {
	b.WriteString("⟨0x")
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
	b.WriteString("⟩")
}

func writeRune(b *strings.Builder, r rune) {
	switch {
	case r == '\t': // only ever here for Line
		b.WriteByte(' ')
		return
	case r < ' ':
		b.WriteRune('␀' + r)
		return
	case r == 0x7f:
		b.WriteRune('␡')
		return
	}
	b.WriteString("⟨U+")
	started := false
	for shift := 20; shift >= 0; shift -= 4 {
		digit := r >> shift & 15
		if started = started || digit != 0 || shift < 16; started {
			b.WriteByte(hex[digit])
		}
	}
	b.WriteString("⟩")
}
