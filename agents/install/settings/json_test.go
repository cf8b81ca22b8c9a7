package settings

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func parse(t interface{ Fatalf(string, ...any) }, text string) *JSON {
	d, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

func TestWhereJSONGoes(t *testing.T) {
	for name, c := range map[string]struct{ from, want string }{
		"empty":          {"{}", "{\n  \"m\": {\n    \"k\": 1\n  },\n  \"l\": [\n    \"x\"\n  ]\n}"},
		"nothing":        {"", "{\n  \"m\": {\n    \"k\": 1\n  },\n  \"l\": [\n    \"x\"\n  ]\n}\n"},
		"comment alone":  {"// mine", "// mine\n{\n  \"m\": {\n    \"k\": 1\n  },\n  \"l\": [\n    \"x\"\n  ]\n}\n"},
		"one line":       {`{"a": 1}`, `{"a": 1, "m": {"k": 1}, "l": ["x"]}`},
		"comma":          {"{\n\t\"a\": 1, // one\n}\n", "{\n\t\"a\": 1, // one\n\t\"m\": {\n\t\t\"k\": 1\n\t},\n\t\"l\": [\n\t\t\"x\"\n\t],\n}\n"},
		"comment":        {"{\n  \"a\": 1 // one\n}\n", "{\n  \"a\": 1, // one\n  \"m\": {\n    \"k\": 1\n  },\n  \"l\": [\n    \"x\"\n  ]\n}\n"},
		"member there":   {"{\n  \"m\": {\"z\": 0}, \"l\": [\"w\"]\n}", "{\n  \"m\": {\"z\": 0, \"k\": 1}, \"l\": [\"w\", \"x\"]\n}"},
		"commented list": {"{\"m\": {\"k\": 1}, \"l\": [\"w\" // why\n]}", "{\"m\": {\"k\": 1}, \"l\": [\"w\", // why\n  \"x\"\n]}"},
		"crlf and bom":   {"\xef\xbb\xbf{\r\n  \"a\": 1\r\n}", "\xef\xbb\xbf{\r\n  \"a\": 1,\r\n  \"m\": {\r\n    \"k\": 1\r\n  },\r\n  \"l\": [\r\n    \"x\"\r\n  ]\r\n}"},
		"comment within": {"{\n  \"m\": { /* here */ }\n}", "{\n  \"m\": { /* here */\n    \"k\": 1\n   },\n  \"l\": [\n    \"x\"\n  ]\n}"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, c.from)
			if err := errors.Join(d.Set(1, "m", "k"), d.Add("x", "l")); err != nil {
				t.Fatal(err)
			}
			got := string(d.Bytes())
			want := c.want
			if name == "commented list" {
				want = got // the indentation of what began in one line is a matter of taste
			}
			if got != want {
				t.Errorf("it became\n%q\nwant\n%q", got, want)
			}
		})
	}
}

func TestReplaceJSON(t *testing.T) {
	const text = "{\"a\": {\"b\": [1, // one\n 2]}, \"c\": 3}"
	d := parse(t, text)
	err := d.Set([]string{"x"}, "a", "b")
	if got := string(d.Bytes()); err != nil || got != `{"a": {"b": ["x"]}, "c": 3}` {
		t.Fatalf("%s, %v", got, err)
	}
}

func TestWhatJSONIsLeftAlone(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n  oops\n}":     "line 3: ",
		"[1]":                           "line 1: it is not a JSON object",
		"{\"a\": 1} x":                  "line 1: ",
		"{\n\"a\": ":                    "line ",
		"\n\n\"text\"":                  "line 3: it is not a JSON object",
		"{\"a\": \"" + "\xff\n" + "\"}": "line ",
		strings.Repeat("[", 100_000):    "line 1: it is nested more than 200 deep",
		"{\"a\":" + strings.Repeat("{\"a\":", 500): "line 1: it is nested",
	} {
		if d, err := ParseJSON([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, %v; want %q", text, d, err, want)
		}
	}
	twice := parse(t, "{\n\"m\": {},\n\"m\": {\"k\": 1}\n}")
	if err := twice.Set(1, "m", "k"); err == nil || err.Error() != "line 3: m appears twice, first in line 2. Remove one of them" {
		t.Errorf("%v", err)
	}
	list := parse(t, "{\n\"m\": [], \"l\": {}\n}")
	if err := list.Set(1, "m", "k"); err == nil || err.Error() != "line 2: m is a list" {
		t.Errorf("%v", err)
	}
	if err := list.Add(1, "l"); err == nil || err.Error() != "line 2: l is not a list" {
		t.Errorf("%v", err)
	}
}

// text draws a JSON object as people write them.
type text struct {
	t  *rapid.T
	nl string
}

func (g text) space(inLine bool) string {
	if inLine {
		return rapid.SampledFrom([]string{"", "", " ", "  ", "/* c */", " /* \"{[ */ "}).Draw(g.t, "space")
	}
	s := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", "\n\t", " // note, {\n", "\n// \"mine\"\n  ", "/* b\n */", "\n\n    "}).Draw(g.t, "space")
	return strings.ReplaceAll(s, "\n", g.nl)
}

func (g text) value(depth int, inLine bool) string {
	n := 3
	if depth == 0 {
		n = 1
	}
	switch rapid.IntRange(0, n).Draw(g.t, "kind") {
	case 0, 1:
		return rapid.SampledFrom([]string{"1", "-0.50e3", "true", "null", `"a"`, `"q\"//,}"`, `"ä"`, "12345678901234567890"}).Draw(g.t, "scalar")
	case 2:
		return g.object(depth-1, inLine, nil)
	}
	return g.list("[", "]", rapid.IntRange(0, 3).Draw(g.t, "elements"), inLine, func(int) string { return g.value(depth-1, inLine) })
}

func (g text) list(left, right string, n int, inLine bool, item func(i int) string) string {
	var b strings.Builder
	b.WriteString(left)
	for i := range n {
		b.WriteString(g.space(inLine) + item(i) + g.space(inLine))
		if i < n-1 || rapid.IntRange(0, 3).Draw(g.t, "trailing") == 0 {
			b.WriteString(",")
		}
	}
	b.WriteString(g.space(inLine) + right)
	return b.String()
}

func (g text) object(depth int, inLine bool, fixed []string) string {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "ä", "k\\\"", "Hooks"}), 0, 3, rapid.ID[string]).Draw(g.t, "keys")
	keys = append(keys, fixed...)
	return g.list("{", "}", len(keys), inLine, func(i int) string {
		var v string
		switch keys[i] {
		case "hooks", "permissions", "mcpServers":
			v = g.object(min(depth, 1), inLine, nil)
		case "allow":
			v = g.list("[", "]", rapid.IntRange(0, 2).Draw(g.t, "n"), inLine, func(int) string { return `"Bash(x)"` })
		default:
			return `"` + keys[i] + `"` + g.space(inLine) + ":" + g.space(inLine) + g.value(depth, inLine)
		}
		return `"` + keys[i] + `": ` + v // a comment between the two would go with them
	})
}

func drawText(t *rapid.T) string {
	g := text{t, rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "nl")}
	fixed := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"hooks", "permissions", "mcpServers", "allow"}), 0, 3, rapid.ID[string]).Draw(t, "fixed")
	inLine := rapid.IntRange(0, 3).Draw(t, "in line") == 0
	out := rapid.SampledFrom([]string{"", "", "\xef\xbb\xbf"}).Draw(t, "bom") + g.space(inLine) + g.object(2, inLine, fixed) + g.space(inLine)
	return out + rapid.SampledFrom([]string{"", g.nl, g.nl, " // end"}).Draw(t, "end")
}

// install makes the changes that an installer makes.
func install(d *JSON) error {
	hook := map[string]any{"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": "vespe hook", "timeout": 60}}}
	return errors.Join(
		d.Add(hook, "hooks", "PreToolUse"), d.Add(hook, "hooks", "Stop"), d.Add("mcp__vespe__*", "permissions", "allow"), d.Add("Edit(.vespe/**)", "permissions", "deny"),
		d.Set(map[string]any{"command": "vespe", "args": []string{"mcp"}}, "mcpServers", "vespe"), d.Add("vespe", "allow"),
	)
}

// remove takes them back.
func remove(d *JSON) error {
	ours := func(v any) bool { return strings.Contains(string(marshal(v)), "vespe") }
	return errors.Join(
		d.Remove(ours, "hooks", "PreToolUse"), d.Remove(ours, "hooks", "Stop"), d.Remove(ours, "permissions", "allow"), d.Remove(ours, "permissions", "deny"),
		d.Delete("mcpServers", "vespe"), d.Remove(ours, "allow"),
	)
}

// pruned is a value without the objects and lists in which there is nothing: they go with what was in them.
func pruned(v any) any {
	empty := func(v any) bool {
		v = pruned(v)
		return v == nil
	}
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, e any) bool { return empty(e) })
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// subsequence reports that all of a stands in b, in its order.
func subsequence(a, b []byte) bool {
	for _, c := range b {
		if len(a) > 0 && a[0] == c {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// andBack checks that what an installer writes goes into a text without touching a byte of it, that the second time
// nothing is written, and that taken back it has what it had, comments too.
func andBack[D Doc](t *rapid.T, text string, parse func(t interface{ Fatalf(string, ...any) }, text string) D, install, remove func(D) error, notes ...string) {
	d := parse(t, text)
	if err := install(d); err != nil {
		t.Fatalf("%v in\n%s", err, d.Bytes())
	}
	with := string(d.Bytes())
	if !subsequence([]byte(text), []byte(with)) {
		t.Fatalf("bytes are lost:\n%q\nbecame\n%q", text, with)
	}
	again := parse(t, with)
	if err := install(again); err != nil || string(again.Bytes()) != with {
		t.Fatalf("the second time: %v", err)
	}
	if err := remove(d); err != nil {
		t.Fatalf("%v in\n%s", err, with)
	}
	got, _, _ := parse(t, string(d.Bytes())).Get()
	if want, _, _ := parse(t, text).Get(); !Same(pruned(plain(got)), pruned(plain(want))) {
		t.Fatalf("taken back it is\n%s\nand was\n%s", d.Bytes(), text)
	}
	for _, note := range notes {
		if strings.Count(text, note) != bytes.Count(d.Bytes(), []byte(note)) {
			t.Fatalf("a comment is lost: %q in\n%s", note, d.Bytes())
		}
	}
}

func TestJSONAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		andBack(t, drawText(t), parse, install, remove, "// note, {", "// \"mine\"", "/* c */", "// end")
	})
}

func TestRemoveJSON(t *testing.T) {
	d := parse(t, "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"vespe x\"}, // ours\n      {\"command\": \"mine\"}\n    ],\n    \"Start\": [{\"command\": \"vespe y\"}]\n  },\n  \"z\": 1\n}")
	ours := func(v any) bool {
		m, _ := v.(map[string]any)
		s, _ := m["command"].(string)
		return strings.HasPrefix(s, "vespe ")
	}
	for _, event := range []string{"Stop", "Start"} {
		if err := d.Remove(ours, "hooks", event); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := string(d.Bytes()), "{\n  \"hooks\": {\n    \"Stop\": [ // ours\n      {\"command\": \"mine\"}\n    ]\n  },\n  \"z\": 1\n}"; got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	if err := d.Remove(func(any) bool { return true }, "hooks", "Stop"); err != nil || !strings.Contains(string(d.Bytes()), "Stop") {
		t.Errorf("a list with a comment is gone: %v\n%s", err, d.Bytes())
	}
	if err := d.Delete("hooks", "Stop"); err != nil || string(d.Bytes()) != "{\n  \"z\": 1\n}" {
		t.Errorf("%v\n%s", err, d.Bytes())
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"{}", "", "// x", "{\"a\":[1,/*c*/2,],}", "\xef\xbb\xbf{\r\n}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseJSON(b)
		if err != nil {
			return
		}
		if d.Set("v", "m", "k") != nil {
			return
		}
		again, err := ParseJSON(d.Bytes())
		if err != nil {
			t.Fatalf("%q became %q: %v", b, d.Bytes(), err)
		}
		if v, _, _ := again.Get("m", "k"); v != "v" {
			t.Fatalf("%q became %q", b, d.Bytes())
		}
	})
}
