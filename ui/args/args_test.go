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
