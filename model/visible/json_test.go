package visible

import "testing"

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain", "plain"},
		{"two\nlines", "two\nlines"},
		{"naïve café 漢字", "naïve café 漢字"},
		{"a\u202eb", `a\u202eb`},
		{"a\u200bb", `a\u200bb`},
		{"del\u007f", `del\u007f`},
		{"\u0085", `\u0085`},
		{"tag\U000e0041", `tag\udb40\udc41`},
	} {
		if got := JSON(tt.in); got != tt.want {
			t.Errorf("JSON(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
