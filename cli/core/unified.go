package core

import (
	"fmt"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// Unified is how two texts differ, in the form that patch and git apply take. oldName and
// nowName stand in the first two lines; it is "" where the texts are the same.
func Unified(oldName, nowName, old, now string) string {
	if old == now {
		return ""
	}
	const around = 3 // equal lines about a difference
	olds, nows := strings.Count(old, "\n"), strings.Count(now, "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, nowName)
	for _, h := range textdiff.Hunks(old, now, diff.Context(around), textdiff.IndentHeuristic()) {
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(h.LineNoX, h.EndLineNoX), span(h.LineNoY, h.EndLineNoY))
		for _, e := range h.Edits {
			sign, last := " ", e.LineNoX == olds
			switch e.Op {
			case diff.Delete:
				sign = "-"
			case diff.Insert:
				sign, last = "+", e.LineNoY == nows
			case diff.Match:
			}
			b.WriteString(sign)
			b.WriteString(strings.TrimSuffix(e.Line, "\n"))
			b.WriteByte('\n')
			if last { // only what has no line feed comes after as many as there are
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// span is lines from (counted from 0) to end as a hunk's header names them: an empty span by
// the line before it.
func span(from, end int) string {
	switch end - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, end-from)
}
