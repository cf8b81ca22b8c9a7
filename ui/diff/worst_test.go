package diff

import (
	"testing"

	"vespe/internal/worst"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worst.Check(t, worst.Texts(), func(body string) {
		half := len(body) / 2
		Compare(body[:half], body[half:]+".") // never the same text: that would cost nothing
		Patch(body)
	})
	other := worst.Lines("", "and %d\n")
	worst.Check(t, []worst.Shape{worst.Lines("no common lines", "line %d\n"), worst.Repeat("one line", "a\n")}, func(body string) {
		Compare(body, other.Make(len(body)))
	})
}
