package text

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 3392: "3,392", 20000: "20,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) is %q, want %q", n, got, want)
		}
	}
}
