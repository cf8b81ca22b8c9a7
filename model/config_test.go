package model

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

const configPath = ".vespe/tasks/tsk-abc123def456/config.json"

const goldenConfig = `{
  "uid": "tsk-abc123def456",
  "name": "Implementazione <Autenticazione> Utente",
  "created_by": "human:ann",
  "created_at": "2025-09-22T10:00:00Z",
  "parent_uid": null
}
`

func TestConfigGolden(t *testing.T) {
	want := Config{
		UID: "tsk-abc123def456", Name: "Implementazione <Autenticazione> Utente", CreatedBy: "human:ann",
		CreatedAt: time.Date(2025, 9, 22, 10, 0, 0, 0, time.UTC),
	}
	got, problems := DecodeConfig(configPath, []byte(goldenConfig))
	noProblems(t, problems)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded %+v, want %+v", got, want)
	}
	sameText(t, EncodeConfig(got), goldenConfig)
}

func TestConfigOfOlderSystems(t *testing.T) {
	c, problems := DecodeConfig(configPath, []byte(`{"uid":"tsk-abc123def456","name":"N","created_by_agent_uid":"agt-1",`+
		`"created_at":"2025-09-26T08:53:05.123456789Z","parent_uid":"tsk-p","task_type":"Monolithic"}`))
	noProblems(t, problems)
	sameText(t, EncodeConfig(c), `{
  "uid": "tsk-abc123def456",
  "name": "N",
  "created_by": "agt-1",
  "created_at": "2025-09-26T08:53:05.123Z",
  "parent_uid": "tsk-p",
  "task_type": "Monolithic"
}
`)
}

func TestConfigKeepsUnknownKeys(t *testing.T) {
	const in = `{
  "uid": "tsk-abc123def456",
  "name": "N",
  "created_by": "",
  "created_at": null,
  "parent_uid": null,
  "zeta": 1.50e+3,
  "alpha": "\u00e9 <b> \/",
  "nested": {
    "b": [1, 2,3],
    "a": {}
  },
  "": null
}
`
	c, problems := DecodeConfig(configPath, []byte(in))
	noProblems(t, problems)
	sameText(t, EncodeConfig(c), in)
	if v, ok := c.Extra.Get("zeta"); !ok || string(v) != "1.50e+3" {
		t.Errorf("zeta = %s, %v", v, ok)
	}
	if s, ok := c.Extra.Text("alpha"); !ok || s != "é <b> /" {
		t.Errorf("alpha = %q, %v", s, ok)
	}
}

func TestConfigCreatorUnderBothNames(t *testing.T) {
	const in = `{
  "uid": "tsk-a",
  "name": "N",
  "created_by": "human:ann",
  "created_at": null,
  "parent_uid": null,
  "created_by_agent_uid": "agt-1"
}
`
	c, problems := DecodeConfig(configPath, []byte(in))
	noProblems(t, problems)
	if c.CreatedBy != "human:ann" {
		t.Errorf("created by %q", c.CreatedBy)
	}
	sameText(t, EncodeConfig(c), in)
}

func TestConfigProblems(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := DecodeConfig(configPath, b)
		return p
	}, []problemCase{
		{"no uid", `{"name":"N"}`, 1, Error, "missing-key", `"uid"`},
		{"no name", `{"uid":"tsk-a"}`, 1, Error, "missing-key", `"name"`},
		{"blank name", "{\"uid\":\"tsk-a\",\n\"name\":\" \"}", 2, Error, "wrong-type", "a name"},
		{"null name", `{"uid":"tsk-a","name":null}`, 1, Error, "wrong-type", "null"},
		{"uid is a number", "{\n\"uid\": 7,\"name\":\"N\"}", 2, Error, "wrong-type", "7"},
		{"uid that is a path", `{"uid":"../x","name":"N"}`, 1, Error, "wrong-type", "../x"},
		{"parent that is a path", "{\"uid\":\"tsk-a\",\n\n\"name\":\"N\",\"parent_uid\":\"../x\"}", 3, Warning, "wrong-type", "parent_uid"},
		{"bad time", `{"uid":"tsk-a","name":"N","created_at":"yesterday"}`, 1, Warning, "wrong-type", "created_at"},
		{"creator is an object", `{"uid":"tsk-a","name":"N","created_by":{}}`, 1, Warning, "wrong-type", "an object"},
		{"folded key", "{\"uid\":\"tsk-a\",\"name\":\"N\",\n\"createdBy\":\"x\"}", 2, Warning, "misspelled-key", "createdBy"},
		{"folded identity", "{\"uid\":\"tsk-a\",\"name\":\"N\",\n\"NAME\":\"x\"}", 2, Error, "misspelled-key", "NAME"},
		{"folded with the Kelvin sign", "{\"uid\":\"tsk-a\",\"name\":\"N\",\"K\":1,\"\u212a\":2}", 1, Warning, "case-key", "K"},
		{"unknown keys differ in case", `{"uid":"tsk-a","name":"N","foo":1,"FOO":2}`, 1, Warning, "case-key", "FOO"},
		{"duplicate", "{\"uid\":\"tsk-a\",\n\"name\":\"N\",\n\"name\":\"M\"}", 3, Error, "duplicate-key", `"name"`},
		{"duplicate by escape", `{"uid":"tsk-a","name":"N","n\u0061me":"M"}`, 1, Error, "duplicate-key", "name"},
		{"duplicate far inside", `{"uid":"tsk-a","name":"N","x":[{"y":1,"y":2}]}`, 1, Error, "duplicate-key", `"y"`},
		{"not utf-8", "{\"uid\":\"tsk-a\",\n\"name\":\"N\xff\"}", 2, Error, "bad-utf8", "UTF-8"},
		{"half a surrogate", `{"uid":"tsk-a","name":"\ud800"}`, 1, Error, "bad-json", "JSON"},
		{"empty", "", 0, Error, "empty-file", "empty"},
		{"white space", " \n\t", 0, Error, "empty-file", "empty"},
		{"cut off", "{\"uid\":\n\"tsk-a\",\n", 2, Error, "bad-json", "incomplete"},
		{"comma missing", "{\"uid\":\"tsk-a\"\n\n\"name\":\"N\"}", 3, Error, "bad-json", "not JSON"},
		{"merge conflict", "{\"uid\":\"tsk-a\",\n<<<<<<< HEAD\n\"name\":\"N\"\n=======\n\"name\":\"M\"\n>>>>>>> x\n}", 2, Error, "merge-conflict", "merge"},
		{"a list", `["tsk-a"]`, 1, Error, "wrong-type", "a list"},
		{"a literal", `null`, 1, Error, "wrong-type", "null"},
		{"two objects", "{\"uid\":\"tsk-a\",\"name\":\"N\"}\n{}", 2, Error, "bad-json", "more"},
		{"rubbish after the object", "{\"uid\":\"tsk-a\",\"name\":\"N\"}\n\nx", 3, Error, "bad-json", "more"},
		{"too deep", `{"uid":"tsk-a","name":"N","x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, 1, Error, "too-deep", "64"},
		{"far too deep", `{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, 1, Error, "too-deep", "64"},
		{"too large", `{"x":"` + strings.Repeat("x", MaxJSON) + `"}`, 0, Error, "too-large", "4 MiB"},
	})
}

func TestConfigDeepestThatIsKept(t *testing.T) {
	in := `{"uid":"tsk-a","name":"N","x":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`
	c, problems := DecodeConfig(configPath, []byte(in))
	noProblems(t, problems)
	again, problems := DecodeConfig(configPath, EncodeConfig(c))
	noProblems(t, problems)
	if !reflect.DeepEqual(c, again) {
		t.Error("the deepest value that is kept does not survive a rewrite")
	}
}

func TestByteOrderMarkIsNoProblem(t *testing.T) {
	c, problems := DecodeConfig(configPath, append([]byte("\ufeff"), goldenConfig...))
	noProblems(t, problems)
	sameText(t, EncodeConfig(c), goldenConfig)
}

// A value that cannot be read stays in the file until the program sets that field.
func TestUnreadableValueGivesWay(t *testing.T) {
	c, _ := DecodeConfig(configPath, []byte(`{"uid":"tsk-a","name":"N","created_at":"yesterday"}`))
	if out := EncodeConfig(c); !bytes.Contains(out, []byte(`"created_at": "yesterday"`)) {
		t.Errorf("the value is lost:\n%s", out)
	}
	c.CreatedAt = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	sameText(t, EncodeConfig(c), `{
  "uid": "tsk-a",
  "name": "N",
  "created_by": "",
  "created_at": "2026-01-02T03:04:05.006Z",
  "parent_uid": null
}
`)
}

// What a program hands over need not be JSON, but what is written always is.
func TestExtraThatIsNotJSON(t *testing.T) {
	c := Config{UID: "tsk-a", Name: "N\xff", Extra: Extra{
		{Key: "a", Value: []byte("{oops")},
		{Key: "b"},
		{Key: "a", Value: []byte("2")},
		{Key: "uid", Value: []byte(`"other"`)},
	}}
	again, problems := DecodeConfig(configPath, EncodeConfig(c))
	noProblems(t, problems)
	if again.UID != "tsk-a" || again.Name != "N\ufffd" || len(again.Extra) != 2 {
		t.Errorf("read back %+v", again)
	}
	if s, _ := again.Extra.Text("a"); s != "{oops" {
		t.Errorf("a = %q", s)
	}
}

func FuzzDecodeConfig(f *testing.F) {
	seed(f, goldenConfig, `{"uid":"tsk-a","name":"N","created_by":5,"created_by_agent_uid":"b","Name2":[{}]}`)
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(b []byte) (Config, []Problem) { return DecodeConfig(configPath, b) }, EncodeConfig)
	})
}

func TestUIDValid(t *testing.T) {
	pattern := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	for _, u := range []string{
		"", "a", "-", "a-", "-a", "tsk-01a9f3", "A", "a_b", "a.b", "../x", "é", "a\n", "a ", "9", "a\x00",
		strings.Repeat("a", 64), strings.Repeat("a", 65), "con", "tsk-" + strings.Repeat("0", 32),
	} {
		if got, want := UID(u).Valid(), pattern.MatchString(u); got != want {
			t.Errorf("UID(%q).Valid() = %v, want %v", u, got, want)
		}
	}
}
