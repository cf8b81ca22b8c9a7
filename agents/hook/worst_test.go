package hook

import (
	"slices"
	"strings"
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worsttest.Check(t, append(worsttest.Texts(), worsttest.Repeat("subshells", "("), worsttest.Repeat("substitutions", "$("), worsttest.Repeat("backquotes", "`a "),
		worsttest.Repeat("groups", "{ "), worsttest.Repeat("ifs", "if "), worsttest.Repeat("arithmetic", "$(("), worsttest.Around("deep subshells", "(", "a", ")"),
		worsttest.Around("deep substitutions", "$(", "a", ")"), worsttest.Repeat("commands", "a;"), worsttest.Repeat("pipes and", "a|"), worsttest.Repeat("here documents", "<<a "),
		worsttest.Repeat("shells in shells", "sh -c \x27"), worsttest.Repeat("evals", "eval "), worsttest.Repeat("wrappers", "env "), worsttest.Repeat("braces", "{a,b}"),
		worsttest.Repeat("expansions", "${a:-"), worsttest.Repeat("assignments", "a=b "), worsttest.Repeat("functions", "a(){ ")), func(body string) {
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
