package diff

import (
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worsttest.Check(t, worsttest.Texts(), func(body string) {
		half := len(body) / 2
		Compare(body[:half], body[half:]+".") // never the same text: that would cost nothing
		Patch(body)
	})
	other := worsttest.Lines("", "and %d\n")
	worsttest.Check(t, []worsttest.Shape{worsttest.Lines("no common lines", "line %d\n"), worsttest.Repeat("one line", "a\n")}, func(body string) {
		Compare(body, other.Make(len(body)))
	})
}
