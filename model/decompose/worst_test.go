package decompose

import (
	"strings"
	"testing"

	"vespe/internal/worst"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worst.Check(t, append(worst.Texts(), worst.Lines("tasks", "- [ ] task %d\n"), worst.Lines("steps", "## Step %d\n\ntext\n\n"),
		worst.Stairs("nested tasks", "  ", "- [ ] a"), worst.Lines("needs", "- [ ] task %d (needs: task 1, task 2)\n"), worst.Repeat("blocks", "```vespe\n")), func(body string) {
		_, _ = Parse(body, nil)
		_, _ = Parse("# Tasks\n\n"+body, func(string) bool { return false })
		_, _ = Parse("```vespe-tasks\n"+body+"\n```\n", nil)
	})
}

// Names of YAML stand for no more than they say.
func TestWorstAnchors(t *testing.T) {
	worst.Check(t, worst.Anchors(), func(body string) {
		_, _ = Parse("```vespe-tasks\n"+body+"\n```\n", nil)
		_, _ = Parse("```vespe-tasks\n- name: a\n  needs:\n    - "+strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n      ")+"\n```\n", nil)
	})
}
