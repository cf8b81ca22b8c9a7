package model

import (
	"testing"

	"vespe/model/complexity"
)

func TestSizeLimits(t *testing.T) {
	p, problems := decodePolicy([]byte(`{"task_size_limits": {
		"max_files_to_create": 3, "max_files_to_modify": 4, "max_criteria_per_task": 5, "max_input_tokens": 8000,
		"max_output_tokens": 500, "max_time_minutes": 2.5, "complexity_threshold": 7.5, "auto_split": false, "note": "ours"
	}}`))
	noProblems(t, problems)
	want := complexity.Limits{
		FilesToCreate: 3, FilesToModify: 4, Criteria: 5, InputTokens: 8000, OutputTokens: 500, Minutes: 2.5, Threshold: 7.5,
	}
	if got := p.SizeLimits(); got != want {
		t.Errorf("read %+v, want %+v", got, want)
	}
	for _, body := range []string{`{}`, `{"task_size_limits": null}`, `{"task_size_limits": {}}`, `{"task_size_limits": {"auto_split": null, "max_time_minutes": null}}`} {
		p, problems := decodePolicy([]byte(body))
		noProblems(t, problems)
		if got := p.SizeLimits(); got != complexity.DefaultLimits() {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// What cannot be used is said, with its line, and is the default until it can.
func TestSizeLimitsProblems(t *testing.T) {
	cases := []problemCase{
		{"no object", `{"task_size_limits": 5}`, 1, Warning, "wrong-type", "an object such as"},
		{"no files at all", "{\"task_size_limits\": {\n\"max_files_to_create\": 0}}", 2, Warning, "wrong-type", "positive whole number"},
		{"a text", `{"task_size_limits": {"max_files_to_modify": "many"}}`, 1, Warning, "wrong-type", "at least 0"},
		{"no criteria", `{"task_size_limits": {"max_criteria_per_task": 0}}`, 1, Warning, "wrong-type", "positive whole number"},
		{"few tokens", `{"task_size_limits": {"max_input_tokens": 999}}`, 1, Warning, "wrong-type", "at least 1000"},
		{"few tokens out", `{"task_size_limits": {"max_output_tokens": 499}}`, 1, Warning, "wrong-type", "at least 500"},
		{"no time", `{"task_size_limits": {"max_time_minutes": 0.25}}`, 1, Warning, "wrong-type", "at least 0.5"},
		{"a threshold that nothing is above", `{"task_size_limits": {"complexity_threshold": 13.5}}`, 1, Warning, "wrong-type", "from 0 to 13"},
		{"a word", `{"task_size_limits": {"auto_split": "yes"}}`, 1, Warning, "wrong-type", "true or false"},
		{"camel case", `{"task_size_limits": {"autoSplit": false}}`, 1, Warning, "misspelled-key", "auto_split"},
	}
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodePolicy(b)
		return p
	}, cases)
	for _, c := range cases {
		p, _ := decodePolicy([]byte(c.in))
		if got := p.SizeLimits(); got != complexity.DefaultLimits() {
			t.Errorf("%s: %+v", c.name, got)
		}
		stable(t, []byte(c.in), decodePolicy, EncodePolicy)
	}
}

// Limits are guidance: other ones take no acceptance back.
func TestSizeLimitsAreNoTerms(t *testing.T) {
	p, _ := decodePolicy([]byte(`{"task_size_limits": {"complexity_threshold": 9}}`))
	if RulesHash(p) != RulesHash(DefaultPolicy()) {
		t.Error("limits of size are among the terms of an acceptance")
	}
}

func TestComplexityOfATask(t *testing.T) {
	task := &Task{Config: Config{Name: "Cache"}, Spec: &Spec{
		UserStory: "maybe", AcceptanceCriteria: []Criterion{{Text: "ok", State: "met"}},
		FilesToCreate: []string{"a/x"}, FilesToModify: []string{"b/x"}, TestFiles: []string{"c/x"},
	}}
	s := task.Complexity(complexity.DefaultLimits())
	if got := s.Total; got != 1+1+2+1 { // two files in two directories, a hard word, a vague word and short criteria
		t.Errorf("score %v: %+v", got, s.Parts)
	}
	if got := (&Task{Config: Config{Name: "Tidy"}}).Complexity(complexity.DefaultLimits()); got.Total != 0 || got.Minutes != 1 {
		t.Errorf("a task without a spec has %+v", got)
	}
}
