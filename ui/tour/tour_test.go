package tour

import (
	"slices"
	"strings"
	"testing"

	"vespe/keymap"
)

// Each step names its keys, wherever the person is.
func TestStepsNameTheirKeys(t *testing.T) {
	for bits := range 1 << 5 {
		on := func(n int) bool { return bits>>n&1 == 1 }
		h := Here{Waits: true, Texts: true, Inbox: on(0), Plan: on(1), Approve: on(2), Aside: on(3)}
		if on(4) {
			h.Tasks = keymap.ViewTree
		}
		for _, s := range all() {
			said := s.says(h)
			names := slices.DeleteFunc(strings.Fields(said.words), func(w string) bool { return w != "%s" })
			if len(names) != len(said.keys) || strings.Count(said.words, "%s") != len(names) {
				t.Errorf("%d names of keys stand alone in %q, of %d keys", len(names), said.words, len(said.keys))
			}
		}
	}
}
