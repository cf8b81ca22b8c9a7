package verdict

import (
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model/specfields"
	"vespe/ui/style"
)

// The dialog that accepts a plan has every field that the acceptance binds to.
func TestTermRowsAreAllTerms(t *testing.T) {
	v := Proposer{Styles: &style.Styles{}}
	spec := modeltest.FullSpec()
	text := ""
	for _, row := range v.termRows(spec) {
		text += row.Title + " " + row.Detail + "\n"
	}
	for _, f := range specfields.All() {
		if len(f.Lines(spec.Terms())) == 0 || f.Key == "risk" {
			continue
		}
		for _, mark := range modeltest.SpecMarks()[f.Key] {
			if mark != "mark-state" && mark != "mark-evidence" && !strings.Contains(text, mark) {
				t.Errorf("%q lacks %q:\n%s", f.Key, mark, text)
			}
		}
	}
}
