package look

import (
	"testing"
	"time"
)

func TestParseWhen(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 14, 15, 4, 5, 0, zone)
	end := func(y int, m time.Month, d int) time.Time {
		return time.Date(y, m, d, 23, 59, 59, 999999999, zone)
	}
	for text, want := range map[string]time.Time{
		"now": now, "today": end(2026, 11, 14), "yesterday": end(2026, 11, 13), "2026-02-28": end(2026, 2, 28),
		"2h": now.Add(-2 * time.Hour), "2h ago": now.Add(-2 * time.Hour), "3d": now.Add(-72 * time.Hour), "1w ago": now.Add(-168 * time.Hour),
		"1 hour ago": now.Add(-time.Hour), "2 days ago": now.Add(-48 * time.Hour), "3 weeks": now.Add(-504 * time.Hour), "10 minutes ago": now.Add(-10 * time.Minute),
		"2026-11-01 10:30": time.Date(2026, 11, 1, 10, 30, 0, 0, zone), "2026-11-01T10:30:07": time.Date(2026, 11, 1, 10, 30, 7, 0, zone),
		"2026-11-01T10:30:07Z": time.Date(2026, 11, 1, 10, 30, 7, 0, time.UTC), "10:30": time.Date(2026, 11, 14, 10, 30, 0, 0, zone),
	} {
		seq, got, err := parseWhen(text, now)
		if err != nil || seq != 0 || !got.Equal(want) {
			t.Errorf("%q is %s, want %s: %v", text, got, want, err)
		}
	}
	if seq, _, err := parseWhen("seq:42", now); seq != 42 || err != nil {
		t.Errorf("entry %d: %v", seq, err)
	}
	for _, text := range []string{"", "soon", "-2h", "seq:", "seq:0", "seq:-1", "2026-13-01", "25:00", "99999999999999d", "16000w", "15251w ago", "1 fortnight ago", "one hour ago", "1 1 hour", "ago"} {
		if seq, got, err := parseWhen(text, now); err == nil {
			t.Errorf("%q is %s, entry %d", text, got, seq)
		}
	}
}
