package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
	all := Vocabularies()
	ids := []VocabularyID{VocabularyFiles, VocabularyTasksSpec, VocabularyOrchestrator, VocabularyGitInternal}
	if len(all) != len(ids) {
		t.Fatalf("%d vocabularies, want %d", len(all), len(ids))
	}
	seen := map[Status]bool{}
	for line := range strings.Lines(strings.TrimSpace(mappingTable)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for _, name := range strings.Split(cells[0], ",") {
			s, ok := ParseStatus(name)
			if !ok {
				t.Fatalf("%q is no status", name)
			}
			seen[s] = true
			for i, id := range ids {
				t.Run(fmt.Sprintf("%s/%s", s, id), func(t *testing.T) {
					word, note, _ := strings.Cut(strings.TrimSpace(cells[i+1]), " (")
					if got := MapStatus(s, id); got != word {
						t.Errorf("MapStatus = %q, want %q", got, word)
					}
					if all[i].ID != id || all[i].Words[s] != word || all[i].Notes[s] != strings.TrimSuffix(note, ")") {
						t.Errorf("the vocabulary has %s: %q (%q)", all[i].ID, all[i].Words[s], all[i].Notes[s])
					}
				})
			}
		}
	}
	for _, s := range Statuses() {
		if !seen[s] && s != StatusProblem {
			t.Errorf("%v is not in the table", s)
		}
	}
}

func TestMapStatusOfNothing(t *testing.T) {
	for _, v := range Vocabularies() {
		if got := MapStatus(StatusProblem, v.ID); got != "" {
			t.Errorf("a problem is %q in %s", got, v.ID)
		}
	}
	if got := MapStatus(StatusDone, "klingon"); got != "" {
		t.Errorf("done is %q in no vocabulary", got)
	}
	if got := MapStatus(Status(NumStatuses), VocabularyFiles); got != "" {
		t.Errorf("no status is %q", got)
	}
}

func TestUnmapStatus(t *testing.T) {
	for _, v := range Vocabularies() {
		for _, s := range Statuses() {
			word := v.Words[s]
			if word == "" {
				continue
			}
			var same []Status
			for _, other := range Statuses() {
				if v.Words[other] == word {
					same = append(same, other)
				}
			}
			got, ok := UnmapStatus(word, v.ID)
			if want := len(same) == 1; ok != want || ok && got != s {
				t.Errorf("%s: UnmapStatus(%q) = %v, %v; it stands for %v", v.ID, word, got, ok, same)
			}
		}
	}
	if s, ok := UnmapStatus("READY", VocabularyTasksSpec); !ok || s != StatusReady {
		t.Errorf("READY is %v, %v", s, ok)
	}
	for _, word := range []string{"", "cooking", "NEW"} {
		if s, ok := UnmapStatus(word, VocabularyTasksSpec); ok {
			t.Errorf("%q is %v", word, s)
		}
	}
	ids := map[VocabularyID]bool{}
	for _, v := range Vocabularies() {
		ids[v.ID] = true
		if v.Title == "" || slices.Contains(v.Words[1:], "") {
			t.Errorf("%s has no title or lacks a word", v.ID)
		}
	}
	if len(ids) != 4 {
		t.Errorf("the ids are not distinct: %v", ids)
	}
}
