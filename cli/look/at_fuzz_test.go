package look

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"vespe/cli/core"
	"vespe/model"
)

// What is read as a moment is one, not in the future for a number of hours, days or weeks ago;
// what is none is a mistake in the call.
func FuzzParseWhen(f *testing.F) {
	for _, s := range []string{
		"now", "today", "yesterday", "2026-11-14", "2026-11-14 15:04", "2026-11-14T15:04:05Z", "2026-11-14 15:04:05 -0700",
		"15:04", "15:04:05", "2h", "3d", "2w ago", "1h30m", "seq:42", "seq:0", "seq:18446744073709551616", "-1h", "65535w", "30000w", "99999999h", "", "  ", "0001-01-01", "9999-12-31",
	} {
		f.Add(s)
	}
	zone := time.FixedZone("somewhere", 2*3600)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, zone)
	f.Fuzz(func(t *testing.T, text string) {
		seq, when, err := parseWhen(text, now)
		if err != nil {
			if core.CodeOf(err) != model.CodeUsage || seq != 0 || !when.IsZero() {
				t.Fatalf("%q: %d, %v, %v", text, seq, when, err)
			}
			return
		}
		if (seq > 0) != when.IsZero() && text != "0001-01-01" {
			t.Fatalf("%q is entry %d and the time %v", text, seq, when)
		}
		if days, ok := strings.CutSuffix(text, "w"); ok {
			if n, err := strconv.Atoi(days); err == nil && when.After(now.AddDate(0, 0, -7*n+1)) {
				t.Fatalf("%q was at %v", text, when)
			}
		}
		if ago, err := core.ParseAgo(text); err == nil && (ago < 0 || when.After(now)) {
			t.Fatalf("%q was %v ago, at %v", text, ago, when)
		}
	})
}
