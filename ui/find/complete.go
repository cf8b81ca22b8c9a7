package find

import (
	"slices"
	"strings"

	"vespe/model/snapshot"
)

// mostOffers is how many values are offered for a word of a filter.
const mostOffers = 50

// lastWord cuts a filter before the word that is being typed: what is before it, the signs
// that turn it round, and the word itself. Spaces inside quotes belong to the word.
func lastWord(typed string) (before, sign, word string) {
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
	keys, _ := snapshot.FilterKeys()
	return word != "" && slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, strings.ToLower(word)) })
}

// unfinished reports whether the last word of a filter is still to become one: the
// beginning of a key, a key without a value, or the beginning of a value that it takes.
func unfinished(typed string) bool {
	_, _, word := lastWord(typed)
	key, value, isTerm := strings.Cut(word, ":")
	if !isTerm {
		return isKeyPrefix(word)
	}
	keys, values := snapshot.FilterKeys()
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

// complete is what a filter may become when its last word is completed.
func (f *Find) complete(typed string) []string {
	before, sign, word := lastWord(typed)
	lead := before + sign
	var out []string
	add := func(s string) { out = append(out, lead+s) }
	key, value, isTerm := strings.Cut(word, ":")
	key = strings.ToLower(key)
	keys, values := snapshot.FilterKeys()
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
		known = snapshot.FilterValues(f.Host.Snapshot(), key)
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
