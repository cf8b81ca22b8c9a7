package markdown

import (
	"testing"

	"vespe/model/plantext"
)

// The sections that a person may leave out of a plan are those that are drawn as headings.
func TestHeadingsAreSections(t *testing.T) {
	for name, body := range plans(t) {
		headings, sections := New(body, dark(t)).Headings(), plantext.Sections(string(body))
		if len(headings) != len(sections) {
			t.Errorf("%s: %d headings, %d sections", name, len(headings), len(sections))
			continue
		}
		for i, h := range headings {
			if s := sections[i]; s.From != h.Line || s.Level != h.Level {
				t.Errorf("%s: %+v is drawn as %+v", name, s, h)
			}
		}
	}
}
