package gitinternal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
)

// drawn makes values of a kind's members, whatever these may hold.
type drawn struct {
	t    *rapid.T
	ids  []string // that may be referred to, some of them of nothing
	text *rapid.Generator[string]
}

// members draws the members that something is made of here, each of which may hold anything.
func (d drawn) members() map[string]any {
	out := map[string]any{}
	for _, name := range []string{
		"task", "plan", "run", "run_id", "patchsets", "snapshot", "commit", "status", "error", "steps", "artifact", "kind", "tool", "command",
		"exit_code", "summary", "token_usage", "decision_type", "rationale", "tags", "external_ids", "unknown_member",
	} {
		if rapid.Bool().Draw(d.t, "with "+name) {
			out[name] = d.value(name)
		}
	}
	for _, texts := range []string{"tags", "external_ids"} {
		if out[texts] != nil {
			out[texts] = map[string]any{"a": d.text.Draw(d.t, texts)}
		}
	}
	return out
}

func (d drawn) value(name string) any {
	id := rapid.SampledFrom(d.ids)
	return rapid.OneOf(
		rapid.Map(id, func(s string) any { return s }), rapid.Map(d.text, func(s string) any { return s }),
		rapid.SampledFrom([]any{
			nil, 7, -1, 1.25, true, "completed", "failed", strings.Repeat("9f", 32),
			[]any{},
			[]any{"x", 7},
			map[string]any{"b": []any{1, "2"}, "a": nil},
			map[string]any{"hash": strings.Repeat("a", 64), "input_tokens": 5, "cost_usd": 0.5},
			[]any{map[string]any{"description": "a", "inputs": 1}, 7},
		}),
		rapid.Custom(func(t *rapid.T) any {
			return []any{map[string]any{"intent": d.text.Draw(t, "step"), "task": id.Draw(t, "of")}}
		}),
	).Draw(d.t, name)
}

func uuidOf(i int) string { return fmt.Sprintf("0197a0a2-3000-7000-8000-%012d", i) }

// file draws tasks and objects of every kind, which refer to one another as it comes.
func (d drawn) file(tasks, objects int) string {
	by := func() any {
		return map[string]any{"kind": rapid.SampledFrom([]string{"human", "agent", "system", "mcp_client", "robot"}).Draw(d.t, "kind"), "id": "x" + d.text.Draw(d.t, "id")}
	}
	var in bytes.Buffer
	write := func(i int, typ string, o map[string]any) {
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(d.t, "at"), 0).UTC()
		o["object_id"], o["object_type"], o["created_at"], o["created_by"] = uuidOf(i), typ, at.Format(time.RFC3339), by()
		o["updated_at"], o["header_version"], o["schema_version"], o["visibility"] = at.Add(time.Duration(rapid.IntRange(0, 1e6).Draw(d.t, "took"))*time.Millisecond).Format(time.RFC3339Nano), 1, 1, "private"
		b, err := json.Marshal(o)
		if err != nil {
			d.t.Fatal(err)
		}
		fields, _ := model.DecodeFields("", b)
		if rapid.Bool().Draw(d.t, "sealed") {
			fields = seal(fields)
		}
		in.Write(append(model.ObjectField("", fields).Value, '\n'))
	}
	for i := range tasks {
		o := map[string]any{"title": "t" + d.text.Draw(d.t, "title"), "status": rapid.SampledFrom([]string{"draft", "running", "done", "failed", "cancelled"}).Draw(d.t, "status")}
		if rapid.Bool().Draw(d.t, "has runs") {
			o["runs"] = []string{rapid.SampledFrom(d.ids).Draw(d.t, "run")}
		}
		if rapid.Bool().Draw(d.t, "has intent") {
			o["intent"] = rapid.SampledFrom(d.ids).Draw(d.t, "intent")
		}
		write(i, "task", o)
	}
	for i := range objects {
		typ := rapid.SampledFrom(slices.Sorted(maps.Keys(kinds))).Draw(d.t, "type")
		write(tasks+i, typ, d.members()) // without what leads back to itself, which is refused
	}
	return in.String()
}

func TestObjectsRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "One line", "Two\nlines\n", "\x1b[31mred", "日本", "- a\n- b", "```"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		tasks, objects := rapid.IntRange(0, 3).Draw(rt, "tasks"), rapid.IntRange(1, 8).Draw(rt, "objects")
		d := drawn{t: rt, text: text}
		for i := range tasks + objects + 1 {
			d.ids = append(d.ids, uuidOf(i))
		}
		in := d.file(tasks, objects)
		s := recordstest.New(rt, Format())
		defer s.Close()
		s.Import(in)
		s.Exports(in)
		first, _ := s.Export()
		if r := s.Import(in); r.Created+r.Updated != 0 {
			rt.Fatalf("a second import: %+v", r)
		}
		if again, _ := s.Export(); !bytes.Equal(records.ListValue(first), records.ListValue(again)) {
			rt.Fatal("a second export is another")
		}
		// In two parts, the second first: nothing of either is lost.
		parts := strings.SplitAfter(strings.TrimSuffix(in, "\n"), "\n")
		cut := rapid.IntRange(0, len(parts)).Draw(rt, "cut")
		other := recordstest.New(rt, Format())
		defer other.Close()
		for _, part := range []string{strings.Join(parts[cut:], ""), strings.Join(parts[:cut], "")} {
			if part != "" {
				other.Import(part)
			}
		}
		over := strings.Contains(in, `"status":"done"`) || strings.Contains(in, `"status":"failed"`) || strings.Contains(in, `"status":"cancelled"`)
		if !over { // what is over keeps what it came with
			other.Exports(in)
		}
	})
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte(whole()))
	f.Add([]byte(obj("plan", planUUID, "2026-01-02T00:00:00Z", `{"previous":"`+plan2UUID+`","steps":[{"description":"a","task":"`+id+`"}]}`)))
	f.Add([]byte(strings.ReplaceAll(whole(), runUUID, id)))
	f.Fuzz(func(t *testing.T, b []byte) { recordstest.Fuzz(t, Format(), b) })
}
