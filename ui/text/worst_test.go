package text

import (
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	for name, read := range map[string]func(string){
		"safe": func(s string) { Safe(s) }, "width": func(s string) { Width(s) }, "wrap": func(s string) { Wrap(s, 80) },
		"chop": func(s string) { Chop(s, 80) }, "truncate": func(s string) { Truncate(s, 80) }, "strip": func(s string) { Strip(s) },
	} {
		t.Run(name, func(t *testing.T) { worsttest.Check(t, worsttest.Texts(), read) })
	}
}
