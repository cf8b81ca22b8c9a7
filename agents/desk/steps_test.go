package desk

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model/decompose"
)

// Whatever steps say, they are refused, or a reader of the plan finds each as it was given, and the words of the plan
// before them as they were written.
func TestStepsAreReadAsGiven(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{
			"yes", "null", "~", "- a", "# b", "a: b", "a #b", "'", "\"x\"", "{x}", "[y]", "*z", "&q", "!t", "%", "@", "`code`", "```", "\\n", "1.0", "0x1", "2026-01-01", "|", ">", "=", "<<",
			"Task 1: x", "- [ ] box", "Depends on: s9", "é ü", "日本", "a\u202eb", "\u200b", "x  y", "<!--", "-->", "---", "...",
		}),
		rapid.StringN(1, 20, 60),
	)
	line := rapid.Map(rapid.SliceOfN(word, 1, 4), func(w []string) string { return strings.Join(w, " ") })
	text := rapid.Map(rapid.SliceOfN(line, 0, 4), func(l []string) string { return strings.Join(l, "\n") })
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		p := Plan{PlanMD: text.Draw(t, "plan"), Commands: rapid.SliceOfN(line, 0, 2).Draw(t, "commands")}
		n := rapid.IntRange(1, 4).Draw(t, "steps")
		for i := range n {
			s := Step{
				ID: fmt.Sprint("s", i), Title: line.Draw(t, "title"), Detail: text.Draw(t, "detail"), Criteria: rapid.SliceOfN(line, 0, 3).Draw(t, "criteria"),
				Risk: rapid.SampledFrom([]string{"", "low", "medium", "high"}).Draw(t, "risk"), Files: rapid.SliceOfN(rapid.SampledFrom([]string{"a.go", "b/c.go", "b/c_test.go"}), 0, 2).Draw(t, "files"),
			}
			if i > 0 && rapid.Bool().Draw(t, "waits") {
				s.DependsOn = []string{"s0"}
			}
			if rapid.Bool().Draw(t, "final") {
				s.Reversible = pointer(false)
			}
			p.Steps = append(p.Steps, s)
		}
		out, err := p.Text()
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Next == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		read++
		if !strings.HasPrefix(out, strings.TrimRight(p.PlanMD, "\n")) {
			t.Fatalf("the words before are gone:\n%s", out)
		}
		b, err := decompose.Parse(out, nil)
		if err != nil || b.Form != decompose.FormBlock || len(b.Items) != n {
			t.Fatalf("%v in\n%s", err, out)
		}
		for i, s := range p.Steps {
			it := b.Items[i]
			waits := slices.ContainsFunc(it.Needs, func(n decompose.Need) bool { return n.Key == "s0" })
			if it.Key != s.ID || it.Risk != s.Risk || !slices.Equal(trimmed(it.Criteria), trimmed(s.Criteria)) || len(s.DependsOn) > 0 && !waits ||
				slices.Contains(it.Labels, irreversible) != (s.Reversible != nil) {
				t.Fatalf("%+v was given, and %+v is read from\n%s", s, it, out)
			}
			for _, f := range s.Files {
				if !slices.Contains(slices.Concat(it.Create, it.Modify, it.Tests), f) {
					t.Fatalf("%q is lost of %+v in\n%s", f, it, out)
				}
			}
		}
	})
	if read == 0 {
		t.Error("all steps were refused")
	}
}
