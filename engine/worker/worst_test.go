package worker

import (
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			worsttest.Check(t, append(worsttest.Texts(), worsttest.Values()...), func(body string) {
				p := NewParser(format)
				printed(p, body)
			})
		})
	}
}
