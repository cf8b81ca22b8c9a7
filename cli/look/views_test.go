package look

import (
	"testing"
)

func TestFilterText(t *testing.T) {
	for _, tt := range []struct{ in, want []string }{
		{[]string{"two words", "is:done"}, []string{"two words is:done"}},
		{[]string{"under:Parse config"}, []string{`under:"Parse config"`}},
		{[]string{`under:"Parse config"`}, []string{`under:"Parse config"`}},
		{[]string{"!under:a b"}, []string{`!under:"a b"`}},
		{[]string{"is:open priority:high"}, []string{"is:open priority:high"}},
		{[]string{"is:open parser"}, []string{"is:open parser"}},
		{[]string{"under:Parse config is:open"}, []string{"under:Parse config is:open"}},
		{[]string{"comment:too large"}, []string{`comment:"too large"`}},
		{[]string{"http://x y"}, []string{"http://x y"}},
	} {
		if got := filterText(tt.in); got != tt.want[0] {
			t.Errorf("%v is %q, want %q", tt.in, got, tt.want[0])
		}
	}
}
