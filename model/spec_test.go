package model

import (
	"reflect"
	"strings"
	"testing"
)

const specPath = ".vespe/tasks/tsk-a/spec.json"

func decodeSpec(b []byte) (*Spec, []Problem) { return DecodeSpec(specPath, b) }

// fullSpec has something in every field.
func fullSpec() *Spec {
	return &Spec{
		Description: "d", UserStory: "As a user", GoalType: "feature", Constraints: []string{"no cgo"},
		AcceptanceCriteria: []Criterion{{Text: "it runs"}, {Text: "it stops", State: "passed", Evidence: "log", Extra: Extra{IntField("id", 1)}}},
		Steps:              []Step{{Step: "one", Done: true}, {Step: "two", Extra: Extra{TextField("by", "ann")}}},
		Priority:           High, PriorityBy: &PriorityBy{Priority: High, Rule: "default", Extra: Extra{IntField("n", 1)}}, Source: "cli",
		Context:   []ExtraField{TextField("phase", "create_plan"), {Key: "list", Value: []byte("[1, 2]")}},
		Requester: "human:ann", Risk: "low", RequiresHITL: true,
		FilesToCreate: []string{"a.go"}, FilesToModify: []string{"b.go"}, TestFiles: []string{"a_test.go"},
		Verify:      [][]string{{"go", "test", "./..."}, {}},
		MilestoneID: "M1", EstimatedComplexity: 4.5, MaxAttempts: 5, Labels: []string{"x", "y"},
		External: []ExtraField{TextField("linear_issue_id", "LIN-1")}, Intent: "i",
		Extra: Extra{TextField("zzz", "kept")},
	}
}

const goldenSpec = `{
  "description": "d",
  "user_story": "As a user",
  "goal_type": "feature",
  "constraints": [
    "no cgo"
  ],
  "acceptance_criteria": [
    "it runs",
    {
      "text": "it stops",
      "state": "passed",
      "evidence": "log",
      "id": 1
    }
  ],
  "steps": [
    {
      "step": "one",
      "done": true
    },
    {
      "step": "two",
      "done": false,
      "by": "ann"
    }
  ],
  "priority": "high",
  "priority_by": {
    "priority": "high",
    "rule": "default",
    "n": 1
  },
  "source": "cli",
  "context": {
    "phase": "create_plan",
    "list": [1, 2]
  },
  "requester": "human:ann",
  "risk": "low",
  "requires_hitl": true,
  "files_to_create": [
    "a.go"
  ],
  "files_to_modify": [
    "b.go"
  ],
  "test_files": [
    "a_test.go"
  ],
  "verify": [
    [
      "go",
      "test",
      "./..."
    ],
    []
  ],
  "milestone_id": "M1",
  "estimated_complexity": 4.5,
  "max_attempts": 5,
  "labels": [
    "x",
    "y"
  ],
  "external": {
    "linear_issue_id": "LIN-1"
  },
  "intent": "i",
  "zzz": "kept"
}
`

func TestSpecGolden(t *testing.T) {
	sameText(t, EncodeSpec(fullSpec()), goldenSpec)
	got, problems := decodeSpec([]byte(goldenSpec))
	noProblems(t, problems)
	if want := fullSpec(); !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v\nwant\n%+v", got, want)
	}
	v := reflect.ValueOf(*got)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
}

func TestEmptySpec(t *testing.T) {
	sameText(t, EncodeSpec(nil), "{}\n")
	sameText(t, EncodeSpec(&Spec{}), "{}\n")
	s, problems := decodeSpec([]byte(`{"priority":"","risk":null,"labels":[],"context":{},"verify":[],"requires_hitl":false}`))
	noProblems(t, problems)
	if !reflect.DeepEqual(s, &Spec{}) {
		t.Errorf("decoded %+v", s)
	}
}

func TestSpecSpellings(t *testing.T) {
	tests := []struct {
		in   string
		want Spec
	}{
		{`{"priority":"med"}`, Spec{Priority: Medium}},
		{`{"priority":"CRITICAL"}`, Spec{Priority: Critical}},
		{`{"risk":"Med"}`, Spec{Risk: "medium"}},
		{`{"constraints":"one"}`, Spec{Constraints: []string{"one"}}},
		{`{"acceptance_criteria":"one"}`, Spec{AcceptanceCriteria: []Criterion{{Text: "one"}}}},
		{`{"acceptance_criteria":["one",{"text":"two"}]}`, Spec{AcceptanceCriteria: []Criterion{{Text: "one"}, {Text: "two"}}}},
		{`{"steps":["one",{"step":"two","done":"true"}]}`, Spec{Steps: []Step{{Step: "one"}, {Step: "two", Done: true}}}},
		{`{"steps":"one"}`, Spec{Steps: []Step{{Step: "one"}}}},
		{`{"estimated_complexity":"3.25","max_attempts":"4"}`, Spec{EstimatedComplexity: 3.25, MaxAttempts: 4}},
	}
	for _, tt := range tests {
		got, problems := decodeSpec([]byte(tt.in))
		noProblems(t, problems)
		if !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s decoded %+v", tt.in, got)
		}
		stable(t, []byte(tt.in), decodeSpec, EncodeSpec)
	}
}

func TestSpecProblems(t *testing.T) {
	cases := []problemCase{
		{"priority", `{"priority":"urgent"}`, 1, Warning, "wrong-type", "urgent"},
		{"risk", `{"risk":"critical"}`, 1, Warning, "wrong-type", "low, medium or high"},
		{"verify as a command line", `{"verify":"go test ./..."}`, 1, Warning, "wrong-type", "argument lists"},
		{"verify as command lines", `{"verify":["go test ./..."]}`, 1, Warning, "wrong-type", "argument lists"},
		{"verify of numbers", `{"verify":[["go",1]]}`, 1, Warning, "wrong-type", "argument lists"},
		{"labels of numbers", `{"labels":["a",1]}`, 1, Warning, "wrong-type", "labels"},
		{"criterion is a number", "{\n\"acceptance_criteria\":[\n7]}", 3, Warning, "wrong-type", "acceptance_criteria"},
		{"criterion's text is a number", "{\"acceptance_criteria\":[\n{\"text\":7}]}", 2, Warning, "wrong-type", "text"},
		{"criteria are an object", `{"acceptance_criteria":{}}`, 1, Warning, "wrong-type", "acceptance_criteria"},
		{"step is null", `{"steps":[null]}`, 1, Warning, "wrong-type", "steps"},
		{"steps are true", `{"steps":true}`, 1, Warning, "wrong-type", "steps"},
		{"context is a list", `{"context":[]}`, 1, Warning, "wrong-type", "context"},
		{"complexity below zero", `{"estimated_complexity":-2}`, 1, Warning, "wrong-type", "-2"},
		{"complexity out of range", `{"estimated_complexity":1e999}`, 1, Warning, "wrong-type", "1e999"},
		{"context too deep", `{"context":{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}}`, 1, Error, "too-deep", "64"},
	}
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodeSpec(b)
		return p
	}, cases)
	for _, c := range cases {
		stable(t, []byte(c.in), decodeSpec, EncodeSpec)
	}
}

// One criterion that cannot be read keeps the whole list as it is, and nothing is lost.
func TestUnreadableCriteriaSurvive(t *testing.T) {
	const in = `{
  "description": "d",
  "acceptance_criteria": ["one", {"text": 2, "why": "x"}],
  "intent": "i"
}
`
	s, problems := decodeSpec([]byte(in))
	if len(problems) != 1 || s.AcceptanceCriteria != nil {
		t.Errorf("%+v, %+v", s.AcceptanceCriteria, problems)
	}
	sameText(t, EncodeSpec(s), in)
}

func FuzzDecodeSpec(f *testing.F) {
	seed(f, goldenSpec, `{"acceptance_criteria":[{"TEXT":1}],"steps":[{"step":1}],"context":{"a":{"b":[]}},"verify":[[]],"max_attempts":1e3}`)
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodeSpec, EncodeSpec) })
}
