package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
)

// show and show --json have every field of a spec.
func TestShowHasEveryFieldOfASpec(t *testing.T) {
	c := at(t, t.TempDir())
	c.must("init")
	c.must("new", "one")
	dirs, err := filepath.Glob(filepath.Join(c.dir, ".vespe", "tasks", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal(err, dirs)
	}
	sp := modeltest.FullSpec()
	sp.UserStory += "\u202e"
	if err := os.WriteFile(filepath.Join(dirs[0], "spec.json"), model.EncodeSpec(sp), 0o644); err != nil {
		t.Fatal(err)
	}
	text, asJSON := c.must("show", "one"), c.must("show", "one", "--json")
	for key, marks := range modeltest.SpecMarks() {
		for _, mark := range marks {
			if !strings.Contains(text, mark) {
				t.Errorf("%q of %q is not in what show prints:\n%s", mark, key, text)
			}
			if key != "requires_hitl" && !strings.Contains(asJSON, mark) {
				t.Errorf("%q of %q is not in show --json:\n%s", mark, key, asJSON)
			}
		}
	}
	if !strings.Contains(asJSON, `"requires_hitl": true`) {
		t.Error("show --json lacks requires_hitl")
	}
	if strings.Contains(text+asJSON, "\u202e") {
		t.Error("a character that turns the text around is printed")
	}
}
