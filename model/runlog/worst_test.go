package runlog

import (
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worsttest.Check(t, append(worsttest.Texts(), worsttest.Values()...), func(body string) {
		_, _ = Parse([]byte(body))
		_, _ = DecodeReport([]byte(body))
		FirstLine(body)
		_ = Tail(body, 1000)
	})
}
