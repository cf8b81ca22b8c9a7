package store

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// TestClonesMergeTextsWrittenByHand: two people edit one plan in an editor. vespe has neither text, so no merge drops
// one: the person who merges sees both. Two plans that vespe recorded need nobody.
func TestClonesMergeTextsWrittenByHand(t *testing.T) {
	tm := newTeam(t, 7, 2, 2)
	byHand, recorded := layout.TaskFile(tm.tasks[0], layout.DocFile(model.Plan)), layout.TaskFile(tm.tasks[1], layout.DocFile(model.Plan))
	tips := []string{}
	for i, c := range tm.clones {
		text := []string{"first\n", "second\n"}[i]
		write(t, filepath.Join(c.dir, layout.Name, byHand), text)
		tm.in(c, func(s *Store) {
			do(t, s, model.Op{UID: tm.tasks[1], Actor: robot, Name: model.DefinePlan, Args: model.NewPlan{Text: text}})
		})
		tm.commit(c, "plan")
		tips = append(tips, tm.tip(c))
	}
	for i, c := range tm.clones {
		tm.fetch(c, tm.clones[1-i])
		if out, err := tryGit(c.dir, "merge", "-q", tips[1-i]); err == nil {
			t.Fatalf("no conflict: %s", out)
		}
		tm.in(c, func(s *Store) {
			m, err := s.ContinueMerge(t.Context())
			if err != nil {
				t.Error(err)
			}
			for _, path := range []string{byHand, recorded} {
				text := read(t, vespe(s, path))
				if slices.Contains(m.Left, layout.Name+"/"+path) != (path == byHand) {
					t.Errorf("driver %v: left %v", c.driver, m)
				}
				if both := strings.Contains(text, "first\n") && strings.Contains(text, "second\n"); both != (path == byHand) {
					t.Errorf("driver %v: it reads\n%s", c.driver, text)
				}
			}
		})
	}
}
