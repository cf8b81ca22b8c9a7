package model

import (
	"bytes"
)

// members walks the members of an object or the elements of a list in bytes that are
// known to be valid JSON.
type members struct {
	src []byte
	i   int // where to go on

	key   []byte // with its quotes
	keyAt int
	val   []byte // from its first byte to its last
	at    int
}

// next moves to the next member of an object.
func (m *members) next() bool {
	i := skipSpace(m.src, m.i)
	if m.src[i] == ',' {
		i = skipSpace(m.src, i+1)
	}
	if m.src[i] == '}' {
		m.i = i
		return false
	}
	end := skipString(m.src, i)
	m.key, m.keyAt = m.src[i:end], i
	i = skipSpace(m.src, end)
	i = skipSpace(m.src, i+1) // the colon
	m.value(i)
	return true
}

// element moves to the next element of a list.
func (m *members) element() bool {
	i := skipSpace(m.src, m.i)
	if m.src[i] == ',' {
		i = skipSpace(m.src, i+1)
	}
	if m.src[i] == ']' {
		m.i = i
		return false
	}
	m.value(i)
	return true
}

func (m *members) value(at int) {
	m.at = at
	m.i = skipValue(m.src, at)
	m.val = m.src[at:m.i]
}

// inside walks the current value, which is an object or a list.
func (m *members) inside() members {
	return members{src: m.src, i: m.at + 1, key: m.key, keyAt: m.keyAt}
}

// bare is the name without its quotes, escapes as they are: what a switch compares. A
// name that needs an escape is none of ours, unless someone wrote one that did not need
// it; name tells.
func (m *members) bare() []byte {
	if bytes.IndexByte(m.key, '\\') >= 0 {
		return []byte(unquote(m.key))
	}
	return m.key[1 : len(m.key)-1]
}

// name is the current member's name; in a list, the name of the member that holds it.
func (m *members) name() string {
	if len(m.key) == 0 {
		return "the file"
	}
	return unquote(m.key)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString is the index after the closing quote of the string at i.
func skipString(b []byte, i int) int {
	for i++; ; i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
}

// skipValue is the index after the value at i.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

// JSONDepth is how deep a value is nested; 0 for a string, a number or a literal.
func JSONDepth(b []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
		i++
	}
	return deepest
}
