package model

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

func TestWorkerPolicy(t *testing.T) {
	for body, want := range map[string]WorkerPolicy{
		`{}`:                         {},
		`{"worker": null}`:           {},
		`{"worker": {"use": null}}`:  {},
		`{"parallel_workers": 4}`:    {Parallel: 4},
		`{"parallel_workers": null}`: {},
		`{"worker": {"parallel": 2}, "parallel_workers": 4}`: {Parallel: 2},
		`{"worker": {"parallel": 4}, "parallel_workers": 3}`: {Parallel: 3},
		`{"worker": {"use": "codex", "wall": "45m", "silence": "none", "output": "64MiB", "max_cost": 2.5, "max_turns": 30,
			"branch": "vespe/work", "target": "main", "integrate": "verified", "untested": "accept",
			"argv": ["agent", "{prompt}"], "format": "claude", "setup": [["npm", "ci"]]}}`: {
			Use: "codex", Wall: 45 * time.Minute, Silence: NoLimit, Output: 64 << 20, MaxCost: 2.5, MaxTurns: 30,
			Branch: "vespe/work", Target: "main", Integrate: IntegrateVerified, Untested: UntestedAccept,
			Argv: []string{"agent", "{prompt}"}, Format: "claude", Setup: [][]string{{"npm", "ci"}},
		},
	} {
		p, problems := decodePolicy([]byte(body))
		noProblems(t, problems)
		if got := p.Worker(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", body, got, want)
		}
		if again, _ := decodePolicy(EncodePolicy(p)); !reflect.DeepEqual(again.Worker(), want) {
			t.Errorf("%s: written back it says %+v", body, again.Worker())
		}
	}
}

// What a limit that is written wrong was to be nobody knows.
func TestAWorkerPolicyThatCannotBeReadStartsNobody(t *testing.T) {
	for _, body := range []string{
		`{"worker": {"max_costs": 5}}`, `{"worker": {"x": 1}}`, `{"worker": {"max_cost": "five"}}`, `{"worker": []}`, `{"Worker": {"max_cost": 5}}`, `{"worke": {}}`, `{"parallel_workers": 0}`, `{"worker": {}`, ``, `[]`,
	} {
		p, _ := decodePolicy([]byte(body))
		if p.Worker().Unread == "" || len(p.Strict()) != 1 {
			t.Errorf("%s reads as %+v: %q", body, p.Worker(), p.Strict())
		}
	}
}

func TestWorkerPolicyProblems(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodePolicy(b)
		return p
	}, []problemCase{
		{"no object", `{"worker": "claude"}`, 1, Warning, "wrong-type", "parallel"},
		{"no parallel", "{\n\"parallel_workers\": 0}", 2, Warning, "wrong-type", "positive whole number"},
		{"use", `{"worker": {"use": "claude -p"}}`, 1, Warning, "wrong-type", "the name of a worker"},
		{"wall", `{"worker": {"wall": 45}}`, 1, Warning, "wrong-type", "45m"},
		{"silence", `{"worker": {"silence": "1ms"}}`, 1, Warning, "wrong-type", "10m"},
		{"output", `{"worker": {"output": "10000000000GiB"}}`, 1, Warning, "wrong-type", "64MiB"},
		{"cost", `{"worker": {"max_cost": 0}}`, 1, Warning, "wrong-type", "above 0"},
		{"turns", `{"worker": {"max_turns": 99999999999}}`, 1, Warning, "wrong-type", "positive whole number"},
		{"branch", `{"worker": {"branch": "--upload-pack=x"}}`, 1, Warning, "wrong-type", "the name of a branch"},
		{"target", `{"worker": {"target": "../x"}}`, 1, Warning, "wrong-type", "the name of a branch"},
		{"integrate", `{"worker": {"integrate": "Verified"}}`, 1, Warning, "wrong-type", `"reviewed", "verified" or "never"`},
		{"argv as a text", `{"worker": {"argv": "claude"}}`, 1, Warning, "wrong-type", "begins with a program"},
		{"argv of nothing", `{"worker": {"argv": []}}`, 1, Warning, "wrong-type", "begins with a program"},
		{"setup as one", `{"worker": {"setup": ["npm", "ci"]}}`, 1, Warning, "wrong-type", "a list of argument lists"},
		{"setup of nothing", `{"worker": {"setup": [[]]}}`, 1, Warning, "wrong-type", "a program"},
		{"misspelled", `{"worker": {"maxCost": 1}}`, 1, Warning, "misspelled-key", "max_cost"},
	})
	p, _ := decodePolicy([]byte(`{"worker": {"integrate": 1, "argv": "x", "setup": [[]], "parallel": 0, "wall": "x", "use": 5}}`))
	got := p.Worker()
	if got.Unread == "" {
		t.Error("it counts as one that can be read")
	}
	got.Unread = ""
	if want := (WorkerPolicy{Integrate: IntegrateNever}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// How work is done voids no acceptance of what is to be done.
func TestTheWorkerIsNoTermOfAnAcceptance(t *testing.T) {
	a, _ := decodePolicy([]byte(`{"max_attempts": 5}`))
	b, _ := decodePolicy([]byte(`{"max_attempts": 5, "worker": {"use": "codex", "integrate": "verified"}, "parallel_workers": 7}`))
	if !bytes.Equal(EncodePolicy(a.Terms()), EncodePolicy(b.Terms())) {
		t.Error("the worker is a term")
	}
}

func TestValidBranch(t *testing.T) {
	for name, want := range map[string]bool{
		"main": true, "vespe/integration": true, "release-1.2_x": true, "fix/#12": true,
		"": false, "-x": false, "a/-x": false, "a..b": false, "a//b": false, "/a": false, "a/": false, ".a": false, "a/.b": false, "a.lock": false, "a.lock/b": false,
		"a b": false, "a~1": false, "a^": false, "a:b": false, "a?": false, "a*": false, "a[": false, `a\b`: false, "a@{1}": false, "a\x1b": false, "ä": false, "a.": false,
	} {
		if ValidBranch(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
