package markdown

import (
	"strings"
	"testing"
)

// What a jump passed over was not seen; reading row by row sees the whole, whatever a rendering leaves out.
func TestSeenIsWhatWasInTheWindow(t *testing.T) {
	parts := "# Plan\n\n<!-- hidden -->\n\n" + strings.Repeat("- a step with words that take more than one row of this width\n\n", 30) +
		"```go\nx := 1\n\ny := 2\n```\n\n[ref]: https://example.com\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\nThe [end][ref].\n\n"
	for name, src := range map[string]string{"many lines": parts, "one long line": strings.Repeat("word ", 400)} {
		for _, raw := range []bool{false, true} {
			d := reading(t, []byte(src), 40, 10)
			d.SetRaw(raw)
			s := d.See(nil)
			d.Bottom()
			if s = d.See(s); s.Percent() > 60 {
				t.Errorf("%s, raw %v: after a jump to the end %d%% were seen", name, raw, s.Percent())
			}
			for d.Top(); !d.AtBottom(); d.ScrollBy(1) {
				s = d.See(s)
			}
			if s = d.See(s); s.Percent() != 100 {
				t.Errorf("%s, raw %v: after reading all %d%% were seen: %v", name, raw, s.Percent(), s)
			}
		}
	}
	d := reading(t, []byte(strings.Repeat("word ", 400)), 40, 10)
	s := d.See(nil)
	if p := s.Percent(); p == 0 || p > 25 {
		t.Errorf("of a line that is longer than the window %d%% were seen at its beginning", p)
	}
	d.Bottom()
	if p := d.See(s).Percent(); p > 50 {
		t.Errorf("of a line that is longer than the window %d%% were seen after a jump to its end", p)
	}
}

// What is left of a text counts for no fewer rows than it takes, also where a table is too wide for its columns.
func TestUnseenCountsEveryRow(t *testing.T) {
	for name, src := range map[string]string{
		"a wide table": strings.Repeat("| a b ", 24) + "|\n" + strings.Repeat("|---", 24) + "|\n" + strings.Repeat(strings.Repeat("| a b ", 24)+"|\n", 5),
		"long lines":   strings.Repeat("- a step with words that take more than one row of this width\n\n", 30),
		"code":         "```\n" + strings.Repeat("x := 1\n", 40) + "```\n",
	} {
		d := reading(t, []byte(src), 60, 10)
		if got, rows := d.Unseen(make(Seen, d.Lines()+1)), len(all(d, 60)); got < rows {
			t.Errorf("%s: %d rows are unseen, and it takes %d", name, got, rows)
		}
	}
}
