package tomltext

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pelletier/go-toml/v2/unstable"
)

func TestKeysAndLines(t *testing.T) {
	const src = "a = 1\n\n[x.\"y z\"]\nb.c = [\n  \"v\",\n]\n"
	var p unstable.Parser
	p.Reset([]byte(src))
	var got []string
	for p.NextExpression() {
		key, line := Key(&p, p.Expression())
		got = append(got, fmt.Sprintf("%s in %d", key, line))
	}
	if err := p.Error(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a in 1", "x.y z in 3", "b.c in 4"}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	data := p.Data()
	if n := Line(&p, data[19:20]); n != 4 {
		t.Errorf("%q is in line %d", data[19:], n)
	}
	if n := Line(&p, make([]byte, 2*cap(data))); n != 0 {
		t.Errorf("what is larger than all of it is in line %d", n)
	}
	if n := Line(&p, nil); n != 0 {
		t.Errorf("nothing is in line %d", n)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"accept", "accent", "reject", "x"}
	for _, c := range []struct {
		word string
		most int
		want string
	}{
		{"acept", 2, "accept"},
		{"accepd", 2, "accept"}, // as far from accent, which comes later
		{"accen", 1, "accent"},
		{"acept", 0, ""},
		{"reject", 0, "reject"},
		{"completely else", 3, ""},
		{"", 1, "x"},
	} {
		if got := Nearest(c.word, known, c.most); got != c.want {
			t.Errorf("%q within %d: %q, want %q", c.word, c.most, got, c.want)
		}
	}
}
