package model

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var specFormat = formatOf[Spec]()

// DecodeSpec reads spec.json, everything else about the work. All of it is optional: a
// field that cannot be read is a warning and is kept, and only a file that is no JSON
// object is of Error severity. The Spec is never nil.
func DecodeSpec(path string, b []byte) (*Spec, []Problem) {
	r := reader{path: path, src: b}
	s := new(Spec)
	m, ok := r.document()
	if !ok {
		return s, r.problems
	}
	specFormat().read(&r, m, reflect.ValueOf(s).Elem())
	s.Extra = r.kept(specFormat().keys)
	return s, r.problems
}

// EncodeSpec writes spec.json. Every key is left out while it says nothing; an empty Spec
// is {}.
func EncodeSpec(s *Spec) []byte {
	if s == nil {
		s = new(Spec)
	}
	return encoded(specFormat(), s)
}

// ParsePriority reads critical, high, medium or low in any case, and med as medium.
func ParsePriority(s string) (Priority, bool) {
	switch p := Priority(strings.ToLower(strings.TrimSpace(s))); p {
	case Critical, High, Medium, Low:
		return p, true
	case "med":
		return Medium, true
	}
	return "", false
}

func (r *reader) priority(m *members, dst *Priority) {
	if m.val[0] == 'n' || string(m.val) == `""` {
		return
	}
	if isString(m.val) {
		if p, ok := ParsePriority(unquote(m.val)); ok {
			*dst = p
			return
		}
	}
	r.wrong(m, "critical, high, medium or low")
}

func (r *reader) risk(m *members, dst *string) {
	if m.val[0] == 'n' || string(m.val) == `""` {
		return
	}
	if isString(m.val) {
		if p, ok := ParsePriority(unquote(m.val)); ok && p != Critical {
			*dst = string(p)
			return
		}
	}
	r.wrong(m, "low, medium or high")
}

// fields reads an object of any values, which are kept as they are.
func (r *reader) fields(m *members, dst *[]ExtraField) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	for in.next() {
		sub.keep(&in)
	}
	r.problems = append(r.problems, sub.problems...)
	*dst = sub.extra
}

// commands reads a list of argument lists. A command line in one string is refused: how
// it would be split is for a shell to say, and no shell is ever asked.
func (r *reader) commands(m *members, dst *[][]string) {
	const want = `a list of argument lists, like [["go", "test", "./..."]]`
	if m.val[0] == 'n' {
		return
	}
	if m.val[0] != '[' {
		r.wrong(m, want)
		return
	}
	var out [][]string
	for e := m.inside(); e.element(); {
		if e.val[0] != '[' {
			r.wrong(m, want)
			return
		}
		argv := []string{}
		for a := e.inside(); a.element(); {
			if !isString(a.val) {
				r.wrong(m, want)
				return
			}
			argv = append(argv, unquote(a.val))
		}
		out = append(out, argv)
	}
	*dst = out
}

func (r *reader) number(m *members, dst *float64) {
	if m.val[0] == 'n' {
		return
	}
	raw := m.val
	if isString(raw) {
		raw = raw[1 : len(raw)-1]
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		r.wrong(m, "a number of at least 0")
		return
	}
	*dst = f
}

func (w *writer) lists(lists [][]string) {
	w.open('[')
	for _, items := range lists {
		w.item()
		list(w, items)
	}
	w.close(']')
}

// SpecKeys are the keys that `set` takes, in the order of spec.json. An object takes
// KEY.NAME, as in context.sender.
func SpecKeys() []string {
	return slices.DeleteFunc(slices.Clone(specFormat().keys), func(k string) bool { return k == "priority_by" }) // who gives one takes it away
}

// SpecMember is the field of a spec with this key; nil if it has a different type.
func SpecMember[T any](key string) func(*Spec) *T {
	f := specFormat()
	k := slices.Index(f.keys, key)
	if k < 0 || reflect.TypeFor[Spec]().Field(f.keyed[k]).Type != reflect.TypeFor[T]() {
		return nil
	}
	return func(sp *Spec) *T { return reflect.ValueOf(sp).Elem().Field(f.keyed[k]).Addr().Interface().(*T) }
}
