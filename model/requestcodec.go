package model

import (
	"bytes"
	"path"
	"strings"

	"vespe/model/visible"
)

var requestKeys = []string{
	"id", "task_uid", "kind", "title", "detail", "options", "args", "allow", "risk", "state",
	"created_at", "created_by", "expires_at", "key", "answer", "other_answers",
}

var answerKeys = []string{
	"decision", "by", "at", "text", "choice", "args", "late",
	"fetched_by", "fetched_at", "acted_by", "acted_at", "acted_with",
}

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
		if string(m.bare()) == "id" {
			sawID = true
		}
		r.requestMember(&m, &q)
	}
	if !sawID {
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
	q.Extra = r.kept(requestKeys)
	return q, r.problems
}

func (r *reader) requestMember(m *members, q *Request) {
	switch string(m.bare()) {
	case "id":
		if !isString(m.val) || !fileName(unquote(m.val)) {
			r.fatal(m, "the name of a file")
			break
		}
		q.ID = unquote(m.val)
	case "task_uid":
		r.uid(m, &q.TaskUID)
	case "kind":
		readText(r, m, &q.Kind)
	case "title":
		readText(r, m, &q.Title)
	case "detail":
		readText(r, m, &q.Detail)
	case "options":
		readTexts(r, m, &q.Options)
	case "args":
		r.rawObject(m, &q.Args)
	case "allow":
		readTexts(r, m, &q.Allow)
	case "risk":
		readText(r, m, &q.Risk)
	case "state":
		readText(r, m, &q.State)
	case "created_at":
		r.time(m, &q.CreatedAt)
	case "created_by":
		readText(r, m, &q.CreatedBy)
	case "expires_at":
		r.time(m, &q.ExpiresAt)
	case "key":
		readText(r, m, &q.Key)
	case "answer":
		r.answer(m, &q.Answer)
	case "other_answers":
		readItems(r, m, &q.Others, "a list of answers", func(text string) Answer { return Answer{Text: text} }, answerMember)
	default:
		r.unknown(m, requestKeys, "id")
	}
}

// rawObject keeps an object byte for byte.
func (r *reader) rawObject(m *members, dst *[]byte) {
	switch {
	case m.val[0] == 'n':
	case m.val[0] != '{':
		r.wrong(m, "an object")
	case depthOf(m.val) >= maxDepth:
		r.spoiled = true
		r.tooDeep(m.at)
	default:
		*dst = bytes.Clone(m.val)
	}
}

func (r *reader) answer(m *members, dst **Answer) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	var a Answer
	for in.next() {
		answerMember(&sub, &in, &a)
	}
	if r.join(m, &sub) {
		*dst = &a
	}
}

func answerMember(r *reader, m *members, a *Answer) {
	switch string(m.bare()) {
	case "decision":
		readText(r, m, &a.Decision)
	case "by":
		readText(r, m, &a.By)
	case "at":
		r.time(m, &a.At)
	case "text":
		readText(r, m, &a.Text)
	case "choice":
		readText(r, m, &a.Choice)
	case "args":
		r.rawObject(m, &a.Args)
	case "late":
		r.bool(m, &a.Late)
	case "fetched_by":
		readText(r, m, &a.FetchedBy)
	case "fetched_at":
		r.time(m, &a.FetchedAt)
	case "acted_by":
		readText(r, m, &a.ActedBy)
	case "acted_at":
		r.time(m, &a.ActedAt)
	case "acted_with":
		readText(r, m, &a.ActedWith)
	default:
		r.unknown(m, answerKeys)
	}
	a.Extra = r.extra
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
	textList(&w, "options", q.Options, false)
	w.rawMember("args", q.Args)
	textList(&w, "allow", q.Allow, false)
	w.text("risk", q.Risk, false)
	w.text("state", q.State, true)
	w.time("created_at", q.CreatedAt, true)
	w.text("created_by", string(q.CreatedBy), true)
	w.time("expires_at", q.ExpiresAt, false)
	w.text("key", q.Key, false)
	if w.member("answer", q.Answer == nil, false) {
		w.answer(q.Answer)
	}
	if w.member("other_answers", len(q.Others) == 0, false) {
		outer := w.nested('[', nil)
		for i := range q.Others {
			w.item()
			w.answer(&q.Others[i])
		}
		w.endNested(']', outer)
	}
	w.rest(requestKeys)
	return w.file()
}

func (w *writer) answer(a *Answer) {
	outer := w.nested('{', a.Extra)
	w.text("decision", string(a.Decision), true)
	w.text("by", string(a.By), true)
	w.time("at", a.At, true)
	w.text("text", a.Text, false)
	w.text("choice", a.Choice, false)
	w.rawMember("args", a.Args)
	w.bool("late", a.Late, false)
	w.text("fetched_by", string(a.FetchedBy), false)
	w.time("fetched_at", a.FetchedAt, false)
	w.text("acted_by", string(a.ActedBy), false)
	w.time("acted_at", a.ActedAt, false)
	w.text("acted_with", string(a.ActedWith), false)
	w.rest(answerKeys)
	w.endNested('}', outer)
}

// rawMember writes an object as it is; nothing for nil.
func (w *writer) rawMember(key string, raw []byte) {
	if w.member(key, raw == nil, false) {
		w.raw(raw)
	}
}
