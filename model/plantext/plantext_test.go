package plantext_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model/plantext"
)

const sectioned = `---
title: front
---
Before.

# Plan
Words.

## One
` + "```\n# no heading\n```" + `
### One a ###
<!--
## hidden
-->
Two
===
Several
lines
---
- item
  ## in a list
lazy
===

text
* * *
> # quoted
> and
lazy
---
    # code

#no heading
## Last
`

func TestSections(t *testing.T) {
	var got []string
	for _, s := range plantext.Sections(sectioned) {
		got = append(got, fmt.Sprintf("%d %s %d-%d", s.Level, s.Title, s.From, s.To))
	}
	want := []string{"1 Plan 6-16", "2 One 9-16", "3 One a 13-16", "1 Two 17-36", "2 Several lines 19-35", "2 Last 36-36"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLeftOut(t *testing.T) {
	sections := plantext.Sections("# A\n## B\n### C\n## D\n# B\n## E\n")
	for _, c := range []struct{ titles, want string }{
		{"", ""}, {"A", "A B C D"}, {"C", "C"}, {"B", "B C B E"}, {"C E", "C E"}, {"nothing", ""},
	} {
		var got []string
		for i, out := range plantext.LeftOut(sections, strings.Fields(c.titles)) {
			if out {
				got = append(got, sections[i].Title)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("without %q: %q, want %q", c.titles, got, c.want)
		}
	}
}

func FuzzSections(f *testing.F) {
	f.Add(sectioned)
	f.Add("\t\n\x00\n---\n- \n<")
	f.Fuzz(func(t *testing.T, text string) {
		lines, before := strings.Count(text, "\n")+1, 0
		for _, s := range plantext.Sections(text) {
			if s.From <= before || s.To < s.From || s.To > lines || s.Level < 1 || s.Level > 6 || strings.TrimSpace(s.Title) == "" {
				t.Fatalf("%+v of %d lines after %d", s, lines, before)
			}
			before = s.From
		}
	})
}
