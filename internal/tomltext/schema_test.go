package tomltext

import (
	"slices"
	"testing"
)

// names is a list of texts, read up to its first that is none.
type names []string

func (n *names) FromTOML(value any) bool {
	list, ok := value.([]any)
	for _, v := range list {
		text, isText := v.(string)
		if !isText {
			return false
		}
		*n = append(*n, text)
	}
	return ok
}

func TestFill(t *testing.T) {
	type settings struct {
		Mouse bool   `toml:"mouse" default:"true"`
		Names names  `toml:"names" form:"may be a list of texts"`
		Level string `toml:"level" enum:"low high" default:"low"`
	}
	had := settings{Names: names{"before"}}
	for _, tt := range []struct {
		name  string
		table map[string]any
		want  settings
		says  string
	}{
		{"nothing", nil, settings{true, names{"before"}, "low"}, ""},
		{"every key", map[string]any{"mouse": false, "names": []any{"a", "b"}, "level": "high"}, settings{false, names{"a", "b"}, "high"}, ""},
		{"a list with a number", map[string]any{"names": []any{"a", int64(1)}}, settings{true, names{"before"}, "low"}, "names is [a 1]; it may be a list of texts"},
		{"an unknown word", map[string]any{"level": "medium"}, settings{true, names{"before"}, "low"}, "level is medium; it may be low or high"},
		{"an unknown key", map[string]any{"nam": "x"}, settings{true, names{"before"}, "low"}, "unknown setting nam; known are level, mouse, names"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := settings{Names: slices.Clone(had.Names)}
			says := ""
			for _, m := range Fill(tt.table, "", &got, nil) {
				says += m.Says
			}
			if got.Mouse != tt.want.Mouse || !slices.Equal(got.Names, tt.want.Names) || got.Level != tt.want.Level || says != tt.says {
				t.Errorf("%+v, saying %q; want %+v, saying %q", got, says, tt.want, tt.says)
			}
		})
	}
}
