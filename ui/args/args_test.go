package args

import (
	"strings"
	"testing"
)

func TestWhatIsNotFlat(t *testing.T) {
	for _, args := range []string{`{"a": {}}`, `{"a": [1]}`, `[]`, `{"a": 1`, `{"a": 1} x`, `{"a": 1, "a": 2}`, ``} {
		if _, ok := Flat([]byte(args)); ok {
			t.Errorf("%s is flat", args)
		}
	}
	if f, ok := Flat([]byte(`{"a": "x\u0041\ny", "n": 1.0e2}`)); !ok || f[0].Text != "xA\ny" || f[1].Text != "1.0e2" {
		t.Errorf("its members are %+v", f)
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

// What is no JSON object is said in words, with the line.
func TestWhatIsWrongWithIt(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "write a JSON object in braces",
		"[]":                             "write a JSON object in braces",
		"{} {}":                          "write a JSON object in braces",
		"{\n\"a\": 1\n} x":               "line 3 isn't valid JSON: unexpected 'x'",
		"{\n\"a\": 1\n\"b\": 2}":         "line 3 isn't valid JSON: a comma or a bracket is missing before '\"'",
		"{\n\"a\": [1 2]}":               "line 2 isn't valid JSON: a comma or a bracket is missing before '2'",
		"{\n\"a\": 1,\n}":                "line 2 isn't valid JSON: unexpected ','",
		"{\n\"a\": 1.x}":                 "line 2 isn't valid JSON: unexpected 'x'",
		"{\n\"a\": \"b\n}":               "line 2 isn't valid JSON: it ends too early; a quote may be missing",
		"{\n\"a\": \"\\d\"}":             "line 2 isn't valid JSON: \\ begins no known escape; write \\\\ for a backslash",
		"{\n\"a\": [1,\n2\n":             "line 3 isn't valid JSON: the text ends too early; a quote or a bracket is missing",
		"{\n\"a\": 1":                    "line 2 isn't valid JSON: the text ends too early; a quote or a bracket is missing",
		"{\n1: 2}":                       "line 2 isn't valid JSON: a name must be in quotes",
		"{\"o\": {\n\"a\":1,\n\"a\":2}}": "line 3 isn't valid JSON: the name \"a\" appears twice",
	} {
		if _, err := Members([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
