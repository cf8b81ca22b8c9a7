package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxPayload is how much of an event is read, in bytes: a call may write a whole file.
const maxPayload = 16 << 20

// Payload is what a client tells a hook. Any field may be missing: clients differ in what they send, and what
// is not as it should be is taken for missing. What is not named here is ignored.
type Payload struct {
	Event   string // as the payload says; the one that the hook was called for counts
	Session string // session_id
	CWD     string
	Mode    string // permission_mode: default, plan, acceptEdits, bypassPermissions, …

	Tool    string
	Input   jsontext.Value // tool_input, as it was sent; nil where there is none
	wrong   bool           // tool_input is there and no object
	ToolUse string         // tool_use_id; PermissionRequest has none
	Result  jsontext.Value // tool_response, of PostToolUse; nil where that is no object

	Prompt     string // of UserPromptSubmit
	StopActive bool   // of Stop: the turn continues because a hook blocked its end
}

var (
	errTooLarge = fmt.Errorf("the event has more than %d MiB", maxPayload>>20)
	errNothing  = errors.New("the event is empty")
)

// ReadPayload reads an event.
func ReadPayload(r io.Reader) (Payload, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	switch {
	case len(b) > maxPayload:
		return Payload{}, errTooLarge
	case err != nil:
		return Payload{}, fmt.Errorf("the event cannot be read: %w", err)
	}
	return ParsePayload(b)
}

// ParsePayload is ReadPayload of bytes that are there.
func ParsePayload(b []byte) (Payload, error) {
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	switch {
	case len(b) > maxPayload:
		return Payload{}, errTooLarge
	case len(b) == 0:
		return Payload{}, errNothing
	case b[0] != '{':
		return Payload{}, errors.New("the event is not a JSON object")
	}
	var o object
	// Half a character, which JavaScript can write, must not make an event unreadable.
	if err := json.Unmarshal(b, &o, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Payload{}, fmt.Errorf("the event is not JSON: %w", err)
	}
	in := o["tool_input"]
	return Payload{
		wrong: len(in) > 0 && in.Kind() != '{' && in.Kind() != 'n',
		Event: o.text("hook_event_name"), Session: o.text("session_id"), CWD: o.text("cwd"),
		Mode: o.text("permission_mode"),
		Tool: o.text("tool_name"), Input: o.object("tool_input"), ToolUse: o.text("tool_use_id"), Result: o.object("tool_response"),
		Prompt: o.text("prompt"), StopActive: o.is("stop_hook_active"),
	}, nil
}

// object is a JSON object of which any key may be missing, or hold anything.
type object map[string]jsontext.Value

func parseObject(raw jsontext.Value) object {
	var o object
	if len(raw) == 0 || json.Unmarshal(raw, &o, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return o
}

func (o object) text(key string) string {
	var s string
	if v := o[key]; v.Kind() != '"' || json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

func (o object) is(key string) bool { return o[key].Kind() == 't' }

// object is an object as it was written; nil where there is none.
func (o object) object(key string) jsontext.Value {
	if v := o[key]; v.Kind() == '{' {
		return v
	}
	return nil
}

// list is a list's members; nil where there is none.
func (o object) list(key string) []jsontext.Value {
	var list []jsontext.Value
	if v := o[key]; v.Kind() != '[' || json.Unmarshal(v, &list, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return list
}

// canonical is a JSON value in the form of RFC 8785, but with numbers as they were written: some clients tell more of them
// apart than a float64 does. It is the value as it is where that has no such form.
func canonical(v jsontext.Value) []byte {
	out := v.Clone()
	if out.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil {
		return v
	}
	return out
}

// sameJSON reports that two values say the same.
func sameJSON(a, b jsontext.Value) bool { return bytes.Equal(canonical(a), canonical(b)) }
