// Package tour explains the workbench to somebody who uses it for the first time: a line above the keys asks for one
// thing after another, and goes on once it has been done.
package tour

import (
	"fmt"
	"slices"
	"strings"

	"vespe/keymap"
	"vespe/ui/style"
	"vespe/ui/text"
)

// step asks for something. It has been done once one of its actions has or, without any, once the person has decided.
type step struct {
	says string // %s stands for the key of each of keys
	keys []keymap.Action
	done []keymap.Action
}

// all are the first two minutes with vespe.
func all() []step {
	type keys = []keymap.Action
	return []step{
		{"This is the inbox: what waits for you, with what blocks most on top. The other pane shows what the item asks. %s goes to the next one. To leave the tour, press %s and choose “tour”.", keys{keymap.MoveDown, keymap.Palette}, keys{keymap.MoveDown, keymap.MoveUp}},
		{"%s goes to the other pane, where you read and scroll.", keys{keymap.Open}, keys{keymap.Open, keymap.FocusNext}},
		{"In a plan, %s comments on the lines under the cursor. %s goes back to the list.", keys{keymap.Comment, keymap.Back}, keys{keymap.Back, keymap.FocusNext}},
		{"Now decide: %s accepts a plan, %s rejects it, %s approves a request, and %s denies it. The next item follows.", keys{keymap.Accept, keymap.Reject, keymap.RequestAccept, keymap.RequestDeny}, nil},
		{"%s takes the last decision back.", keys{keymap.Undo}, keys{keymap.Undo}},
		{"The numbers show the views: inbox, tasks, graph, runs and history. Go to the tasks.", nil, keys{keymap.ViewNumber, keymap.ViewTasks, keymap.ViewTree}},
		{"%s shows them in another layout: as a tree, on a board, or by milestone.", keys{keymap.ViewLayout}, keys{keymap.ViewLayout, keymap.ViewBoard, keymap.ViewMilestones}},
		{"%s finds everything else: type what you mean, or the name of a task.", keys{keymap.Palette}, keys{keymap.Palette}},
		{"%s lists what you can do here. Nothing in a demo is real, so try everything.", keys{keymap.Help}, keys{keymap.Help}},
	}
}

// Tour is where somebody is in it. The zero value is no tour.
type Tour struct {
	steps []step // those that are left
	of    int
}

// Toggle begins the tour, or ends it.
func (t *Tour) Toggle() {
	if len(t.steps) > 0 {
		*t = Tour{}
		return
	}
	t.steps = all()
	t.of = len(t.steps)
}

// Did goes on after an action, and reports whether that was a step.
func (t *Tour) Did(action keymap.Action) bool {
	return t.past(func(s step) bool { return slices.Contains(s.done, action) })
}

// Decided goes on after a verdict or an answer, and reports whether that was a step.
func (t *Tour) Decided() bool { return t.past(func(s step) bool { return s.done == nil }) }

// past goes past the step that has been done. Two before it may be skipped.
func (t *Tour) past(is func(step) bool) bool {
	i := slices.IndexFunc(t.steps[:min(3, len(t.steps))], is)
	t.steps = t.steps[i+1:]
	return i >= 0
}

// Lines are the step that is to be done now, w cells wide; none without a tour.
func (t *Tour) Lines(st *style.Styles, label func(keymap.Action) string, w int) []string {
	if len(t.steps) == 0 {
		return nil
	}
	lead := fmt.Sprintf(" Tour %d of %d ", 1+t.of-len(t.steps), t.of)
	indent := text.Width(lead) + 2
	keys := t.steps[0].keys
	lines, line, width := []string(nil), " "+st.Chip.Render(lead), indent-1
	for word := range strings.FieldsSeq(t.steps[0].says) {
		drawn := st.Text.Render(word)
		if word == "%s" {
			word, keys = label(keys[0]), keys[1:]
			drawn = st.Key.Render(word)
		}
		if width+1+text.Width(word) > w-1 && width > indent {
			lines = append(lines, text.Pad(line, w))
			line, width = text.Spaces(indent-1), indent-1
		}
		line, width = line+" "+drawn, width+1+text.Width(word)
	}
	return append(lines, text.Pad(line, w))
}
