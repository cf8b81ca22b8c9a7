package model

import (
	"reflect"
	"testing"
)

func FuzzDecodeRun(f *testing.F) {
	seed(f, string(EncodeRun(Run{ID: "run-1", Worker: "agent:x", Outcome: RunErrored, Report: &RunReport{Exit: -1, Cost: 0.5, Criteria: []CriterionState{{Criterion: 1, Text: "a", State: "pass"}}}})),
		`{"run":1,"report":{"exit":"x"},"ended_at":"2026-01-02T03:04:05Z","outcome":"completed","theirs":[1]}`,
		`{"report":{"criteria":["a",{"text":"b","x":1},2],"input_tokens":9e99,"cost_usd":-1}}`)
	const path = ".vespe/tasks/tsk-a/persistent/runs/run-1/run.json"
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(b []byte) (Run, []Problem) { return DecodeRun(path, b) }, EncodeRun)
	})
}

func FuzzParseReflection(f *testing.F) {
	for _, s := range []string{
		`{"at":"2026-01-02T03:04:05Z","seq":1,"op":"a","kind":"run","task":"tsk-a","actor":"agent:x","run":"r","cost_usd":0.5,"theirs":1}`,
		`{"at":"2026-01-02T03:04:05Z","kind":"verdict","task":"","comments":{"count":2}}`, `{`, "", "null", `{"at":"9999-12-31T23:59:59.999999999+23:59","kind":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseReflection(line)
		if err != nil {
			return
		}
		out := r.Append(nil)
		again, err := ParseReflection(out)
		if err != nil || !reflect.DeepEqual(again.Append(nil), out) || out[len(out)-1] != '\n' {
			t.Errorf("%q became %q: %v", line, out, err)
		}
	})
}
