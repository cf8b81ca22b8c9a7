package store

import (
	"context"
	"fmt"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// An acceptance depends on the rules that hold agents back, and holds while they do so no less: each way of loosening
// one that counts for the task lets nothing start, and stricter ones void nothing.
func TestAnAcceptanceHoldsUnderStricterRules(t *testing.T) {
	const gate = `"gate": {"commands": ["git push", "terraform apply"], "paths": ["infra/**"], "risk": "medium"}`
	const hitl = `"hitl": {"start": "high"}`
	policy := func(parts string) string {
		return "{\n  \"dependency_policy\": \"completed\",\n  \"on_subtask_failure\": \"fail\",\n  \"max_attempts\": 4" + parts + "\n}\n"
	}
	with := func(parts ...string) (all string) {
		for _, p := range parts {
			all += ",\n  " + p
		}
		return policy(all)
	}
	const strictGate = `"gate": {"reads": ["*.env"], "commands": ["terraform apply", "git push", "rm"], "paths": ["infra/**", "*.env"], "tools": ["mcp__*"], "risk": "low"}`
	for _, tt := range []struct {
		name, was, now string
		holds          bool
	}{
		{"nothing changed", with(gate, hitl), with(gate, hitl), true},
		{"a gate where there was none", with(), with(gate), true},
		{"a stricter gate", with(gate, hitl), with(strictGate, hitl), true},
		{"asked before starts where nobody was", with(gate), with(gate, hitl), true},
		{"asked before more starts", with(hitl), with(`"hitl": {"start": "low"}`), true},
		{"a gate that can't be read", with(gate), with(`"gate": {"commandz": ["git push", "terraform apply"]}`), true},
		{"how it is recorded in git, and its name", with(gate), with(`"name": "other"`, `"git": {"mode": "off"}`, gate), true},
		{"no gate", with(gate, hitl), with(hitl), false},
		{"no gate, and asked before more starts", with(gate, hitl), with(`"hitl": {"start": "low"}`), false},
		{"one command less", with(gate), with(`"gate": {"commands": ["git push"], "paths": ["infra/**"], "risk": "medium"}`), false},
		{"another command", with(gate), with(`"gate": {"commands": ["git push", "terraform  apply"], "paths": ["infra/**"], "risk": "medium"}`), false},
		{"no path", with(gate), with(`"gate": {"commands": ["git push", "terraform apply"], "risk": "medium"}`), false},
		{"calls of medium risk pass", with(gate), with(`"gate": {"commands": ["git push", "terraform apply"], "paths": ["infra/**"], "risk": "high"}`), false},
		{"calls of any risk pass", with(gate), with(`"gate": {"commands": ["git push", "terraform apply"], "paths": ["infra/**"], "risk": "never"}`), false},
		{"nobody asked before starts", with(hitl), with(`"hitl": {"start": "never"}`), false},
		{"no word on starts", with(gate, hitl), with(gate), false},
		{"a gate that could not be read, and can", with(`"gate": {"commandz": []}`), with(gate), false},
		{"another attempt", with(gate), "{\n  \"max_attempts\": 5,\n  " + gate + "\n}\n", false},
		{"another policy on dependencies", with(gate), "{\n  \"dependency_policy\": \"completed_or_aborted\",\n  \"max_attempts\": 4,\n  " + gate + "\n}\n", false},
		{"a file that nobody can read", with(), "{", false},
		{"a key that nobody knows", with(gate), with(gate, `"sandbox": false`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := initIn(t, fastDir(t), testOptions())
			write(t, vespe(s, layout.PolicyFile), tt.was)
			uid := planned(t, s, "one")
			do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high"}}}},
				model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			write(t, vespe(s, layout.PolicyFile), tt.now)
			start := func() error {
				_, err := s.Do(context.Background(), model.Op{Name: model.Start, UID: uid, Actor: ann, Args: model.NewRun{ID: "run-1"}})
				return err
			}
			if err := start(); (err == nil) != tt.holds {
				t.Fatalf("it starts: %v", err)
			}
			if tt.holds {
				return
			}
			// Whatever is made stricter beside it, it stays so; as it was accepted, it holds again.
			write(t, vespe(s, layout.PolicyFile), tt.was)
			if err := start(); err != nil {
				t.Errorf("as it was accepted: %v", err)
			}
		})
	}
}

// Of rules that concern tasks of a risk alone, those of that risk depend on them.
func TestAnAcceptanceDependsOnRulesForItsRisk(t *testing.T) {
	for risk, holds := range map[string]bool{"low": true, "high": false} {
		s := newStore(t)
		write(t, vespe(s, layout.PolicyFile), `{"hitl": {"start": "medium"}}`)
		uid := planned(t, s, "one")
		do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: risk}}}},
			model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
		write(t, vespe(s, layout.PolicyFile), `{"hitl": {"start": "never"}}`)
		if _, err := s.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}}); (err == nil) != holds {
			t.Errorf("of %s risk: %v", risk, err)
		}
	}
}

// Who looks at a plan while the rules change decides on what no longer exists.
func TestRulesThatChangeUnderAReview(t *testing.T) {
	for i, now := range []string{`{"gate": {"commands": ["rm"]}}`, `{}`, `{"gate": {"commands": ["git push"]}, "hitl": {"start": "low"}}`} {
		s := newStore(t)
		write(t, vespe(s, layout.PolicyFile), `{"gate": {"commands": ["git push"]}}`)
		uid := planned(t, s, "one")
		op := model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, ID: fmt.Sprint("op-", i)}
		op.Seen, _ = seenNow(t, s, uid, op.Name)
		write(t, vespe(s, layout.PolicyFile), now)
		_, err := s.Do(t.Context(), op)
		if r := wantCode(t, err, model.CodeConflict); r.Guard != model.GuardSeen {
			t.Errorf("refused by %s: %v", r.Guard, err)
		}
	}
}
