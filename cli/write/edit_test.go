package write

import (
	"testing"

	"vespe/cli/core"
	"vespe/model"
)

func TestParseAssignment(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want model.Assignment
	}{
		{"a=b", model.Assignment{Key: "a", Value: "b", Mode: '='}},
		{"a=", model.Assignment{Key: "a", Mode: '='}},
		{"a=b=c", model.Assignment{Key: "a", Value: "b=c", Mode: '='}},
		{"a+=b", model.Assignment{Key: "a", Value: "b", Mode: '+'}},
		{"a-=b", model.Assignment{Key: "a", Value: "b", Mode: '-'}},
		{"context.x-y=b", model.Assignment{Key: "context.x-y", Value: "b", Mode: '='}},
		{"a=+b", model.Assignment{Key: "a", Value: "+b", Mode: '='}},
		{"a= b ", model.Assignment{Key: "a", Value: " b ", Mode: '='}},
	} {
		if got, err := parseAssignment(tt.in); err != nil || got != tt.want {
			t.Errorf("%q is %+v, %v", tt.in, got, err)
		}
	}
	for _, in := range []string{"", "a", "=", "=b", "+=b", "-=b", "a b"} {
		if got, err := parseAssignment(in); core.CodeOf(err) != model.CodeUsage {
			t.Errorf("%q is %+v, %v; want a usage error", in, got, err)
		}
	}
}
