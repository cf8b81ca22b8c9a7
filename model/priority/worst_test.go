package priority

import (
	"testing"

	"vespe/internal/worst"
)

// Rules are read in time that grows with their size, whatever their shape.
func TestWorstTexts(t *testing.T) {
	worst.Check(t, append(worst.Texts(), worst.Anchors()...), func(body string) {
		Parse("f", []byte(body))
		Parse("f", []byte("rules:\n"+body))
	})
}
