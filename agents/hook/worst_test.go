package hook

import (
	"testing"

	"vespe/model/worst"
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
