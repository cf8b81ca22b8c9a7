package args

import (
	"strings"
	"testing"
)

// What is not changed in a form stays as it was written, whatever it is; types stay what they are.
func TestArgumentsKeepTheirTypes(t *testing.T) {
	const args = `{"a": "x\u0041", "n": 1.0e2, "b": true, "z": null, "": "é"}`
	fields, ok := Flat([]byte(args))
	if !ok || len(fields) != 5 {
		t.Fatalf("%v %d", ok, len(fields))
	}
	values := make([][]byte, len(fields))
	for i := range fields {
		v, err := fields[i].Typed(fields[i].Text)
		if err != nil {
			t.Fatal(err)
		}
		values[i] = v
	}
	got, err := Join(fields, values)
	if err != nil || string(got) != args {
		t.Errorf("%s, %v", got, err)
	}
	for i, c := range []struct {
		typed, want string
		bad         []string
	}{
		{`7`, `"7"`, nil},
		{`-3`, `-3`, []string{"", "x", `"3"`, "1 2", "true", "01"}},
		{`false`, `false`, []string{"yes", "1", ""}},
		{`null`, `null`, []string{"0", "none"}},
		{"\"\u202e", "\"\\\"\u202e\"", nil},
	} {
		if v, err := fields[i].Typed(c.typed); err != nil || string(v) != c.want {
			t.Errorf("%q becomes %s, %v; want %s", c.typed, v, err, c.want)
		}
		for _, bad := range c.bad {
			if v, err := fields[i].Typed(bad); err == nil {
				t.Errorf("%q is taken as %s for %s", bad, v, fields[i].Raw)
			}
		}
	}
}

func TestWhatAFormCannotTake(t *testing.T) {
	for _, args := range []string{`{"a": {}}`, `{"a": [1]}`, `[]`, `{"a": 1`, `{"a": 1} x`, `{"a": 1, "a": 2}`, ``} {
		if _, ok := Flat([]byte(args)); ok {
			t.Errorf("%s is flat", args)
		}
	}
	if f, _ := Flat([]byte(`{"a": "x\ny"}`)); f[0].IsLine() {
		t.Error("a text with a line break is typed in one line")
	}
}

// Indenting changes blanks and nothing else, and what is no JSON is shown as it is.
func TestPrettyArgumentsAreTheArguments(t *testing.T) {
	for _, args := range []string{
		`{"command":  "rm -r build", "n": 1.0, "u": "\u202e\/", "deep": [{"a":[ ]}]}`, "{\"raw\": \"\u202e\"}", `{"a":1,"a":2}`, `{not json`, "{\"x\":\"\xff\"}",
	} {
		strip := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := Pretty([]byte(args)); strip(got) != strip(args) {
			t.Errorf("%s becomes %s", args, got)
		}
	}
}
