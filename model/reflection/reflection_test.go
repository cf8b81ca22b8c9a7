package reflection

import (
	"reflect"
	"testing"

	"vespe/internal/worsttest"
)

func FuzzParseReflection(f *testing.F) {
	for _, s := range []string{
		`{"at":"2026-01-02T03:04:05Z","seq":1,"op":"a","kind":"run","task":"tsk-a","actor":"agent:x","run":"r","cost_usd":0.5,"theirs":1}`,
		`{"at":"2026-01-02T03:04:05Z","kind":"verdict","task":"","comments":{"count":2}}`, `{`, "", "null", `{"at":"9999-12-31T23:59:59.999999999+23:59","kind":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := Parse(line)
		if err != nil {
			return
		}
		out := r.Append(nil)
		again, err := Parse(out)
		if err != nil || !reflect.DeepEqual(again.Append(nil), out) || out[len(out)-1] != '\n' {
			t.Errorf("%q became %q: %v", line, out, err)
		}
	})
}

// A line of any shape is read in time that grows with its length.
func TestWorstReflection(t *testing.T) {
	worsttest.Check(t, worsttest.Values(), func(body string) {
		_, _ = Parse([]byte(body))
		_, _ = Parse([]byte(`{"kind":"run","task":"a","x":` + body + `,"comments":` + body + `}`))
	})
}
