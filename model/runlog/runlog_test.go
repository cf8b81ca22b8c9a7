package runlog

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var at = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func TestEventsComeBackFromTheirLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Event{
			At:   at.Add(time.Duration(rapid.IntRange(0, 1e6).Draw(t, "ms")) * time.Millisecond),
			Kind: rapid.SampledFrom([]Kind{KindMessage, KindTool, KindRaw, KindCheck}).Draw(t, "kind"),
			Text: rapid.String().Draw(t, "text"), Tool: rapid.String().Draw(t, "tool"), ID: rapid.String().Draw(t, "id"),
			Done: rapid.Bool().Draw(t, "done"), Exit: rapid.IntRange(-1, 255).Draw(t, "exit"), Cost: 0.25, In: 7,
		}
		if e.Kind == KindCheck {
			e.Check = &Evidence{Name: "a", Argv: []string{"go", "test"}, Source: "verify", Status: Fail, Exit: 1, Millis: 12}
		}
		line := e.Line()
		if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("%q is not one line", line)
		}
		got, err := Parse(line)
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Fatalf("%v: %+v came back as %+v", err, e, got)
		}
	})
}

func TestALongEventIsCutToOneLine(t *testing.T) {
	for _, text := range []string{strings.Repeat("\x00", 1<<20), strings.Repeat("ä", 1<<20), strings.Repeat("\x1b[31m", 1<<18)} {
		e := Event{At: at, Kind: KindMessage, Text: text, Tool: text, ID: text, Path: text, Check: &Evidence{Name: "a", Output: text}}
		line := e.Line()
		if len(line) > MaxLine {
			t.Errorf("a line of %d bytes", len(line))
		}
		got, err := Parse(line)
		if err != nil || got.Cut == 0 || !utf8.ValidString(got.Text) || !utf8.ValidString(got.Check.Output) {
			t.Errorf("%v, cut %d", err, got.Cut)
		}
	}
}

func TestALineThatIsNoEventIsShownAsItIs(t *testing.T) {
	for _, line := range []string{"", "{", "[]", `{"text":"no kind"}`, "plain words\r", `{"kind":5}`, "null"} {
		e, err := Parse([]byte(line + "\n"))
		if err == nil || e.Kind != KindRaw || e.Text != strings.TrimRight(line, "\r") {
			t.Errorf("%q became %+v, %v", line, e, err)
		}
	}
	if e, err := Parse([]byte(`{"kind":"message","text":"x","later":{"a":[1]}}`)); err != nil || e.Text != "x" {
		t.Errorf("a key of a later version: %+v, %v", e, err)
	}
}

// Whatever the pieces in which a log is read, the same is seen.
func TestAViewDoesNotDependOnThePieces(t *testing.T) {
	var log []byte
	for i, e := range []Event{
		{Kind: KindPhase, Phase: PhaseClaim},
		{Kind: KindPhase, Phase: PhaseWork},
		{Kind: KindMessage, Text: "\n  I begin\nwith this"},
		{Kind: KindTool, Tool: "Read", ID: "1", Text: "a.go"},
		{Kind: KindCommand, ID: "2", Text: "go test ./..."},
		{Kind: KindTool, ID: "1", Done: true, Text: "package a"},
		{Kind: KindEdit, Path: "a.go"},
		{Kind: KindCost, Cost: 0.5, In: 100, Out: 20},
		{Kind: KindCost, Cost: 0.25},
		{Kind: KindCheck, Check: &Evidence{Name: "go test"}},
		{Kind: KindCheck, Done: true, Check: &Evidence{Name: "go test", Status: Fail, Exit: 1}},
		{Kind: KindCheck, Done: true, Check: &Evidence{Name: "go test", Status: Pass}},
		{Kind: KindError, Text: "tests failed"},
		{Kind: "of a later version", Text: "?"},
		{Kind: KindPhase, Phase: PhaseEnded, Text: "error"},
	} {
		e.At = at.Add(time.Duration(i) * time.Second)
		log = append(log, e.Line()...)
	}
	var whole View
	_, _ = whole.Write(log)
	if whole.Phase != PhaseEnded || whole.Ended != "error" || whole.Cost != 0.5 || whole.In != 100 || whole.Tools != 2 || whole.Open != 1 ||
		whole.Edits != 1 || whole.Errors != 1 || whole.Action != "tests failed" || len(whole.Checks) != 1 || whole.Checks[0].Status != Pass ||
		!whole.First.Equal(at) || !whole.Last.Equal(at.Add(14*time.Second)) || !whole.Begun[PhaseWork].Equal(at.Add(time.Second)) {
		t.Errorf("the events came to %+v", whole)
	}
	rapid.Check(t, func(t *rapid.T) {
		var v View
		for rest := log; len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 200)).Draw(t, "n")
			_, _ = v.Write(rest[:n])
			rest = rest[n:]
		}
		if !reflect.DeepEqual(v, whole) {
			t.Fatalf("in pieces: %+v\nwhole: %+v", v, whole)
		}
	})
}

func TestAReportComesBack(t *testing.T) {
	r := Report{
		Commit: "abc", OK: false, Tested: true, Why: "go test failed", Missing: []string{"a.go"}, Outside: []string{"b.go"},
		Checks:   []Evidence{{Name: "go test", Argv: []string{"go", "test", "./..."}, Source: "detected: go test", Status: Fail, Exit: 1, Millis: 1500, Output: "FAIL \x1b[31m", Bytes: 99}},
		Criteria: []Criterion{{Text: "adds", Status: Pass, By: "go test"}},
	}
	got, err := DecodeReport(r.Encode())
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%v: %+v", err, got)
	}
	if got.Checks[0].Took() != 1500*time.Millisecond {
		t.Errorf("it took %s", got.Checks[0].Took())
	}
	if _, err := DecodeReport([]byte("{")); err == nil {
		t.Error("half a report was read")
	}
}

func FuzzView(f *testing.F) {
	f.Add([]byte("{\"kind\":\"phase\",\"phase\":\"work\"}\n{\"kind\":\"check\"}\n{"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		var v View
		_, _ = v.Write(b)
	})
}

func TestVerifiedSaysWhatWasFound(t *testing.T) {
	pass, fail := Evidence{Name: "go vet", Status: Pass}, Evidence{Name: "go test", Status: Fail, Exit: 1}
	met, open := Criterion{Text: "A", Status: Pass}, Criterion{Text: "B", Status: NotRun}
	for want, w := range map[string]Work{
		"Not verified: it was only reported as done.": {},
		"Not verified: no checks ran.":                {Run: "r"},
		"1 check passed, 1 of 1 criterion met.":       {Run: "r", Report: &Report{OK: true, Tested: true, Checks: []Evidence{pass}, Criteria: []Criterion{met}}},
		"1 of 2 checks passed (go test: exit 1), 1 of 2 criteria met. Missing: a.go. A test fails.": {
			Run: "r", Report: &Report{Tested: true, Why: "a test fails", Missing: []string{"a.go"}, Checks: []Evidence{pass, fail}, Criteria: []Criterion{met, open}},
		},
		"1 check passed. No test was found.": {Run: "r", Report: &Report{OK: true, Checks: []Evidence{pass}}},
	} {
		if got := w.Verified(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
