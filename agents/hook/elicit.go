package hook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/agents/desk"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// elicit asks a person what an MCP server asks, where nobody sits at the session: the client would cancel it.
// vespe's own server has asked a person already.
func (h *session) elicit(ctx context.Context) reply {
	if !h.alone || h.p.Server == "vespe" || h.p.Asks == "url" || h.p.Schema == nil {
		return nothing()
	}
	key := h.callKeys() + digest("elicit", h.p.Server, h.p.Message, string(canonical(h.p.Schema)))
	fields := parseObject(parseObject(h.p.Schema)["properties"])
	q := desk.Question{Title: title(h.p.Server+" asks: "+h.p.Message, maxTitle), Key: key}
	detail := fmt.Sprintf("The MCP server %s asks:\n\n%s\n\nIts answer must look like this:\n\n%s", title(h.p.Server, 100), visible.String(h.p.Message), fence("json", pretty(h.p.Schema)))
	only, options := oneField(fields)
	switch {
	case len(options) > 0:
		q.Kind, q.Options = desk.KindChoice, options
	case only != "":
		q.Kind = desk.KindQuestion
	default:
		template := map[string]jsontext.Value{}
		for name, f := range fields {
			template[name] = jsontext.Value("null")
			if v := parseObject(f)["default"]; v != nil {
				template[name] = v
			}
		}
		args, err := json.Marshal(template, json.Deterministic(true))
		if err != nil {
			return nothing()
		}
		q.Kind, q.Args = desk.KindAction, args
		detail += "\nEdit the arguments: they are the answer.\n"
	}
	q.Detail = clip(detail, desk.MaxDetail-100)
	var r desk.Review
	err := h.asking(ctx, func(n *notes, snap *snapshot.Snapshot) (err error) {
		q.Key = h.nextKey(n, key)
		r, err = h.ask(ctx, snap, q)
		return err
	})
	if err == nil {
		r, err = h.await(ctx, r)
	}
	if err != nil || r.Waits() {
		return nothing() // the client cancels it, which is nobody's no
	}
	if _, err := h.claimed(key, "", false); err != nil {
		return nothing()
	}
	out := elicited(&r, only, fields)
	if out.is(replyPass) || out.is(replyFill) && (r.Text == "" || r.State == desk.StateAnswered) {
		return out.tells(r.ReviewID) // what was said with a choice has no place in the form: the next prompt tells it
	}
	return out
}

// elicited is a person's answer as the server wants it.
func elicited(r *desk.Review, only string, fields object) reply {
	switch r.State {
	case desk.StateDenied:
		return reply{kind: replyPass}
	case desk.StateEdited:
		return reply{kind: replyFill, input: jsontext.Value(r.Args)}
	case desk.StateAccepted, desk.StateAnswered:
		text := r.Choice
		if text == "" {
			text = strings.TrimSpace(r.Text)
		}
		switch {
		case only == "" && r.State == desk.StateAccepted:
			return reply{kind: replyFill, input: jsontext.Value(r.Args)}
		case only == "" || text == "":
			return nothing()
		}
		value, err := valueOf(text, parseObject(fields[only]).text("type"))
		if err != nil {
			return nothing()
		}
		out, err := json.Marshal(map[string]jsontext.Value{only: value})
		if err != nil {
			return nothing()
		}
		return reply{kind: replyFill, input: out}
	}
	return nothing()
}

// valueOf is a text as a value of a type.
func valueOf(text, kind string) (jsontext.Value, error) {
	switch kind {
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "y":
			return jsontext.Value("true"), nil
		case "false", "no", "n":
			return jsontext.Value("false"), nil
		}
		return nil, fmt.Errorf("%q is not yes or no", text)
	case "number", "integer":
		v := jsontext.Value(text)
		if v.Kind() != '0' || !v.IsValid() {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return v, nil
	}
	return json.Marshal(text)
}

// oneField is the only field of a form, with what can be chosen for it.
func oneField(fields object) (name string, options []string) {
	if len(fields) != 1 {
		return "", nil
	}
	for name = range maps.Keys(fields) {
		f := parseObject(fields[name])
		if options = texts(f.list("enum")); len(options) == 0 && f.text("type") == "boolean" {
			options = []string{"yes", "no"}
		}
	}
	if slices.ContainsFunc(options, func(o string) bool { return o == "" || o != title(o, 190) }) || len(options) > 50 {
		options = nil
	}
	return name, options
}

func pretty(v jsontext.Value) string {
	out := v.Clone()
	if out.Indent(jsontext.WithIndent("  ")) != nil {
		return string(v)
	}
	return visible.String(string(out))
}
