package keymap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Binding is one key, or chord of keys, and what it does.
type Binding struct {
	Key    string // normalized: "j", "ctrl+d", "g g"
	Action Action
	Scope  Scope
	means  Key // "" if a person gave the action this key
	// Next is, in an answer of Continuations, the key that comes next; "" elsewhere.
	Next string
}

// Keymap is the table with the bindings that are in force. It does not change; With makes
// another.
type Keymap struct {
	specs   []Spec              // Keys are those in force
	given   map[Action][]string // the person's own keys, by action or meaning
	index   map[Action]int
	byScope map[Scope][]Binding
	plain   bool // labels have no arrows
}

// Plain is the same keymap with labels of ASCII: "down" stays "down".
func (k *Keymap) Plain() *Keymap {
	c := *k
	c.plain = true
	return &c
}

// Default is the keymap of the table as it is.
func Default() *Keymap {
	k, err := build(nil)
	if err != nil {
		panic("keymap: the table of actions: " + err.Error()) // a broken build, caught by the tests
	}
	return k
}

// build gives every action its keys, and looks for clashes.
func build(given map[Action][]string) (*Keymap, error) {
	specs := Actions()
	k := &Keymap{specs: specs, given: given, index: make(map[Action]int, len(specs)), byScope: map[Scope][]Binding{}}
	meanings := map[Key][]string{}
	for _, m := range Meanings() {
		keys, own := given[Action(m.Name)]
		if !own {
			keys = m.Keys
		}
		meanings[m.Name] = keys
	}
	for i := range specs {
		s := &specs[i]
		if _, ok := k.index[s.Action]; ok {
			return nil, fmt.Errorf("%s is in the table twice", s.Action)
		}
		k.index[s.Action] = i
		own, set := given[s.Action]
		for _, on := range s.On {
			keys, ok := meanings[on]
			if !ok {
				keys = []string{string(on)}
			}
			if set { // a default key that the person repeats keeps its meaning
				keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !slices.Contains(own, key) })
			}
			if err := k.bind(s, on, keys); err != nil {
				return nil, err
			}
		}
		if err := k.bind(s, "", own); err != nil {
			return nil, err
		}
		if set { // in the order in which they were given
			slices.SortStableFunc(s.Keys, func(a, b string) int { return slices.Index(own, a) - slices.Index(own, b) })
		}
	}
	if c := k.Clashes(); len(c) > 0 {
		return nil, &ClashError{c}
	}
	return k, nil
}

// bind gives an action the keys of a meaning, or with "" the keys that a person gave it.
func (k *Keymap) bind(s *Spec, means Key, keys []string) error {
	for _, key := range keys {
		n, err := Normalize(key)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Action, err)
		}
		if slices.Contains(s.Keys, n) {
			continue
		}
		bound := false
		for _, sc := range s.KeyScopes() {
			first, _, _ := strings.Cut(n, " ")
			if means != "" && typing(sc) && (utf8.RuneCountInString(first) == 1 || first == "space") {
				continue // text
			}
			k.byScope[sc], bound = append(k.byScope[sc], Binding{Key: n, Action: s.Action, Scope: sc, means: means}), true
		}
		if bound {
			s.Keys = append(s.Keys, n)
		}
	}
	return nil
}

// Clash is two actions that the same keys would start in the same place.
type Clash struct {
	Key          string // of the first
	First, Other Action // inner first
	OtherKey     string // differs from Key when one starts the other
	Chain        []Scope
}

func (c Clash) String() string {
	if c.OtherKey != c.Key {
		return fmt.Sprintf("%q (%s) starts %q (%s)", c.Key, c.First, c.OtherKey, c.Other)
	}
	return fmt.Sprintf("%q is both %s and %s", c.Key, c.First, c.Other)
}

// ClashError is the answer to a change that would make keys clash.
type ClashError struct{ Clashes []Clash }

func (e *ClashError) Error() string {
	parts := make([]string, len(e.Clashes))
	for i, c := range e.Clashes {
		parts[i] = c.String()
	}
	return strings.Join(parts, "; ") + ": give one of them another key, or [] for none"
}

// Clashes lists the pairs of actions that share a key, or of which one's key starts the
// other's chord, within one chain of scopes. Where a key means the same in both, the inner one has it.
func (k *Keymap) Clashes() []Clash {
	var out []Clash
	type pair struct {
		a, b Action
		key  string
	}
	seen := map[pair]bool{}
	for _, chain := range Chains() {
		inner := map[string][]Binding{} // by their first key: only those can clash
		for _, sc := range chain {
			for _, b := range k.byScope[sc] {
				first, _, _ := strings.Cut(b.Key, " ")
				for _, a := range inner[first] {
					p := pair{a.Action, b.Action, a.Key}
					if a.Action == b.Action || seen[p] || !overlap(a.Key, b.Key) || a.means != "" && a.means == b.means && a.Scope != b.Scope {
						continue
					}
					seen[p] = true
					out = append(out, Clash{a.Key, a.Action, b.Action, b.Key, chain})
				}
				inner[first] = append(inner[first], b)
			}
		}
	}
	return out
}

// overlap reports whether two bindings are the same or one starts the other.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+" ") || strings.HasPrefix(b, a+" ")
}

// With returns a keymap in which some actions, or all of a meaning, have other keys; an empty list leaves them without
// one. Unknown names, unknown keys and clashes are errors.
func (k *Keymap) With(overrides map[Action][]string) (*Keymap, error) {
	known := names()
	given := maps.Clone(k.given)
	if given == nil {
		given = map[Action][]string{}
	}
	for _, a := range slices.Sorted(maps.Keys(overrides)) {
		if !slices.Contains(known, string(a)) {
			return nil, fmt.Errorf("unknown action %q%s", a, hint(string(a), known))
		}
		given[a] = slices.Clone(overrides[a])
	}
	return build(given)
}

// names are what a person can give keys to: actions and meanings.
func names() []string {
	var out []string
	for _, s := range Actions() {
		out = append(out, string(s.Action))
	}
	for _, m := range Meanings() {
		out = append(out, string(m.Name))
	}
	return out
}

// Specs returns the table with the keys that are in force, as a fresh slice.
func (k *Keymap) Specs() []Spec { return slices.Clone(k.specs) }

// Spec returns one row of the table.
func (k *Keymap) Spec(a Action) (Spec, bool) {
	i, ok := k.index[a]
	if !ok {
		return Spec{}, false
	}
	return k.specs[i], true
}

// Means is what a key is for, wherever it works: a sentence; "" for a key that is bound nowhere.
func (k *Keymap) Means(key string) string {
	for _, b := range slices.Concat(slices.Collect(maps.Values(k.byScope))...) {
		if b.Key == key && b.means == "" { // a person bound it to one action
			s, _ := k.Spec(b.Action)
			return s.Help
		}
	}
	for _, m := range Meanings() {
		keys, own := k.given[Action(m.Name)]
		if !own {
			keys = m.Keys
		}
		if slices.Contains(keys, key) {
			return m.Help
		}
	}
	return ""
}

// Keys returns the bindings of an action, the one to show first.
func (k *Keymap) Keys(a Action) []string {
	s, _ := k.Spec(a)
	return slices.Clone(s.Keys)
}

// Label is the first binding of an action as people read it; "" when it has none.
func (k *Keymap) Label(a Action) string {
	i, ok := k.index[a]
	if !ok || len(k.specs[i].Keys) == 0 {
		return ""
	}
	label := KeyLabel(k.specs[i].Keys[0])
	if k.plain {
		label = arrowNames.Replace(label)
	}
	return label
}

var arrowNames = strings.NewReplacer("↑", "up", "↓", "down", "←", "left", "→", "right")

// Bindings lists the bindings of a scope in the order of the table.
func (k *Keymap) Bindings(s Scope) []Binding { return slices.Clone(k.byScope[s]) }

// In lists the rows of the table whose keys work in a chain of scopes, in the order of the
// table: what the footer, the help and the palette choose from. An action whose every key
// is taken by an inner scope is not in it.
func (k *Keymap) In(scopes []Scope) []Spec {
	return k.in(scopes, false)
}

// Footer lists those of In that have keys and a place in the footer.
func (k *Keymap) Footer(scopes []Scope) []Spec {
	return k.in(scopes, true)
}

func (k *Keymap) in(scopes []Scope, footer bool) []Spec {
	var out []Spec
	for _, s := range k.specs {
		if footer && (s.Footer == 0 || len(s.Keys) == 0) || !slices.ContainsFunc(scopes, func(sc Scope) bool { return slices.Contains(s.Scopes, sc) }) {
			continue
		}
		reachable := len(s.Keys) == 0 || s.Keyed != nil && !footer
		for _, key := range s.Keys {
			steps := strings.Split(key, " ")
			a, _, ok := k.Resolve(scopes, steps[:len(steps)-1], steps[len(steps)-1])
			reachable = reachable || ok && a == s.Action
		}
		if reachable {
			out = append(out, s)
		}
	}
	return out
}
