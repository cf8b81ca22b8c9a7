package worker

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object of which any key may be missing, or hold anything.
type object map[string]any

// maxNested is how deep values are read; a deeper one is no value.
const maxNested = 64

// parseObject reads a line as a JSON object. Of one whose end is missing it is what was there
// (partial); ok is false for everything else.
func parseObject(line []byte) (o object, partial, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return nil, false, false
	}
	v, whole := readValue(d, 0)
	o, ok = v.(object)
	if !ok || whole && len(bytes.TrimSpace(line[d.InputOffset():])) > 0 {
		return nil, false, false
	}
	return o, !whole, true
}

// readValue reads the next value; whole is false when the text ended, or went wrong, within it.
func readValue(d *jsontext.Decoder, depth int) (v any, whole bool) {
	switch d.PeekKind() {
	case '{':
		if depth == maxNested {
			return nil, d.SkipValue() == nil
		}
		o := object{}
		if _, err := d.ReadToken(); err != nil {
			return o, false
		}
		for d.PeekKind() == '"' {
			name, err := d.ReadToken()
			if err != nil {
				return o, false
			}
			key := name.String()
			v, whole := readValue(d, depth+1)
			if whole || v != nil {
				o[key] = v
			}
			if !whole {
				return o, false
			}
		}
		_, err := d.ReadToken()
		return o, err == nil
	case '[':
		if depth == maxNested {
			return nil, d.SkipValue() == nil
		}
		list := []any{}
		if _, err := d.ReadToken(); err != nil {
			return list, false
		}
		for k := d.PeekKind(); k != ']'; k = d.PeekKind() {
			v, whole := readValue(d, depth+1)
			if v != nil {
				list = append(list, v)
			}
			if !whole {
				return list, false
			}
		}
		_, err := d.ReadToken()
		return list, err == nil
	}
	t, err := d.ReadToken()
	if err != nil {
		return nil, false
	}
	switch t.Kind() {
	case '"':
		return t.String(), true
	case 't', 'f':
		return t.Bool(), true
	case '0':
		f, err := strconv.ParseFloat(t.String(), 64)
		if err != nil {
			return nil, true
		}
		return f, true
	case 'n':
		return nil, true
	}
	return nil, false
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) in(key string) object {
	in, _ := o[key].(object)
	return in
}

func (o object) list(key string) []any {
	list, _ := o[key].([]any)
	return list
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
