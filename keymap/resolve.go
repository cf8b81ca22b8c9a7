package keymap

import "strings"

// Resolve finds what a key does. scopes are those that are active, inner first; pending are
// the keys of a chord that were pressed before; key is as tea.KeyPressMsg.String spells it.
//
// ok: the action is to be done. continues: the keys so far start a chord; wait for the
// next. Neither: the keys mean nothing here, and the pending ones are to be forgotten. The
// innermost scope that knows the keys decides.
func (k *Keymap) Resolve(scopes []Scope, pending []string, key string) (a Action, continues, ok bool) {
	seq := key
	if len(pending) > 0 {
		seq = strings.Join(pending, " ") + " " + key
	}
	for _, sc := range scopes {
		for _, b := range k.byScope[sc] {
			if b.Key == seq {
				return b.Action, false, true
			}
			if len(b.Key) > len(seq) && b.Key[len(seq)] == ' ' && b.Key[:len(seq)] == seq {
				return "", true, false
			}
		}
	}
	return "", false, false
}

// Continuations lists the bindings that the pending keys can still become, inner scopes
// first, each with its Next key. Nothing pending: none.
func (k *Keymap) Continuations(scopes []Scope, pending []string) []Binding {
	if len(pending) == 0 {
		return nil
	}
	prefix := strings.Join(pending, " ") + " "
	var out []Binding
	seen := map[string]bool{}
	for _, sc := range scopes {
		for _, b := range k.byScope[sc] {
			rest, ok := strings.CutPrefix(b.Key, prefix)
			if !ok || seen[b.Key] {
				continue
			}
			seen[b.Key] = true
			b.Next, _, _ = strings.Cut(rest, " ")
			out = append(out, b)
		}
	}
	return out
}
