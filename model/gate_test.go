package model

import (
	"reflect"
	"strings"
	"testing"
)

func TestGateRules(t *testing.T) {
	for body, want := range map[string]GateRules{
		`{}`:             {},
		`{"gate": null}`: {},
		`{"gate": {}}`:   {},
		`{"gate": {"tools": ["WebFetch", "mcp__db__*"], "commands": "git push", "paths": ["infra/**"], "reads": [".env"], "risk": "high"}}`: {
			Tools: []string{"WebFetch", "mcp__db__*"}, Commands: []string{"git push"}, Paths: []string{"infra/**"}, Reads: []string{".env"}, Risk: RiskHigh,
		},
		`{"gate": {"risk": "never"}}`: {Risk: RiskNever},
	} {
		p, problems := decodePolicy([]byte(body))
		noProblems(t, problems)
		if got := p.Gate(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", body, got, want)
		}
		again, _ := decodePolicy(EncodePolicy(p))
		if got := again.Gate(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: written back it says %+v", body, got)
		}
	}
}

func TestGateRulesThatCannotBeReadGateEverything(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodePolicy(b)
		return p
	}, []problemCase{
		{"no object", `{"gate": ["git push"]}`, 1, Warning, "wrong-type", "gate is a list, not an object"},
		{"tools", `{"gate": {"tools": 1}}`, 1, Warning, "wrong-type", "a list of strings"},
		{"blank", `{"gate": {"commands": [" "]}}`, 1, Warning, "wrong-type", `gate.commands has the invalid pattern " "`},
		{"a tool's pattern", `{"gate": {"tools": ["[x"]}}`, 1, Warning, "wrong-type", `gate.tools has the invalid pattern "[x"`},
		{"a path's pattern", `{"gate": {"paths": ["src/["]}}`, 1, Warning, "wrong-type", `gate.paths has the invalid pattern "src/["`},
		{"risk", "{\"gate\":\n{\"risk\": \"some\"}}", 2, Warning, "wrong-type", `gate.risk is "some", not "low", "medium"`},
		{"misspelled", `{"gate": {"Paths": ["x"]}}`, 1, Warning, "misspelled-key", "paths"},
	})
	for _, body := range []string{`{"gate": ["x"]}`, `{"gate": {"tools": 1}}`, `{"gate": {"risk": "some"}}`, `{"gate": {"Paths": ["x"]}}`, `{"gate": {"reads": ["{a"]}}`} {
		p, _ := decodePolicy([]byte(body))
		if g := p.Gate(); g.Unread == "" || g.Empty() {
			t.Errorf("%s reads as %+v", body, g)
		}
	}
	p, _ := decodePolicy([]byte(`{"gate": {"commands": ["git [push"]}}`))
	want := `.vespe/config.json: gate.commands has the invalid pattern "git [push"; fix it. Until then all agent calls wait for a person.`
	if got := strings.Join(p.Strict(), "\n"); got != want {
		t.Errorf("it says\n%s, not\n%s", got, want)
	}
	if (&GateRules{}).Empty() == (&GateRules{Tools: []string{"x"}}).Empty() {
		t.Error("nothing and something are the same")
	}
}

func TestADeferredCallHasOneKey(t *testing.T) {
	key := DeferredKey("run-1", "toolu_1")
	if key != DeferredKey("run-1", "toolu_1") || !strings.HasPrefix(key, DeferredPrefix("run-1")) {
		t.Errorf("the key is %q", key)
	}
	for _, other := range []string{DeferredKey("run-2", "toolu_1"), DeferredKey("run-1", "toolu_2")} {
		if other == key {
			t.Errorf("two calls have the key %q", key)
		}
	}
}
