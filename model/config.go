package model

import "strings"

var configKeys = []string{"uid", "name", "created_by", "created_at", "parent_uid"}

// DecodeConfig reads config.json, a task's identity. Without a uid and a name that can be
// read the task is nobody: both are problems of Error severity. An older system's
// `created_by_agent_uid` reads as `created_by` where that is absent.
func DecodeConfig(path string, b []byte) (Config, []Problem) {
	r := reader{path: path, src: b}
	var c Config
	m, ok := r.document()
	if !ok {
		return c, r.problems
	}
	var sawUID, sawName, sawCreator bool
	var alias members
	for m.next() {
		switch string(m.bare()) {
		case "uid":
			sawUID = true
			r.identity(&m, &c.UID)
		case "name":
			sawName = true
			if isString(m.val) {
				c.Name = unquote(m.val)
			}
			if strings.TrimSpace(c.Name) == "" {
				r.fatal(&m, "a name")
			}
		case "created_by":
			sawCreator = m.val[0] != 'n'
			readText(&r, &m, &c.CreatedBy)
		case "created_by_agent_uid":
			alias = m
		case "created_at":
			r.time(&m, &c.CreatedAt)
		case "parent_uid":
			r.uid(&m, &c.ParentUID)
		default:
			r.unknown(&m, configKeys, "uid", "name")
		}
	}
	switch {
	case alias.key == nil:
	case sawCreator || !isString(alias.val):
		r.keep(&alias)
	default:
		readText(&r, &alias, &c.CreatedBy)
	}
	if !sawUID {
		r.missing("uid", "write the name of the task's directory")
	}
	if !sawName {
		r.missing("name", "write a name for people to read")
	}
	c.Extra = r.kept(configKeys)
	return c, r.problems
}

// EncodeConfig writes config.json. All five keys are always there; parent_uid is null for
// a root task.
func EncodeConfig(c Config) []byte {
	w := writer{buf: make([]byte, 0, 256), extra: c.Extra}
	w.open('{')
	w.text("uid", string(c.UID), true)
	w.text("name", c.Name, true)
	w.text("created_by", string(c.CreatedBy), true)
	w.time("created_at", c.CreatedAt, true)
	if w.member("parent_uid", c.ParentUID == "", true) {
		if c.ParentUID == "" {
			w.buf = append(w.buf, "null"...)
		} else {
			w.buf = appendQuoted(w.buf, string(c.ParentUID))
		}
	}
	w.rest(configKeys)
	return w.file()
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
