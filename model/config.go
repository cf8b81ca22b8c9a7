package model

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
)

var configFormat = formatOf[Config]()

// DecodeConfig reads config.json, a task's identity. Without a uid and a name that can be
// read the task is nobody: both are problems of Error severity. An older system's
// `created_by_agent_uid` reads as `created_by` where that is absent.
func DecodeConfig(path string, b []byte) (c Config, problems []Problem) {
	problems = c.Decode(path, b)
	return c, problems
}

// Decode is DecodeConfig into c, which says nothing yet.
func (c *Config) Decode(path string, b []byte) []Problem {
	r := reader{path: path, src: b}
	m, ok := r.document()
	if !ok {
		return r.problems
	}
	f := configFormat()
	seen := f.read(&r, m, reflect.ValueOf(c).Elem())
	if by, is := r.extra.Text(olderCreator); is && c.CreatedBy == "" && !hasKey(r.extra, "created_by") {
		c.CreatedBy, r.extra = Actor(by), r.extra.Without(olderCreator)
	}
	if !f.has(seen, "uid") {
		r.missing("uid", "write the name of the task's directory")
	}
	if !f.has(seen, "name") {
		r.missing("name", "give the task a name")
	}
	c.Extra = r.kept(f.keys)
	return r.problems
}

// olderCreator is what an older system calls created_by.
const olderCreator = "created_by_agent_uid"

// EncodeConfig writes config.json. All five keys are always there; parent_uid is null for
// a root task.
func EncodeConfig(c Config) []byte { return encoded(configFormat(), &c) }

func (r *reader) taskName(m *members, dst *string) {
	if isString(m.val) {
		*dst = unquote(m.val)
	}
	if strings.TrimSpace(*dst) == "" {
		r.fatal(m, "a name")
	}
}

// identity reads a uid that the file cannot do without.
func (r *reader) identity(m *members, dst *UID) {
	if isString(m.val) {
		if u := UID(unquote(m.val)); u.Valid() {
			*dst = u
			return
		}
	}
	r.fatal(m, "a uid (lowercase letters, digits and dashes)")
}

// uid reads a reference to a task. What cannot name a task is kept but not used, so that
// it never becomes part of a path.
func (r *reader) uid(m *members, dst *UID) {
	switch {
	case m.val[0] == 'n' || string(m.val) == `""`:
	default:
		if isString(m.val) {
			if u := UID(unquote(m.val)); u.Valid() {
				*dst = u
				return
			}
		}
		r.wrong(m, "a uid (lowercase letters, digits and dashes)")
	}
}

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
