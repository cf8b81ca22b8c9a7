package model

import "testing"

func FuzzDecodeRun(f *testing.F) {
	seed(f, string(EncodeRun(Run{ID: "run-1", Worker: "agent:x", Outcome: RunErrored, Report: &RunReport{Exit: -1, Cost: 0.5, Criteria: []CriterionState{{Criterion: 1, Text: "a", State: "pass"}}}})),
		`{"run":1,"report":{"exit":"x"},"ended_at":"2026-01-02T03:04:05Z","outcome":"completed","theirs":[1]}`,
		`{"report":{"criteria":["a",{"text":"b","x":1},2],"input_tokens":9e99,"cost_usd":-1}}`)
	const path = ".vespe/tasks/tsk-a/persistent/runs/run-1/run.json"
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(b []byte) (Run, []Problem) { return DecodeRun(path, b) }, EncodeRun)
	})
}
