package guidelines

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGuidelinesAreQuotedAndBounded(t *testing.T) {
	if got := Quote([]byte(" \n\n"), nil, 100); got != "" {
		t.Errorf("blank ones are %q", got)
	}
	got := Quote([]byte("Use tabs.\n# Not a heading\n\u202edne\x1b[31m\n"), nil, 4<<10)
	for _, want := range []string{"The project's guidelines", "> Use tabs.\n", "> # Not a heading\n", "⟨U+202E⟩", "␛"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, long := range []string{strings.Repeat("a line of it\n", 9999), strings.Repeat("ü", 9999), strings.Repeat("\u202e", 9999), "x\n" + strings.Repeat("\n", 9999)} {
		got := Quote([]byte(long), nil, 500)
		if len(got) > 900 || !strings.Contains(got, "more bytes are left out") || !utf8.ValidString(got) {
			t.Errorf("%d bytes of %.20q: %s", len(got), long, got)
		}
	}
	if got := Quote(nil, errors.New("it is a directory"), 100); !strings.Contains(got, "`.vespe/guidelines.txt`): it is a directory") {
		t.Errorf("unreadable ones are %q", got)
	}
}
