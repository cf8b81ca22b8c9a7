package priority

import (
	"testing"

	"vespe/internal/worsttest"
)

// Rules are read in time that grows with their size, whatever their shape.
func TestWorstTexts(t *testing.T) {
	worsttest.Check(t, append(worsttest.Texts(), worsttest.Anchors()...), func(body string) {
		Parse("f", []byte(body))
		Parse("f", []byte("rules:\n"+body))
	})
}
