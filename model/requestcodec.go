package model

import (
	"bytes"
	"path"
	"reflect"
	"strings"

	"vespe/model/visible"
)

var requestFormat = formatOf[Request]()

// DecodeRequest reads hitl_queue/<id>.json. An id that is absent is the file's name; a
// kind that is absent is a question and an absent state pending. An id that cannot be a
// file's name is a problem of Error severity.
func DecodeRequest(file string, b []byte) (Request, []Problem) {
	r := reader{path: file, src: b}
	q := new(Request)
	m, ok := r.document()
	if !ok {
		return *q, r.problems
	}
	f := requestFormat()
	if seen := f.read(&r, m, reflect.ValueOf(q).Elem()); !f.has(seen, "id") {
		q.ID = strings.TrimSuffix(path.Base(file), ".json")
		if !fileName(q.ID) {
			r.missing("id", "write the name of the file without .json")
		}
	}
	if q.Kind == "" && !hasKey(r.extra, "kind") {
		q.Kind = KindQuestion
	}
	if q.State == "" && !hasKey(r.extra, "state") {
		q.State = RequestPending
	}
	q.Extra = r.kept(f.keys)
	return *q, r.problems
}

func (r *reader) fileName(m *members, dst *string) {
	if !isString(m.val) || !fileName(unquote(m.val)) {
		r.fatal(m, "the name of a file")
		return
	}
	*dst = unquote(m.val)
}

// rawObject keeps an object byte for byte.
func (r *reader) rawObject(m *members, dst *[]byte) {
	switch {
	case m.val[0] == 'n':
	case m.val[0] != '{':
		r.wrong(m, "an object")
	case JSONDepth(m.val) >= MaxDepth:
		r.spoiled = true
		r.tooDeep(m.at)
	default:
		*dst = bytes.Clone(m.val)
	}
}

// fileName reports whether s can name one file, everywhere and visibly.
func fileName(s string) bool {
	return s != "" && len(s) <= 128 && s[0] != '.' && s[0] != '-' && !strings.ContainsAny(s, `/\:*?"<>|`) && visible.Line(s) == s
}

// EncodeRequest writes hitl_queue/<id>.json.
func EncodeRequest(q Request) []byte { return encoded(requestFormat(), &q) }

// Clone is a deep copy.
func (q Request) Clone() Request { return *cloned(requestFormat(), &q) }
