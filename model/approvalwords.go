package model

import (
	"maps"
	"slices"
	"strings"
)

// BoundWords say what an acceptance binds to beside the texts: the terms of the task by the beginnings of
// their hashes, and how much of other tasks; "" for nothing.
func BoundWords(bound map[string]string) (terms, others string) {
	var own []string
	n := 0
	for _, file := range slices.Sorted(maps.Keys(bound)) {
		if strings.Contains(file, "/") {
			n++
			continue
		}
		digits := strings.TrimPrefix(bound[file], "sha256-")
		own = append(own, strings.TrimSuffix(file, ".json")+" "+digits[:min(8, len(digits))])
	}
	if n > 0 {
		others = Plural(n, "text or result of another task", "texts or results of other tasks")
	}
	return strings.Join(own, "  "), others
}

// Signer is an Attestor that may have a key of the person's own.
type Signer interface {
	Attestor
	CanSign() bool
}

// LevelWords say how sure an approval will be that is given now on a task of that risk, and what the
// person asks for; keys may be nil.
func LevelWords(keys Signer, risk string) string {
	words := LevelClaimed.String() + ": it is not signed"
	if keys == nil {
		return words
	}
	if keys.CanSign() {
		words = "signed with your key"
	}
	switch need, err := keys.Required(risk); {
	case err != nil:
		words += "; " + err.Error()
	case need > LevelClaimed:
		words += "; it must be " + need.String()
	}
	return words
}
