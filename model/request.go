package model

import (
	"path"
	"strings"

	"vespe/model/visible"
)

var requestKeys = []string{"id", "task_uid", "kind", "title", "detail", "state", "created_at", "created_by", "key"}

// DecodeRequest reads hitl_queue/<id>.json. An id that is absent is the file's name; a
// kind that is absent is a question and an absent state pending. An id that cannot be a
// file's name is a problem of Error severity.
func DecodeRequest(file string, b []byte) (Request, []Problem) {
	r := reader{path: file, src: b}
	var q Request
	var sawID bool
	m, ok := r.document()
	if !ok {
		return q, r.problems
	}
	for m.next() {
		switch string(m.bare()) {
		case "id":
			sawID = true
			if !isString(m.val) || !fileName(unquote(m.val)) {
				r.fatal(&m, "the name of a file")
				break
			}
			q.ID = unquote(m.val)
		case "task_uid":
			r.uid(&m, &q.TaskUID)
		case "kind":
			readText(&r, &m, &q.Kind)
		case "title":
			readText(&r, &m, &q.Title)
		case "detail":
			readText(&r, &m, &q.Detail)
		case "state":
			readText(&r, &m, &q.State)
		case "created_at":
			r.time(&m, &q.CreatedAt)
		case "created_by":
			readText(&r, &m, &q.CreatedBy)
		case "key":
			readText(&r, &m, &q.Key)
		default:
			r.unknown(&m, requestKeys, "id")
		}
	}
	if !sawID {
		q.ID = strings.TrimSuffix(path.Base(file), ".json")
		if !fileName(q.ID) {
			r.missing("id", "write the name of the file without .json")
		}
	}
	if q.Kind == "" && !hasKey(r.extra, "kind") {
		q.Kind = "question"
	}
	if q.State == "" && !hasKey(r.extra, "state") {
		q.State = "pending"
	}
	q.Extra = r.kept(requestKeys)
	return q, r.problems
}

// fileName reports whether s can name one file, everywhere and visibly.
func fileName(s string) bool {
	return s != "" && len(s) <= 128 && s[0] != '.' && s[0] != '-' && !strings.ContainsAny(s, `/\:*?"<>|`) && visible.Line(s) == s
}

// EncodeRequest writes hitl_queue/<id>.json. id, kind, title, state, created_at and
// created_by are always there.
func EncodeRequest(q Request) []byte {
	w := writer{buf: make([]byte, 0, 384), extra: q.Extra}
	w.open('{')
	w.text("id", q.ID, true)
	w.text("task_uid", string(q.TaskUID), false)
	w.text("kind", q.Kind, true)
	w.text("title", q.Title, true)
	w.text("detail", q.Detail, false)
	w.text("state", q.State, true)
	w.time("created_at", q.CreatedAt, true)
	w.text("created_by", string(q.CreatedBy), true)
	w.text("key", q.Key, false)
	w.rest(requestKeys)
	return w.file()
}
