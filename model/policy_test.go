package model

import (
	"reflect"
	"testing"
)

func decodePolicy(b []byte) (Policy, []Problem) { return DecodePolicy(".vespe/config.json", b) }

func TestPolicyGolden(t *testing.T) {
	const golden = `{
  "name": "demo",
  "description": "a store",
  "dependency_policy": "completed_or_aborted",
  "on_subtask_failure": "hold",
  "max_attempts": 5,
  "parallel_workers": 2,
  "worker": {
    "argv": ["claude", "-p"]
  }
}
`
	p, problems := decodePolicy([]byte(golden))
	noProblems(t, problems)
	want := Policy{
		Name: "demo", Description: "a store", DependencyPolicy: DependencyCompletedOrAborted, OnSubtaskFailure: SubtaskFailureHold, MaxAttempts: 5,
		Extra: Extra{IntField("parallel_workers", 2), {Key: "worker", Value: []byte("{\n    \"argv\": [\"claude\", \"-p\"]\n  }")}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("decoded %+v", p)
	}
	sameText(t, EncodePolicy(p), golden)
}

func TestPolicyDefaults(t *testing.T) {
	const want = `{
  "dependency_policy": "completed",
  "on_subtask_failure": "fail",
  "max_attempts": 3
}
`
	sameText(t, EncodePolicy(Policy{}), want)
	sameText(t, EncodePolicy(DefaultPolicy()), want)
	p, problems := decodePolicy([]byte("{}"))
	noProblems(t, problems)
	if !reflect.DeepEqual(p, DefaultPolicy()) {
		t.Errorf("decoded %+v", p)
	}
}

func TestPolicyProblems(t *testing.T) {
	cases := []problemCase{
		{"dependency policy", `{"dependency_policy":"any"}`, 1, Warning, "wrong-type", "completed_or_aborted"},
		{"subtask failure", `{"on_subtask_failure":1}`, 1, Warning, "wrong-type", "hold"},
		{"no attempts", `{"max_attempts":0}`, 1, Warning, "wrong-type", "positive whole number"},
		{"attempts are a list", `{"max_attempts":[]}`, 1, Warning, "wrong-type", "at least 0"},
		{"camel case", `{"maxAttempts":4}`, 1, Warning, "misspelled-key", "max_attempts"},
	}
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodePolicy(b)
		return p
	}, cases)
	for _, c := range cases {
		p, _ := decodePolicy([]byte(c.in))
		if len(p.Strict()) != 1 || p.Attempts() > 3 || p.Met(&Task{Status: StatusFile{CurrentState: Aborted}}) {
			t.Errorf("%s: of an unreadable rule the strictest does not hold: %+v", c.name, p)
		}
		stable(t, []byte(c.in), decodePolicy, EncodePolicy)
	}
}

func FuzzDecodePolicy(f *testing.F) {
	seed(f, `{"name":"x","dependency_policy":"completed_or_aborted","max_attempts":0}`, `{"on_subtask_failure":"hold","MAX_ATTEMPTS":[]}`)
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodePolicy, EncodePolicy) })
}

func TestPolicyGitMode(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                               GitOff,
		`{"git": {"mode": "ref"}}`:         GitRef,
		`{"git": {"mode": "branch"}}`:      GitBranch,
		`{"git": {"mode": "off", "x": 1}}`: GitOff,
		`{"git": {"mode": null}}`:          GitOff,
		`{"git": {}}`:                      GitOff,
		`{"git": null}`:                    GitOff,
	} {
		p, problems := decodePolicy([]byte(body))
		noProblems(t, problems)
		if got := p.GitMode(); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
		if again, _ := decodePolicy(EncodePolicy(p)); again.GitMode() != want {
			t.Errorf("%s: written back it says %q", body, again.GitMode())
		}
	}
	for _, body := range []string{`{"git": "ref"}`, `{"git": {"mode": "Ref"}}`, `{"git": {"mode": 1}}`, `{"git": []}`} {
		p, problems := decodePolicy([]byte(body))
		if len(problems) != 1 || problems[0].Code != "wrong-type" || p.GitMode() != GitOff {
			t.Errorf("%s: mode %q, problems %+v", body, p.GitMode(), problems)
		}
	}
}

func TestPolicyHITLStart(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                            RiskNever,
		`{"hitl": null}`:                RiskNever,
		`{"hitl": {"start": null}}`:     RiskNever,
		`{"hitl": {"start": "never"}}`:  RiskNever,
		`{"hitl": {"start": "medium"}}`: RiskMedium,
	} {
		p, problems := decodePolicy([]byte(body))
		noProblems(t, problems)
		if got := p.HITLStart(); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for body, says := range map[string]string{
		`{"hitl": "high"}`:              `hitl is "high"; it must be an object such as {"start": "high"}`,
		`{"hitl": {"start": "always"}}`: `hitl.start is "always"; it must be "low", "medium", "high" or "never"`,
		`{"hitl": {"strat": "high"}}`:   `hitl has the unknown key "strat"; its key is start`,
		`{"hitl": {"x": 1}}`:            `hitl has the unknown key "x"; its key is start`,
		`{"hitl": {"start": 1}}`:        `hitl.start is 1; it must be "low", "medium", "high" or "never"`,
	} {
		p, problems := decodePolicy([]byte(body))
		if len(problems) != 1 || problems[0].Reason != says || p.HITLStart() != RiskLow {
			t.Errorf("%s: %s, problems %+v", body, p.HITLStart(), problems)
		}
	}
}
