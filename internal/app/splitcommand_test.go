package app

import (
	"slices"
	"testing"
)

func TestSplitCommand(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"vim", []string{"vim"}},
		{"  code --wait  ", []string{"code", "--wait"}},
		{`"/opt/my editor/ed" -n ''`, []string{"/opt/my editor/ed", "-n", ""}},
		{`a\ b 'c\d' "e\"f"`, []string{"a b", `c\d`, `e"f`}},
		{"ed; rm -rf $HOME `x` | y", []string{"ed;", "rm", "-rf", "$HOME", "`x`", "|", "y"}},
	} {
		got, err := SplitCommand(c.in)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "  ", `"open`, `trailing\`} {
		if got, err := SplitCommand(bad); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}
