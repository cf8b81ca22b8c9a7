package snapshot

import (
	"slices"
	"strings"
)

// mostOffers is how many values are offered for a word of a filter.
const mostOffers = 50

// LastWord cuts a filter before the word that is being typed: what is before it, the signs
// that turn it round, and the word itself. Spaces inside quotes belong to the word.
func LastWord(typed string) (before, sign, word string) {
	from, quoted := 0, false
	for i, r := range typed {
		switch {
		case r == '"':
			quoted = !quoted
		case r == ' ' && !quoted:
			from = i + 1
		}
	}
	word = typed[from:]
	rest := strings.TrimLeft(word, "-!")
	return typed[:from], word[:len(word)-len(rest)], rest
}

// isKeyPrefix reports whether a word may become a key of a filter.
func isKeyPrefix(word string) bool {
	keys, _ := FilterKeys()
	return word != "" && slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, strings.ToLower(word)) })
}

// IsUnfinished reports whether the last word of a filter is still to become one: the
// beginning of a key, a key without a value, or the beginning of a value that it takes.
func IsUnfinished(typed string) bool {
	_, _, word := LastWord(typed)
	key, value, isTerm := strings.Cut(word, ":")
	if !isTerm {
		return isKeyPrefix(word)
	}
	keys, values := FilterKeys()
	key = strings.ToLower(key)
	if !slices.Contains(keys, key) {
		return false
	}
	value = strings.ToLower(value[strings.LastIndex(value, ",")+1:])
	if value == "" {
		return true
	}
	return slices.ContainsFunc(values[key], func(v string) bool { return v != value && strings.HasPrefix(v, value) })
}

// CompleteFilter is what a filter may become when its last word is completed, with values of the snapshot's tasks.
func CompleteFilter(s *Snapshot, typed string) []string {
	before, sign, word := LastWord(typed)
	lead := before + sign
	var out []string
	add := func(word string) { out = append(out, lead+word) }
	key, value, isTerm := strings.Cut(word, ":")
	key = strings.ToLower(key)
	keys, values := FilterKeys()
	if !isTerm {
		for _, k := range keys {
			if strings.HasPrefix(k, key) {
				add(k + ":")
			}
		}
		return out
	}
	at := strings.LastIndex(value, ",") + 1
	head, part := value[:at], value[at:]
	known, open := values[key]
	if !open {
		known = FilterValues(s, key)
	}
	begins := strings.ToLower(strings.Trim(part, `"`))
	for _, v := range known {
		if len(out) < mostOffers && strings.HasPrefix(strings.ToLower(v), begins) {
			if strings.ContainsAny(v, ` :,"`) {
				v = `"` + strings.ReplaceAll(v, `"`, "") + `"`
			}
			add(key + ":" + head + v)
		}
	}
	return out
}
