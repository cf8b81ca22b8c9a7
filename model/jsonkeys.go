package model

import (
	"bytes"
	"strings"
)

// sameKey compares names the way careless readers do: without regard to case, "_" and
// "-". encoding/json for one takes "APPROVED" for "approved".
func sameKey(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && (a[i] == '_' || a[i] == '-') {
			i++
		}
		for j < len(b) && (b[j] == '_' || b[j] == '-') {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		c, d := a[i], b[j]
		if c >= 0x80 || d >= 0x80 {
			strip := strings.NewReplacer("_", "", "-", "")
			return strings.EqualFold(strip.Replace(a), strip.Replace(b))
		}
		if lower(c) != lower(d) {
			return false
		}
		i, j = i+1, j+1
	}
}

// nearKey reports a name that somebody may have meant for a key: sameKey, or one with a letter added, left
// out, replaced, or two exchanged.
func nearKey(name, key string) bool {
	if sameKey(name, key) {
		return true
	}
	a, b := []byte(strings.ToLower(name)), []byte(key)
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 1:
		return bytes.Equal(a[i:], b[i+1:])
	case 0:
		return bytes.Equal(a[min(i+1, len(a)):], b[min(i+1, len(b)):]) ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && bytes.Equal(a[i+2:], b[i+2:])
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
