package gitinternal

import (
	"bytes"
	"encoding/json"
	"fmt"
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

func (d drawn) members(in []member, extra string) map[string]any {
	out := map[string]any{}
	for _, m := range in {
		if !m.need && rapid.Bool().Draw(d.t, "without "+m.name) {
			continue
		}
		if !m.list {
			out[m.name] = d.value(m)
			continue
		}
		list := make([]any, rapid.IntRange(0, 2).Draw(d.t, "many "+m.name))
		for i := range list {
			list[i] = d.value(m)
		}
		out[m.name] = list
	}
	if extra != "" && rapid.Bool().Draw(d.t, "with more") {
		out[extra] = d.text.Draw(d.t, extra)
	}
	return out
}

func (d drawn) value(m member) any {
	switch m.form {
	case isText:
		return d.text.Draw(d.t, m.name)
	case isWord:
		return rapid.SampledFrom(append(slices.Clone(m.words), "unheard of")).Draw(d.t, m.name)
	case isID:
		return rapid.SampledFrom(d.ids).Draw(d.t, m.name)
	case isCommit:
		return strings.Repeat(rapid.SampledFrom([]string{"0", "a", "9f"}).Draw(d.t, m.name), 64)[:64]
	case isWhole:
		return rapid.Int32().Draw(d.t, m.name)
	case isCount:
		return rapid.Uint32().Draw(d.t, m.name)
	case isNumber:
		return rapid.Float64Range(-1e9, 1e9).Draw(d.t, m.name)
	case isTime:
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(d.t, m.name), 0).UTC().Format(time.RFC3339)
	case isObject:
		return d.members(m.in, "")
	}
	values := []any{"x", 7, 1.25, map[string]any{"b": []any{1, "2"}, "a": nil}, []any{}}
	if !m.need {
		values = append(values, nil)
	}
	return rapid.SampledFrom(values).Draw(d.t, m.name)
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
		k := rapid.SampledFrom(kinds).Draw(d.t, "type")
		o := d.members(k.members, "unknown_member")
		delete(o, "previous") // what leads back to itself is refused, and tried elsewhere
		delete(o, "parent")
		write(tasks+i, k.name, o)
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
