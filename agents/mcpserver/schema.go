package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"vespe/agents/desk"
	"vespe/model/visible"
)

// schemaOf is the JSON schema of a Go type, as clients take it: what may be absent is left out and never null, so
// that no property has two types, which not every client understands.
func schemaOf[T any](open bool) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
	}})
	if err != nil {
		panic(fmt.Sprintf("the schema of %v: %v", reflect.TypeFor[T](), err)) // a type of ours, the same in every run
	}
	tidy(s, open)
	return s
}

// tidy takes null out of types. An open schema lets objects have more than it names: a result may get new fields.
func tidy(s *jsonschema.Schema, open bool) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	if open && s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	tidy(s.Items, open)
	tidy(s.AdditionalProperties, open)
	for _, p := range s.Properties {
		tidy(p, open)
	}
}

// outline is the schema of a result as clients are offered it: which fields there are and of what type. A model reads
// what a field means in the result itself and in docs/mcp.md; told of every field of every tool, each session would
// pay for three quarters of the list of tools.
func outline(s *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: s.Type, Required: s.Required, PropertyOrder: s.PropertyOrder, Properties: map[string]*jsonschema.Schema{}}
	for name, p := range s.Properties {
		short := &jsonschema.Schema{Type: p.Type}
		if p.Items != nil {
			short.Items = &jsonschema.Schema{Type: p.Items.Type}
		}
		out.Properties[name] = short
	}
	return out
}

// words bounds properties of a schema that are one of some words.
func words(s *jsonschema.Schema, property string, of ...string) {
	p := s.Properties[property]
	if p.Type == "array" {
		p = p.Items
	}
	for _, w := range of {
		p.Enum = append(p.Enum, w)
	}
}

// taken is what a call was given, read by the schema of its tool. What is null counts as left out: models write
// it for what they have nothing to say on. Where the whole is wanted, a null inside of it is one.
func taken[In any](name string, schema *jsonschema.Resolved, raw json.RawMessage, whole bool) (in In, err error) {
	wrong := func(why string) error {
		return &desk.Error{
			Code:    desk.CodeInvalid,
			Message: "invalid arguments for " + name + ": " + visible.String(why) + ". Nothing was done",
			Next:    "Send the call again. " + name + " takes " + takes(schema.Schema()) + ".",
		}
	}
	var all any = map[string]any{}
	if len(raw) > 0 {
		if err := jsonv2.Unmarshal(raw, &all); err != nil {
			return in, wrong(plainly(err))
		}
	}
	if all == nil {
		all = map[string]any{}
	}
	cut := !whole && withoutNulls(all)
	if err := schema.Validate(all); err != nil {
		return in, wrong(plainly(err))
	}
	if cut || len(raw) == 0 {
		if raw, err = json.Marshal(all); err != nil {
			return in, wrong(plainly(err))
		}
	}
	if err := jsonv2.Unmarshal(raw, &in); err != nil {
		return in, wrong(plainly(err))
	}
	return in, nil
}

// withoutNulls removes what is null from objects, and says whether there was anything.
func withoutNulls(v any) (cut bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				delete(v, key)
				cut = true
			} else if withoutNulls(value) {
				cut = true
			}
		}
	case []any:
		for _, value := range v {
			if withoutNulls(value) {
				cut = true
			}
		}
	}
	return cut
}

// plainly is what the libraries say of wrong arguments, without what is about them alone.
func plainly(err error) string {
	var se *jsonv2.SemanticError
	if errors.As(err, &se) && se.Err != nil && se.JSONPointer != "" {
		return string(se.JSONPointer) + ": " + se.Err.Error()
	}
	text := err.Error()
	text = strings.ReplaceAll(text, "validating root: ", "")
	text = strings.ReplaceAll(text, "validating /properties/", "in ")
	text = strings.ReplaceAll(text, "/properties/", ".")
	text = strings.TrimPrefix(text, "jsontext: ")
	return strings.TrimPrefix(text, "json: ")
}

// takes lists what a schema's object has: first what it has to.
func takes(s *jsonschema.Schema) string {
	var must, may []string
	for _, name := range s.PropertyOrder {
		if slices.Contains(s.Required, name) {
			must = append(must, name)
		} else {
			may = append(may, name)
		}
	}
	if len(s.Properties) == 0 {
		return "no arguments"
	}
	out := strings.Join(must, ", ")
	if len(must) > 0 && len(may) > 0 {
		out += " (required), and "
	}
	if len(may) > 0 {
		out += "if you want " + strings.Join(may, ", ")
	}
	return out
}
