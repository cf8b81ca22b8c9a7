package anchor

import (
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worsttest.Check(t, worsttest.Texts(), func(body string) {
		half := len(body) / 2
		f := NewFinder(body[:half], body[half:]+".") // never the same text: that would cost nothing
		for line := range 4 {
			f.Find(Make(body[:half], line+1, line+1))
		}
	})
}
