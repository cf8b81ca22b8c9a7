package model

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"vespe/model/visible"
)

// seed adds a fuzz target's own examples and what every JSON reader should have seen.
func seed(f *testing.F, own ...string) {
	for _, s := range append(own, "", "{}", "[]", "null", `{"a":1,"A":2}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`,
		`{"":{"":[[[]]]}}`, strings.Repeat("[", 70), "\ufeff{}", `{"at":"2026-01-02T03:04:05.678+09:00"}`) {
		f.Add([]byte(s))
	}
}

// stable is what holds for every reader and its writer: what decodes without an Error
// encodes to a file that decodes to the same value, and that encodes to the same bytes.
func stable[T any](t *testing.T, b []byte, decode func([]byte) (T, []Problem), encode func(T) []byte) {
	t.Helper()
	value, problems := decode(bytes.Clone(b))
	for _, p := range problems {
		if p.Line < 0 || p.Line > 1+bytes.Count(b, []byte("\n")) {
			t.Fatalf("line %d in a file of %d: %+v", p.Line, 1+bytes.Count(b, []byte("\n")), p)
		}
		if p.Code == "" || p.Reason == "" || p.Hint == "" || visible.Line(p.Reason) != p.Reason {
			t.Fatalf("a problem that says too little or shows too much: %+v", p)
		}
		if p.Severity == Error {
			return
		}
	}
	file := encode(value)
	if !json.Valid(file) || !bytes.HasSuffix(file, []byte("}\n")) {
		t.Fatalf("not a JSON file:\n%s", file)
	}
	again, problems := decode(file)
	for _, p := range problems {
		if p.Severity == Error {
			t.Fatalf("what was written cannot be read: %+v\n%s", p, file)
		}
	}
	if !reflect.DeepEqual(value, again) {
		t.Fatalf("read  %+v\nthen  %+v\nfrom  %q\nby way of\n%s", value, again, b, file)
	}
	if twice := encode(again); !bytes.Equal(file, twice) {
		t.Fatalf("written twice:\n%s\n%s", file, twice)
	}
}

func noProblems(t *testing.T, problems []Problem) {
	t.Helper()
	for _, p := range problems {
		t.Errorf("unexpected problem: %+v", p)
	}
}

func sameText(t *testing.T, got []byte, want string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

type problemCase struct {
	name, in string
	line     int
	severity Severity
	code     string
	says     string
}

// checkProblems checks that each file has exactly the one problem.
func checkProblems(t *testing.T, decode func([]byte) []Problem, cases []problemCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			problems := decode([]byte(c.in))
			if len(problems) != 1 {
				t.Fatalf("%d problems, want 1: %+v", len(problems), problems)
			}
			p := problems[0]
			if p.Line != c.line || p.Severity != c.severity || p.Code != c.code || !strings.Contains(p.Reason, c.says) {
				t.Errorf("got line %d %v %s %q, want line %d %v %s with %q",
					p.Line, p.Severity, p.Code, p.Reason, c.line, c.severity, c.code, c.says)
			}
			if p.Hint == "" || p.Path == "" {
				t.Errorf("no hint or no path: %+v", p)
			}
		})
	}
}

func TestProblemNamesItsTask(t *testing.T) {
	for path, want := range map[string]UID{
		".vespe/tasks/tsk-abc/config.json":               "tsk-abc",
		".vespe/tasks/tsk-abc/persistent/runs/r/x.json":  "tsk-abc",
		".vespe/config.json":                             "",
		".vespe/tasks/config.json":                       "",
		".vespe/tasks/NOT A UID/config.json":             "",
		"repo/tasks/of/.vespe/tasks/tsk-abc/config.json": "of", // only paths from the store's root are asked for
	} {
		if got := taskOfPath(path); got != want {
			t.Errorf("taskOfPath(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"current_state":"created"`)
	for i := range 500 {
		b.WriteString(`,"RETRY_COUNT` + strings.Repeat("_", i) + `":1`)
	}
	b.WriteString("}")
	_, problems := DecodeStatus("status.json", []byte(b.String()))
	if len(problems) != maxProblems+1 || problems[maxProblems].Code != "more-problems" {
		t.Errorf("%d problems, last %+v", len(problems), problems[len(problems)-1])
	}
}

func TestParseTime(t *testing.T) {
	at := func(ms int) time.Time { return time.Date(2026, 1, 2, 3, 4, 5, ms*1e6, time.UTC) }
	tests := []struct {
		in   string
		want time.Time
		ok   bool
		out  string
	}{
		{"2026-01-02T03:04:05Z", at(0), true, "2026-01-02T03:04:05Z"},
		{"2026-01-02T03:04:05.120Z", at(120), true, "2026-01-02T03:04:05.120Z"},
		{"2026-01-02T03:04:05.123456789Z", at(123), true, "2026-01-02T03:04:05.123Z"},
		{"2026-01-02T03:04:05.0009Z", at(0), true, "2026-01-02T03:04:05Z"},
		{"2026-01-02T12:04:05+09:00", at(0), true, "2026-01-02T03:04:05Z"},
		{"2026-01-02 03:04:05", at(0), true, "2026-01-02T03:04:05Z"},
		{"2026-01-02t03:04:05z", at(0), true, "2026-01-02T03:04:05Z"},
		{"2026-01-02T03:04:05.123456", at(123), true, "2026-01-02T03:04:05.123Z"},
		{"2026-01-02 03:04:05+00:00", at(0), true, "2026-01-02T03:04:05Z"},
		{"2024-02-29T00:00:00.5Z", time.Date(2024, 2, 29, 0, 0, 0, 5e8, time.UTC), true, "2024-02-29T00:00:00.500Z"},
		{"2026-02-29T00:00:00Z", time.Time{}, false, ""},
		{"2026-01-02T24:00:00Z", time.Time{}, false, ""},
		{"2026-01-02T03:04:60Z", time.Time{}, false, ""},
		{"2026-01-02T03:04:05.Z", time.Time{}, false, ""},
		{"2026-01-02", time.Time{}, false, ""},
		{"2026-01-02T", time.Time{}, false, ""},
		{"2026-13-02T03:04:05Z", time.Time{}, false, ""},
		{"9999-12-31T23:59:59-01:00", time.Time{}, false, ""},
		{"0000-01-01T00:00:00+01:00", time.Time{}, false, ""},
		{"1767323045", time.Time{}, false, ""},
		{"", time.Time{}, false, ""},
	}
	for _, tt := range tests {
		got, ok := ParseTime(tt.in)
		if ok != tt.ok || !got.Equal(tt.want) {
			t.Errorf("ParseTime(%q) = %v, %v; want %v, %v", tt.in, got, ok, tt.want, tt.ok)
		}
		if ok && FormatTime(got) != tt.out {
			t.Errorf("FormatTime(%v) = %q, want %q", got, FormatTime(got), tt.out)
		}
		if ok && got.Location() != time.UTC {
			t.Errorf("ParseTime(%q) is in %v", tt.in, got.Location())
		}
	}
}

func TestFields(t *testing.T) {
	in := Extra{
		TextField("verdict", "accepted <&>"),
		IntField("level", 0),
		TimeField("at", time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("x", 3600))),
		ListField("comments", []UID(nil)),
		ListField("files", []string{"a", "b"}),
		ObjectField("hashes", Extra{TextField("plan", "sha256-1"), ObjectField("none", nil)}),
		{Key: "null", Value: []byte("null")},
		IntField("level", 9),
	}
	const want = `{
  "verdict": "accepted <&>",
  "level": 0,
  "at": "2026-01-02T02:04:05Z",
  "comments": [],
  "files": [
    "a",
    "b"
  ],
  "hashes": {
    "plan": "sha256-1",
    "none": {}
  },
  "null": null
}
`
	sameText(t, EncodeFields(in), want)
	out, problems := DecodeFields("x.json", []byte(want))
	noProblems(t, problems)
	if !reflect.DeepEqual(out, in[:7]) {
		t.Errorf("read back %q", out)
	}
	if got := in[4].Text(); got != `["a","b"]` {
		t.Errorf("text of a list is %q", got)
	}
	if got := in[0].Text(); got != "accepted <&>" {
		t.Errorf("text of a string is %q", got)
	}
	if got := string(EncodeFields(nil)); got != "{}\n" {
		t.Errorf("no fields are %q", got)
	}
}

func TestExtraWithAndWithout(t *testing.T) {
	e := Extra{IntField("a", 1), IntField("b", 2)}
	with := e.With(IntField("a", 3)).With(IntField("c", 4))
	if got := string(EncodeFields(with)); got != "{\n  \"a\": 3,\n  \"b\": 2,\n  \"c\": 4\n}\n" {
		t.Errorf("With gave %s", got)
	}
	if got := string(EncodeFields(with.Without("b"))); got != "{\n  \"a\": 3,\n  \"c\": 4\n}\n" {
		t.Errorf("Without gave %s", got)
	}
	if e[0].Text() != "1" || len(e) != 2 {
		t.Errorf("the original changed: %v", e)
	}
	if e.Without("a").Without("b") != nil {
		t.Error("nothing left should be nil")
	}
}

func FuzzDecodeFields(f *testing.F) {
	seed(f, `{"b":1,"a":{"c":[1,{"d":"\u00e9"}]}}`)
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(b []byte) (Extra, []Problem) { return DecodeFields("x.json", b) }, EncodeFields)
	})
}

// The fast way of reading a time must agree with package time wherever it says yes.
func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-01-02T03:04:05Z", "2024-02-29T23:59:59.123456789Z", "2026-01-02 03:04:05", "0000-12-31T00:00:00.1Z", "2026-01-02T03:04:05.1+09:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := ParseTime(s)
		if want, err := time.Parse(time.RFC3339, s); err == nil {
			want = want.UTC().Truncate(time.Millisecond)
			if ok != (want.Year() >= 0 && want.Year() <= 9999) || ok && !got.Equal(want) {
				t.Fatalf("ParseTime(%q) = %v, %v; package time says %v", s, got, ok, want)
			}
		}
		if fast, yes := parseStamp(s); yes && (!ok || !fast.Equal(got)) {
			t.Fatalf("parseStamp(%q) = %v, ParseTime says %v, %v", s, fast, got, ok)
		}
		if !ok {
			return
		}
		if again, ok := ParseTime(FormatTime(got)); !ok || !again.Equal(got) {
			t.Fatalf("%q: %v, then %q, then %v", s, got, FormatTime(got), again)
		}
	})
}
