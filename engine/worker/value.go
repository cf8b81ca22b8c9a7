package worker

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object of which any key may be missing, or hold anything.
type object map[string]any

// parseObject reads a line as a JSON object; false for everything else, half an object too.
func parseObject(line []byte) (o object, ok bool) {
	err := json.Unmarshal(line, &o, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return o, err == nil && o != nil
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) in(key string) object {
	in, _ := o[key].(map[string]any)
	return in
}

// list are the objects of a list; what is none is one without keys.
func (o object) list(key string) []object { return objects(o[key]) }

func objects(list any) (out []object) {
	all, _ := list.([]any)
	for _, v := range all {
		in, _ := v.(map[string]any)
		out = append(out, in)
	}
	return out
}

func (o object) is(key string) bool {
	b, _ := o[key].(bool)
	return b
}

// number is a number from 0 up.
func (o object) number(key string) float64 {
	f, _ := o[key].(float64)
	if !(f >= 0 && f < 1<<53) {
		return 0
	}
	return f
}

// count is a number of tokens or turns; one that nothing could have is 1<<40.
func (o object) count(key string) int64 { return int64(min(o.number(key), 1<<40)) }

// exit is an exit code; ok is false where there is none.
func (o object) exit(key string) (code int, ok bool) {
	f, ok := o[key].(float64)
	if !ok || f != float64(int32(f)) {
		return 0, false
	}
	return int(f), true
}

// first is the first text of those that some keys have.
func (o object) first(keys ...string) string {
	for _, key := range keys {
		if s := o.text(key); s != "" {
			return s
		}
	}
	return ""
}

// encode is a value as JSON, for people, with its keys in order.
func encode(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.EscapeForHTML(false))
	if err != nil { // what was read from JSON can be written as JSON
		return ""
	}
	return string(b)
}
