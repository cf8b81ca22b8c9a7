package vocab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

// The mapping table, as docs/design.md (Other vocabularies) has it.
const mappingTable = `
| created | created | NEW | pending | draft |
| planning, review plan | planning | NEW | pending | draft |
| ready | ready | READY | pending (available) | draft |
| blocked | blocked | NEW | blocked | draft |
| running, subtasks | started | IN_PROGRESS | in_progress | running |
| waiting | paused | WAITING_HITL | blocked (clarification) | running |
| paused | paused | WAITING_HITL | in_progress | running |
| changed, replan | changed | NEW | pending | draft |
| error | failed | IN_PROGRESS | failed (retry left) | running |
| review work, done | done | DONE | completed | done |
| failed | failed | CANCELLED | failed | failed |
| aborted | aborted | CANCELLED | failed | cancelled |
`

func TestEveryCellOfTheMapping(t *testing.T) {
	all := All()
	ids := []ID{Files, TasksSpec, Orchestrator, GitInternal}
	if len(all) != len(ids) {
		t.Fatalf("%d vocabularies, want %d", len(all), len(ids))
	}
	seen := map[model.Status]bool{}
	for line := range strings.Lines(strings.TrimSpace(mappingTable)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for _, name := range strings.Split(cells[0], ",") {
			s, ok := model.ParseStatus(name)
			if !ok {
				t.Fatalf("%q is no status", name)
			}
			seen[s] = true
			for i, id := range ids {
				t.Run(fmt.Sprintf("%s/%s", s, id), func(t *testing.T) {
					word, note, _ := strings.Cut(strings.TrimSpace(cells[i+1]), " (")
					if got := Word(s, id); got != word {
						t.Errorf("the word is %q, want %q", got, word)
					}
					if all[i].ID != id || all[i].Words[s] != word || all[i].Notes[s] != strings.TrimSuffix(note, ")") {
						t.Errorf("the vocabulary has %s: %q (%q)", all[i].ID, all[i].Words[s], all[i].Notes[s])
					}
				})
			}
		}
	}
	for _, s := range model.Statuses() {
		if !seen[s] && s != model.StatusProblem {
			t.Errorf("%v is not in the table", s)
		}
	}
}

func TestWordOfNothing(t *testing.T) {
	for _, v := range All() {
		if got := Word(model.StatusProblem, v.ID); got != "" {
			t.Errorf("a problem is %q in %s", got, v.ID)
		}
	}
	if got := Word(model.StatusDone, "klingon"); got != "" {
		t.Errorf("done is %q in no vocabulary", got)
	}
	if got := Word(model.Status(model.NumStatuses), Files); got != "" {
		t.Errorf("no status is %q", got)
	}
}

func TestVocabulariesAreComplete(t *testing.T) {
	ids := map[ID]bool{}
	for _, v := range All() {
		ids[v.ID] = true
		if v.Title == "" || slices.Contains(v.Words[1:], "") {
			t.Errorf("%s has no title or lacks a word", v.ID)
		}
	}
	if len(ids) != 4 {
		t.Errorf("the ids are not distinct: %v", ids)
	}
}
