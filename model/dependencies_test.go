package model

import (
	"slices"
	"testing"
)

const depsPath = ".vespe/tasks/tsk-a/dependencies.json"

type dependencies struct {
	uids  []UID
	extra Extra
}

func decodeDependencies(b []byte) (dependencies, []Problem) {
	uids, extra, problems := DecodeDependencies(depsPath, b)
	return dependencies{uids, extra}, problems
}

func encodeDependencies(d dependencies) []byte { return EncodeDependencies(d.uids, d.extra) }

func TestDependenciesGolden(t *testing.T) {
	const golden = `{
  "depends_on": [
    "tsk-b",
    "tsk-c"
  ],
  "note": "why"
}
`
	d, problems := decodeDependencies([]byte(golden))
	noProblems(t, problems)
	if !slices.Equal(d.uids, []UID{"tsk-b", "tsk-c"}) {
		t.Errorf("decoded %v", d.uids)
	}
	sameText(t, encodeDependencies(d), golden)
	sameText(t, EncodeDependencies(nil, nil), "{\n  \"depends_on\": []\n}\n")
}

func TestDependenciesSpellings(t *testing.T) {
	for in, want := range map[string][]UID{
		`{}`:                               nil,
		`{"depends_on":null}`:              nil,
		`{"depends_on":[]}`:                nil,
		`{"depends_on":"tsk-b"}`:           {"tsk-b"},
		`["tsk-b","tsk-c"]`:                {"tsk-b", "tsk-c"},
		"\ufeff \n[\"tsk-b\"]":             {"tsk-b"},
		`[]`:                               nil,
		`{"depends_on":["tsk-b","tsk-c"]}`: {"tsk-b", "tsk-c"},
	} {
		d, problems := decodeDependencies([]byte(in))
		noProblems(t, problems)
		if !slices.Equal(d.uids, want) {
			t.Errorf("%s: %v, want %v", in, d.uids, want)
		}
		stable(t, []byte(in), decodeDependencies, encodeDependencies)
	}
}

// What a task depends on must never read as nothing because it could not be read.
func TestDependenciesProblems(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodeDependencies(b)
		return p
	}, []problemCase{
		{"a number", `{"depends_on":3}`, 1, Error, "wrong-type", "depends_on"},
		{"an object", `{"depends_on":{"tsk-b":true}}`, 1, Error, "wrong-type", "depends_on"},
		{"a list of objects", "{\n\"depends_on\":[{\"uid\":\"tsk-b\"}]}", 2, Error, "wrong-type", "strings only"},
		{"a bare list of numbers", `[1]`, 1, Error, "wrong-type", "strings only"},
		{"a bare list cut off", `["tsk-b"`, 1, Error, "bad-json", "incomplete"},
		{"camel case", `{"dependsOn":["tsk-b"]}`, 1, Error, "misspelled-key", "depends_on"},
		{"not a uid", `{"depends_on":["Build It"]}`, 1, Warning, "bad-uid", "Build It"},
		{"twice", "{\"depends_on\":\n[\"tsk-b\",\"tsk-b\"]}", 2, Warning, "repeated-uid", "tsk-b"},
	})
	d, _ := decodeDependencies([]byte(`{"depends_on":["Build It","tsk-b","tsk-b"]}`))
	if !slices.Equal(d.uids, []UID{"Build It", "tsk-b"}) {
		t.Errorf("decoded %v: a name that is no task must hold the task back", d.uids)
	}
}

func FuzzDecodeDependencies(f *testing.F) {
	seed(f, `{"depends_on":["tsk-b","tsk-b","X"],"x":[]}`, `["tsk-b"]`, `[`, "\ufeff[1]")
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodeDependencies, encodeDependencies) })
}
