package model

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestStatusWords(t *testing.T) {
	// The statuses in their order of precedence.
	want := []string{
		"problem", "aborted", "failed", "error", "changed", "waiting", "paused", "subtasks", "done", "review plan",
		"review work", "blocked", "running", "ready", "replan", "planning", "created",
	}
	var got []string
	for _, s := range Statuses() {
		got = append(got, s.String())
		if back, ok := ParseStatus(s.String()); !ok || back != s {
			t.Errorf("ParseStatus(%q) = %v, %v", s.String(), back, ok)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, in := range []string{"review-plan", "Review_Plan", "reviewplan", " REVIEW PLAN "} {
		if s, ok := ParseStatus(in); !ok || s != StatusReviewPlan {
			t.Errorf("ParseStatus(%q) = %v, %v", in, s, ok)
		}
	}
	for _, in := range []string{"", "review", "unknown", "readyy"} {
		if s, ok := ParseStatus(in); ok {
			t.Errorf("ParseStatus(%q) = %v", in, s)
		}
	}
	if got := Status(NumStatuses).String(); got != "unknown" {
		t.Errorf("a status beyond the last is %q", got)
	}
	Statuses()[0] = StatusCreated
	if Statuses()[0] != StatusProblem {
		t.Error("Statuses gives out its own slice")
	}
}

func TestSeverityWords(t *testing.T) {
	if Warning.String() != "warning" || Error.String() != "error" {
		t.Errorf("%v, %v", Warning, Error)
	}
}

func TestGlyphsTellStatusesApart(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		seen := map[string]Status{}
		for _, s := range Statuses() {
			g := s.Glyph(ascii)
			if other, again := seen[g]; again || utf8.RuneCountInString(g) != 1 {
				t.Errorf("%s has the glyph %q (also of %s: %v)", s, g, other, again)
			}
			if ascii && g[0] >= utf8.RuneSelf {
				t.Errorf("%s: %q is not ASCII", s, g)
			}
			seen[g] = s
		}
	}
}
