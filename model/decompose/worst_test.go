package decompose

import (
	"strings"
	"testing"

	"vespe/internal/worsttest"
)

// A text of 1 MiB is read in time that grows with its size, whatever its shape.
func TestWorstTexts(t *testing.T) {
	worsttest.Check(t, append(worsttest.Texts(), worsttest.Lines("tasks", "- [ ] task %d\n"), worsttest.Lines("steps", "## Step %d\n\ntext\n\n"),
		worsttest.Stairs("nested tasks", "  ", "- [ ] a"), worsttest.Lines("needs", "- [ ] task %d (needs: task 1, task 2)\n"), worsttest.Repeat("blocks", "```vespe\n")), func(body string) {
		_, _ = Parse(body, nil)
		_, _ = Parse("# Tasks\n\n"+body, func(string) bool { return false })
		_, _ = Parse("```vespe-tasks\n"+body+"\n```\n", nil)
	})
}

// Names of YAML stand for no more than they say.
func TestWorstAnchors(t *testing.T) {
	worsttest.Check(t, worsttest.Anchors(), func(body string) {
		_, _ = Parse("```vespe-tasks\n"+body+"\n```\n", nil)
		_, _ = Parse("```vespe-tasks\n- name: a\n  needs:\n    - "+strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n      ")+"\n```\n", nil)
	})
}
