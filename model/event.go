package model

import (
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

var eventFormat = formatOf[Event]()

// DecodeEvent reads one file of persistent/. Older systems write event_type, timestamp,
// acting_agent_uid (before that agent_id, later author_agent_uid) and content; those read
// as event, at, actor and summary where our own are absent. A message of theirs, whose content
// says what it is, is the event message, thought, tool_call or tool_result. What the file does not say is
// taken from its path: the task from the directory, the time and the event from the
// file's name. Every other key, and every value that cannot be read, becomes a detail. An
// event without a name is a problem of Error severity.
func DecodeEvent(file string, b []byte) (Event, []Problem) {
	r := reader{path: file, src: b}
	e := &Event{File: path.Base(file)}
	m, ok := r.document()
	if !ok {
		return *e, r.problems
	}
	var older []members
	r.strange = func(m *members) { older = append(older, *m) }
	eventFormat().read(&r, m, reflect.ValueOf(e).Elem())
	said := r.message(older, e)
	for i := range older {
		if i != said {
			r.olderEventMember(&older[i], e)
		}
	}
	if home := taskOfPath(file); home != "" && e.UID != home {
		if e.UID != "" {
			r.extra = append(r.extra, TextField("uid", string(e.UID)))
		}
		e.UID = home
	}
	at, name, named := ParseEventFile(e.File)
	if e.At.IsZero() && named {
		e.At = at
	}
	if e.Name == "" && named {
		e.Name = name
	}
	if e.Name == "" {
		r.missing("event", "write what happened, for example \"start\"")
	}
	taken := make(map[string]bool, len(e.Details)+len(r.extra))
	for _, f := range e.Details {
		taken[f.Key] = true
	}
	for _, f := range r.extra {
		e.Details = append(e.Details, ExtraField{Key: freshKey(taken, f.Key), Value: CompactJSON(f.Value)})
	}
	return *e, r.problems
}

// message reads what a message of an agent's memory says, msg-<uid>.json of the original: content is an
// object of one member, Text, Thought, ToolCall or ToolResult. It names no event, so that it is one.
// It returns which of the members that was; -1 for none.
func (r *reader) message(older []members, e *Event) int {
	said := -1
	for i := range older {
		switch older[i].name() {
		case "event_type":
			return -1
		case "content":
			said = i
		}
	}
	if said < 0 || e.Name != "" || older[said].val[0] != '{' {
		return -1
	}
	in := older[said].inside()
	if !in.next() {
		return -1
	}
	kind, value := in.name(), in.val
	event, known := map[string]Name{"Text": "message", "Thought": "thought", "ToolCall": "tool_call", "ToolResult": "tool_result"}[kind]
	if in.next() || !known || isString(value) != (kind == "Text" || kind == "Thought") {
		return -1
	}
	e.Name = event
	if isString(value) {
		if e.Summary == "" {
			e.Summary = unquote(value)
		}
		return said
	}
	if value[0] != '{' {
		return said
	}
	call := older[said].inside()
	call.next()
	for m := call.inside(); m.next(); {
		if m.name() == "tool_name" && isString(m.val) && e.Summary == "" {
			e.Summary = unquote(m.val)
		}
		r.keep(&m) // as details: what was called, with what, and what came of it
	}
	return said
}

// freshKey is key, or key with a number when it is taken, and takes it.
func freshKey(taken map[string]bool, key string) string {
	fresh := key
	for n := 2; taken[fresh]; n++ {
		fresh = key + "_" + strconv.Itoa(n)
	}
	taken[fresh] = true
	return fresh
}

func (r *reader) details(m *members, dst *[]ExtraField) {
	r.fields(m, dst)
	for i, f := range *dst {
		(*dst)[i].Value = CompactJSON(f.Value)
	}
}

func (r *reader) compact(m *members, dst *[]byte) { *dst = CompactJSON(m.val) }

// olderEventMember reads a key of an older system unless our own key has been read.
func (r *reader) olderEventMember(m *members, e *Event) {
	name := m.name()
	switch {
	case name == "event_type" && e.Name == "" && isString(m.val):
		e.Name = Name(unquote(m.val))
	case name == "timestamp" && e.At.IsZero():
		r.time(m, &e.At)
	case name == "content" && e.Summary == "" && isString(m.val):
		e.Summary = unquote(m.val)
	case (name == "acting_agent_uid" || name == "agent_id" || name == "author_agent_uid") && e.Actor == "" && isString(m.val):
		e.Actor = Actor(unquote(m.val))
	default:
		r.unknown(m, eventFormat().keys)
	}
}

// EncodeEvent writes one file of persistent/. event, uid, at and actor are always there;
// the rest is left out while it says nothing. File is where the event was read from and
// is not written.
func EncodeEvent(e Event) []byte { return encoded(eventFormat(), &e) }

const (
	stampLayout = "20060102150405" // the seconds of an event file's name, in UTC
	maxEvent    = 64               // bytes of the event in a file's name
)

// EventFile is the name of an event's file below persistent/:
// YYYYMMDDhhmmss_mmm_<event>-<hash>.json, in UTC. Characters of the event other than small
// letters, digits and "_" become "_". The hash is of the operation's id, so that clones give different names; it is
// left out where there is none. Two events of one operation may have the same name; who
// writes them must tell them apart.
func EventFile(e Event) string {
	at := e.At.UTC()
	name := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '_'
	}, string(e.Name[:min(len(e.Name), maxEvent)]))
	buf := at.AppendFormat(make([]byte, 0, 40+len(name)), stampLayout)
	ms := at.Nanosecond() / int(time.Millisecond)
	buf = append(buf, '_', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), '_')
	buf = append(append(buf, name...), eventSuffix(e.OpID)...)
	return string(append(buf, ".json"...))
}

// ParseEventFile reads the time and the event from the name of a file of persistent/.
// Older systems glue the milliseconds to the seconds, or write fewer than three digits of
// them, or none.
func ParseEventFile(name string) (at time.Time, event Name, ok bool) {
	name, ok = strings.CutSuffix(name, ".json")
	if !ok {
		return time.Time{}, "", false
	}
	parts := strings.SplitN(withoutSuffix(name), "_", 3)
	if slices.Contains(parts, "") || len(parts) < 2 {
		return time.Time{}, "", false
	}
	stamp, millis, rest := parts[0], "", parts[1:]
	if len(stamp) == len(stampLayout)+3 {
		stamp, millis = stamp[:len(stampLayout)], stamp[len(stampLayout):]
	} else if _, digits := digitsOf([]byte(rest[0])); digits && len(rest[0]) <= 3 && len(rest) == 2 {
		millis, rest = rest[0], rest[1:]
	}
	at, err := time.Parse(stampLayout, stamp)
	if err != nil || len(stamp) != len(stampLayout) { // it takes a fraction that nobody asked for
		return time.Time{}, "", false
	}
	if millis != "" {
		ms, digits := digitsOf([]byte(millis))
		if !digits {
			return time.Time{}, "", false
		}
		at = at.Add(time.Duration(ms) * time.Millisecond)
	}
	return at, Name(strings.Join(rest, "_")), true
}

// DocRevision is one recorded revision of a task's document, numbered from 1.
type DocRevision struct {
	Doc Doc
	N   int
}

// Recorded are the revisions that came to be with an event: what its details call
// objective_revision and plan_revision, and where a document was defined their revision. A
// verdict names the revision that it is about, which is not its own.
func (e *Event) Recorded() []DocRevision {
	var out []DocRevision
	add := func(d Doc, key string) {
		if n := e.Number(key); n > 0 {
			out = append(out, DocRevision{d, n})
		}
	}
	switch e.Name {
	case DefineObjective:
		add(Objective, "revision")
	case DefinePlan:
		add(Plan, "revision")
	default:
		add(Objective, RevisionKey(Objective))
		add(Plan, RevisionKey(Plan))
	}
	return out
}

// Number is a whole number in an event's details; 0 when there is none.
func (e *Event) Number(key string) int {
	for _, f := range e.Details {
		if f.Key == key {
			n, err := strconv.Atoi(string(f.Value))
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}

// Text is a text in an event's details; "" when there is none.
func (e *Event) Text(key string) string {
	for _, f := range e.Details {
		if f.Key == key && len(f.Value) > 0 && f.Value[0] == '"' {
			return unquote(f.Value)
		}
	}
	return ""
}

// RevisionKey is the key of the details that has the revision of a document.
func RevisionKey(d Doc) string { return string(d) + "_revision" }
