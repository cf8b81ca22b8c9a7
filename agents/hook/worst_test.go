package hook

import (
	"slices"
	"strings"
	"testing"

	"vespe/internal/worst"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worst.Check(t, append(worst.Texts(), worst.Repeat("subshells", "("), worst.Repeat("substitutions", "$("), worst.Repeat("backquotes", "`a "),
		worst.Repeat("groups", "{ "), worst.Repeat("ifs", "if "), worst.Repeat("arithmetic", "$(("), worst.Around("deep subshells", "(", "a", ")"),
		worst.Around("deep substitutions", "$(", "a", ")"), worst.Repeat("commands", "a;"), worst.Repeat("pipes and", "a|"), worst.Repeat("here documents", "<<a "),
		worst.Repeat("shells in shells", "sh -c \x27"), worst.Repeat("evals", "eval "), worst.Repeat("wrappers", "env "), worst.Repeat("braces", "{a,b}"),
		worst.Repeat("expansions", "${a:-"), worst.Repeat("assignments", "a=b "), worst.Repeat("functions", "a(){ ")), func(body string) {
		readScript(body, "/home/a")
	})
}

// A word with many braces is not to be read surely, and says so at once: a hook that hangs decides nothing.
func TestManyBracesAreUnsure(t *testing.T) {
	for _, body := range []string{strings.Repeat("{a,b}", 12_000), strings.Repeat("{a,", 12_000) + "b" + strings.Repeat("}", 12_000)} {
		s := readScript("rm "+body, "/home/a")
		if len(s.commands) != 1 || !slices.ContainsFunc(s.commands[0].words, func(w word) bool { return w.unsure }) {
			t.Errorf("%.20s… is sure", body)
		}
	}
}

// A parser that runs out of stack ends the hook, which then decides nothing.
func TestManyBracketsAreUnsure(t *testing.T) {
	for _, opens := range []string{"$((", "((", "(", "$("} {
		if s := readScript(strings.Repeat(opens, maxScript/len(opens)), "/home/a"); s.unsure == "" {
			t.Errorf("%s… is sure", opens)
		}
	}
}
