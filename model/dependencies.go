package model

import (
	"bytes"
	"fmt"
	"reflect"
)

// dependencyList is dependencies.json.
type dependencyList struct {
	DependsOn []UID `file:"depends_on,always,vital,as=dependencies"`
	Extra     Extra
}

var dependenciesFormat = formatOf[dependencyList]()

// MaxDependencies is how many tasks one may depend on. A file that names more is an error of its own
// task, so that no task costs the readers of all others.
const MaxDependencies = 10_000

// DecodeDependencies reads dependencies.json: {"depends_on": [uids]}, or a list of uids
// alone. A list that cannot be read is of Error severity, because a task with unknown
// dependencies must not look ready. A uid written twice counts once.
func DecodeDependencies(path string, b []byte) ([]UID, Extra, []Problem) {
	r := reader{path: path, src: b}
	var d dependencyList
	if bytes.HasPrefix(bytes.TrimLeft(b, "\ufeff \t\r\n"), []byte("[")) {
		if r.valid() {
			m := members{src: r.src}
			m.value(skipSpace(r.src, 0))
			r.dependencies(&m, &d.DependsOn)
		}
		return d.DependsOn, nil, r.problems
	}
	m, ok := r.document()
	if !ok {
		return nil, nil, r.problems
	}
	f := dependenciesFormat()
	f.read(&r, m, reflect.ValueOf(&d).Elem())
	return d.DependsOn, r.kept(f.keys), r.problems
}

func (r *reader) dependencies(m *members, dst *[]UID) {
	var all []UID
	before := len(r.problems)
	if !r.uids(m, &all) {
		for i := before; i < len(r.problems); i++ {
			r.problems[i].Severity = Error
			r.problems[i].Hint = "write a list of uids; until then its dependencies are unknown"
		}
		return
	}
	seen := make(map[UID]bool, len(all))
	for _, u := range all {
		if seen[u] {
			r.problem(m.at, Warning, "repeated-uid", QuoteKey(string(u))+" is listed twice", "remove one of the two")
			continue
		}
		seen[u] = true
		*dst = append(*dst, u)
	}
	if len(*dst) > MaxDependencies {
		*dst = nil
		r.spoiled = true
		r.problem(m.at, Error, "too-many", fmt.Sprintf("it lists %d tasks; the limit is %d", len(seen), MaxDependencies),
			"add a task in between that depends on some of them")
		r.keep(m)
	}
}

// EncodeDependencies writes dependencies.json; depends_on is always there.
func EncodeDependencies(deps []UID, extra Extra) []byte {
	return encoded(dependenciesFormat(), &dependencyList{deps, extra})
}
