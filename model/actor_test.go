package model

import (
	"strings"
	"testing"
)

func TestParseActor(t *testing.T) {
	for in, want := range map[string]Actor{
		"human:ann": "human:ann", "agent:claude": "agent:claude", "system:vespe": "system:vespe", "mcp_client:cursor": "mcp_client:cursor",
		"Human: Ann Lee ": "human:Ann Lee", "human:日本": "human:日本", "human:a:b": "human:a:b",
	} {
		got, err := ParseActor(in)
		if err != nil || got != want {
			t.Errorf("ParseActor(%q) = %q, %v", in, got, err)
		}
	}
	for in, says := range map[string]string{
		"ann": "no kind", "": "no kind", ":ann": "unknown kind", "robot:ann": "unknown kind", "human:": "no name", "human:  ": "no name",
		"human:a\x1b[31m": "invisible characters", "human:a\nb": "invisible characters", "human:a\u202eb": "invisible characters",
		"human:" + strings.Repeat("x", 129): "129 bytes", "hum\x1ban:x": "␛",
	} {
		got, err := ParseActor(in)
		if err == nil || !strings.Contains(err.Error(), says) || got != "" {
			t.Errorf("ParseActor(%q) = %q, %v; want an error with %q", in, got, err, says)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\n\u202e") {
			t.Errorf("the error hides something: %q", err)
		}
	}
}
