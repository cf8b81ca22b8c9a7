package jsontree

import "testing"

// Two clones that each set a counter back to 0 do not count below it.
func TestCountersStayAtZero(t *testing.T) {
	for _, c := range []struct{ was, did, now, want string }{
		{`{"n":2}`, `{}`, `{"n":0}`, `{"n":0}`},
		{`{"n":2}`, `{"n":1}`, `{"n":1}`, `{"n":0}`},
		{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`},
	} {
		was, did, now := parsed(t, c.was), parsed(t, c.did), parsed(t, c.now)
		got := Encode(Apply(now, Diff(was, did, "n"), nil))
		if string(got) != string(Encode(parsed(t, c.want))) {
			t.Errorf("%s to %s, repeated on %s: %s, want %s", c.was, c.did, c.now, got, c.want)
		}
	}
}

func parsed(t *testing.T, s string) Value {
	t.Helper()
	v, err := Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
