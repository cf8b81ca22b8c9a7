package model

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Hour, "now"},
		{59 * time.Second, "now"},
		{time.Minute, "1m"},
		{time.Hour - time.Second, "59m"},
		{time.Hour, "1h"},
		{42 * time.Hour, "1d"},
		{20 * day, "20d"},
		{21 * day, "3w"},
		{365 * day, "1y"},
	} {
		if got := Age(tt.d); got != tt.want {
			t.Errorf("Age(%v) = %s, want %s", tt.d, got, tt.want)
		}
	}
}

func TestEarlier(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Hour: "just before", 59 * time.Second: "just before", 61 * time.Second: "1m earlier"} {
		if got := Earlier(d); got != want {
			t.Errorf("Earlier(%v) = %s, want %s", d, got, want)
		}
	}
}
