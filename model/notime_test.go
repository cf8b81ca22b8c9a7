package model

import (
	"strings"
	"testing"
	"time"
)

// A time that nobody said is null, and not the first second of the year 1.
func TestNoTime(t *testing.T) {
	if got := string(TimeField("at", time.Time{}).Value); got != "null" {
		t.Errorf("no time is %s", got)
	}
	st, _ := DecodeStatus("f", []byte(`{"current_state":"created"}`))
	if b := EncodeStatus(st); !st.LastUpdatedAt.IsZero() || strings.Contains(string(b), "0001-") {
		t.Errorf("a status without a time is written as %s", b)
	}
	e, _ := DecodeEvent("f", []byte(`{"event":"start"}`))
	if b := EncodeEvent(e); strings.Contains(string(b), "0001-") {
		t.Errorf("an event without a time is written as %s", b)
	}
}
