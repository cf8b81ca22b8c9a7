package lifecycle

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

// A risk, a demand for a person or a number of attempts that cannot be read is the strictest.
func TestADamagedSpecPermitsNoMore(t *testing.T) {
	const valid = `{"risk": "high", "requires_hitl": true, "max_attempts": 1}`
	consents := func(sp *model.Spec) bool {
		w := snapshot.New(snapshot.Input{Tasks: []*model.Task{{UID: "a", Config: model.Config{UID: "a", Name: "a"}, Spec: sp}}})
		return NeedsConsent(w, "a")
	}
	attempts := func(sp *model.Spec) int {
		return model.AttemptsOf(&model.Task{UID: "a", Spec: sp}, model.DefaultPolicy())
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
		sp, problems := model.DecodeSpec("spec.json", []byte(b))
		if len(problems) > 0 && problems[0].Severity == model.Error {
			continue // nothing is done with the task
		}
		if n++; model.RiskSaid(&model.Task{Spec: sp}) != model.RiskHigh || !consents(sp) || attempts(sp) != 1 {
			t.Errorf("%s: risk %q, consent %v, %d attempts", b, model.RiskSaid(&model.Task{Spec: sp}), consents(sp), attempts(sp))
		}
	}
	if n < 80 {
		t.Errorf("only %d files were read", n)
	}
	sp, _ := model.DecodeSpec("spec.json", []byte(`{"labels": ["x"], "owner": "ann"}`))
	if model.RiskSaid(&model.Task{Spec: sp}) != "" || consents(sp) || attempts(sp) != 3 {
		t.Error("a task that names nothing is as strict")
	}
}
