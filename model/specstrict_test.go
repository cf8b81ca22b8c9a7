package model

import (
	"strings"
	"testing"
)

// A risk, a demand for a person or a number of attempts that cannot be read is the strictest.
func TestADamagedSpecPermitsNoMore(t *testing.T) {
	const valid = `{"risk": "high", "requires_hitl": true, "max_attempts": 1}`
	consents := func(sp *Spec) bool {
		w := NewSnapshot(Input{Tasks: []*Task{{UID: "a", Config: Config{UID: "a", Name: "a"}, Spec: sp}}})
		return NeedsConsent(w, "a")
	}
	attempts := func(sp *Spec) int {
		return AttemptsOf(&Task{UID: "a", Spec: sp}, DefaultPolicy())
	}
	n, damaged := 0, []string{}
	for i := range valid {
		for _, c := range []string{"", "x", `"`, ",", ":", "}", "\x00"} {
			damaged = append(damaged, valid[:i]+c+valid[i+1:])
		}
	}
	for _, key := range []string{"risk", "requires_hitl", "max_attempts"} {
		for _, other := range []string{strings.ToUpper(key), key + "s", key[1:], "_" + key} {
			damaged = append(damaged, strings.Replace(valid, `"`+key+`"`, `"`+other+`"`, 1))
		}
		i := strings.Index(valid, `"`+key+`"`) + len(key) + 4
		end := i + strings.IndexAny(valid[i:], ",}")
		for _, other := range []string{`"x"`, `-1`, `[]`, `{}`, `0.5`} {
			damaged = append(damaged, valid[:i]+other+valid[end:])
		}
	}
	for _, b := range damaged {
		sp, problems := DecodeSpec("spec.json", []byte(b))
		if len(problems) > 0 && problems[0].Severity == Error {
			continue // nothing is done with the task
		}
		if n++; RiskSaid(&Task{Spec: sp}) != RiskHigh || !consents(sp) || attempts(sp) != 1 {
			t.Errorf("%s: risk %q, consent %v, %d attempts", b, RiskSaid(&Task{Spec: sp}), consents(sp), attempts(sp))
		}
	}
	if n < 80 {
		t.Errorf("only %d files were read", n)
	}
	sp, _ := DecodeSpec("spec.json", []byte(`{"labels": ["x"], "owner": "ann"}`))
	if RiskSaid(&Task{Spec: sp}) != "" || consents(sp) || attempts(sp) != 3 {
		t.Error("a task that names nothing is as strict")
	}
}
