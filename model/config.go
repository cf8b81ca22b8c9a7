package model

import (
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
	r.fatal(m, "a uid (small letters, digits and dashes)")
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
		r.wrong(m, "a uid (small letters, digits and dashes)")
	}
}
